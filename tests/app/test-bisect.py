#!/usr/bin/env python3
"""test-bisect.py HIRSCOPE

Tests `bisect`: finds the pass that breaks the results, and reports none if none does.
"""
import os
import tempfile

from program import EXAMPLES, from_command_line
from tap import Tap

SCRIPT = '''
import torch
import nvfuser
from nvfuser import FusionDefinition, DataType, ParallelType


def differences():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        b = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        c = fd.ops.sub(a, b)
        d = fd.ops.mul(c, c)
        e = fd.ops.add(d, c)
        fd.add_output(e)
        e.axis(0).parallelize(ParallelType.stream)
    return fd
'''


def test_planted(tap, hirscope, folder):
    path = os.path.join(folder, "differences.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(SCRIPT)
    words = ("bisect", path, "--enable", "SwapOperands", "--set", "SwapOperands.tensor=T2")
    os.environ["HIRSCOPE_TEST_PASSES"] = "1"
    done = hirscope(*words)
    tap.check(done.code == 1 and "\nfirst incorrect pass: SwapOperands; after Fusion " in done.out, "finds an injected error", done)
    by_name = hirscope(*words[:-1], "SwapOperands.tensor=c")
    tap.check(by_name.code == 1, "accepts the script's name of a tensor", by_name)
    absent = hirscope(*words[:-1], "SwapOperands.tensor=T3")
    tap.check(absent.code == 2 and "no subtraction computes" in absent.err, "rejects a tensor that no subtraction makes", absent)
    off = hirscope("bisect", path)
    tap.check(off.code == 0 and "no pass changes the results" in off.out, "finds nothing if the pass is disabled", off)
    run = hirscope("run", path, "--check", *words[2:])
    tap.check(run.code == 1, "run --check finds the error, too", run)
    del os.environ["HIRSCOPE_TEST_PASSES"]
    hidden = hirscope(*words)
    tap.check(hidden.code == 2 and "SwapOperands" in hidden.err, "test passes are hidden without HIRSCOPE_TEST_PASSES", hidden)


def test_innocent(tap, hirscope, folder):
    for name, words in (("two_set_ops", ()), ("matmul_m", ()), ("ag_matmul", ("-d", 2)), ("reduce_scatter", ("-d", 3)),
                        ("allgather_p2p", ("-d", 2))):
        done = hirscope("bisect", f"example:{name}", *words)
        tap.check(done.code == 0 and "no pass changes the results" in done.out, f"{name}: reports no pass", done)
    broken = hirscope("bisect", "example:refused_split_axis")
    tap.check(broken.code == 2 and "error: " in broken.err and "SegmentFusion" in broken.out,
              "if a pass fails, prints the passes before it and the error", broken)
    dump = os.path.join(os.path.dirname(EXAMPLES), "..", "tests", "data", "golden", "allgather.txt")
    printed = hirscope("bisect", dump)
    tap.check(printed.code == 2 and "a printed program" in printed.err, "rejects a printed program, which has no passes", printed)


def test_program(tap, hirscope, folder):
    """Finds the first instruction of the host program whose result exceeds its error bound."""
    shapes = ("--input", "4x2x4x4", "--input", "4x8")
    right = hirscope("bisect", "--program", "example:ag_matmul", "-d", 2, *shapes)
    tap.check(right.code == 0 and "16 results compared" in right.out and "no result exceeds its error bound" in right.out,
              "--program: compares each result of a correct program", right)
    wrong = hirscope("bisect", "--program", "example:ag_matmul", "-d", 2, *shapes, "--plant-error", "matmul:0.1")
    tap.check(wrong.code == 1 and "\nfirst incorrect result: #15 T6 = matmul(T5, T1), iteration 0, rank 1\n" in wrong.out and "WRONG in" in wrong.out,
              "--program: names the op with an injected error", wrong)
    for name, words in (("matmul_m", ()), ("reduce_scatter", ("-d", 3)), ("allgather_p2p", ("-d", 2)), ("two_set_ops", ())):
        done = hirscope("bisect", "--program", f"example:{name}", *words)
        tap.check(done.code == 0 and "no result exceeds" in done.out and "\n0 results" not in done.out, f"--program: {name} has no incorrect result", done)
    dump = os.path.join(os.path.dirname(EXAMPLES), "..", "tests", "data", "debug-no-wait.txt")
    broken = hirscope("bisect", "--program", dump, "-d", 2, *shapes)
    tap.check(broken.code == 2 and "insert a Wait for it first" in broken.err, "--program: reports the error of a failing program", broken)
    recorded = hirscope("bisect", "example:matmul_m", "-o", os.path.join(folder, "never.hirs"))
    tap.check(recorded.code == 2 and "hirscope bisect has no option -o" in recorded.err, "rejects an option that does not apply to bisection", recorded)


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_planted, test_innocent, test_program):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
