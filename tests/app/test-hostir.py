#!/usr/bin/env python3
"""test-hostir.py HIRSCOPE [FAKE-LIBRARIES]

Tests the scenarios of --pipeline hostir: the expected programs, that they compute the same as the fusion on the CPU, in
the debugger and on fake GPUs, that `check` finds each removed instruction, and the rejected scenarios.
"""
import concurrent.futures
import json
import os
import re
import shutil
import sys
import tempfile

import canon
from program import SOURCE, from_command_line
from tap import Tap

FOLDER = os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026")
# Functions by script, with the number of devices. The fusions of other scripts than scenarios.py have their expected
# programs in tests/passes/hostir/test-hostir-programs.c.
SCENARIOS = {
    "scenarios": {"two_matmuls_not_inlinable": 1, "stream_from_the_weight": 1, "copies_by_streams": 1, "gather": 3,
                  "reduce": 3, "alltoall": 2, "column_parallel_linear_broadcast": 2,
                  "column_and_sequence_parallel_linear": 2, "row_parallel_input_grad": 2,
                  "row_parallel_linear_with_bias": 2, "mlp": 2, "reduce_scatter_by_streams": 2},
    "collectives": {"allgather": 2, "allgather_of_a_dp_tp_mesh": 4, "allreduce": 2, "broadcast": 2, "reduce_scatter": 2,
                    "scatter": 3, "send_recv": 3},
    "layers": {"allgather_then_matmul": 2, "column_parallel_linear": 2, "pointwise": 2, "row_parallel_linear": 2},
    "overlap": {"column_parallel_linear_collective_permute": 2, "row_parallel_linear_forward": 2},
    "streams": {"matmul": 1, "two_matmuls_inlinable": 1},
}
# The start of the message, which is at the line with "# here".
REFUSED = {
    ("unequal_pieces", 2): "axis iStreamIdx7{3} of y (T2) cannot be a stream axis: 8 elements cannot be split into equal pieces "
                           "by 3",
    ("weight_grad", 1): "axis rStreamIdx7{4} of w (T2) cannot be a stream axis: it is reduced",
    ("sharded_allocation", 1): "axis iStreamIdx14{2} of a (T1) cannot be a stream axis: add becomes a kernel",
    ("symbolic_streams", 1): "axis iStreamIdx4{i0} of out (T2) cannot be a stream axis: the number of streams",
    ("copies_over_unrelated_streams", 1): "axis iStreamIdx4{16} of b (T2) cannot be a stream axis: Set runs in the loop over "
                                          "the unrelated axis iStreamIdx3{8} of a (T1)",
    ("permute_into_a_part", 1): "permute runs in a loop over axis iStreamIdx4{2} of a (T1), but b (T2) is allocated whole",
    ("sum_of_shards_and_elements", 2): "the sum that computes out (T1) cannot become a communication: axis "
                                       "ideviceIdx.x4{2} of x (T0) is reduced over devices, and elements within each",
    ("sum_of_a_whole_and_a_part", 2): "the sum that computes T2 (from out) cannot become a communication: axis "
                                      "ideviceIdx.x1{i2} of x (T0) is over devices along the whole reduced axis",
    ("alltoall_to_another_mesh", 2): "the Set that computes out (T1) cannot become a communication: axis "
                                     "ideviceIdx.x0{2} of x (T0) becomes another axis over devices of another mesh",
    ("alltoall_over_streams", 2): "the Set that computes out (T1) cannot become a communication: axis "
                                  "ideviceIdx.x1{2} of x (T0) becomes a stream axis, and another axis is over devices",
    ("streams_on_another_mesh", 2): "the Set that computes out (T1) cannot become a communication: axis "
                                    "ideviceIdx.x0{2} of x (T0) becomes a stream axis on another mesh",
    ("streams_unlike_devices", 2): "the Set that computes out (T1) cannot become a communication: axis "
                                   "ideviceIdx.x4{2} of x (T0) becomes a stream axis, but the streams are not one per",
    ("streams_inside_devices", 2): "axis iS39{2} of x (T0) is cut over streams as iStreamIdx41{2}, whose parts are not",
    ("devices_inside_streams", 2): "axis ideviceIdx.x17{2} of out (T2) lies inside its stream axis",
}
# Scenarios with kernels that are not matrix products or copies.
KERNELS = ["copies_by_streams", "mlp", "pointwise", "row_parallel_linear_with_bias"]
# Sizes that all scenarios without sizes of their own have.
SMALL = {"row_parallel_linear": ["--input", "2x3x1536"]}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def words(script, name, devices):
    sizes = SMALL.get(name, [])
    return [os.path.join(FOLDER, script + ".py") + "::" + name, "-d", devices, "--pipeline", "hostir", *sizes]


def scenarios():
    return [(script, name, devices) for script, names in SCENARIOS.items() for name, devices in names.items()]


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        return list(pool.map(lambda item: function(*item), items))


def test_programs(t, hirscope):
    for name, devices in SCENARIOS["scenarios"].items():
        printed = hirscope("lower", *words("scenarios", name, devices))
        lines = canon.diff(read(os.path.join(FOLDER, name + ".txt")), printed.out)
        t.check(printed.code == 0 and not lines, f"{name} is the expected program", printed.err, *lines)


def test_runs(t, hirscope):
    def both(script, name, devices):
        return (hirscope("run", "--check", *words(script, name, devices)),
                hirscope("check", *words(script, name, devices)),
                hirscope("debug", "-e", "start", "-e", "next", "-e", "step", "-e", "back", "-e", "continue", "--check",
                         *words(script, name, devices)))

    for (_, name, _), (ran, checked, debugged) in zip(scenarios(), in_parallel(both, scenarios())):
        t.check(ran.code == 0 and "right" in ran.out, f"{name} computes the same as the fusion", ran)
        t.check(checked.code == 0 and "0 missing" in checked.out, f"{name}: no synchronization is missing", checked)
        t.check(debugged.code == 0 and "right" in debugged.out, f"{name}: the debugger steps and computes the same", debugged)


def test_printed(t, hirscope):
    """The expected programs are read, and those without kernels run, also one whose CollectivePermute has the peers of one
    device."""
    def both(name):
        path = os.path.join(FOLDER, name)
        return name, read(path), hirscope("lower", path), hirscope("check", path), hirscope("run", "--check", path)

    names = [name for name in sorted(os.listdir(FOLDER)) if name.endswith(".txt")]
    for name, text, printed, checked, ran in in_parallel(both, [(name,) for name in names]):
        t.check(printed.code == 0 and not canon.diff(text, printed.out), f"{name} prints as it was read", printed)
        t.check(checked.code == 0 and "0 missing" in checked.out, f"{name} as text: no synchronization is missing", checked)
        if "LaunchKernel" in text:
            t.check(ran.code == 2 and "does not contain the math of the kernel" in ran.err, f"{name} needs its kernels", ran)
        else:
            t.check(ran.code == 0 and "right" in ran.out, f"{name} runs as text", ran)


def freed_too_early(lines):
    """Yield the name of each freed tensor, and the program with its Deallocate in front of the last use."""
    def depth(line):
        return len(line) - len(line.lstrip())

    for i, line in enumerate(lines):
        if line.strip() != "Deallocate {":
            continue
        name = lines[i + 1].split("_")[0].strip()
        at = max(k for k in range(i) if re.search(rf"\b{name}_", lines[k]))
        while depth(lines[at]) > depth(line) or lines[at].strip() in (")", "}"):
            at -= 1
        yield name, lines[:at] + lines[i:i + 3] + lines[at:i] + lines[i + 3:]


def test_frees(t, hirscope):
    """`check` finds each tensor that is freed before its last use."""
    with tempfile.TemporaryDirectory() as folder:
        def check(program, name, number, lines):
            path = os.path.join(folder, f"{program}-{number}.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            return program, name, hirscope("check", "--no-suggestions", path)

        edited = []
        for file_name in sorted(os.listdir(FOLDER)):
            if file_name.endswith(".txt"):
                lines = read(os.path.join(FOLDER, file_name)).split("\n")
                edited += [(file_name, name, i, text) for i, (name, text) in enumerate(freed_too_early(lines))]
        t.check(len(edited) >= 20, "programs free tensors", len(edited))
        for program, name, checked in in_parallel(check, edited):
            t.check(checked.code == 1, f"{program}: check finds that {name} is freed before its last use", checked)


def test_held(t, hirscope):
    """Each Deallocate of a lowered program is needed, or reported to release nothing; without a needed one, `check` warns
    at the allocation that memory is held until the end, or finds that iterations share the memory."""
    with tempfile.TemporaryDirectory() as folder:
        def check(name, number, lines):
            path = os.path.join(folder, f"{number}-{name}")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            done = hirscope("check", "--no-suggestions", "--json", path)
            return done, json.loads(done.out) if done.code < 2 else None

        n_needed = n_needless = 0
        for name in sorted(os.listdir(FOLDER)):
            if not name.endswith(".txt"):
                continue
            with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
                lines = file.read().split("\n")
            done, whole = check(name, 0, lines)
            t.check(done.code == 0 and not whole["held"], f"{name}: holds no memory", done)
            frees = [i for i, line in enumerate(lines) if line.strip() == "Deallocate {"]
            t.check([d["line"] - 1 for d in whole["deallocations"]] == frees, f"{name}: all Deallocates are reported", whole["deallocations"])
            mutants = in_parallel(check, [(name, i, lines[:i] + lines[i + 3:]) for i in frees])
            for i, free, (cut, found) in zip(frees, whole["deallocations"], mutants):
                tensor = lines[i + 1].split("_")[0].strip()
                n_needless, n_needed = n_needless + free["needless"], n_needed + (not free["needless"])
                if free["needless"]:
                    t.check(cut.code == 0 and not found["held"], f"{name}: nothing changes without the Deallocate of {tensor}", cut)
                elif cut.code == 0:
                    held = [(f"T{h['tensor']}", h["kind"]) for h in found["held"]]
                    t.check(held == [(tensor, "held")] and "ALLOCATE" in lines[found["held"][0]["line"] - 1],
                            f"{name}: without its Deallocate, {tensor} is held, which is reported at the allocation", cut)
                else:
                    t.check(found["missing"], f"{name}: without the Deallocate of {tensor}, iterations share its memory", cut)
        t.check(n_needed >= 13 and n_needless >= 16, "both kinds occur", n_needed, n_needless)


def test_gpus(t, hirscope, libraries):
    """All scenarios run on fake GPUs: with NCCL, with sends and receives, with copies, and on one GPU that all devices share.
    Without a C compiler, generated kernels do nothing, so the results of programs with kernels are not checked."""
    can_compute = shutil.which("cc") is not None

    def run(script, name, devices, way, gpus):
        env = {"HIRSCOPE_CUDA_LIBRARY_PATH": libraries, "FAKE_CUDA_DEVICES": str(gpus or devices), "FAKE_CUDA_MEMORY": str(16 << 30),
               "FAKE_CUDA_KERNELS": "1" if can_compute else "0", "XDG_CACHE_HOME": folder}
        check = ["--check"] if can_compute or name not in KERNELS else []
        return hirscope("run", "--backend", "cuda", *way, *check, *words(script, name, devices), env=env)

    ways = ((["--comm", "nccl"], None), (["--comm", "p2p"], None), (["--comm", "copy"], None), (["--share-gpus"], 1))
    jobs = [(*scenario, *way) for way in ways if can_compute or way == ways[0] for scenario in scenarios()]
    with tempfile.TemporaryDirectory() as folder:
        for (_, name, devices, way, gpus), ran in zip(jobs, in_parallel(run, jobs)):
            t.check(ran.code == 0 and (name in KERNELS and not can_compute or "right" in ran.out),
                    f"{name} on {devices} devices and {gpus or devices} fake GPUs, {' '.join(way)}", ran)


def test_refused(t, hirscope):
    path = os.path.join(FOLDER, "refused.py")
    lines = read(path).splitlines()
    for (name, devices), message in REFUSED.items():
        start = next(i for i, line in enumerate(lines) if line.startswith(f"def {name}("))
        at = next((i + 1 for i, line in enumerate(lines) if line.endswith(f"# here, for {name}")),
                  next((i + 1 for i, line in enumerate(lines) if i > start and line.endswith("# here")), 0))
        got = hirscope("lower", path + "::" + name, "-d", devices, "--pipeline", "hostir", "--print", "last")
        t.check(got.code == 2 and re.search(rf"refused\.py:{at}:\d+: error: {re.escape(message)}", got.err),
                f"{name} is rejected", at, got)


def main():
    hirscope, t = from_command_line(), Tap()
    for function in (test_programs, test_runs, test_printed, test_refused, test_frees, test_held):
        t.group(function, hirscope)
    if len(sys.argv) > 2:
        t.group(test_gpus, hirscope, sys.argv[2])
    t.done()


if __name__ == "__main__":
    main()
