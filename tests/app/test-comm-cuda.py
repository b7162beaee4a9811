#!/usr/bin/env python3
"""test-comm-cuda.py HIRSCOPE FAKES

Tests communication on GPUs without a GPU: programs that only communicate run completely on fakes of the driver and NCCL
in the folder FAKES. The fakes use host memory, so that results can be checked. The kernels of reductions are compiled
as C; without a C compiler, these tests are skipped.
"""
import csv
import itertools
import os
import shutil
import sys
import tempfile

from program import EXAMPLES, Program
from tap import Tap

HERE = os.path.dirname(os.path.abspath(__file__))
FUSIONS = os.path.join(HERE, "comm_fusions.py")
# Shape of the input of each fusion, and whether the fusion reduces.
PROGRAMS = {
    "gather": ("3x4", False), "gather_from_others": ("2x4", False), "scatter": ("3x4", False),
    "broadcast": ("5x4", False), "broadcast_to_others": ("5x4", False), "send_recv": ("5x4", False),
    "allgather": ("3x4", False), "reduce": ("3x6x4", True), "reduce_to_other": ("2x6x4", True),
    "allreduce": ("3x6x4", True), "reduce_scatter": ("3x3x4", True),
}
CALLS = {"gather": "ncclSend", "scatter": "ncclSend", "broadcast": "ncclBroadcast", "allgather": "ncclAllGather",
         "send_recv": "ncclBroadcast", "gather_from_others": "ncclRecv", "broadcast_to_others": "ncclBroadcast",
         "reduce": "ncclReduce", "reduce_to_other": "ncclReduce", "allreduce": "ncclAllReduce",
         "reduce_scatter": "ncclReduceScatter"}


class Runner:
    def __init__(self, hirscope, fakes, folder):
        self.hirscope, self.folder, self.n = hirscope, folder, 0
        self.env = {"HIRSCOPE_CUDA_LIBRARY_PATH": fakes, "FAKE_CUDA_DEVICES": "4", "XDG_CACHE_HOME": folder,
                    "G_DEBUG": "fatal-warnings", "FAKE_CUDA_KERNELS": "1" if shutil.which("cc") else "0"}

    def __call__(self, source, *words, queued=True, devices=3, **env):
        """Return the result, and the calls of NCCL as [name, rank, count]."""
        self.n += 1
        log = os.path.join(self.folder, f"nccl-{self.n}")
        result = self.hirscope("run", source, "-d", devices, "--backend", "cuda", *words,
                               env={**self.env, "FAKE_CUDA_QUEUED": "1" if queued else "0", "FAKE_NCCL_LOG": log, **env})
        calls = [line.split() for line in open(log)] if os.path.exists(log) else []
        return result, calls


def of_name(calls, name):
    return [call for call in calls if call[0] == name]


def test_ways(tap, run):
    for (name, (shape, reduces)), way in itertools.product(PROGRAMS.items(), ("nccl", "p2p", "copy")):
        result, calls = run(f"{FUSIONS}::{name}", "--comm", way, "--input", shape, "--check", "--trace", "off")
        if reduces and way != "nccl" and not shutil.which("cc"):
            tap.skip(f"{name}, --comm {way}", "no C compiler")
            continue
        tap.check(result.code == 0 and "right" in result.out, f"{name}: results, --comm {way}", result)
        if way == "copy":
            tap.check(calls == [], f"{name}: copy engines do not use NCCL", calls)
        elif way == "p2p":
            names = {call[0] for call in calls} - {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclCommDestroy"}
            tap.check(names <= {"ncclSend", "ncclRecv", "ncclGroupEnd"} and "ncclSend" in names,
                      f"{name}: p2p uses only sends and receives", calls)
        else:
            tap.check(len(of_name(calls, CALLS[name])) >= 1, f"{name} uses {CALLS[name]}", calls)


def test_types(tap, run):
    for dtype, queued in (("bfloat16", True), ("double", False), ("float", False)):
        for name in ("allgather", "reduce_scatter", "reduce_to_other"):
            result, _ = run(f"{FUSIONS}::{name}", "--input", PROGRAMS[name][0], "--dtype", dtype, "--check", "--trace",
                            "off", queued=queued)
            tap.check(result.code == 0 and "right" in result.out,
                      f"{name} of {dtype}, {'queued' if queued else 'immediate'} streams", result)


def test_reductions(tap, run):
    """Reductions by copies, and by sends and receives, with a generated kernel: small, in parts, and empty; all types and ops."""
    if not shutil.which("cc"):
        tap.skip("reductions without NCCL's reductions", "no C compiler")
        return
    ways = ("copy", "p2p")
    # 70,000 floats are reduced in parts. 3 ranks do not divide them.
    for (name, shape), way, words in itertools.product(
            (("allreduce", "{}x700x100"), ("reduce", "{}x700x100"), ("reduce_to_other", "{}x700x100"), ("reduce_scatter", "{}x{}x30000"),
             ("allreduce", "{}x0x4"), ("reduce_scatter", "{}x{}x0")), ways, ((3, True), (4, False))):
        devices, queued = words
        text = shape.format(devices - (name == "reduce_to_other"), devices)
        result, calls = run(f"{FUSIONS}::{name}", "--comm", way, "--input", text, "--check", "--trace", "off", "--repeat", "3",
                            devices=devices, queued=queued)
        tap.check(result.code == 0 and "right" in result.out, f"{name} of {text} on {devices} devices, --comm {way}", result)
        tap.check(way == "p2p" or calls == [], "... copies do not use NCCL", calls)
    for name, dtype, way in itertools.product(("max", "min", "prod", "int32", "int", "bool"), ("float", "half"), ways):
        if dtype == "float" or name in ("max", "min", "prod"):
            result, _ = run(f"{FUSIONS}::allreduce_{name}", "--comm", way, "--input", "3x6x4", "--dtype", dtype, "--check", "--trace", "off")
            tap.check(result.code == 0 and "right" in result.out, f"allreduce_{name} of {dtype}, --comm {way}", result)
    for way, devices in itertools.product(("nccl", "copy", "p2p"), (3, 4)):
        result, calls = run(f"{FUSIONS}::all_to_all", "--comm", way, "--check", "--trace", "off", "--pipeline", "hostir", devices=devices)
        tap.check(result.code == 0 and "right" in result.out and (way != "copy" or calls == []),
                  f"all_to_all on {devices} devices, --comm {way}", result)
    for way in ways:
        result, _ = run(f"{FUSIONS}::allreduce", "--comm", way, "--input", "3x6x4", "--trace", "off", queued=False,
                        FAKE_CUDA_FAIL="cuLaunchKernel:2:719")
        tap.check(result.code == 2 and "Allreduce T1 on rank" in result.err and "launching a reduction" in result.err,
                  f"a kernel that cannot be launched is an error with the instruction, --comm {way}", result)
    for way in ways:
        path = os.path.join(run.folder, f"reduced-{way}.hirs")
        result, _ = run(f"{FUSIONS}::allreduce", "--comm", way, "--input", "3x6x4", "--check", "-o", path)
        run.hirscope("export", path, "--to", "csv", "-o", path + ".csv")
        with open(path + ".csv", encoding="utf-8", newline="") as f:
            kernels = [row["rank"] for row in csv.DictReader(f) if "reduce_ranks_add_float" in row["name"] and row["op"] == "allreduce"]
        tap.check(result.code == 0 and "note:" not in result.out and sorted(kernels) == ["0", "1", "2"],
                  f"the kernel of each rank is recorded as a part of its communication, --comm {way}", result, kernels)
    # Ranks that share a GPU compute the bits of ranks on their own GPUs.
    for name, shape in (("allreduce", "4x700x100"), ("reduce_scatter", "4x4x300")):
        outs = [run(f"{FUSIONS}::{name}", "--comm", "copy", "--input", shape, "--check", "--trace", "off", *words, devices=4,
                    FAKE_CUDA_DEVICES=gpus)[0] for gpus, words in (("4", ()), ("1", ("--share-gpus",)), ("3", ("--share-gpus",)))]
        errors = {[line for line in out.out.splitlines() if "right" in line][0] if out.code == 0 else out.err for out in outs}
        tap.check(len(errors) == 1 and outs[1].code == 0, f"{name}: shared GPUs give the same results", outs)


def test_streams(tap, run):
    """Examples in stream loops, repeated so that memory and events are reused."""
    examples = os.path.join(EXAMPLES, "multi_device.py")
    for name, way in itertools.product(("allgather", "allreduce", "reduce_scatter"),
                                       ("nccl", "p2p", "copy")):
        if way != "nccl" and "reduce" in name and not shutil.which("cc"):
            continue
        shape = {"allgather": "6x4", "allreduce": "6x4x3", "reduce_scatter": "6x4x4x3"}[name]
        result, _ = run(f"{examples}::{name}", "--comm", way, "--input", shape, "--check", "--repeat", "20",
                        "--streams", "3", "--trace", "off", devices=4)
        tap.check(result.code == 0 and "right" in result.out and "ran 20 times" in result.out,
                  f"{name} in a stream loop on 4 devices, 20 times, --comm {way}", result)


def messages_only(run):
    """Return the printed allgather_p2p with a message to itself instead of the copy, so that nothing is computed."""
    text = run.hirscope("lower", "example:allgather_p2p", "-d", "3", "--print", "last").out
    lines, skipping = [], False
    for line in text.split("\n"):
        if line.strip().startswith("IF "):
            skipping = True
        elif line.strip() == "ELSE:":
            skipping = False
        elif not skipping:
            lines.append(line[2:] if line.startswith("      ") and lines and "HirAliasSelect" not in line else line)
    return "\n".join(lines)


def test_messages(tap, run):
    path = os.path.join(run.folder, "messages.txt")
    text = messages_only(run)
    open(path, "w").write(text)
    for way, queued in itertools.product(("nccl", "copy"), (True, False)):
        result, calls = run(path, "--comm", way, "--input", "3x8", "--check", "--repeat", "10", "--trace", "off",
                            queued=queued)
        tap.check(result.code == 0 and "right" in result.out, f"messages in groups, --comm {way}", result, text)
        tap.check(len(of_name(calls, "ncclSend")) == (60 if way == "nccl" else 0),
                  f"... use NCCL except for messages of a rank to itself, --comm {way}", calls)
    # Ungrouped messages: each rank waits for its own receive.
    name = [line for line in text.split("\n") if "EndCoalescing" in line][0].split()[1]
    lines = [line for line in text.split("\n") if "Coalescing" not in line]
    sends = [line for line in lines if "type=send" in line]
    order = [line.replace(f"Wait Communication {name}", f"Wait Communication {sends[0].split()[1]}") for line in lines
             if "type=recv" not in line]
    open(path, "w").write("\n".join(order))
    result, _ = run(path, "--input", "3x8", "--trace", "off")
    tap.check(result.code == 2 and "rank" in result.err and ("without" in result.err or "deadlock" in result.err),
              "messages without a receiver are an error, not a hang", result)


def test_options(tap, run):
    result, calls = run(f"{FUSIONS}::allgather", "--comm-ctas", "5", "--input", "3x4", "--trace", "off")
    made = of_name(calls, "ncclCommInitRankConfig")
    tap.check(len(made) == 3 and all(call[2] == "5" for call in made), "--comm-ctas reaches NCCL", (result, calls))
    result, calls = run(f"{FUSIONS}::allgather", "--comm-priority", "high", "--check", "--input", "3x4", "--trace", "off")
    tap.check(result.code == 0 and "right" in result.out, "--comm-priority high", result)


def test_failures(tap, run):
    source = f"{FUSIONS}::allgather"
    result, calls = run(source, "--input", "3x4", "--trace", "off", FAKE_NCCL_FAIL="ncclAllGather:2:3")
    tap.check(result.code == 2 and "ncclAllGather" in result.err and "Allgather T1 on rank" in result.err and
              "internal error" in result.err and "fake failure" in result.err,
              "a failed call names call, instruction, rank and NCCL's reason", result)
    tap.check(len(of_name(calls, "ncclCommAbort")) == 3 and not of_name(calls, "ncclCommDestroy"),
              "... and the communicators of all ranks are aborted", calls)
    result, calls = run(source, "--input", "3x4", "--trace", "off", "--timeout", "60", FAKE_NCCL_LOSE="ncclAllGather:1:6")
    tap.check(result.code == 2 and "Allgather T1 on rank" in result.err and "remote process" in result.err,
              "an asynchronous error is found while no thread calls NCCL", result)
    tap.check(len(of_name(calls, "ncclCommAbort")) == 3, "... and the kernels that hang are ended", calls)
    result, calls = run(source, "--input", "3x4", "--trace", "off", "--timeout", "1", FAKE_NCCL_LOSE="ncclAllGather:1:7")
    tap.check(result.code == 2 and "Allgather" in result.err and "rank" in result.err,
              "--timeout ends a kernel that hangs and names it", result)
    result, calls = run(source, "--input", "3x4", "--trace", "off", FAKE_NCCL_FAIL="ncclCommInitRankConfig:2:2")
    tap.check(result.code == 2 and "ncclCommInitRankConfig" in result.err and "system error" in result.err,
              "reports a communicator that cannot be created", result)
    # Memory of a broken device is not freed; this is not a leak.
    result, calls = run(source, "--input", "3x4", "--trace", "off", FAKE_CUDA_FAIL="cuEventRecord:1:700!",
                        ASAN_OPTIONS="detect_leaks=0")
    tap.check(result.code == 2 and "rank" in result.err, "a sticky error of the device names the rank", result)
    result, calls = run(source, "--input", "3x4", "--comm", "copy", "--trace", "off", FAKE_CUDA_FAIL="cuMemcpyAsync:2:719")
    tap.check(result.code == 2 and "cuMemcpyAsync for Allgather T1 on rank" in result.err,
              "a failed copy names instruction and rank", result)
    result, calls = run(source, "--input", "3x4", "--comm", "copy", "--check", "--trace", "off", FAKE_CUDA_NO_PEERS="1")
    tap.check(result.code == 0 and "right" in result.out, "devices without peer access copy, too", result)


def test_ready_loops(tap, run):
    """An error in a loop with a prepared body is reported like one in a recorded loop."""
    examples = [os.path.join(EXAMPLES, name + ".py") for name in ("single_device", "multi_device")]
    for source, shapes, failing, place in (
            (f"{examples[1]}::allgather", ["24x1"], {"FAKE_CUDA_FAIL": "cuMemcpyAsync:19:719"}, "iteration 18 on rank 0"),
            (f"{examples[1]}::allgather", ["24x1"], {"FAKE_CUDA_FAIL": "cuEventRecord:40:719"}, "rank 0"),
            (f"{examples[1]}::allgather", ["24x1"], {"FAKE_CUDA_FAIL": "cuStreamWaitEvent:40:719"}, "rank 0"),
            (f"{examples[0]}::single_binary_op", ["24x64"] * 2, {"FAKE_CUDA_FAIL": "cuLaunchKernel:20:719"},
             "iteration 19 on rank 0")):
        words = [word for shape in shapes for word in ("--input", shape)] + ["--streams", "3"]
        ready, steps = (run(source, *words, "--trace", trace, devices=1, queued=False, **failing)[0]
                        for trace in ("off", "full"))
        tap.check(ready.code == 2 and place in ready.err and ready.err == steps.err,
                  f"{list(failing.values())[0]}: both give the same error, with {place}", (ready, steps))


def test_shared(tap, run):
    """Ranks share GPUs only with --share-gpus; --gpus chooses among the GPUs and alone allows nothing."""
    def refuses(what, *said, words=(), gpus=2, devices=3):
        result, _ = run(f"{FUSIONS}::allgather", "--input", "3x4", "--trace", "off", *words, devices=devices, FAKE_CUDA_DEVICES=str(gpus))
        tap.check(result.code == 2 and all(word in result.err for word in said), f"refuses {what}", result)

    refuses("more ranks than GPUs", "3 devices need a GPU each", "this machine has 2", "--share-gpus")
    refuses("more ranks than GPUs in --gpus", "--gpus lists 1", "--share-gpus", words=("--gpus", "1"), devices=2)
    refuses("more ranks than GPUs in --gpus that are enough without it", "--gpus lists 1", words=("--gpus", "2"), gpus=4)
    refuses("a GPU that does not exist", "no GPU 5", "0 to 1", words=("--gpus", "0,5"), devices=2)
    refuses("a GPU that does not exist, also to share", "no GPU 2", words=("--gpus", "2", "--share-gpus"), devices=2)
    for way in ("nccl", "p2p"):
        refuses(f"--comm {way} on a shared GPU", f"--comm {way}", "3 devices share 2 GPUs", "--comm copy",
                words=("--share-gpus", "--comm", way))
    for gpus, words, note in ((1, (), "3 ranks on 1 GPU: they compete for it"), (2, (), "3 ranks on 2 GPUs: they compete for them"),
                              (4, ("--gpus", "3"), "3 ranks on 1 GPU: they compete for it"), (4, ("--gpus", "2,0,3"), None), (3, (), None)):
        for name, queued in itertools.product(("allgather", "scatter"), (True, False)):
            result, calls = run(f"{FUSIONS}::{name}", "--input", "3x4", "--check", "--trace", "off", "--share-gpus", *words, queued=queued,
                                FAKE_CUDA_DEVICES=str(gpus))
            tap.check(result.code == 0 and "right" in result.out and (f"note: {note}" in result.out if note else "compete" not in result.out),
                      f"{name} on {gpus} GPUs, {' '.join(words)}: results and note", result)
            tap.check((calls == []) == (note is not None), "... with copies if ranks share a GPU, otherwise with NCCL", calls)


def test_late_upload(tap, run):
    """cuMemcpyHtoD returns before the data has arrived: the first collective read zeros as the input of the last rank."""
    for name, words, gpus in (("allreduce_int32", ("--share-gpus",), "1"), ("allreduce_int32", ("--comm", "nccl"), "2"),
                              ("allgather", ("--share-gpus",), "1")):
        result, _ = run(f"{FUSIONS}::{name}", "--input", "2x700" + "x100" * (name != "allgather"), "--check", "--trace", "off", *words,
                        devices=2, FAKE_CUDA_DEVICES=gpus)
        tap.check(result.code == 0 and "right; equal" in result.out, f"{name} {' '.join(words)} waits for its inputs", result)


def test_shared_trace(tap, run):
    """On a shared GPU, tracks are by rank, and so are the copies of inputs and results on the GPU's default stream."""
    path = os.path.join(run.folder, "shared.hirs")
    result, _ = run(f"{FUSIONS}::allgather", "--input", "3x4", "--check", "--share-gpus", "--gpus", "1,0", "-o", path, FAKE_CUDA_DEVICES="2")
    run.hirscope("export", path, "--to", "csv", "-o", path + ".csv")
    with open(path + ".csv", encoding="utf-8", newline="") as f:
        rows = [row for row in csv.DictReader(f) if row["op"] or "GPU" in row["track"]]
    gpus = {(row["rank"], row["track"].split("GPU ")[1][0]) for row in rows}
    tap.check(result.code == 0 and gpus == {("0", "1"), ("1", "0"), ("2", "1")}, "ranks take turns on the GPUs", gpus, rows)
    for rank in "012":
        own = [row for row in rows if row["rank"] == rank]
        tap.check(len([row for row in own if row["op"]]) == 3, f"rank {rank} has its part of the communication", own)
        tap.check({"upload", "read"} <= {row["name"] for row in own}, f"rank {rank} has its input and its result", own)
    for words in (("stats", path), ("export", path, "--to", "html", "-o", path + ".html")):
        said = run.hirscope(*words)
        text = open(path + ".html", encoding="utf-8").read() if words[0] == "export" else said.out
        tap.check("3 ranks on 2 GPUs: they compete for them" in text, f"{words[0]} says that ranks share GPUs", said)


def test_trace(tap, run):
    for way in ("nccl", "p2p", "copy"):
        path = os.path.join(run.folder, f"{way}.hirs")
        result, _ = run(f"{FUSIONS}::gather", "--comm", way, "--input", "3x4", "-o", path, FAKE_CUDA_NO_PEERS="1")
        if not tap.check(result.code == 0, f"a run is recorded, --comm {way}", result):
            continue
        out = os.path.join(run.folder, f"{way}.csv")
        run.hirscope("export", path, "--to", "csv", "-o", out)
        rows = [row for row in csv.DictReader(open(out)) if row["op"]]
        # The receiver makes the copies.
        tap.check({row["rank"] for row in rows} == ({"1"} if way == "copy" else {"0", "1", "2"}) and
                  all(row["op"] == "gather" and row["team"] == "team 0 1 2" and row["root"] == "1" and
                      row["message_bytes"] == "48" and row["sequence"] == "0" for row in rows),
                  f"each rank's part of the gather has op, team, root and size, --comm {way}", rows)
        tap.check(all("comm {0 1 2}" in row["track"] for row in rows), f"... on the communicator's stream, --comm {way}", rows)
        tap.check(any(float(row["algbw_gb_s"]) > 0 for row in rows), f"... and its bandwidth, --comm {way}", rows)


def main():
    hirscope, fakes = Program(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        tap, run = Tap(), Runner(hirscope, fakes, folder)
        for test in (test_ways, test_types, test_reductions, test_streams, test_messages, test_options, test_failures, test_ready_loops,
                     test_shared, test_late_upload, test_shared_trace, test_trace):
            tap.group(test, run)
        tap.done()


if __name__ == "__main__":
    main()
