#!/usr/bin/env python3
"""test-tune.py HIRSCOPE FAKE-LIBRARIES

Tests `tune`: on the modelled clock, each command takes as long as it is predicted and measured; refused and incorrect
settings are listed and not recommended; and the budget, Ctrl+C, and settings of GPUs.
"""
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

from program import SOURCE, from_command_line
from tap import Tap

BIAS = os.path.join(SOURCE, "tests/data/cases/host_ir_2026/scenarios.py") + "::row_parallel_linear_with_bias"
AG = ("example:ag_matmul", "-d", 2, "--input", "8x2x16x32", "--input", "32x16")
WAIT_S = 100


def tune(hirscope, *words, code=0, env=None):
    done = hirscope("tune", *words, "--json", env=env)
    if done.code != code:
        raise RuntimeError(str(done))
    return json.loads(done.out)


def get_total(hirscope, command, folder):
    """Run a command of a setting. Return its modelled time in ns."""
    path = os.path.join(folder, "run.hirs")
    words = [word for word in shlex.split(command)[1:]]
    words[words.index("--trace") + 1] = "full"
    done = hirscope(*words, "-o", path)
    if done.code != 0:
        raise RuntimeError(str(done))
    return json.loads(hirscope("explain", path, "--json").out)["repetitions"][0]["total_ns"]


def get_work(setting):
    """Return the numbers of elements of the inputs."""
    shapes = re.findall(r"--input (\S+)", setting["command"])
    return [math.prod(map(int, shape.split("x"))) for shape in shapes]


def test_model(tap, hirscope, folder):
    found = tune(hirscope, *AG, "--clock", "model", "--top", 4, "--check")
    settings = found["settings"]
    measured = [s for s in settings if s["state"] == "measured"]
    tap.check(found["end"] == "complete" and len(measured) == 5, "measures the given setting and 4 others", found)
    tap.check((settings[0]["initial_sync"], settings[0]["streams"], settings[0]["chunks"]) == ("separate", 4, 8),
              "the given setting is first", settings[0])
    for setting in measured:
        total = get_total(hirscope, setting["command"], folder)
        tap.check(total == setting["predicted_ns"] == setting["median_ns"], f"{setting['command']}: takes as long as predicted",
                  total, setting)
    predicted = [s["predicted_ns"] for s in settings[1:] if "predicted_ns" in s]
    tap.check(predicted == sorted(predicted) and len(predicted) == 39, "all others are predicted and sorted", predicted)
    tap.check({s["chunks"] for s in settings} == {2, 4, 8, 16, 32} and all(get_work(s) == [8192, 512] for s in settings),
              "chunks keep the work", *[s["command"] for s in settings])
    best = settings[found["best"]]
    tap.check(best["median_ns"] == min(s["median_ns"] for s in measured), "recommends the fastest", best)
    refused = [s for s in settings if s["state"] == "refused"]
    tap.check({s["pipeline"] for s in refused} == {"hostir"} and all("cannot be a stream axis" in s["reason"] for s in refused) and
              len(refused) == 5, "lists what the other pipeline refuses", refused)
    again = tune(hirscope, *AG, "--clock", "model", "--top", 4, "--check")
    tap.check(again == found, "finds the same again", again)


def test_slow_given(tap, hirscope):
    """A slow given setting is improved, and only by what may be tried."""
    words = (*AG, "--clock", "model", "--set", "StreamParallelType.initial_sync=in_loop", "--streams", 1)
    found = tune(hirscope, *words, "--try", "streams=1", "--try", "chunks=8")
    best = found["settings"][found["best"]]
    tap.check(best["initial_sync"] == "separate" or best["predicted_ns"] == found["settings"][0]["predicted_ns"],
              "with one stream, only the synchronization is tried", best)
    tap.check({(s["streams"], s["chunks"]) for s in found["settings"]} == {(1, 8)}, "--try limits the values", found)
    found = tune(hirscope, *words, "--try", "chunks=8")
    best, given = found["settings"][found["best"]], found["settings"][0]
    tap.check((best["initial_sync"], best["streams"]) != ("in_loop", 1) and best["relation"] < 1 and
              "StreamParallelType.initial_sync=separate" in best["command"], "finds that streams and separate are faster", best)
    tap.check(given["initial_sync"] == "in_loop" and given["relation"] == 1, "the relation of the given setting is 1", given)
    text = hirscope("tune", *words, "--try", "chunks=8").out
    tap.check(re.search(r"^fastest: number \d+, executor, initial_sync separate", text, re.M) and "(given)" in text and
              best["command"] in text, "the text has the fastest setting and the commands", text)


def test_wrong(tap, hirscope):
    """An error in an op that only one pipeline has makes its settings incorrect."""
    words = (BIAS, "-d", 2, "--clock", "model", "--plant-error", "broadcast")
    for pipeline in ("executor", "hostir"):
        found = tune(hirscope, *words, "--check", "--pipeline", pipeline, code=1)
        states = {(s["pipeline"], s["state"]) for s in found["settings"]}
        tap.check(states == {("executor", "wrong"), ("hostir", "measured")}, f"{pipeline}: incorrect settings are known", found)
        tap.check(found["settings"][found["best"]]["pipeline"] == "hostir" and
                  not any(s["rounds_ns"] for s in found["settings"] if s["state"] == "wrong"),
                  f"{pipeline}: incorrect settings are not measured or recommended", found)
    found = tune(hirscope, *words, "--pipeline", "executor")
    tap.check({s["state"] for s in found["settings"]} == {"measured"}, "without --check, all are measured", found)
    done = hirscope("tune", *words, "--check", "--pipeline", "executor")
    tap.check(done.code == 1 and "(WRONG)" in done.out and "wrong: executor" in done.out, "the text names them", done)


def test_printed(tap, hirscope, folder):
    path = os.path.join(folder, "program.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(hirscope("lower", *AG, "--print", "last").out)
    found = tune(hirscope, path, "--clock", "model", "--input", "8x2x16x32", "--input", "32x16")
    tap.check({s["streams"] for s in found["settings"]} == {1, 2, 4, 8} and len(found["notes"]) == 2 and
              all(s["pipeline"] is None and s["chunks"] is None for s in found["settings"]),
              "of a printed program, only streams are tried", found)
    for name, note in (("matmul_m", "no other axis"), ("AG_matmul_P2p", "one chunk per device")):
        found = tune(hirscope, f"example:{name}", "-d", 4, "--clock", "model", "--top", 1)
        tap.check(any(note in n for n in found["notes"]) and all(s["chunks"] is None for s in found["settings"]),
                  f"{name}: says why chunks are not tried", found)


def test_wall(tap, hirscope):
    found = tune(hirscope, *AG, "--top", 2, "--rounds", 3, "--try", "chunks=8")
    measured = [s for s in found["settings"] if s["state"] == "measured"]
    # By the clock, the given setting may be one of the two best.
    tap.check(len(measured) in (2, 3) and all(len(s["rounds_ns"]) == 3 and s["median_ns"] == sorted(s["rounds_ns"])[1] for s in measured),
              "wall clock: the medians of 3 rounds", measured)
    given = found["settings"][0]
    tap.check(all(abs(s["relation"] - s["median_ns"] / given["median_ns"]) < 1e-5 for s in measured), "wall clock: relations", measured)
    done = hirscope("tune", *AG, "--rounds", 1000, "--budget", 5, "--json")
    found = json.loads(done.out)
    measured = [s for s in found["settings"] if s["rounds_ns"]]
    tap.check(found["end"] == "budget" and measured and max(len(s["rounds_ns"]) for s in measured) < 1000,
              "ends when the budget is used up, with what it has", found)
    tap.check(done.err.count("tune: round ") <= max(len(s["rounds_ns"]) for s in measured) + 1,
              "reports no rounds after the budget", done.err)
    tap.check(max(len(s["rounds_ns"]) for s in measured) - min(len(s["rounds_ns"]) for s in measured) <= 1,
              "measures in interleaved rounds", [len(s["rounds_ns"]) for s in measured])
    done = hirscope("tune", *AG, "--budget", "0.000001")
    tap.check(done.code == 2 and "--budget" in done.err and not done.out, "a budget that is too short for one run", done)


def test_interrupt(tap, hirscope):
    with subprocess.Popen([hirscope.path, "tune", *map(str, AG), "--rounds", "1000", "--budget", "1000", "--json"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not re.search("round 2 of|^$", process.stderr.readline()):
            pass
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        found = json.loads(out) if out else {}
        tap.check(process.returncode == -signal.SIGINT and found.get("end") == "cancelled" and "best" in found and
                  found["settings"][0]["rounds_ns"], "Ctrl+C: prints what it has, and ends by the signal", process.returncode, out, err)


def test_refused(tap, hirscope):
    for words, said in ((("--try", "threads=1"), "streams"), (("--try", "streams"), "NAME=VALUES"), (("--try", "streams="), "NAME=VALUES"),
                        (("--try", "streams=0"), "64"),
                        (("--try", "initial_sync=never"), "in_loop"), (("--try", "comm=copy"), "cannot be tried"),
                        (("--try", "chunks=5"), "divide"), (("--budget", "0"), "--budget"), (("--rounds", "0"), "--rounds"),
                        (("--comm", "copy"), "--backend cuda")):
        done = hirscope("tune", *AG, *words)
        tap.check(done.code == 2 and said in done.err and not done.out, f"{' '.join(words)}: exit status 2", done)
    done = hirscope("tune")
    tap.check(done.code == 2 and "one SRC" in done.err, "without SRC: exit status 2", done)
    done = hirscope("tune", *AG[:3], "--input", "8x3x16x32")
    tap.check(done.code == 2 and "--input" in done.err, "a given setting that cannot run: exit status 2", done)


def test_gpus(tap, hirscope, fakes, folder):
    env = {"HIRSCOPE_CUDA_LIBRARY_PATH": fakes, "FAKE_CUDA_DEVICES": "2", "XDG_CACHE_HOME": folder}
    words = (*AG, "--backend", "cuda", "--try", "streams=4", "--try", "chunks=8", "--rounds", 1, "--repeat", 1)
    found = tune(hirscope, *words, "--top", 20, env=env)
    executor = [s for s in found["settings"] if s["pipeline"] == "executor"]
    tap.check({(s["comm"], s["priority"], s["state"]) for s in executor} ==
              {("nccl", "normal", "measured"), ("nccl", "high", "measured"), ("p2p", "normal", "measured"),
               ("p2p", "high", "measured"), ("copy", "normal", "measured")}, "GPUs: tries methods and priorities", found)
    tap.check(all(f"--comm {s['comm']}" in s["command"] and ("--comm-priority high" in s["command"]) == (s["priority"] == "high")
                  for s in executor), "GPUs: the commands have them", executor)
    shared = tune(hirscope, *words, "--share-gpus", "--top", 20, env={**env, "FAKE_CUDA_DEVICES": "1"})
    states = {(s["comm"], s["state"]) for s in shared["settings"] if s["pipeline"] == "executor"}
    tap.check(states == {("copy", "measured"), ("nccl", "refused"), ("p2p", "refused")} and
              all("NCCL allows one rank per GPU" in s["reason"] for s in shared["settings"] if s["comm"] in ("nccl", "p2p")),
              "shared GPUs: lists the refused methods with the reason", shared)


def main():
    tap, hirscope = Tap(), from_command_line()
    with tempfile.TemporaryDirectory() as folder:
        tap.group(test_model, hirscope, folder)
        tap.group(test_slow_given, hirscope)
        tap.group(test_wrong, hirscope)
        tap.group(test_printed, hirscope, folder)
        tap.group(test_wall, hirscope)
        tap.group(test_interrupt, hirscope)
        tap.group(test_refused, hirscope)
        tap.group(test_gpus, hirscope, sys.argv[2], folder)
    tap.done()


if __name__ == "__main__":
    main()
