#!/usr/bin/env python3
"""test-predict.py HIRSCOPE

Tests `predict`: without changes, modelled runs keep their length to the nanosecond; changed runs are as long as runs
with these changes; and the recordings of GPUs on which the interference is not fitted are predicted within 10 %."""
import json
import lzma
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from statistics import median

from planted import Planted, random_run
from program import SOURCE, from_command_line
from tap import Tap

N_RANDOM = int(os.environ.get("HIR_RANDOM_COUNT", "10"))
OVERLAP = os.path.join(SOURCE, "screenshots", "overlap")
FIT = os.path.join(SOURCE, "tests", "compat", "fit-interference")
HEADER = os.path.join(SOURCE, "tracer", "predict", "interference.h")


def predict(hirscope, path, *words):
    done = hirscope("predict", path, "--json", *words)
    if done.code != 0:
        raise RuntimeError(str(done))
    return json.loads(done.out)


def get_total(hirscope, path):
    return json.loads(hirscope("explain", path, "--json").out)["repetitions"][0]["total_ns"]


def record(hirscope, path, *words):
    done = hirscope("run", *words, "--clock", "model", "--timeout", 100, "-o", path)
    if done.code != 0:
        raise RuntimeError(str(done))
    return path


def find_waits(text):
    """Return the numbers of the lines with a Synchronize or Wait."""
    return [i for i, line in enumerate(text.split("\n"), 1) if re.match(r" *(Synchronize|Wait) ", line)]


def test_identity(tap, hirscope, folder):
    """Check random modelled runs without changes, and that a faster or removed part never gives a longer run."""
    rand = random.Random(21)
    for i in range(N_RANDOM):
        words = random_run(rand)
        name = f"random run {i}, {' '.join(map(str, words))}"
        path = record(hirscope, os.path.join(folder, f"random{i}.hirs"), *words, "--trace", rand.choice(["full", "full", "kernels"]),
                      "--repeat", rand.randint(1, 3), "--warmup", rand.randint(0, 2))
        found = predict(hirscope, path)
        tap.check(found["repetitions"] and
                  all(r["measured_ns"] == r["simulated_ns"] == r["predicted_ns"] for r in found["repetitions"]),
                  f"{name}: is as long as measured", found)
        tap.check(not found["changes"] and not found["notes"], f"{name}: all work is known", found)
        waits = find_waits(hirscope("lower", path).out)
        changes = [["--no-interference"], ["--comm-scale", "0.5"], ["--comm-scale", "0"]]
        changes += [["--drop-sync", line] for line in waits]
        for change in changes:
            less = predict(hirscope, path, *change)
            tap.check(all(r["predicted_ns"] <= r["simulated_ns"] for r in less["repetitions"]),
                      f"{name}: is not longer with {' '.join(map(str, change))}", less)


def test_kernels_only(tap, hirscope, folder):
    """Check runs whose first works wait, start late in the second repetition, or are missing."""
    path = os.path.join(folder, "kernels.hirs")
    for words in (["example:allgather_p2p", "--streams", 4, "-d", 5], ["example:AG_matmul_P2p", "--streams", 1, "-d", 1],
                  ["example:AG_matmul_P2p", "--streams", 1, "-d", 3], ["example:allgather_p2p", "--streams", 2, "-d", 2]):
        found = predict(hirscope, record(hirscope, path, *words, "--trace", "kernels", "--repeat", 2))
        tap.check(all(r["measured_ns"] == r["simulated_ns"] for r in found["repetitions"]) and not found["notes"],
                  f"{' '.join(map(str, words))}, only kernels: is as long as measured", found)
    found = predict(hirscope, record(hirscope, path, "example:allreduce", "-d", 1))
    tap.check(found["measured_ns"] == found["simulated_ns"] > 0 and not found["notes"], "a run without works is as long as measured", found)


def test_changes(tap, hirscope, folder):
    """Check that a changed run is as long as a run that is like that."""
    base = ["example:ag_matmul", "-d", 4, "--input", "8x4x64x64", "--input", "64x64"]
    in_loop = ["--set", "StreamParallelType.initial_sync=in_loop"]
    path = record(hirscope, os.path.join(folder, "base.hirs"), *base)
    for change in (["--streams", 1], ["--streams", 2], in_loop, ["--streams", 3, *in_loop]):
        other = record(hirscope, os.path.join(folder, "other.hirs"), *base, *change)
        found = predict(hirscope, path, *change)
        tap.check(found["predicted_ns"] == get_total(hirscope, other) and found["changes"],
                  f"predicts {' '.join(map(str, change))} exactly", get_total(hirscope, other), found)
        back = predict(hirscope, other, "--streams", 4, "--set", "StreamParallelType.initial_sync=separate")
        tap.check(back["predicted_ns"] == found["measured_ns"], f"predicts the way back from {change}", back)


def test_lines(tap, hirscope, folder):
    """Check that all commands number the lines of the program as `lower` prints them, from its first line."""
    path = record(hirscope, os.path.join(folder, "lines.hirs"), "example:ag_matmul", "-d", 4, "--set",
                  "StreamParallelType.initial_sync=in_loop", "--input", "8x4x64x64", "--input", "64x64")
    text = hirscope("lower", path).out
    program = os.path.join(folder, "lines.txt")
    with open(program, "w", encoding="utf-8") as f:
        f.write(text)
    waits = find_waits(text)
    tap.check(text.startswith("%HostIrContainer") and len(waits) > 2, "the program starts in line 1", text[:20])
    sql = "SELECT line FROM instructions WHERE label LIKE 'Synchronize%' OR label LIKE 'Wait%' ORDER BY line"
    earlier = os.path.join(OVERLAP, "nccl.hirs")  # of a version that printed an empty line before the program
    for name, numbers in ((path, waits), (earlier, find_waits(hirscope("lower", earlier).out))):
        found = [row[0] for row in json.loads(hirscope("query", name, sql + " LIMIT 4", "--json").out)["rows"]]
        tap.check(found == numbers[:4], f"{os.path.basename(name)}: query has the same lines", numbers, found)
    found = [use["line"] for use in json.loads(hirscope("check", program, "-d", 4, "--json").out)["synchronisations"]]
    tap.check(sorted(found) == waits, "check of the printed program has the same lines", waits, found)
    gains = [gain for gain in json.loads(hirscope("explain", path, "--json").out)["gains"] if "line" in gain]
    tap.check(gains and all(gain["line"] in waits and re.search(rf"program line {gain['line']}\b", gain["text"]) for gain in gains),
              "explain has the same lines, and names them program lines", waits, gains)
    texts = [gain["text"] for gain in gains if re.fullmatch(r"Synchronize Stream \d+", gain["name"])]
    tap.check(texts and all("Synchronize Default stream in program line " in text for text in texts),
              "the default stream has the name that it has in the trace", gains)


def test_planted(tap, hirscope, folder):
    """Check that removing a planted cause gains what the run without it is shorter."""
    base = ["example:ag_matmul", "-d", 4, "--set", "StreamParallelType.initial_sync=in_loop", "--input", "8x4x64x64",
            "--input", "64x64"]
    path = record(hirscope, os.path.join(folder, "planted.hirs"), *base)
    text = hirscope("lower", path, "--print", "last").out
    text = text if find_waits(text) else hirscope("lower", path).out
    lines = text.split("\n")
    for line in find_waits(text):
        if "Wait" in lines[line - 1]:
            continue  # a program without it does not run
        program = os.path.join(folder, f"without{line}.txt")
        with open(program, "w", encoding="utf-8") as f:
            f.write("\n".join(lines[:line - 1] + lines[line:]))
        without = record(hirscope, os.path.join(folder, f"without{line}.hirs"), program, "-d", 4, "--input", "8x4x64x64",
                         "--input", "64x64")
        found = predict(hirscope, path, "--drop-sync", line)
        tap.check(found["predicted_ns"] == get_total(hirscope, without),
                  f"without the Synchronize in line {line}: as long as the program without it",
                  get_total(hirscope, without), found)
    for name, factor in (("T6_matmul", 4), ("matmul", 3), ("T6_matmul", 0)):
        planted = Planted(hirscope, path)
        for event in planted.events(kind="kernel", name="T6_matmul"):
            event["ns"] = int(event["ns"] * factor)
        length = planted.path.compute()
        found = predict(hirscope, path, "--kernel", f"{name}={factor}")
        tap.check(found["predicted_ns"] == length, f"with {name} scaled by {factor}: as long as the longest path", length, found)
    many = predict(hirscope, path, "--kernel", "T6_matmul=0", "--comm-scale", 0, "--streams", 8)
    tap.check(len(many["changes"]) == 3 and many["gain_ns"] > 0, "several changes apply together", many)


def test_overlap(tap, hirscope, folder):
    """Check the prediction of real runs. nccl and copy are not part of the fit."""
    measured = {}
    for name in ("nccl", "copy", "nccl-high", "p2p"):
        found = predict(hirscope, os.path.join(OVERLAP, f"{name}.hirs"))
        measured[name] = found["measured_ns"]
        errors = [r["predicted_ns"] / r["measured_ns"] - 1 for r in found["repetitions"]]
        tap.check(len(errors) == 2 and all(abs(e) < 0.1 for e in errors), f"{name}.hirs is predicted within 10 %", errors)
    found = predict(hirscope, os.path.join(OVERLAP, "nccl.hirs"), "--comm", "copy")
    error = found["predicted_ns"] / measured["copy"] - 1
    tap.check(abs(error) < 0.1 and found["gain_ns"] > 0, "nccl.hirs with copy engines is copy.hirs within 10 %", error, found)
    found = predict(hirscope, os.path.join(OVERLAP, "nccl.hirs"), "--no-interference")
    tap.check(found["gain_ns"] > 0.05 * found["measured_ns"], "without interference, nccl.hirs is shorter", found)


def test_table(tap, hirscope, folder):
    """Check predictions of other settings against the table of screenshots/overlap/README.md, whose settings ran without a recorder."""
    with open(os.path.join(OVERLAP, "README.md"), encoding="utf-8") as f:
        rows = [[cell.strip() for cell in line.split("|")] for line in f if line.startswith("| ")]
    ratios = {(row[1], row[2], row[3], n): float(row[4 + i].strip("*").split()[0].strip("*"))
              for row in rows if row[3] in ("in_loop", "separate") for i, n in enumerate((1, 2, 4, 8))}
    errors = []
    for name, way in (("nccl", ("nccl", "normal")), ("nccl-high", ("nccl", "high")), ("p2p", ("p2p", "normal")),
                      ("copy", ("copy", "normal"))):
        for sync, streams in (("separate", 1), ("separate", 2), ("separate", 4), ("in_loop", 8)):
            words = ["--streams", streams] if streams < 8 else ["--set", f"StreamParallelType.initial_sync={sync}"]
            found = predict(hirscope, os.path.join(OVERLAP, f"{name}.hirs"), *words)
            measured = sum(r["measured_ns"] for r in found["repetitions"]) / len(found["repetitions"])
            wanted = measured * ratios[(*way, sync, streams)] / ratios[(*way, "separate", 8)]
            errors.append(found["predicted_ns"] / wanted - 1)
            tap.check(abs(errors[-1]) < 0.1, f"{name}.hirs with {streams} streams, {sync}: within 10 % of the table", errors[-1], wanted, found)
    tap.check(median(map(abs, errors)) < 0.05, "the median error of the table is less than 5 %", errors)


def test_shared(tap, hirscope, folder):
    """Check recordings of tests/gpu/predictions on an H200: four ranks that share it, and small kernels. Changed runs were measured."""
    for name, streams, measured_ns in (("p2p_both", 4, 1682e3), ("batched_matmul", 2, 1149e3)):
        path = os.path.join(folder, f"{name}.hirs")
        with lzma.open(os.path.join(SOURCE, "tests", "data", "predict", f"{name}.hirs.xz")) as packed, open(path, "wb") as f:
            shutil.copyfileobj(packed, f)
        found = predict(hirscope, path, "--streams", streams)
        errors = [found["simulated_ns"] / found["measured_ns"] - 1, found["predicted_ns"] / measured_ns - 1]
        tap.check(all(abs(e) < 0.1 for e in errors), f"{name}.hirs, measured and with {streams} streams, is predicted within 10 %", errors, found)


def test_joined(tap, hirscope, folder):
    """Check traces of PyTorch on an H200 that were tied to their programs."""
    data = os.path.join(SOURCE, "tests", "data", "join")
    for name, shapes in (("copies", ["8x65536"]), ("reduction", ["8x256x1024"]), ("matmul", ["8x512x512", "512x512"]),
                         ("chain", ["8x256x256", "8x256x256", "256x256"])):
        path = os.path.join(folder, f"joined-{name}.hirs")
        done = hirscope("join", os.path.join(data, "programs", f"{name}.txt"), os.path.join(data, "h200", f"{name}.json.gz"),
                        *(word for shape in shapes for word in ("--input", shape)), "-o", path)
        found = predict(hirscope, path)
        error = found["predicted_ns"] / found["measured_ns"] - 1
        tap.check(done.code == 0 and abs(error) < 0.1, f"the joined trace {name} is predicted within 10 %", error, found)
        found = predict(hirscope, path, "--streams", 1)
        tap.check(found["changes"] and not any("not in the recording" in n for n in found["notes"]),
                  f"the joined trace {name} is simulated with one stream", found)


def test_fit(tap, hirscope, folder):
    """Check that the constants are those of the fit."""
    fitted = subprocess.run([sys.executable, FIT, hirscope.path], stdout=subprocess.PIPE, text=True, check=True, timeout=100).stdout
    fitted = dict(re.findall(r"(HIR_INTERFERENCE_\w+) ([\d.]+)", fitted))
    with open(HEADER, encoding="utf-8") as f:
        defined = dict(re.findall(r"#define (HIR_INTERFERENCE_\w+) ([\d.]+)", f.read()))
    tap.check(fitted == defined and len(fitted) == 6, "the constants are those of fit-interference", fitted, defined)


def test_recording(tap, hirscope, folder):
    """Check that the predicted recording can be used like others."""
    for name, path in (("modelled", record(hirscope, os.path.join(folder, "r.hirs"), "example:matmul_AR", "-d", 4, "--trace", "full")),
                       ("GPU", os.path.join(OVERLAP, "nccl.hirs"))):
        out = os.path.join(folder, f"predicted-{name}.hirs")
        found = predict(hirscope, path, "--comm-scale", "0.5", "-o", out)
        total = get_total(hirscope, out)
        tap.check(total == found["repetitions"][0]["predicted_ns"], f"{name}: the recording is as long as predicted", total, found)
        tap.check(hirscope("compare", path, out).code in (0, 1), f"{name}: opens in compare", hirscope("compare", path, out))
        stats = hirscope("stats", out)
        tap.check(stats.code == 0 and "predicted, not measured" in stats.out + stats.err, f"{name}: says that it is predicted", stats)
        again = predict(hirscope, out)
        tap.check(abs(again["measured_ns"] - total) <= 0 and again["measured_ns"] > 0, f"{name}: can be predicted itself", again)


def test_names(tap, hirscope, folder):
    """Check the names of GPUs, the texts for one, the median of two, and that a measured recording stays."""
    source = os.path.join(OVERLAP, "nccl.hirs")
    path, out = os.path.join(folder, "measured.hirs"), os.path.join(folder, "named.hirs")
    shutil.copy(source, path)
    done = hirscope("predict", path, "--streams", 1, "--json", "-o", out)
    found = json.loads(done.out)
    tap.check(found["changes"] == ["1 stream instead of 8"], "one stream has no plural", found["changes"])
    for name in ("measured_ns", "simulated_ns", "predicted_ns"):
        times = [r[name] for r in found["repetitions"]]
        tap.check(len(times) == 2 and found[name] == sum(times) // 2, f"{name}: the median of two is their mean", found[name], times)

    def tracks(recording):
        with sqlite3.connect(recording) as db:
            return [name for name, in db.execute("SELECT name FROM tracks WHERE name LIKE '%Stream%' ORDER BY id")]

    tap.check(tracks(out) and set(tracks(out)) <= set(tracks(path)), "predicted streams have the names of the measured ones", tracks(out))
    more = os.path.join(folder, "more.hirs")
    hirscope("predict", out, "--streams", 3, "-o", more)
    new = [name for name in tracks(more) if name.endswith(", new stream = Stream 2") and name.startswith("GPU ")]
    tap.check(len(new) == 2, "a new stream has the name of its GPU", tracks(more))
    os.link(path, os.path.join(folder, "link.hirs"))
    with open(path, "rb") as f:
        before = f.read()
    for target in (path, os.path.join(folder, "link.hirs")):
        done = hirscope("predict", path, "--streams", 2, "-o", target)
        with open(path, "rb") as f:
            tap.check(done.code == 2 and "choose another name" in done.err and f.read() == before,
                      "a prediction does not replace the measured recording", done)


def check_gains(tap, hirscope, name, path, gains):
    """Check that predict gains the same as each row of `explain`, whose name is the value of an option, and changes the same executions."""
    options = {"synchronization": "--drop-sync", "communication": "--kernel", "copy": "--kernel", "option": "--set", "interference": "--no-interference"}
    for gain in gains:
        if gain["change"] not in options:
            continue
        value = {"synchronization": [gain.get("line")], "communication": [f"{gain['name']}=0"], "copy": [f"{gain['name']}=0"],
                 "option": [gain["name"]]}
        words = [options[gain["change"]], *value.get(gain["change"], [])]
        found = predict(hirscope, path, *words)
        tap.check(found["repetitions"][0]["gain_ns"] == gain["gain_ns"], f"{name}: predict {' '.join(map(str, words))} gains the same", gain, found)
        said = re.match(r"all (\d+ executions of .*) took no time", gain["text"])
        tap.check(not said or found["changes"] == [f"{said[1]} take 0 times as long"], f"{name}: and names the same executions", gain, found)


def test_gain_names(tap, hirscope, folder):
    """Check that the name of a gain selects all that was simulated: the labels of messages differ by rank and iteration."""
    permute = os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026", "column_parallel_linear_collective_permute.txt")
    for name, words, wanted, n in (("allgather_p2p", ["example:allgather_p2p", "-d", 4], "recv T3, send T0", 12),
                                   ("AG_matmul_P2p", ["example:AG_matmul_P2p", "-d", 3], "recv T5, send T0", 6),
                                   ("matmul_AR", ["example:matmul_AR", "-d", 2], "Allreduce T6", 32),
                                   ("permute", [permute], "CollectivePermute", 4)):
        path = record(hirscope, os.path.join(folder, f"names-{name}.hirs"), *words, "--trace", "full")
        gains = json.loads(hirscope("explain", path, "--json").out)["gains"]
        found = [(gain["name"], gain["text"]) for gain in gains if gain["change"] == "communication"]
        tap.check(found == [(wanted, f"all {n} executions of {wanted} took no time")], f"{name}: the gain names all executions", found)
        check_gains(tap, hirscope, name, path, gains)
        if name == "allgather_p2p":
            one = predict(hirscope, path, "--kernel", "recv T3 from 1, send T0 to 1=0")
            tap.check(one["changes"] == ["3 executions of recv T3 from 1, send T0 to 1 take 0 times as long"] and one["gain_ns"] < gains[0]["gain_ns"],
                      "the label of a message selects only its executions", one, gains)
            done = hirscope("predict", path, "--kernel", "x=0")
            tap.check("the program has recv T3, send T0; Set T3" in done.err or "the program has Set T3; recv T3, send T0" in done.err,
                      "an error lists the names", done)


def test_gains(tap, hirscope, folder):
    """Check that `explain` ranks what would help, by what predict says of each change."""
    path = record(hirscope, os.path.join(folder, "gains.hirs"), "example:ag_matmul", "-d", 4, "--trace", "full", "--set",
                  "StreamParallelType.initial_sync=in_loop", "--input", "8x4x64x64", "--input", "64x64")
    explained = json.loads(hirscope("explain", path, "--json").out)
    total, gains = explained["simulated_ns"], explained["gains"]
    tap.check(total == explained["repetitions"][0]["total_ns"], "gains are subtracted from the simulated time", total)
    order = [(g.get("breaks", False), -g["gain_ns"]) for g in gains]
    tap.check(order == sorted(order) and all(0 < g["gain_ns"] <= total for g in gains), "gains are ranked", gains)
    tap.check({"communication", "synchronization", "host", "option"} <= {g["change"] for g in gains}, "all causes are removed", gains)
    check_gains(tap, hirscope, "ag_matmul", path, gains)
    all_transfers = predict(hirscope, path, "--comm-scale", 0)["gain_ns"]
    tap.check([gain["gain_ns"] for gain in gains if gain["change"] == "communication"] == [all_transfers],
              "of one collective, the gain is that of all transfers", all_transfers, gains)
    copies = record(hirscope, os.path.join(folder, "copies.hirs"), "example:matmul_AR", "-d", 2)
    found = {gain["change"]: gain for gain in json.loads(hirscope("explain", copies, "--json").out)["gains"]}
    gains_of_names = [predict(hirscope, copies, "--kernel", f"{found[change]['name']}=0")["gain_ns"]
                      for change in ("copy", "communication")]
    tap.check(found["copy"]["name"] == "copy for Allreduce T6" and
              gains_of_names == [found["copy"]["gain_ns"], found["communication"]["gain_ns"]],
              "a copy and its communication gain what predict says of their names", found, gains_of_names)
    text = hirscope("explain", path).out
    tap.check("What would help" in text and f"{gains[0]['text']}\n" in text, "the text ends with the ranked list", text[-2000:])
    gpu = json.loads(hirscope("explain", os.path.join(OVERLAP, "nccl.hirs"), "--json").out)["gains"]
    tap.check({"communication", "interference"} <= {gain["change"] for gain in gpu}, "interference of GPUs is removed, too", gpu)
    check_gains(tap, hirscope, "nccl.hirs", os.path.join(OVERLAP, "nccl.hirs"), gpu)
    trace = os.path.join(folder, "gains.json")
    hirscope("export", path, "--to", "chrome", "-o", trace)
    explained = json.loads(hirscope("explain", trace, "--json").out)
    tap.check("gains" not in explained and "What would help" not in hirscope("explain", trace).out,
              "without a program, nothing is simulated", explained["notes"])


def test_usage(tap, hirscope, folder):
    path = record(hirscope, os.path.join(folder, "u.hirs"), "example:ag_matmul", "-d", 2)
    trace = os.path.join(folder, "u.json")
    hirscope("export", path, "--to", "chrome", "-o", trace)
    done = hirscope("predict", trace)
    tap.check(done.code == 2 and "hirscope join" in done.err, "a trace without a program: points to join", done)
    for words, said in ((["--kernel", "T99_x=2"], "T6_matmul"), (["--kernel", "T6_matmul"], "NAME=FACTOR"),
                        (["--kernel", "T6_matmul=-1"], "factor"), (["--comm-scale", "x"], "factor"),
                        (["--drop-sync", 1], "program line 1"), (["--drop-sync", 3], "no Synchronize"), (["--streams", 0], "--streams"),
                        (["--comm", "copy"], "CPU"), (["--comm", "coppy"], "copy"), (["--set", "Nothing.x=1"], "Nothing")):
        done = hirscope("predict", path, *words)
        tap.check(done.code == 2 and said in done.err and not done.out, f"{' '.join(map(str, words))}: exit status 2", done)
    done = hirscope("predict")
    tap.check(done.code == 2 and "TRACE" in done.err, "without a trace: exit status 2", done)
    done = hirscope("predict", path)
    tap.check(done.code == 0 and "Changes: none" in done.out and "predicted" in done.out, "prints a table", done)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.groups([test_identity, test_kernels_only, test_changes, test_lines, test_planted, test_overlap, test_table, test_shared, test_joined, test_fit,
                    test_recording, test_names, test_gain_names, test_gains, test_usage],
                   from_command_line(), folder)
    tap.done()


main()
