#!/usr/bin/env python3
"""test-counters.py HIRSCOPE

Counters ('C' events): every number of every series is a sample, through each format that has room for them, and none of them
counts as work.
"""
import csv
import json
import os
import shutil
import struct
import subprocess
import tempfile

from program import from_command_line
from tap import Tap


def counter(name, us, args, pid=1, **more):
    return {"ph": "C", "name": name, "pid": pid, "ts": us, "args": args, **more}


EVENTS = [
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 0, "dur": 50, "args": {"device": 0, "stream": 7}},
    # Two series of one event; their keys come before and after; times are not in order.
    counter("memory", 30, {"reserved": 4096, "allocated": 1e3}),
    counter("memory", 10, {"reserved": 2048, "allocated": -0.1}),
    {"args": {"value": 1.5e9}, "ts": 0.001, "pid": 1, "ph": "C", "name": "power"},
    # Of another process and of another id: series of their own.
    counter("power", 20, {"value": 7}, pid=2),
    counter("power", 20, {"value": 8}, id=3),
    # Text that is a number is one; what is no number is counted.
    counter("queue", 40, {"depth": "4.5", "note": "full", "list": [1, 2]}),
    counter("queue", 41, {}),
    {"ph": "C", "name": "queue", "pid": 1, "args": {"depth": 1}},
]
EXPECTED = sorted([
    ("memory \u00b7 reserved", 10000, 2048.0), ("memory \u00b7 reserved", 30000, 4096.0),
    ("memory \u00b7 allocated", 10000, -0.1), ("memory \u00b7 allocated", 30000, 1000.0),
    ("power", 1, 1.5e9), ("power", 20000, 7.0), ("power", 20000, 8.0), ("queue \u00b7 depth", 40000, 4.5),
])


def export(hirscope, path, form, out):
    result = hirscope("export", path, "--to", form, "-o", out)
    if result.code != 0:
        raise RuntimeError(result.err)
    return result.err


def samples(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [(row["track"], int(row["start_ns"]), float(row["bytes"])) for row in rows if row["kind"] == "counter"]


def test_import(tap, hirscope, folder, path):
    said = export(hirscope, path, "csv", folder + "/a.csv")
    tap.check(sorted(samples(folder + "/a.csv")) == EXPECTED, "each number is a sample of its series", samples(folder + "/a.csv"))
    tap.check("2 values of counters that are no numbers" in said and "1 event without a time" in said, "the account", said)
    stats = json.loads(hirscope("stats", path, "--json").out)
    tap.check(len(stats["gpus"]) == 1 and [k["name"] for k in stats["kernels"]] == ["gemm"], "no counter is work", stats)


def test_chrome(tap, hirscope, folder, path):
    export(hirscope, path, "chrome", folder + "/b.json")
    with open(folder + "/b.json", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "C"]
    found = sorted((e["name"], key, round(e["ts"] * 1000), value)
                   for e in events for key, value in e["args"].items() if key != "hirscope")
    wanted = sorted((*((name.split(" \u00b7 ") + ["value"])[:2]), at, value) for name, at, value in EXPECTED)
    tap.check(found == wanted, "Chrome JSON has them as 'C' events", found)
    export(hirscope, folder + "/b.json", "csv", folder + "/c.csv")
    # Which of the two processes had which "power" is told by their names alone.
    tap.check(sorted(samples(folder + "/c.csv")) == EXPECTED, "and reads back as it was", samples(folder + "/c.csv"))


def test_perfetto(tap, hirscope, folder, path):
    if shutil.which("protoc") is None:
        tap.skip("a .pftrace has their values", "there is no protoc")
        return
    export(hirscope, path, "perfetto", folder + "/d.pftrace")
    with open(folder + "/d.pftrace", "rb") as file:
        text = subprocess.run(["protoc", "--decode_raw"], stdin=file, capture_output=True, check=True).stdout.decode()
    values = sorted(struct.unpack("<d", struct.pack("<Q", int(line.split(": ")[1], 16)))[0]
                    for line in text.splitlines() if line.startswith("    44: "))
    tap.check(values == sorted(value for _, _, value in EXPECTED), "a .pftrace has their values", values, text[:2000])
    tap.check(text.count("    9: 4\n") == len(EXPECTED), "as values of counters")


def test_figure(tap, hirscope, folder, path):
    export(hirscope, path, "svg", folder + "/e.svg")
    with open(folder + "/e.svg", encoding="utf-8") as file:
        text = file.read()
    tap.check("allocated" in text and "1.5 G" in text, "a figure draws them, with their scale")


def main():
    hirscope = from_command_line()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counters.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": EVENTS}, file)
        for test in (test_import, test_chrome, test_perfetto, test_figure):
            tap.group(test, hirscope, folder, path)
    tap.done()


main()
