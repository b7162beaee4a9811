#!/usr/bin/env python3
"""Tests that scripts of the shapes of nvFuser's own tests open unmodified, with the right fusion."""
import os

from program import SOURCE, from_command_line
from tap import Tap

CASES = os.path.join(SOURCE, "tests", "data", "cases", "scripts")
hirscope = from_command_line()
tap = Tap()

# Case, source below CASES, options, parts of the printed program or of the notes.
WORKS = [
    ("environment variables are not set", "environ.py::doubled", [], ["environment variables are not set"]),
    ("the first parameters are taken", "parametrize.py::test_way", [], ["way=Way.UP", "+ T0"]),
    ("--arg selects a parameter by its name", "parametrize.py::test_way", ["--arg", "way=DOWN", "--arg", "backend=nccl"],
     ["= -T0"]),
    ("pytest's id selects parameters", "parametrize.py::test_way[Way.DOWN-backend0]", [], ["= -T0"]),
    ("exec_nvfuser builds the fusion", "exec_fixture.py::test_sum", [], ["reduction("]),
    ("from_pytorch knows shape and type", "from_pytorch.py::negated", [], ["T0_g_float[iS0{i0}, iS1{i2}]"]),
    ("a method is named as pytest prints it", "test_class.py::TestNeg::test_neg", [], ["= -T0"]),
    ("a method is named with a dot", "test_class.py::TestNeg.test_neg", [], ["= -T0"]),
    ("a class with one test is found", "test_class.py", [], ["= -T0"]),
    ("negative dimensions count from the end", "negative_dims.py::scaled", [], ["ex 4"]),
    ("reciprocal takes a scalar", "scalar_reciprocal.py::mean", [], ["reduction("]),
    ("a product of sizes is a merge", "reshape_merge.py::flat", ["--input", "2x3"], ["( i0 * i2 )"]),
    ("a reshape to a number takes --input", "reshape_merge.py::flat_number", ["--input", "2x3"], ["{6}", "--input"]),
    ("a list of a sibling file is read", "sibling.py::low", [], ["__bfloat2float"]),
    ("a line after the fusion is not needed", "after_the_fusion.py::negated", [], ["= -T0"]),
    ("a row-parallel bias is added once", "row_parallel_bias.py::row_parallel", ["-d", "4"],
     ["type=Allreduce", "= broadcast( T2"]),
    ("executor parameters are accepted", "params_ignored.py::gather", ["-d", "2"], ["Stream"]),
    ("ndim leaves reduction axes out", "ndim.py::product", [], ["matmul("]),
    ("the size of a slice is known to the next unit", "slice_then_neg.py::slice_then_neg", [], ["slice("]),
]

for name, source, options, parts in WORKS:
    source = os.path.join(CASES, source)
    lowered = hirscope("lower", source, *options)
    tap.check(lowered.code == 0 and all(p in lowered.out + lowered.err for p in parts), name, str(lowered))
    checked = hirscope("run", "--check", source, *options)
    tap.check(checked.code == 0 and "right" in checked.out, f"{name}: runs right", str(checked))

result = hirscope("lower", os.path.join(CASES, "reshape_merge.py::flat_number"))
tap.check(result.code == 2 and "--input" in result.err, "without sizes, the message names --input", str(result))
result = hirscope("lower", os.path.join(CASES, "parametrize.py::test_way[UP]"))
tap.check(result.code == 2 and "--list" in result.err, "an unknown id is reported", str(result))
result = hirscope("lower", "--list", os.path.join(CASES, "parametrize.py::test_way"))
tap.check([line.split("::")[1] for line in result.out.split()] ==
          ["test_way[Way.UP-backend0]", "test_way[Way.DOWN-backend0]"], "--list prints the ids", str(result))
for size in ("1", "4", "6", "9"):
    result = hirscope("run", "--check", os.path.join(CASES, "slice_then_neg.py::slice_then_neg"), "--input", size)
    tap.check(result.code == 0, f"a slice of {size} elements runs", str(result))

tap.done()
