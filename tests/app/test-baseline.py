#!/usr/bin/env python3
"""test-baseline.py HIRSCOPE FAKES

Tests `run --baseline`: each instruction also runs alone, the recording has what it takes, and `explain` and `predict` use it.
"""
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter

from planted import Planted
from program import EXAMPLES, from_command_line
from recording_edit import get_digest
from tap import Tap

AG_MATMUL = ["example:ag_matmul", "-d", 2, "--set", "StreamParallelType.initial_sync=separate", "--input", "8x2x64x64", "--input", "64x64"]
SMALL = ["--input", "4x2x16x16", "--input", "16x16"]
MULTI = os.path.join(EXAMPLES, "multi_device.py")


def rows(path, sql):
    with sqlite3.connect(path) as db:
        return db.execute(sql).fetchall()


def explain(hirscope, path):
    done = hirscope("explain", path, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def get_alone(path):
    """Return the table as {(instruction, iteration, rank, name): ns}."""
    table = rows(path, "SELECT instruction, iteration, rank, name, duration FROM baseline")
    alone = {row[:4]: row[4] for row in table}
    assert len(alone) == len(table), "a time occurs twice"
    return alone


def get_work(path):
    """Return the recorded work of the program, as the keys of the table."""
    return set(rows(path, "SELECT instruction, iteration, rank, name FROM events WHERE phase = 'program' AND "
                          "kind IN ('kernel', 'memcpy', 'memset', 'communication')"))


def test_model(tap, hirscope, folder):
    path, plain = os.path.join(folder, "model.hirs"), os.path.join(folder, "plain.hirs")
    words = ["run", *AG_MATMUL, "--clock", "model", "--repeat", 2, "--warmup", 1, "--check"]
    with_it, without = hirscope(*words, "--baseline", "-o", path), hirscope(*words, "-o", plain)
    tap.check(with_it.code == 0 and without.code == 0, "runs with and without --baseline", with_it, without)
    tap.check("ran 2 times" in with_it.out and "then each instruction alone" in with_it.out, "the report counts only measured runs", with_it.out)
    tap.check(with_it.out.split(" ms")[0].split()[-1] == without.out.split(" ms")[0].split()[-1], "which take as long as without it",
              with_it.out, without.out)
    sql = "SELECT start_ns, end_ns, instruction, name, iteration, rank, kind, phase FROM events ORDER BY 1, 2, 3, 4, 6"
    tap.check(rows(path, sql) == rows(plain, sql), "the events are the same")
    tap.check(rows(path, "SELECT count(*) FROM meetings") == rows(plain, "SELECT count(*) FROM meetings"), "so are the communications")
    tap.check(rows(plain, "SELECT count(*) FROM baseline") == [(0,)], "without --baseline, the table is empty")
    alone = get_alone(path)
    tap.check(set(alone) == get_work(path), "each work of the program has its time alone", set(alone) ^ get_work(path))
    wrong = [event for event in rows(path, "SELECT instruction, iteration, rank, name, end_ns - start_ns FROM events WHERE "
                                           "kind = 'kernel' AND phase = 'program'") if alone[event[:4]] != event[4]]
    tap.check(not wrong, "kernels take as long as on the modelled clock", wrong[:3])
    explained = explain(hirscope, path)
    tap.check(any("was measured by --baseline" in note for note in explained["notes"]), "explain notes it", explained["notes"])
    tap.check(not any("--baseline" in note for note in explain(hirscope, plain)["notes"]), "but not without it")
    old = explain(hirscope, plain)
    tap.check([r["total_ns"] for r in explained["repetitions"]] == [r["total_ns"] for r in old["repetitions"]], "the totals are the same")
    return path


def test_copies(tap, hirscope, folder, path):
    """Check that recordings that are written again keep the times alone."""
    joined, predicted = os.path.join(folder, "joined.hirs"), os.path.join(folder, "predicted.hirs")
    trace = os.path.join(folder, "trace.json")
    hirscope("export", path, "--to", "chrome", "-o", trace)
    hirscope("predict", path, "-o", predicted)
    tap.check(rows(predicted, "SELECT count(*) FROM baseline") == [(0,)], "a predicted run has no measured times")
    done = hirscope("join", path, path, "-o", joined)
    if done.code == 0:
        tap.check(get_alone(joined) == get_alone(path), "a joined recording keeps the table")
    else:
        tap.check("own" in done.err or "recording" in done.err, "a recording needs no join", done)


def plant(hirscope, path, out, factor):
    """Make all executions of the kernels slower than in the table, on a GPU; the table stays."""
    planted = Planted(hirscope, path)
    for e in planted.events(kind="kernel", name="T6_matmul"):
        e["ns"] = int(e["ns"] * factor)
    planted.write_recording(out)
    with sqlite3.connect(out) as db:
        for key, value in (("clock", "wall"), ("backend", "cuda")):
            db.execute("UPDATE meta SET value = ?, digest = ? WHERE key = ?", (value, get_digest("meta", [key, value]), key))


def test_planted(tap, hirscope, folder):
    """Check that kernels that are always slowed down by others are found, with what they take alone."""
    base, path, without = (os.path.join(folder, name + ".hirs") for name in ("base", "planted", "without"))
    done = hirscope("run", *AG_MATMUL, "--clock", "model", "--baseline", "-o", base)
    assert done.code == 0, done
    times = {key: ns for key, ns in get_alone(base).items() if key[3] == "T6_matmul"}
    (alone_ns,) = set(times.values())
    plant(hirscope, base, path, 8)
    shutil.copy(path, without)
    with sqlite3.connect(without) as db:
        db.execute("DELETE FROM baseline")
    (found,) = explain(hirscope, path)["repetitions"]
    losses = [loss for loss in found["losses"] if loss["name"] == "T6_matmul" and loss["cause"] in ("interference", "slow_execution")]
    beside = [loss for loss in losses if loss["cause"] == "interference"]
    tap.check(beside and all(loss["by"].startswith(("Allgather", "T6_matmul")) for loss in beside), "interference is found", found["losses"])
    tap.check(all(loss["alone_ns"] == alone_ns and loss["alone_from"] == "baseline" and abs(loss["mean_ns"] - 8 * alone_ns) <= 8
                  for loss in losses), "with the planted times", alone_ns, losses)
    compute = [loss for loss in found["losses"] if loss["name"] == "T6_matmul" and loss["cause"] == "compute"]
    lost, computed = sum(loss["ns"] for loss in losses), sum(loss["ns"] for loss in compute)
    tap.check(lost > computed > 0, "most of their time is lost", lost, computed)
    text = hirscope("explain", path).out
    tap.check("was measured by --baseline" in text, "the text says where the times come from", text)
    (fallback,) = explain(hirscope, without)["repetitions"]
    sources = {loss["alone_from"] for loss in fallback["losses"] if "alone_from" in loss}
    tap.check("baseline" not in sources, "without the table, executions with nothing beside them count", sources)
    words = ["predict", path, "--no-interference", "--json"]
    with_it, without_it = json.loads(hirscope(*words).out), json.loads(hirscope("predict", without, *words[2:]).out)
    tap.check((with_it["alone_from"], without_it["alone_from"]) == ("baseline", "executions"), "predict says which it takes", with_it, without_it)
    tap.check(any("--baseline" in note for note in with_it["notes"]), "in a note, too", with_it["notes"])
    original = json.loads(hirscope("predict", base, "--json").out)["measured_ns"]
    tap.check(with_it["predicted_ns"] < 1.5 * original < without_it["predicted_ns"],
              "without interference, the predicted run is about as long as the run before the planted slowdown", original,
              with_it["predicted_ns"], without_it["predicted_ns"])


def test_cpu(tap, hirscope, folder):
    """Check all kinds of instructions on the CPU, with measured times."""
    runs = [["example:ag_matmul", "-d", 4, "--input", "4x4x16x16", "--input", "16x16"], ["example:allgather_p2p"], ["example:AG_matmul_P2p"],
            ["example:allreduce"], ["example:matmul_m"], ["example:test_allreduce_by_streams", "-d", 2, "--pipeline", "hostir"]]
    for i, words in enumerate(runs):
        path = os.path.join(folder, f"cpu{i}.hirs")
        name = " ".join(os.path.basename(str(word)) for word in words)
        done = hirscope("run", *words, "--baseline", "--check", "-o", path, "--timeout", 60)
        if not tap.check(done.code == 0, f"{name}: runs", done):
            continue
        alone, work = get_alone(path), get_work(path)
        tap.check(alone and set(alone) <= work and all(ns >= 0 for ns in alone.values()), f"{name}: has times alone", set(alone) - work)
        kinds = Counter(phase for phase, in rows(path, "SELECT phase FROM events"))
        tap.check(None not in kinds, f"{name}: events of the repetitions alone are not recorded", kinds)
        tap.check(hirscope("explain", path).code == 0, f"{name}: is explained")


def test_gpu(tap, hirscope, folder):
    env = {"HIRSCOPE_CUDA_LIBRARY_PATH": sys.argv[2], "FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_QUEUED": "1", "XDG_CACHE_HOME": folder}
    for i, words in enumerate([["--comm", "nccl"], ["--comm", "p2p"], ["--comm", "copy"], ["--gpus", "0", "--share-gpus"]]):
        path = os.path.join(folder, f"gpu{i}.hirs")
        done = hirscope("run", f"{MULTI}::ag_matmul", "-d", 2, "--backend", "cuda", *words, *SMALL, "--baseline", "-o", path, env=env)
        name = " ".join(words)
        if not tap.check(done.code == 0, f"{name}: runs on fake GPUs", done):
            continue
        alone, work = get_alone(path), get_work(path)
        kernels = {key for key in work if key[3].startswith("T")}
        tap.check(alone and set(alone) <= work, f"{name}: has times alone", set(alone) - work)
        tap.check(len(kernels & set(alone)) >= len(kernels) / 2, f"{name}: of most kernels", len(kernels), len(kernels & set(alone)))
        last = rows(path, "SELECT max(end_ns) FROM events WHERE phase = 'program'")[0][0]
        calls = rows(path, f"SELECT name FROM events WHERE kind = 'host' AND start_ns > {last} AND name LIKE 'cuLaunch%'")
        tap.check(not calls, f"{name}: no launch of the repetitions alone is recorded", calls[:3])
        predicted = hirscope("predict", path, "--json")
        tap.check(predicted.code == 0 and json.loads(predicted.out)["alone_from"] == "baseline", f"{name}: predict uses them", predicted)


def test_files(tap, hirscope, folder, path):
    """Check recordings without the table, and with a broken one."""
    old = os.path.join(folder, "old.hirs")
    shutil.copy(path, old)
    with sqlite3.connect(old) as db:
        db.execute("DROP TABLE baseline")
    tap.check(hirscope("explain", old).code == 0, "an older recording without the table is read")
    bad = os.path.join(folder, "bad.hirs")
    for sql in ("UPDATE baseline SET duration = duration + 1", "UPDATE baseline SET duration = -1", "UPDATE baseline SET duration = 'x'",
                "UPDATE baseline SET instruction = 'nothing'", "UPDATE baseline SET name = NULL", "UPDATE baseline SET iteration = 1e30",
                "ALTER TABLE baseline DROP COLUMN rank"):
        shutil.copy(path, bad)
        with sqlite3.connect(bad) as db:
            db.execute(sql)
        done = hirscope("explain", bad)
        tap.check(done.code == 2 and "baseline" in done.err, f"{sql}: is reported", done)


def test_usage(tap, hirscope, folder):
    done = hirscope("run", "example:matmul_m", "--baseline")
    tap.check(done.code == 2 and "-o OUT.hirs" in done.err, "--baseline requires a recording", done)
    done = hirscope("run", "example:matmul_m", "--baseline", "--trace", "off", "-o", os.path.join(folder, "off.hirs"))
    tap.check(done.code == 2 and "--trace off" in done.err, "which is not empty", done)


def main():
    hirscope = from_command_line()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = test_model(tap, hirscope, folder)
        test_copies(tap, hirscope, folder, path)
        test_planted(tap, hirscope, folder)
        test_cpu(tap, hirscope, folder)
        test_gpu(tap, hirscope, folder)
        test_files(tap, hirscope, folder, path)
        test_usage(tap, hirscope, folder)
    tap.done()


main()
