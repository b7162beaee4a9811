#!/usr/bin/env python3
"""test-command-line.py HIRSCOPE

Tests exit codes, messages and help of the commands.
"""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

from program import EXAMPLES, Program, from_command_line
from tap import Tap

POSITIONED = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): error: (?P<message>.+)$", re.MULTILINE)
TWO = """import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition

def first():
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.relu(t))
    return fd
"""
SECOND = TWO[TWO.index("def first"):].replace("def first", "def second")


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def refused(tap, result, name, *said):
    """Check for exit status 2 and an error on standard error that contains all of @said."""
    good = result.code == 2 and "error: " in result.err and all(s in result.err for s in said)
    return tap.check(good, name, f"expected exit status 2 and {said}", result)


def test_help(tap, hirscope):
    overview = hirscope("--help")
    tap.check(overview.code == 0 and not overview.err, "--help: exit status 0, nothing on standard error", overview)
    for verb in ("lower", "run", "export", "debug", "check", "bisect", "stats", "explain", "predict", "tune", "query", "compare", "join", "doctor", "--version"):
        tap.check(f"  hirscope {verb}" in overview.out, f"--help lists {verb}", overview)
    tap.check(max(map(len, overview.out.splitlines())) <= 100, "--help fits 100 columns")
    for verb in ("lower", "run", "export", "debug", "check", "bisect", "stats", "explain", "predict", "tune", "query", "compare", "join", "doctor"):
        help_text = hirscope(verb, "--help")
        tap.check(help_text.code == 0 and help_text.out.startswith(f"Usage: hirscope {verb}") and not help_text.err,
                  f"{verb} --help", help_text)
        tap.check(max(map(len, help_text.out.splitlines())) <= 100, f"{verb} --help fits 100 columns", help_text)
        tap.check(hirscope("help", verb).out == help_text.out, f"help {verb} prints the same text")
    for option in ("-d, --devices", "--rank", "--arg", "--input", "--dtype", "--enable", "--disable", "--set",
                   "--format"):
        tap.check(option in hirscope("lower", "--help").out, f"lower has {option}")
        tap.check(option in hirscope("run", "--help").out, f"run has {option}")
    version = hirscope("--version")
    tap.check(version.code == 0 and re.match(r"hirscope \d+\.\d+\.\d+", version.out), "--version", version)


def test_usage(tap, hirscope):
    refused(tap, hirscope("lowr", "x.py"), "a misspelled command", "did you mean", "hirscope lower")
    refused(tap, hirscope("exprot"), "two letters swapped", "hirscope export")
    refused(tap, hirscope("zzzzzz"), "an unknown command", "hirscope --help")
    refused(tap, hirscope("help", "lowr"), "help for a misspelled command", "hirscope lower")
    refused(tap, hirscope("debug"), "debug without SRC", "SRC")
    refused(tap, hirscope("debug", "example:two_set_ops", "--repeat", "2"), "debug with --repeat", "--repeat")
    refused(tap, hirscope("lower", "--dif", "example:two_set_ops"), "a misspelled option",
            "--dif", "did you mean --diff")
    refused(tap, hirscope("lower", "--qqqqqq"), "an unknown option", "--qqqqqq", "--help")
    refused(tap, hirscope("lower", "-q", "x.py"), "an unknown short option", "-q")
    refused(tap, hirscope("lower", "x.py", "--dtype"), "an option without its value", "--dtype")
    refused(tap, hirscope("lower"), "lower without SRC", "SRC")
    refused(tap, hirscope("lower", "a.py", "b.py"), "lower with two SRC", "SRC")
    refused(tap, hirscope("run"), "run without SRC", "SRC")
    refused(tap, hirscope("export"), "export without TRACE", "TRACE")
    refused(tap, hirscope("doctor", "--verbos"), "doctor with an unknown option")


def test_option_values(tap, hirscope):
    src = "example:two_set_ops"
    for words, said in [
            (("-d", "0"), ("-d", "'0'")), (("-d", "x"), ("-d", "'x'")), (("-d", "99999999999999999999"), ("-d",)),
            (("--rank", "-1"), ("--rank",)), (("--rank", "3"), ("rank",)), (("--dtype", "flaot"), ("did you mean float",)),
            (("--format", "2027"), ("--format", "2025")), (("--arg", "nonsense"), ("--arg", "NAME=VALUE")),
            (("--enable", "StreamParalelType"), ("StreamParallelType",)), (("--disable", "Nope"), ("Nope",)),
            (("--set", "StreamParallelType.initial_sink=in_loop"), ("initial_sync",)),
            (("--set", "StreamParallelType.initial_sync=sometimes"), ("in_loop", "separate")),
            (("--set", "nonsense"), ("nonsense",)), (("--print", "Nope"), ("Nope", "StreamParallelType")),
            (("--arg", "no_such_parameter=1"), ("no_such_parameter",)),
            (("--enable", "SegmentFusion", "--disable", "SegmentFusion"), ("SegmentFusion",))]:
        refused(tap, hirscope("lower", src, *words), "lower " + " ".join(words), *said)
    for words, said in [
            (("--streams", "0"), ("--streams",)), (("--clock", "sundial"), ("wall", "model")),
            (("--backend", "abacus"), ("cpu",)), (("--backend", "cuda"), ("cuda",)), (("--trace", "some"), ("kernels", "full")),
            (("--comm", "pigeon"), ("nccl", "p2p", "copy")), (("--comm", "copy"), ("--comm copy", "--backend cuda")),
            (("--comm-priority", "low"), ("normal", "high")), (("--comm-priority", "high"), ("--backend cuda",)),
            (("--comm-ctas", "0"), ("--comm-ctas",)), (("--comm-ctas", "4"), ("--backend cuda",)),
            (("--gpus", "0"), ("--gpus 0", "--backend cuda")), (("--gpus", "0,x", "--backend", "cuda"), ("--gpus", "'0,x'")),
            (("--gpus", "1,1", "--backend", "cuda"), ("GPU 1 twice", "--share-gpus")),
            (("--share-gpus",), ("--share-gpus", "--backend cuda")),
            (("--repeat", "-3"), ("--repeat",)), (("--timeout", "soon"), ("--timeout",)),
            (("--input", "4y8"), ("4y8",)), (("--input", "4x8x2"), ("4x8x2",)), (("--input", "4x8", "--input", "4"), ("--input",))]:
        refused(tap, hirscope("run", src, *words), "run " + " ".join(words), *said)


def test_sources(tap, hirscope, folder):
    one = write(folder, "one.py", TWO)
    two = write(folder, "two.py", TWO + "\n" + SECOND)
    none = write(folder, "none.py", "import os\n\ndef f(x):\n    return x\n")
    broken = write(folder, "broken.py", "def f(:\n    return 1\n\ndef g(]:\n    pass\n")
    alone = hirscope("lower", one)
    tap.check(alone.code == 0 and "T1_g_float" in alone.out, "FILE.py selects the only fusion", alone)
    refused(tap, hirscope("lower", two), "FILE.py with two fusions lists them", "first", "second")
    tap.check(hirscope("lower", two + "::second").code == 0, "FILE.py::function selects a fusion")
    refused(tap, hirscope("lower", two + "::secnod"), "a function that does not exist", "secnod", "second")
    refused(tap, hirscope("lower", none), "FILE.py without a fusion", "none.py")
    errors = hirscope("lower", broken)
    places = [(m["line"], m["message"]) for m in POSITIONED.finditer(errors.err)]
    tap.check(errors.code == 2 and {p[0] for p in places} >= {"1", "4"}, "every syntax error is reported at its line", errors)
    refused(tap, hirscope("lower", os.path.join(folder, "absent.py")), "a file that does not exist", "absent.py: No such file or directory; check the name")
    refused(tap, hirscope("lower", one + ":first"), ":first is not a name of a function", "FILE.py::FUNCTION")
    refused(tap, hirscope("lower", one + "::Class::first"), "a class that does not exist", "no function 'Class::first'")
    plain = hirscope("lower", write(folder, "plain.py", "\n\nclass Plain:\n    pass\n\n" + TWO) + "::Plain")
    refused(tap, plain, "a class that is not a fusion is reported at its line", "plain.py:3:1: error: ")
    unknown = hirscope("lower", one, "--arg", "rows=3")
    refused(tap, unknown, "an unknown --arg is reported at the function", "one.py:4:1: error: ", "def first()")
    refused(tap, hirscope("lower", folder), "a folder", "folder")
    refused(tap, hirscope("lower", write(folder, "noise.py", "\0\1\2\3" * 50)), "a binary file", "noise.py")
    dump = os.path.join(EXAMPLES, "..", "..", "tests", "data", "golden", "two_set_ops.in_loop.txt")
    read_back = hirscope("lower", dump, "--print", "last")
    tap.check(read_back.code == 0 and "HirAliasSelect" in read_back.out, "a dump is read and printed", read_back)
    refused(tap, hirscope("lower", "example:two_set_opps"), "a misspelled example", "two_set_ops")
    refused(tap, hirscope("lower", "example:"), "an unknown example", "example")


def test_examples(tap, hirscope, folder):
    by_file = hirscope("lower", os.path.join(EXAMPLES, "single_device.py") + "::two_set_ops")
    by_name = hirscope("lower", "example:two_set_ops")
    whole = hirscope("lower", "example:single_device.py::two_set_ops")
    tap.check(by_file.code == 0 and by_file.out == by_name.out == whole.out, "an example gives the same program as its file", by_name)
    elsewhere = Program(shutil.copy(hirscope.path, os.path.join(folder, "elsewhere")))
    os.chmod(elsewhere.path, stat.S_IRWXU)
    copied = elsewhere("lower", "example:two_set_ops", cwd=folder)
    tap.check(copied.code == 0 and copied.out == by_name.out, "a copy of the executable has the examples", copied)


def test_refusals(tap, hirscope):
    """Each error names the line of the script and has a specific message."""
    with open(os.path.join(EXAMPLES, "single_device.py"), encoding="utf-8") as f:
        lines = f.read().splitlines()
    names = [m.group(1) for m in (re.match(r"def (refused_\w+)", line) for line in lines) if m]
    messages = set()
    for name in names:
        result = hirscope("lower", os.path.join(EXAMPLES, "single_device.py") + "::" + name)
        found = POSITIONED.search(result.err)
        tap.check(result.code == 2 and found, f"{name} is rejected with a position", result)
        if not found:
            continue
        start = lines.index(f"def {name}():") + 1
        at = int(found["line"])
        shared = "return matmul_over" in "".join(lines[start:start + 2])
        text = lines[at - 1]
        tap.check(shared or start < at <= start + 10, f"{name}: the line is in the function", result)
        shown = result.err.splitlines()
        after = shown.index(found.group()) + 1
        tap.check(shown[after].strip() == text.strip() and "^" in shown[after + 1], f"{name}: line and caret are shown", result)
        tap.check(any(word in text for word in ("parallelize", "split", "merge", "fd.ops")),
                  f"{name}: the line contains a schedule or an op", text)
        tap.check(re.search(r"\bT\d+", found["message"]), f"{name}: the message names a tensor", result)
        tap.check("Fusion" in result.out, f"{name}: earlier snapshots are printed", result)
        messages.add(re.sub(r"\b([Tib]\w*?)\d+", r"\1", found["message"]))
    tap.check(len(names) == 7 and len(messages) == 7, "the seven errors have different messages", *sorted(messages))


# Passes enabled by default, in pipeline order.
PASSES = ("PropagateShardings", "InsertReshardings", "FinalizeMultideviceDomains", "SegmentFusion", "StreamParallelType",
          "ConvertOpToCommunication")


def test_prints(tap, hirscope, folder):
    src = "example:two_set_ops"
    last, default = hirscope("lower", src, "--print", "last"), hirscope("lower", src)
    tap.check(last.code == 0 and last.out == default.out and last.out.lstrip().startswith("%HostIrContainer"), "--print last", last)
    everything = hirscope("lower", src, "--print", "all").out
    for name in ("Fusion", *PASSES):
        one = hirscope("lower", src, "--print", name)
        tap.check(one.code == 0 and one.out.strip() and one.out.strip() in everything, f"--print {name} is in --print all", one)
        tap.check(re.search(rf"^=== {name}\b", everything, re.MULTILINE), f"--print all has a heading for {name}")
    diff = hirscope("lower", src, "--diff")
    tap.check(diff.code == 0 and "+  FOR StreamIdx" in diff.out and "HostIrContainer" in diff.out, "--diff", diff)
    pictures, dots = os.path.join(folder, "a", "svg"), os.path.join(folder, "dot")
    drawn = hirscope("lower", src, "--dot", dots)
    names = sorted(os.listdir(dots))
    tap.check(drawn.code == 0 and not drawn.out and names == [
        f"{i:02}-{name}.dot" for i, name in enumerate(("Fusion", *PASSES))], "--dot DIR", names, drawn)
    if "figures: no" not in hirscope("--version").out:
        drawn = hirscope("lower", src, "--svg", pictures)
        names = sorted(os.listdir(pictures))
        tap.check(drawn.code == 0 and names[-1] == f"{len(PASSES):02}-{PASSES[-1]}.svg", "--svg DIR", names, drawn)
        with open(os.path.join(pictures, names[-1]), encoding="utf-8") as f:
            text = f.read()
        tap.check("HirAliasSelect" in text and text.rstrip().endswith("</svg>"), "the image contains the program")
        images = []
        for name in ("last", "Fusion"):
            path = os.path.join(folder, f"{name}.png")
            drawn = hirscope("lower", src, "--print", name, "--png", path)
            with open(path, "rb") as f:
                images.append(f.read())
            tap.check(drawn.code == 0 and not drawn.out and images[-1].startswith(b"\x89PNG"), f"--png of {name}", drawn)
        tap.check(images[0] != images[1], "--png draws the snapshot of --print")
        refused(tap, hirscope("lower", src, "--png", os.path.join(folder, "no.png"), "--print", "none"), "--png of no snapshot", "none")
    refused(tap, hirscope("lower", src, "--png", os.path.join(folder, "no.png"), "--print", "all"), "--png of all", "--svg")
    write(folder, "wall", "")
    refused(tap, hirscope("lower", src, "--dot", os.path.join(folder, "wall")), "--dot onto a file", "wall")
    refused(tap, hirscope("lower", src, "--dot", os.path.join(folder, "wall", "x")), "--dot below a file", "wall")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            refused(tap, hirscope("lower", src, stdout=full), "a full disk under standard output", "standard output")


def test_doctor(tap, hirscope, folder):
    bare = {"PATH": folder, "DISPLAY": "", "WAYLAND_DISPLAY": "", "CUDA_HOME": folder, "HOME": folder}
    for env, name in ((None, "unchanged"), (bare, "without tools"), ({"DISPLAY": "nowhere:x", "WAYLAND_DISPLAY": ""}, "no display")):
        result = hirscope("doctor", env=env)
        tap.check(result.code == 0, f"doctor, {name}: exit status 0", result)
        for word in ("cores", "OpenBLAS", "SQLite", "CUPTI", "NCCL", "launcher" if env is bare else "MPI"):
            tap.check(word in result.out, f"doctor, {name}: {word}", result)
    tap.check("xvfb-run" in hirscope("doctor", env=bare).out, "doctor suggests xvfb-run without a display")
    # A folder with several names is searched and reported once.
    home = os.path.join(folder, "cuda")
    os.makedirs(os.path.join(home, "lib"))
    os.symlink("lib", os.path.join(home, "lib64"))
    lines = [line for line in hirscope("doctor", env={**bare, "CUDA_HOME": home, "CUDA_PATH": home + "/"}).out.splitlines() if "Looked in" in line]
    tap.check(all(line.count(home) == 1 for line in lines), "doctor lists each folder once", *lines)


def main():
    tap, hirscope = Tap(), from_command_line()
    with tempfile.TemporaryDirectory() as folder:
        tap.group(test_help, hirscope)
        tap.group(test_usage, hirscope)
        tap.group(test_option_values, hirscope)
        tap.group(test_sources, hirscope, folder)
        tap.group(test_examples, hirscope, folder)
        tap.group(test_refusals, hirscope)
        tap.group(test_prints, hirscope, folder)
        tap.group(test_doctor, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
