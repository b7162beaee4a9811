"""An independent auditor of the verdicts of `hirscope check`.

It reads printed host programs, executes them symbolically on all ranks, and derives which conflicting accesses are
unordered. The rules come from docs/host-ir.md only; nothing is shared with the implementation of `check`.
"""
