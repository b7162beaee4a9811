#!/usr/bin/env python3
"""Tests the recording of a run on GPUs, with fakes of the driver, NCCL and CUPTI."""
import os
import sqlite3
import sys
import tempfile

from program import EXAMPLES, from_command_line
from tap import Tap

hirscope = from_command_line()
MULTI = os.path.join(EXAMPLES, "multi_device.py")
FAKES = {"HIRSCOPE_CUDA_LIBRARY_PATH": sys.argv[2], "FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_QUEUED": "1"}
N = 16  # iterations of the loop in the example


def record(folder, function, trace, *words, **env):
    path = os.path.join(folder, f"{function}-{trace}.hirs")
    result = hirscope("run", f"{MULTI}::{function}", "-d", 2, "--backend", "cuda", "--trace", trace,
                      "-o", path, *words, env={**FAKES, "XDG_CACHE_HOME": folder, **env})
    return result, path


def rows(path, sql):
    with sqlite3.connect(path) as db:
        return db.execute(sql).fetchall()


def full(tap):
    with tempfile.TemporaryDirectory() as folder:
        result, path = record(folder, "allgather", "full")
        tap.check(result.code == 0, "records allgather on two GPUs", result)
        kernels = rows(path, "SELECT rank, iteration, instruction, name FROM events WHERE "
                             "kind='communication' AND phase='program'")
        tap.check(sorted(k[:2] for k in kernels) == [(r, i) for r in range(2) for i in range(N)],
                  "each iteration of each rank has a kernel", kernels)
        tap.check(len({k[2] for k in kernels}) == 1 and kernels[0][2],
                  "all kernels belong to the only Communication", kernels[:3])
        tap.check(all("nccl" in k[3] and k[3].startswith("Allgather T") for k in kernels),
                  "names contain the instruction and NCCL's kernel", kernels[:3])
        bare = rows(path, "SELECT * FROM events WHERE phase='program' AND instruction=''")
        tap.check(not bare, "all work of the program has its instruction", bare[:5])
        loose = rows(path, "SELECT * FROM events WHERE phase='program' AND kind='host' AND iteration<0")
        tap.check(not loose, "every host call within the loops has its iteration", loose[:5])
        names = [n for n, in rows(path, "SELECT name FROM tracks")]
        tap.check(any(n.startswith("GPU 1, stream ") and n.endswith(" = Stream 2") for n in names),
                  "tracks have the names of a stream on the device and in the program", names)
        tap.check(any(n.endswith(" = comm {0 1}") for n in names), "the track of a channel has its name", names)
        launches = rows(path, "SELECT count(*) FROM events AS call JOIN events AS work ON "
                              "call.correlation=work.correlation AND call.rank=work.rank WHERE "
                              "call.name='cuLaunchKernelEx' AND work.kind='communication'")
        tap.check(launches == [(2 * N,)], "launch and kernel are linked", launches)
        ends = rows(path, "SELECT count(*) FROM edges")
        tap.check(ends[0][0] > 0, "dependencies are recorded", ends)
        tap.check(not rows(path, "SELECT text FROM account"), "the account is empty")
        meta = dict(rows(path, "SELECT key, value FROM meta"))
        tap.check("dropped 0, invalid 0" in meta.get("cupti", ""), "the recording has the counts of CUPTI", meta.get("cupti"))


def kernels_alone(tap):
    with tempfile.TemporaryDirectory() as folder:
        result, path = record(folder, "allgather", "kernels", "--repeat", 3, "--warmup", 1)
        kinds = dict(rows(path, "SELECT kind, count(*) FROM events GROUP BY kind"))
        tap.check(result.code == 0 and kinds.get("communication") == 4 * 2 * N, "--trace kernels records device work", kinds)
        tap.check(not {"host", "issue", "sync"} & set(kinds), "--trace kernels records no host work", kinds)
        phases = dict(rows(path, "SELECT phase, count(*) FROM events WHERE kind='communication' GROUP BY phase"))
        tap.check(phases == {"program": 3 * 2 * N, "warmup": 2 * N}, "warm-ups are marked", phases)


def lost(tap):
    with tempfile.TemporaryDirectory() as folder:
        result, path = record(folder, "allgather", "kernels", FAKE_CUPTI_DROP="7", FAKE_CUPTI_LOSE="nccl")
        texts = [t for t, in rows(path, "SELECT text FROM account")]
        line = "7 records of the GPU were dropped by CUPTI"
        tap.check(line in texts and line in result.out, "dropped records are reported", result, texts)
        line = f"{2 * N} launches of Allgather T3 gave no event on the device"
        tap.check(line in texts and line in result.out, "launches without an event are reported", result, texts)
        result, path = record(folder, "ag_matmul", "kernels", FAKE_CUPTI_LOSE="nvjet")
        texts = [t for t, in rows(path, "SELECT text FROM account")]
        line = f"{2 * N} of {2 * N} kernels that were launched are not recorded"
        tap.check(line in texts and line in result.out, "events that the back end counted but the recording lacks are reported", result, texts)
        result, path = record(folder, "ag_matmul", "full")
        tap.check(result.code == 0 and not rows(path, "SELECT text FROM account"), "the account is empty if nothing is lost",
                  result, rows(path, "SELECT text FROM account"))


def refused(tap):
    with tempfile.TemporaryDirectory() as folder:
        result, path = record(folder, "allgather", "full", FAKE_CUPTI_FAIL="39")
        tap.check(result.code == 2 and "another tool" in result.err and not os.path.exists(path),
                  "another tool that uses CUPTI: an error and no recording", result)
        result, path = record(folder, "allgather", "off", FAKE_CUPTI_FAIL="39")
        tap.check(result.code == 0, "--trace off does not need CUPTI", result)


def damaged_kernel(tap):
    """A cached kernel that the driver does not load is compiled again, and its file is replaced."""
    with tempfile.TemporaryDirectory() as folder:
        kernels = os.path.join(folder, "hirscope", "kernels")
        words = ("run", os.path.join(EXAMPLES, "single_device.py") + "::two_set_ops", "--backend", "cuda")
        first = hirscope(*words, env={**FAKES, "XDG_CACHE_HOME": folder})
        paths = [os.path.join(kernels, name) for name in (os.listdir(kernels) if os.path.isdir(kernels) else ())]
        tap.check(first.code == 0 and paths, "compiled kernels are cached", first)
        for path in paths:
            with open(path, "wb") as f:
                f.write(b"\177ELF" + bytes(100))
        again = hirscope(*words, env={**FAKES, "XDG_CACHE_HOME": folder})
        tap.check(again.code == 0, "the program runs with a damaged cache", again)
        starts = []
        for path in paths:
            with open(path, "rb") as f:
                starts.append(f.read(4))
        tap.check(b"\177ELF" not in starts, "damaged files are replaced", starts)


if __name__ == "__main__":
    tap = Tap()
    for group in (full, kernels_alone, lost, refused, damaged_kernel):
        tap.group(group)
    tap.done()
