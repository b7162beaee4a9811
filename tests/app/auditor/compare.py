"""Compares the auditor's verdict with that of `hirscope check`."""
import json
import os
import re

from .audit import audit
from .communications import Invalid
from .machine import RELEASE
from .text import Unsupported

HAZARDS = ("RAW", "WAR", "WAW")
SAME, SKIPPED, EXPECTED, DIFFERENT = "same", "skipped", "expected", "different"


def compare_fixed(hirscope, path, fixed, base, n_streams):
    """Compare what `check --fix` writes with the auditor: no synchronization may be missing there."""
    words = ["--fix", fixed, "--remove-needless", "--streams", n_streams, *(w for shape in base.shapes for w in ("--input", shape))]
    code = hirscope("check", path, *words).code
    if code == 1 and os.path.exists(fixed):
        # Not all can be fixed. Both must agree on what is left.
        return compare(hirscope, fixed, base, n_streams)
    if code or not os.path.exists(fixed):
        return SKIPPED, "--fix: nothing to change, or not all can be fixed"
    with open(fixed, encoding="utf-8") as text:
        lines = text.read().split("\n")
    verdict = audit(lines, n_streams, base.symbols)
    if not verdict.missing:
        return SAME, "--fix: nothing is missing"
    return DIFFERENT, f"--fix: still missing {sorted(verdict.missing, key=str)}"


def place(access):
    """Return how the auditor names the instruction of an access."""
    return access["kind"] if access.get("line") is None or access["kind"] == RELEASE else access["line"]


def compare(hirscope, path, base, n_streams):
    """Return one of the four outcomes and why."""
    with open(path, encoding="utf-8") as text:
        lines = text.read().split("\n")
    mine = invalid = None
    try:
        mine = audit(lines, n_streams, base.symbols)
    except Unsupported as error:
        return SKIPPED, f"unsupported: {error}"
    except Invalid as error:
        invalid = error
    done = hirscope("check", path, "--json", "--streams", n_streams, *(w for shape in base.shapes for w in ("--input", shape)))
    if done.code not in (0, 1) or not done.out:
        if invalid:
            return SAME, "both reject the program"
        if re.search(r"but the pieces of other ranks have|relates an axis of|do not fit|must be equal|must divide|must have one axis fewer|cannot be split into", done.err):
            # The auditor does not check sizes.
            return SKIPPED, "sizes that do not match"
        if re.search(r"not waited for|nothing writes|never written", done.err):
            return EXPECTED, "check rejects a fault that is not a race"
        return DIFFERENT, f"check rejects: {done.err[:300]}"
    theirs = json.loads(done.out)
    if invalid:
        return (SAME, "fault") if theirs["mismatches"] or theirs["faults"] else (DIFFERENT, f"check accepts, but {invalid}")
    outcome, why = compare_verdicts(theirs, mine)
    if outcome == DIFFERENT:
        # The auditor evaluates every expression again; docs/host-ir.md#control-flow.
        if any(fault["kind"] == "stale" for fault in theirs["faults"]):
            return EXPECTED, "an expression of the index of FOR .. from keeps its first value"
    return outcome, why


def compare_verdicts(theirs, mine):
    """Compare what `check --json` printed with a verdict of the auditor; return the outcome and why."""
    if mine.mismatches:
        return (SAME, "fault") if theirs["mismatches"] or theirs["faults"] else (DIFFERENT, f"check misses a mismatch: {mine.mismatches}")
    if mine.stuck:
        return (SAME, "deadlock") if theirs["mismatches"] else (EXPECTED, "deadlock")
    if theirs["mismatches"] and re.search(r" sends .* receives it into ", theirs["mismatches"][0]["message"]):
        return SKIPPED, "sizes that do not match"
    if theirs["mismatches"]:
        return DIFFERENT, f"check reports a mismatch: {theirs['mismatches'][0]}"
    missing = {(m["hazard"], place(m["first"]), place(m["second"])) for m in theirs["missing"] if m["hazard"] in HAZARDS}
    if missing != mine.missing:
        return DIFFERENT, f"missing: only check {sorted(missing - mine.missing, key=str)}, only auditor {sorted(mine.missing - missing, key=str)}"
    held = {h["tensor"] for h in theirs["held"]}
    if held != mine.held:
        return DIFFERENT, f"held: only check {sorted(held - mine.held)}, only auditor {sorted(mine.held - held)}"
    return compare_needless(theirs, mine)


def compare_needless(theirs, mine):
    """Compare which Synchronize and Wait are called needless."""
    needless = {s["line"] for s in theirs["synchronisations"] if s["needless"]}
    if not needless <= mine.needless.alone:
        return DIFFERENT, f"needless: line {sorted(needless - mine.needless.alone)} orders something"
    if not mine.needless.can_lack(needless):
        return DIFFERENT, f"needless: lines {sorted(needless)} cannot be left out together"
    # Several can be redundant one by one and not together: what is left after all of `check` must be needed.
    left = mine.needless_joined.after(needless)
    if left:
        return DIFFERENT, f"needless: line {sorted(left)} is redundant, too, after {sorted(needless)}"
    if not mine.needless_joined.can_lack(needless):
        return EXPECTED, "needless: work is no longer waited for at the end of the program"
    if mine.needless.after(needless):
        return EXPECTED, "needless: kept, because it waits for work at the end of the program"
    return SAME, "missing" if mine.missing else ""
