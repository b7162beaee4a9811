#!/usr/bin/env python3
"""test-counters.py HIRSCOPE

Tests counters ('C' events): every number of every series is a sample in each format with counters, and none counts as
work.
"""
import csv
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import tempfile

from program import from_command_line
from tap import Tap


def counter(name, us, args, pid=1, **more):
    return {"ph": "C", "name": name, "pid": pid, "ts": us, "args": args, **more}


EVENTS = [
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 0, "dur": 50, "args": {"device": 0, "stream": 7}},
    # Two series of one event, with keys before and after; times are not in order.
    counter("memory", 30, {"reserved": 4096, "allocated": 1e3}),
    counter("memory", 10, {"reserved": 2048, "allocated": -0.1}),
    {"args": {"value": 1.5e9}, "ts": 0.001, "pid": 1, "ph": "C", "name": "power"},
    # Another process and another id: separate series.
    counter("power", 20, {"value": 7}, pid=2),
    counter("power", 20, {"value": 8}, id=3),
    # A numeric string is a number; other strings are counted.
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
    tap.check("2 counter values that are not numbers" in said and "1 event without a time" in said, "the account counts invalid values and events", said)
    stats = json.loads(hirscope("stats", path, "--json").out)
    tap.check(len(stats["gpus"]) == 1 and [k["name"] for k in stats["kernels"]] == ["gemm"], "no counter counts as work", stats)


def test_chrome(tap, hirscope, folder, path):
    export(hirscope, path, "chrome", folder + "/b.json")
    with open(folder + "/b.json", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "C"]
    found = sorted((e["name"], key, round(e["ts"] * 1000), value)
                   for e in events for key, value in e["args"].items() if key != "hirscope")
    wanted = sorted((*((name.split(" \u00b7 ") + ["value"])[:2]), at, value) for name, at, value in EXPECTED)
    tap.check(found == wanted, "Chrome JSON has counters as 'C' events", found)
    export(hirscope, folder + "/b.json", "csv", folder + "/c.csv")
    tap.check(sorted(samples(folder + "/c.csv")) == EXPECTED, "Chrome JSON is imported with the same samples", samples(folder + "/c.csv"))
    # Counters of one name in two processes, and with two ids, stay three after any number of conversions.
    export(hirscope, folder + "/b.json", "chrome", folder + "/again.json")
    with open(folder + "/again.json", encoding="utf-8") as file:
        again = [e for e in json.load(file)["traceEvents"] if e["ph"] == "C"]
    for said, found in (("once", events), ("twice", again)):
        powers = {}
        for e in found:
            if e["name"] == "power":
                powers.setdefault((e["pid"], e.get("id")), []).append(e["args"]["value"])
        tap.check(sorted(powers.values()) == [[7], [8], [1.5e9]], f"counters of the same name stay separate, exported {said}", powers)


def test_nsight(tap, hirscope, folder, path):
    said = export(hirscope, path, "nsight", folder + "/n.sqlite")
    tap.check("8 samples of 6 counters are in the table HIRSCOPE_COUNTERS" in said, "an Nsight export reports the table of the counters", said)
    db = sqlite3.connect(folder + "/n.sqlite")
    rows = db.execute("SELECT s.value, start, c.value FROM HIRSCOPE_COUNTERS c JOIN StringIds s ON s.id = nameId").fetchall()
    db.close()
    wanted = sorted((name.split(" \u00b7 ")[0], at, value) for name, at, value in EXPECTED)
    tap.check(sorted(rows) == wanted, "a query finds the samples in this table", rows)
    export(hirscope, folder + "/n.sqlite", "csv", folder + "/n.csv")
    tap.check(sorted(samples(folder + "/n.csv")) == EXPECTED, "the Nsight export is imported with the same samples", samples(folder + "/n.csv"))
    export(hirscope, folder + "/n.sqlite", "chrome", folder + "/n.json")
    with open(folder + "/b.json", encoding="utf-8") as a, open(folder + "/n.json", encoding="utf-8") as b:
        was, found = ([e for e in json.load(file)["traceEvents"] if e["ph"] == "C"] for file in (a, b))
    tap.check(was == found, "... and with the same processes and ids", found)


def test_perfetto(tap, hirscope, folder, path):
    if shutil.which("protoc") is None:
        tap.skip("a .pftrace has the values of the counters", "protoc not found")
        return
    export(hirscope, path, "perfetto", folder + "/d.pftrace")
    with open(folder + "/d.pftrace", "rb") as file:
        text = subprocess.run(["protoc", "--decode_raw"], stdin=file, capture_output=True, check=True).stdout.decode()
    values = sorted(struct.unpack("<d", struct.pack("<Q", int(line.split(": ")[1], 16)))[0]
                    for line in text.splitlines() if line.startswith("    44: "))
    tap.check(values == sorted(value for _, _, value in EXPECTED), "a .pftrace has the values of the counters", values, text[:2000])
    tap.check(text.count("    9: 4\n") == len(EXPECTED), "... as counter values")


def test_figure(tap, hirscope, folder, path):
    export(hirscope, path, "svg", folder + "/e.svg")
    with open(folder + "/e.svg", encoding="utf-8") as file:
        text = file.read()
    tap.check("allocated" in text and "1.5 G" in text, "a figure draws counters with their scale")


def main():
    hirscope = from_command_line()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counters.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": EVENTS}, file)
        for test in (test_import, test_chrome, test_nsight, test_perfetto, test_figure):
            tap.group(test, hirscope, folder, path)
    tap.done()


main()
