#!/usr/bin/env python3
"""test-bisect.py HIRSCOPE

Tests `bisect`: finds the pass or instruction that breaks the results, and reports none if none does.
"""
import json
import os
import re
import tempfile

from program import EXAMPLES, GOLDEN, from_command_line
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
    printed = hirscope("bisect", os.path.join(GOLDEN, "allgather.txt"))
    tap.check(printed.code == 2 and "a printed program" in printed.err and "--against SCRIPT" in printed.err, "rejects a printed program, which has no passes", printed)


def test_blames_disabled_pass(tap, hirscope, folder):
    """Without the pass that creates communications, results are incorrect, but no enabled pass is to blame."""
    off = ("--disable", "ConvertOpToCommunication")
    for name in ("ag_matmul", "reduce_scatter"):
        done = hirscope("bisect", f"example:{name}", "-d", 4, *off)
        tap.check(done.code == 1 and "first incorrect pass" not in done.out and "a disabled one is required" in done.out and
                  "enable ConvertOpToCommunication" in done.out, f"{name}: names the disabled pass", done)
        words = {line.split()[0]: line.split()[1] for line in done.out.splitlines() if line.startswith(("SegmentFusion ", "StreamParallelType "))}
        tap.check(len(words) == 2 and "right" not in words.values(), f"{name}: no program without communications is right", done)
    found = json.loads(hirscope("bisect", "example:ag_matmul", "-d", 4, "--json", *off).out)
    tap.check(found["first_incorrect"] == [] and "enable ConvertOp" in found["lost_transfer"], "JSON", found)
    run = hirscope("run", "example:matmul_AR", "-d", 4, *off, "--check")
    done = hirscope("bisect", "example:matmul_AR", "-d", 4, *off)
    wrong = next(line for line in run.out.splitlines() if "WRONG" in line)
    tap.check(f"StreamParallelType         WRONG  {wrong}\n" in done.out and done.out.count("same results on whole tensors") == 2,
              "the last program is as wrong as its run, but not its pass", done, run)
    whole = hirscope("bisect", "example:matmul_AR", "-d", 4)
    tap.check("StreamParallelType         right  same results on whole tensors" in whole.out, "with the pass, says what was compared", whole)
    noted = hirscope("lower", "example:ag_matmul", "-d", 4, *off)
    tap.check(noted.code == 0 and "note: T5 = Set(T4) transfers data between devices" in noted.err, "lower prints a note", noted)
    for words in (("-d", 4), ("-d", 1, *off), ("-d", 4, *off)):
        quiet = hirscope("lower", "example:allgather_p2p", *words)
        tap.check(quiet.code == 0 and "transfers data" not in quiet.err, f"no note with {' '.join(map(str, words))}", quiet)


def test_program(tap, hirscope, folder):
    """Finds the first instruction of the host program whose result exceeds its error bound."""
    shapes = ("--input", "4x2x4x4", "--input", "4x8")
    right = hirscope("bisect", "--program", "example:ag_matmul", "-d", 2, *shapes)
    tap.check(right.code == 0 and "16 results compared" in right.out and "no result exceeds its error bound" in right.out,
              "--program: compares each result of a correct program", right)
    wrong = hirscope("bisect", "--program", "example:ag_matmul", "-d", 2, *shapes, "--plant-error", "matmul:0.1")
    tap.check(wrong.code == 1 and "\nfirst incorrect result: program line 19, T6 = matmul(T5, T1), iteration 0, rank 1\n" in wrong.out and "WRONG in" in wrong.out,
              "--program: names the op with an injected error", wrong)
    for name, words in (("matmul_m", ()), ("reduce_scatter", ("-d", 3)), ("allgather_p2p", ("-d", 2)), ("two_set_ops", ())):
        done = hirscope("bisect", "--program", f"example:{name}", *words)
        tap.check(done.code == 0 and "no result exceeds" in done.out and "\n0 results" not in done.out, f"--program: {name} has no incorrect result", done)
    dump = os.path.join(os.path.dirname(EXAMPLES), "..", "tests", "data", "debug-no-wait.txt")
    broken = hirscope("bisect", "--program", dump, "-d", 2, *shapes)
    tap.check(broken.code == 2 and "insert a Wait for it first" in broken.err, "--program: reports the error of a failing program", broken)
    recorded = hirscope("bisect", "example:matmul_m", "-o", os.path.join(folder, "never.hirs"))
    tap.check(recorded.code == 2 and "hirscope bisect has no option -o" in recorded.err, "rejects an option that does not apply to bisection", recorded)


MESHES = '''
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def contig(fd, rank):
    return fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.Float)


def sub():
    with FusionDefinition() as fd:
        a = contig(fd, 2)
        b = contig(fd, 2)
        c = fd.ops.sub(a, b)
        d = fd.ops.mul(c, a)
        e = fd.ops.sum(d, dims=[1])
        fd.add_output(e)
        e.axis(0).parallelize(ParallelType.stream)
    return fd


def broadcast():
    with FusionDefinition() as fd:
        a = contig(fd, 2)
        b = fd.ops.set(a)
        fd.add_output(b)
        a.set_device_mesh(nvfuser.multidevice.DeviceMesh([1]))
        b.set_device_mesh(nvfuser.multidevice.DeviceMesh([0, 1, 2]))
    return fd


def reduce():
    with FusionDefinition() as fd:
        a = contig(fd, 2)
        b = fd.ops.sum(a, dims=[0])
        fd.add_output(b)
        a.set_device_mesh(nvfuser.multidevice.DeviceMesh([0, 1, 2]))
        a.axis(0).parallelize(ParallelType.mesh_x)
        b.set_device_mesh(nvfuser.multidevice.DeviceMesh([1]))
    return fd
'''

SQUARE = ("--input", "4x4x4x4", "--input", "4x4")

# Programs with one fault: name, fusion, devices, rank, options of bisect, pattern, replacement, line of the faulty
# instruction, parts of the report.
MUTANTS = (
    ("a constant slice of an input", "example:ag_matmul", 4, 0, (), "axis = iS0{i0}, index = StreamIdx",
     "axis = iS0{i0}, index = 0", 10, ["HirAliasSelect T4", "iteration 1", "selects another part"]),
    ("a constant slice of the output", "example:ag_matmul", 4, 0, (), "axis = iStreamIdx6{i0}, index = StreamIdx",
     "axis = iStreamIdx6{i0}, index = 1", 17, ["HirAliasSelect T6", "iteration 0", "selects another part"]),
    ("a slice along another axis", "example:ag_matmul", 4, 0, (), "axis = iS0{i0}, index", "axis = iS2{i3}, index",
     10, ["HirAliasSelect T4", "along axis 2 instead of axis 0", "then the program fails"]),
    ("a slice along another axis of the same size", "example:ag_matmul", 4, 0, SQUARE, "axis = iS0{i0}, index",
     "axis = iS2{i3}, index", 10, ["HirAliasSelect T4", "iteration 0", "selects another part"]),
    ("a slice of another tensor", "example:two_set_ops", 1, 0, (),
     "HirAliasSelect( T2_g_float[iStreamIdx4{i0}, iS5{i2}], axis = iStreamIdx4{i0}",
     "HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i2}], axis = iStreamIdx2{i0}", 16,
     ["HirAliasSelect T5", "selects from T1"]),
    ("swapped operands of a matmul", "example:matmul_m", 1, 0, ("--input", "4x4", "--input", "4x4"),
     re.compile(r"matmul\((.*?),\n(\s+)(.*?)\)\n"), r"matmul(\3,\n\2\1)\n", 13, ["matmul(T1, T3)", "elements"]),
    ("swapped operands of a subtraction", "SUB", 1, 0, (), re.compile(r"= (T0_\S+ \S+)\n(\s+)- (T1_\S+ \S+);"),
     r"= \3\n\2- \1;", 2, ["T2 = sub(T1, T0)", "1024 of 1024 elements differ"]),
    ("another operand", "SUB", 1, 0, (), "* T0_g_float[iS0{i0}, iS1{i2}]", "* T1_g_float[iS2{i3}, iS3{i4}]", 5,
     ["T3 = mul(T2, T1)"]),
    ("another reduction", "SUB", 1, 0, (), "op = add, initial value = float(0)", "op = max, initial value = float(-inf)",
     19, ["T6 = max(T5)"]),
    ("the root of a Broadcast", "BROADCAST", 3, 1, (), "root=1", "root=0", 3, ["Broadcast", "root 0 instead of 1"]),
    ("the root of a Reduce", "REDUCE", 3, 1, (), "root=1", "root=2", 3, ["Reduce", "root 2 instead of 1"]),
    ("the peer of a receive", "example:allgather_p2p", 3, 0, (),
     re.compile(r"(type=recv.*)peer=StreamIdx"), r"\1peer=0", 18, ["recv T3", "peer 0 instead of 1"]),
    ("the peer of a send", "example:allgather_p2p", 3, 0, (),
     re.compile(r"(type=send.*)peer=StreamIdx"), r"\1peer=0", 19, ["send T0", "peer 0 instead of 1"]),
)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def replace(text, old, new):
    changed = old.sub(new, text) if isinstance(old, re.Pattern) else text.replace(old, new)
    assert changed != text
    return changed


def test_against(tap, hirscope, folder):
    """Compares a printed program with its fusion and names the faulty instruction."""
    meshes = write(folder, "meshes.py", MESHES)
    for name, fusion, n, rank, words, old, new, number, parts in MUTANTS:
        fusion = fusion if fusion.startswith("example:") else f"{meshes}::{fusion.lower()}"
        printed = hirscope("lower", fusion, "-d", n, "--rank", rank).out
        right = hirscope("bisect", write(folder, "right.txt", printed), "--against", fusion, *words)
        tap.check(right.code == 0 and "the outputs equal those of the fusion" in right.out, f"{name}: without it, all is right", right)
        path = write(folder, "wrong.txt", replace(printed, old, new))
        wrong = hirscope("bisect", path, "--against", fusion, *words)
        tap.check(wrong.code == 1 and f"\nfirst incorrect result: program line {number}, " in wrong.out and all(part in wrong.out for part in parts),
                  f"{name} is named", wrong)
        line = re.search(r"\nin .*wrong\.txt:(\d+)\n", wrong.out)
        tap.check(line is not None and int(line.group(1)) == number, f"{name}: the line is that of the printed program", wrong)
        run = hirscope("run", path, "--check", "--against", fusion, *words, "--timeout", "3")
        tap.check(run.code in (1, 2) and "right" not in run.out, f"{name}: run --check --against finds the fault, too", run)
    golden = os.path.join(GOLDEN, "ag_matmul.txt")
    run = hirscope("run", golden, "--check", "--against", "example:ag_matmul")
    tap.check(run.code == 0 and "T2: right" in run.out, "run --check --against finds a printed program right", run)
    for words, part in ((("--against", "example:allreduce"), "specify the fusion of this program"), (("--against", golden), "is not a fusion"),
                        (("--against", "example:nothing"), "there is no example")):
        other = hirscope("bisect", golden, *words)
        tap.check(other.code == 2 and part in other.err, f"rejects {words[1]}", other)
    for printed, hint in ((os.path.join(GOLDEN, "allgather_p2p.txt"), True), (golden, False)):
        other = hirscope("run", printed, "--check", "--against", "example:allreduce", "-d", 8)
        tap.check(other.code == 2 and "specify the fusion of this program" in other.err and ("does not show all splits" in other.err) == hint,
                  f"run --against rejects the fusion of another program than {os.path.basename(printed)}", other)
    unchecked = hirscope("run", golden, "--against", "example:ag_matmul")
    tap.check(unchecked.code == 2 and "requires --check" in unchecked.err, "run --against requires --check", unchecked)


def test_against_other_form(tap, hirscope, folder):
    """Finds the instruction if the lowered fusion has other instructions."""
    fusion = write(folder, "meshes.py", MESHES) + "::sub"
    for source, number, part in ((fusion, 2, "1024 of 1024 elements differ"), ("example:single_binary_op", 2, "writes the first incorrect element")):
        printed = hirscope("lower", source, "--disable", "StreamParallelType").out
        right = hirscope("bisect", write(folder, "right.txt", printed), "--against", source)
        tap.check(right.code == 0 and "equal those of the fusion" in right.out, f"{source}: a program of another form is right", right)
        swapped = replace(printed, re.compile(r"= (T0_.*)\n(\s+)(\S) (T1_.*);"), r"= \1\n\2\3 \1;")
        wrong = hirscope("bisect", write(folder, "wrong.txt", swapped), "--against", source)
        tap.check(wrong.code == 1 and f"first incorrect result: program line {number}, T2" in wrong.out and part in wrong.out,
                  f"{source}: names the instruction of another form", wrong)


SCENARIOS = os.path.join(os.path.dirname(GOLDEN), "cases", "host_ir_2026")


def test_against_pipelines(tap, hirscope, folder):
    """The pipeline of the script and that of --pipeline give the same answer."""
    with open(os.path.join(SCENARIOS, "overlap.py"), encoding="utf-8") as f:
        script = f.read().replace("    return fd\n", '    fd.execute([], _enable_options=["host_ir_lowering"])\n    return fd\n')
    fusion = write(folder, "overlap.py", script) + "::row_parallel_linear_forward"
    printed = hirscope("lower", fusion, "-d", 2).out
    lines = printed.splitlines(keepends=True)
    right = hirscope("bisect", write(folder, "right.txt", printed), "--against", fusion, "-d", 2)
    tap.check(right.code == 0 and "equal those of the fusion" in right.out, "a right program of hostir", right)
    for number in (7, 15):
        changed = lines[:number - 1] + [replace(lines[number - 1], "stream_index=i16", "stream_index=0")] + lines[number:]
        words = ("bisect", write(folder, "wrong.txt", "".join(changed)), "--against", fusion, "-d", 2)
        done, given = hirscope(*words), hirscope(*words, "--pipeline", "hostir")
        tap.check(done.code == 1 and f"\nfirst incorrect result: program line {number}, ShardByStream" in done.out and
                  "selects another part" in done.out, f"names the ShardByStream in line {number}", done)
        tap.check(done.out == given.out, f"line {number}: --pipeline hostir gives the same answer", given)
        found, given = hirscope(*words, "--json"), hirscope(*words, "--pipeline", "hostir", "--json")
        tap.check(found.out == given.out and json.loads(found.out)["first_incorrect"]["line"] == number, f"line {number}: JSON", found)
    other = hirscope(*words, "--pipeline", "executor")
    tap.check(other.code == 1 and "Allreduce" in other.out and "writes the first incorrect element" in other.out,
              "with another pipeline, names the instruction that writes the element, after its memory is freed", other)
    fusion = fusion.replace("row_parallel_linear_forward", "column_parallel_linear_collective_permute")
    for n in (2, 4):
        printed = hirscope("lower", fusion, "-d", n, "--rank", 1).out
        done = hirscope("bisect", write(folder, "swizzled.txt", printed), "--against", fusion, "-d", n)
        tap.check(done.code == 0 and "equal those of the fusion" in done.out, f"a program whose output is rotated, {n} devices", done)
        slice_of_out = re.compile(r"(T5_.*ShardByStream\(.*stream_index=)i\d+")
        path = write(folder, "wrong.txt", replace(printed, slice_of_out, r"\g<1>0"))
        done = hirscope("bisect", path, "--against", fusion, "-d", n)
        tap.check(done.code == 1 and "ShardByStream T5" in done.out and "selects another part" in done.out,
                  f"names an incorrect slice of a rotated output, {n} devices", done)
    done = hirscope("bisect", fusion, "-d", 4, "--program")
    tap.check(done.code == 0 and "no result exceeds" in done.out, "--program: results are compared after the CollectivePermute that they wait for", done)


def test_races(tap, hirscope, folder):
    """A program that races is never called right, although its results are right in sequence."""
    path = os.path.join(os.path.dirname(GOLDEN), "cases", "verdicts", "bisect_program_says_fine.txt")
    for words in (("--program",), ("--program", "--against", "example:ag_matmul")):
        done = hirscope("bisect", path, *words)
        tap.check(done.code == 1 and "the program races" in done.out and "hirscope check" in done.out and "1 missing" in done.out,
                  f"bisect {' '.join(words)} says that a program races", done)
    log = hirscope("lower", "example:ag_matmul", "-d", 4, "--print", "all").out
    start = log.index("=== ConvertOpToCommunication")
    racing = log[:start] + log[start:].replace("axis = iStreamIdx11{i0}, index = StreamIdx", "axis = iStreamIdx11{i0}, index = 0")
    assert racing != log
    done = hirscope("bisect", write(folder, "racing.txt", racing))
    tap.check(done.code == 1 and "no pass changes the results" in done.out and "the program races" in done.out,
              "a pass log whose last program races", done)


def test_logs(tap, hirscope, folder):
    """Bisects the passes of a log."""
    for example, n in (("ag_matmul", 4), ("matmul_m", 1), ("allgather_p2p", 3)):
        log = hirscope("lower", f"example:{example}", "-d", n, "--print", "all").out
        done = hirscope("bisect", write(folder, "log.txt", log))
        tap.check(done.code == 0 and "no pass changes the results" in done.out and "SegmentFusion              right" in done.out,
                  f"the log of {example} is right", done)
    log = hirscope("lower", "example:matmul_m", "--print", "all").out
    operands = re.compile(r"matmul\((.*?),\n(\s+)(.*?)\)\n")
    before = "Fusion"
    for name in ("SegmentFusion", "StreamParallelType", "ConvertOpToCommunication"):
        start = log.index(f"=== {name}")
        path = write(folder, "wrong.txt", log[:start] + replace(log[start:], operands, r"matmul(\3,\n\2\1)\n"))
        done = hirscope("bisect", path, "--input", "4x4", "--input", "4x4")
        tap.check(done.code == 1 and f"first incorrect pass: {name}; after {before} the" in done.out, f"names {name}", done)
        before = name
    by_instruction = hirscope("bisect", path, "--program", "--input", "4x4", "--input", "4x4")
    tap.check(by_instruction.code == 1 and "first incorrect result: program line 13, T4 = matmul(T1, T3)" in by_instruction.out,
              "--program compares the last program of a log with its first", by_instruction)
    parallel = hirscope("lower", "example:ag_matmul", "-d", 4, "--print", "all").out
    start = parallel.index("=== StreamParallelType")
    path = write(folder, "wrong.txt", parallel[:start] + replace(parallel[start:], "axis = iS0{i0}, index = StreamIdx", "axis = iS0{i0}, index = 0"))
    done = hirscope("bisect", path)
    tap.check(done.code == 1 and "first incorrect pass: StreamParallelType; after SegmentFusion" in done.out,
              "names a pass before transfers are communications", done)
    own = [hirscope("lower", "example:matmul_m", "--print", "last").out] * 2
    log = f"Fusion after pass: First\n{own[0]}\n=====\nFusion after pass: Second\n{replace(own[1], 'index = StreamIdx', 'index = 0')}\n"
    done = hirscope("bisect", write(folder, "hosts.txt", log))
    tap.check(done.code == 1 and "first incorrect pass: Second; after First" in done.out, "a log that starts with a host program", done)
    done = hirscope("bisect", path, "--against", "example:ag_matmul")
    tap.check(done.code == 1 and "first incorrect pass: StreamParallelType" in done.out, "compares a log with --against", done)
    first = replace(hirscope("lower", "example:matmul_m", "--print", "all").out, operands, r"matmul(\3,\n\2\1)\n")
    done = hirscope("bisect", write(folder, "first.txt", first), "--against", "example:matmul_m", "--input", "4x4", "--input", "4x4")
    tap.check(done.code == 1 and "the first program, Fusion, differs from the fusion already" in done.out, "a log whose first program is wrong", done)


REDUCTION = '''
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def everywhere():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[2, -1, 2], contiguity=True, dtype=DataType.Float)
        b = fd.ops.sum(a, dims=[0])
        fd.add_output(b)
        a.set_device_mesh(nvfuser.multidevice.DeviceMesh([0, 1]))
        b.set_device_mesh(nvfuser.multidevice.DeviceMesh([0, 1]))
        a.axis(0).parallelize(ParallelType.mesh_x)
    return fd


def inner():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[2, -1, 2], contiguity=True, dtype=DataType.Float)
        b = fd.ops.sum(a, dims=[0])
        fd.add_output(b)
        a.set_device_mesh(nvfuser.multidevice.DeviceMesh([0, 1]))
        b.set_device_mesh(nvfuser.multidevice.DeviceMesh([0, 1]))
        a.axis(0).parallelize(ParallelType.mesh_x)
        b.axis(2).parallelize(ParallelType.mesh_x)
    return fd
'''


def test_cut_logs(tap, hirscope, folder):
    """A program whose transfers are not communications yet is not called incorrect."""
    script = write(folder, "reduction.py", REDUCTION)
    undecided = re.compile(r"\nSegmentFusion              \?      same results on whole tensors, but some transfers")
    whole = hirscope("lower", f"{script}::everywhere", "-d", 2, "--print", "all").out
    done = hirscope("bisect", write(folder, "whole.txt", whole))
    tap.check(done.code == 0 and "SegmentFusion              right" in done.out and "ConvertOpToCommunication   right" in done.out,
              "the whole log is right", done)
    cut = write(folder, "cut.txt", whole[:whole.index("=== ConvertOpToCommunication")])
    done = hirscope("bisect", cut)
    tap.check(done.code == 3 and undecided.search(done.out) and "WRONG" not in done.out and "1 could not be decided" in done.out,
              "a log that ends before ConvertOpToCommunication", done)
    found = hirscope("bisect", cut, "--json")
    tap.check(found.code == 3 and json.loads(found.out)["undecided"] == 1 and json.loads(found.out)["first_incorrect"] == [], "JSON", found)
    words = (f"{script}::inner", "-d", 2)
    refused = hirscope("lower", *words, "--print", "all")
    tap.check(refused.code == 2 and "ConvertOpToCommunication" not in refused.out, "ConvertOpToCommunication rejects the program", refused)
    done = hirscope("bisect", *words)
    tap.check(done.code == 2 and undecided.search(done.out) and "WRONG" not in done.out, "the script of a rejected program", done)
    done = hirscope("bisect", write(folder, "refused.txt", refused.out))
    tap.check(done.code == 3 and undecided.search(done.out) and "WRONG" not in done.out, "the log of a rejected program", done)
    wrong = replace(open(cut, encoding="utf-8").read(), "op = add, initial value = float(0)", "op = max, initial value = float(-inf)")
    start = whole.index("=== SegmentFusion")
    done = hirscope("bisect", write(folder, "wrong.txt", whole[:start] + wrong[start:]))
    tap.check(done.code == 1 and "first incorrect pass: SegmentFusion" in done.out, "an incorrect pass in such a log is found", done)
    ring = os.path.join(os.path.dirname(SCENARIOS), "scripts", "swizzle1d.py::ring")
    log = hirscope("lower", ring, "-d", 4, "--pipeline", "hostir", "--print", "all").out
    done = hirscope("bisect", write(folder, "ring.txt", log))
    tap.check(done.code == 0 and "no pass changes the results" in done.out, "a log of one rank with the peers of nvFuser", done)
    log = replace(log, re.compile(r"( recv_peer=\( \( i\d+) \+ \d"), r"\1 + 3")
    done = hirscope("bisect", write(folder, "rank.txt", log))
    tap.check(done.code == 3 and "programs of the other ranks are missing" in done.out and "could not be decided" in done.out,
              "last passes that cannot be checked are not called right", done)


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_planted, test_innocent, test_blames_disabled_pass, test_program, test_against, test_against_other_form, test_against_pipelines, test_races, test_logs, test_cut_logs):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
