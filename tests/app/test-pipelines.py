#!/usr/bin/env python3
"""test-pipelines.py HIRSCOPE

Compares what both pipelines make of one script: `lower --pipeline both --diff`, and `compare` of two recordings.
"""
import json
import os
import re
import tempfile

from program import SOURCE, from_command_line
from tap import Tap

FOLDER = os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026")
LAYERS = os.path.join(FOLDER, "layers.py")
OVERLAP = os.path.join(FOLDER, "overlap.py")


def groups(text):
    """Return the lines of each op: {heading: [(left, right)]}."""
    found, rows = {}, []
    for line in text.splitlines()[1:]:
        if line and not line.startswith("   "):
            rows = found.setdefault(re.sub(r"^.*/", "", line), [])
        elif line:
            left, _, right = line.partition(" |")
            rows.append((left.strip(), right.strip()))
    return found


def test_side_by_side(t, hirscope):
    both = hirscope("lower", LAYERS + "::pointwise", "-d", "2", "--pipeline", "both", "--diff")
    t.check(both.code == 0 and re.match(r" +executor +\| +hostir$", both.out.splitlines()[0]), "two columns", both)
    ops = groups(both.out)
    t.check(list(ops) == ["layers.py:21: T1 = relu(T0)", "layers.py:22: T2 = add(T1, T1)"], "one group per op", both)
    first = ops["layers.py:21: T1 = relu(T0)"]
    pairs = [row for row in first if row[0] and row[1]]
    t.check(["Allgather" in a and "Allgather" in b for a, b in pairs].count(True) == 2,
            "Allgather and Wait are next to those of the other pipeline", first)
    t.check(("2  PostOnStream HostUnit0", "3  LaunchKernel group 2 · T0 → T1") in first,
            "the two forms of a kernel are next to each other", first)
    for kind, column in (("executor", 0), ("hostir", 1)):
        one = hirscope("lower", LAYERS + "::pointwise", "-d", "2", "--pipeline", kind).out.splitlines()
        cells = [row[column] for rows in ops.values() for row in rows if row[column]]
        t.check(cells and all(re.match(r" *T|  (Communication|Wait|Dealloc)", one[int(cell.split()[0]) - 1]) for cell in cells
                              if "PostOnStream" not in cell and "LaunchKernel" not in cell),
                f"line numbers are those of the program of {kind}", cells, *one)


def test_one_fails(t, hirscope):
    src = OVERLAP + "::column_parallel_linear_collective_permute"
    both = hirscope("lower", src, "-d", "2", "--pipeline", "both", "--diff")
    t.check(both.code == 2 and "executor, before StreamParallelType" in both.out and "CollectivePermute T0" in both.out,
            "the program of the other pipeline is printed", both)
    t.check(re.search(r"overlap\.py:\d+:\d+: error: axis \S+ of gathered \(T2\)", both.err), "and the error", both)
    loops = groups(both.out).get("loops and streams", [])
    t.check(any("FOR i13 from 0 to 2" in right for _, right in loops), "loops belong to no op", loops)


def test_options(t, hirscope):
    src = LAYERS + "::pointwise"
    for words, error in ((["--print", "all", "--diff"], "use it with --diff"), ([], "use it with --diff")):
        got = hirscope("lower", src, "-d", "2", "--pipeline", "both", *words)
        t.check(got.code == 2 and error in got.err, f"both with {words} is an error", got)
    got = hirscope("run", src, "-d", "2", "--pipeline", "both")
    t.check(got.code == 2 and "one of executor, hostir" in got.err, "other commands take one pipeline", got)
    got = hirscope("lower", src, "-d", "2", "--pipeline", "both", "--diff", "--disable", "Nope")
    t.check(got.code == 2 and "no pass 'Nope'" in got.err, "an unknown pass is an error", got)
    got = hirscope("lower", src, "-d", "2", "--pipeline", "both", "--diff", "--disable", "AssignStreams", "--disable",
                   "ConvertOpToCommunication", "--set", "DecomposeReshardings.insert_resharding_after=on")
    t.check(got.code == 0 and "Set(T1)" in got.out, "passes and options apply to the pipeline that has them", got)


def test_compare(t, hirscope):
    with tempfile.TemporaryDirectory() as folder:
        paths = {kind: os.path.join(folder, kind + ".hirs") for kind in ("executor", "hostir")}
        for kind, path in paths.items():
            ran = hirscope("run", LAYERS + "::pointwise", "-d", "2", "--pipeline", kind, "--clock", "model", "-o", path)
            t.check(ran.code == 0, f"{kind} is recorded", ran)
        compared = hirscope("compare", paths["executor"], paths["hostir"])
        for name in ("script line 21, kernel: T1 = relu(T0)", "script line 21, communication: T1 = relu(T0)",
                     "script line 22, kernel: T2 = add(T1, T1)"):
            t.check(re.search(r"^ +2 +2 .*  " + re.escape(name) + "$", compared.out, re.M), f"a row: {name}", compared)
        rows = json.loads(hirscope("compare", "--json", paths["executor"], paths["hostir"]).out)
        t.check(rows["only"] == [0, 0] and sorted((row["line"], row["class"]) for row in rows["work"]) ==
                [(21, "communication"), (21, "kernel"), (22, "kernel")], "JSON has the lines of the ops", rows)
        same = json.loads(hirscope("compare", "--json", paths["hostir"], paths["hostir"]).out)
        t.check(all(row["instruction"] and "line" not in row for row in same["work"]),
                "one pipeline is compared by instruction", same)


hirscope = from_command_line()
tap = Tap()
for function in (test_side_by_side, test_one_fails, test_options, test_compare):
    tap.group(function, hirscope)
tap.done()
