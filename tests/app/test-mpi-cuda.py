#!/usr/bin/env python3
"""test-mpi-cuda.py HIRSCOPE FAKES

Tests `mpirun -n N hirscope run --backend cuda` without a GPU: with a fake driver and a fake NCCL in the folder FAKES,
whose processes share memory as with a real driver. The fake driver aborts a process that frees memory which another
process has open, and rejects opening an object twice. Skips if there is no launcher or no MPI module.
"""
import concurrent.futures
import csv
import itertools
import os
import re
import shutil
import signal
import sys
import tempfile
import time

from launcher import SLACK_S, Launcher, descendants, end, has_thread, is_clean, is_ours, ours, rank_of
from program import Program
from tap import Tap

HERE = os.path.dirname(os.path.abspath(__file__))
FUSIONS = os.path.join(HERE, "comm_fusions.py")
# Shape of the input of each fusion, and whether the fusion reduces. 70,000 floats are reduced in parts.
PROGRAMS = {
    "gather": ("3x4", False), "gather_from_others": ("2x4", False), "scatter": ("3x4", False),
    "broadcast": ("5x4", False), "broadcast_to_others": ("5x4", False), "send_recv": ("5x4", False),
    "allgather": ("3x4", False), "reduce": ("3x6x4", True), "reduce_scatter": ("3x3x4", True),
    "allreduce": ("3x700x100", True), "reduce_to_other": ("2x700x100", True),
}


class Runner:
    def __init__(self, hirscope, launcher, fakes, folder):
        self.hirscope, self.launcher, self.folder, self.numbers = hirscope, launcher, folder, itertools.count()
        self.env = {"HIRSCOPE_CUDA_LIBRARY_PATH": fakes, "FAKE_CUDA_DEVICES": "4", "FAKE_CUDA_SHARED": "1",
                    "FAKE_CUDA_KERNELS": "1" if shutil.which("cc") else "0",
                    "XDG_CACHE_HOME": folder, "G_DEBUG": "fatal-warnings"}

    def environment(self, env):
        mail = os.path.join(self.folder, f"nccl-{next(self.numbers)}")
        os.mkdir(mail)
        return {**self.env, "FAKE_NCCL_FOLDER": mail, "FAKE_CUDA_QUEUED": "1", **env}

    def __call__(self, source, *words, ranks=3, only=None, **env):
        """Run @source. @only: a rank and additional environment variables for it."""
        env, words = self.environment(env), ("run", source, "--backend", "cuda", *words)
        if only is None:
            return self.launcher.run((ranks, env, words))
        parts = [(1, {**env, **(only[1] if rank == only[0] else {})}, words) for rank in range(ranks)]
        return self.launcher.run(*parts)


def left_behind():
    return [name for name in os.listdir("/dev/shm") if name.startswith("hirscope-")]


def test_ways(tap, run):
    def one(case):
        (name, (shape, _)), way = case
        return name, way, run(f"{FUSIONS}::{name}", "--comm", way, "--input", shape, "--check", "--trace", "off",
                              "--repeat", 3, FAKE_CUDA_QUEUED="0" if way == "copy" and name == "scatter" else "1")

    cases = [(item, way) for item, way in itertools.product(PROGRAMS.items(), ("nccl", "p2p", "copy"))
             if way == "copy" or item[0] in ("gather", "allgather", "reduce_scatter")]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for name, way, done in pool.map(one, cases):
            if PROGRAMS[name][1] and way != "nccl" and not shutil.which("cc"):
                tap.skip(f"{name}, --comm {way}", "no C compiler to execute the kernel of a reduction")
            else:
                tap.check(done.code == 0 and "right" in done.out and is_clean(done), f"{name}: results, --comm {way}", done)


def test_shared(tap, run):
    """Processes share GPUs with --share-gpus only, and then copy."""
    source = f"{FUSIONS}::allgather"
    words = ("--input", "3x4", "--check", "--trace", "off")
    done = run(source, *words, FAKE_CUDA_DEVICES="2")
    tap.check(done.code == 2 and "3 devices need a GPU each" in done.err and "--share-gpus" in done.err and is_clean(done),
              "more processes than GPUs are refused", done)
    done = run(source, "--share-gpus", "--comm", "nccl", *words, FAKE_CUDA_DEVICES="2")
    tap.check(done.code == 2 and "--comm nccl" in done.err and "--comm copy" in done.err and is_clean(done), "... and so is NCCL on a shared GPU", done)
    done = run(source, "--share-gpus", "--repeat", 20, *words, FAKE_CUDA_DEVICES="2")
    tap.check(done.code == 0 and "right" in done.out and done.out.count("3 ranks on 2 GPUs: they compete for them") == 1 and
              "compete" not in done.err and is_clean(done), "processes share GPUs, which is noted once", done)


def test_repeated(tap, run):
    """Memory, slots and open handles are reused: more transfers than slots, on several streams."""
    done = run("example:allgather", "--comm", "copy", "--input", "6x4", "--check", "--repeat", 300, "--streams", 3, "--trace",
               "off", ranks=4)
    tap.check(done.code == 0 and "right" in done.out and "ran 300 times" in done.out, "a stream loop on 4 ranks, 300 times", done)


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
    with open(path, "w", encoding="utf-8") as f:
        f.write(messages_only(run))
    for way in ("nccl", "copy"):
        done = run(path, "--comm", way, "--input", "3x8", "--repeat", 10, "--trace", "off")
        tap.check(done.code == 0 and "ran 10 times" in done.out, f"messages in groups, --comm {way}", done)


def test_failures(tap, run):
    source = f"{FUSIONS}::allgather"
    words = ("--comm", "copy", "--input", "3x4", "--trace", "off", "--repeat", 3)
    for call, text in (("cuMemcpyAsync:4:719", "cuMemcpyAsync for Allgather T1 on rank 1"),
                       ("cuIpcOpenMemHandle_v2:1:217", "opening memory of rank "),
                       ("cuIpcGetMemHandle:1:801", "sharing memory of GPU 1"),
                       ("cuMemHostRegister_v2:1:712", "mapping host memory for GPU 1"),
                       ("cuStreamWaitValue32_v2:2:719", "cuStreamWaitValue32 for Allgather T1 on rank 1")):
        done = run(source, *words, only=(1, {"FAKE_CUDA_FAIL": call}))
        tap.check(done.code == 2 and text in done.err and is_clean(done) and len(ours(done.err)) == 1,
                  f"{call.split(':')[0]} fails on one rank: reported once, all ranks end", done)
    done = run.launcher.run((1, run.environment({}), ("run", f"{FUSIONS}::allgather", "--backend", "cuda", *words)),
                            (2, run.environment({}), ("run", f"{FUSIONS}::gather", "--backend", "cuda", *words)))
    tap.check(done.code == 2 and "rank 0" in done.err and is_clean(done), "an error names the ranks with another program", done)
    done = run.launcher.run((1, {**run.environment({}), "HIRSCOPE_HOST": "near"}, ("run", source, "--backend", "cuda", *words)),
                            (2, {**run.environment({}), "HIRSCOPE_HOST": "far"}, ("run", source, "--backend", "cuda", *words)))
    tap.check(done.code == 2 and "needs all ranks on one machine" in done.err and "--comm nccl" in done.err and is_clean(done),
              "copies between machines are rejected by name", done)


def test_killed(tap, run):
    """The streams of the other ranks wait for a killed rank: they are released, and the error names the rank."""
    env = run.environment({})
    errors = os.path.join(run.folder, "killed")
    process = run.launcher.begin((3, env, ("run", f"{FUSIONS}::allgather", "--backend", "cuda", "--comm", "copy", "--input",
                                           "3x4", "--trace", "off", "--repeat", 1000000)), errors=errors)
    pids, until = {}, time.monotonic() + SLACK_S
    # A process killed while MPI starts is not named.
    while (len(pids) < 3 or not all(has_thread(pid, "hir-comm-watch") for pid in pids.values())) and time.monotonic() < until:
        pids = {rank_of(pid): pid for pid in descendants(process.pid) if is_ours(pid, run.hirscope)}
        time.sleep(0.05)
    time.sleep(0.5)
    if tap.check(len(pids) == 3 and None not in pids, "three ranks run", pids):
        os.kill(pids[1], signal.SIGKILL)
    out, _ = end(process, pids)
    tap.check(out is not None and process.returncode != 0, "a rank is killed: the others end", process.returncode)
    with open(errors, encoding="utf-8") as f:
        err = f.read()
    tap.check(re.search(r"^rank [02]: .*error: .*rank 1 died", err, re.M) is not None, "... and the error names the rank", err)


def test_trace(tap, run):
    path = os.path.join(run.folder, "copy.hirs")
    done = run(f"{FUSIONS}::allgather", "--comm", "copy", "--input", "3x4", "-o", path)
    if not tap.check(done.code == 0, "a recording of three processes", done):
        return
    run.hirscope("export", path, "--to", "csv", "-o", path + ".csv")
    with open(path + ".csv", encoding="utf-8", newline="") as f:
        rows = [row for row in csv.DictReader(f) if row["op"]]
    copies = [row["rank"] for row in rows]
    tap.check(all(copies.count(str(rank)) >= 3 for rank in range(3)) and {row["op"] for row in rows} == {"_allgather_base"},
              "each rank copies a slice of each", rows)
    with open(path, "rb") as f:
        tap.check(b"copy engines between processes" in f.read(), "the recording names the transport", done)


def main():
    hirscope, fakes = Program(sys.argv[1]), os.path.abspath(sys.argv[2])
    launcher, tap = Launcher(hirscope), Tap()
    folder = tempfile.mkdtemp()
    run = Runner(hirscope, launcher, fakes, folder)
    tests = (test_ways, test_shared, test_repeated, test_messages, test_failures, test_killed, test_trace)
    for test in tests if launcher.why_not() else ():
        tap.skip(test.__name__, launcher.why_not())
    tap.groups(() if launcher.why_not() else tests, run)
    tap.check(left_behind() == [], "no memory is left behind", left_behind())
    shutil.rmtree(folder, ignore_errors=True)
    tap.done()


if __name__ == "__main__":
    main()
