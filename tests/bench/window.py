#!/usr/bin/env python3
"""window.py HIRSCOPE [--sizes 10,100,1000,3000,10000] [--repeat N] [-o RESULTS.tsv]

What a person waits for: from the key to the picture (p50, p99), the longest time in which the window did not answer,
from the start to a window that can be used. The window is a real one, on a display of its own, driven by keys; it
says itself how long it took (ui/report.h). Other work on the machine makes all numbers worse but the last one, which
is the longest time that the main thread computed without looking at its events: nothing here fails.
"""
import argparse
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("app", "ui/window"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))

import display  # noqa: E402
from window import Window  # noqa: E402

SCRIPT = '''from nvfuser_direct import FusionDefinition, DataType, ParallelType


def chain():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[64, 64], contiguity=True, dtype=DataType.Float)
        b = fd.define_tensor(shape=[64, 64], contiguity=True, dtype=DataType.Float)
        made = [a, b, a, b]
        for i in range({n}):
            made.append(fd.ops.add(made[-1], made[-3]))
        fd.add_output(made[-1])
        for tv in made[4:]:
            tv.axis(0).parallelize(ParallelType.stream)
    return fd
'''
LAST = "ConvertOpToCommunication"


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def has_picture(s):
    return s["page"] == "workspace" and not s["lowering"] and s["graph"]["picture_ms"] > 0


def step(w, key):
    """One key to another pass: the milliseconds until its picture was painted."""
    before = w.state["step"]
    w.key(key)
    s = w.wait(lambda s: s["step"] != before and has_picture(s), "the next picture", 120)
    return s["graph"]["picture_ms"]


def measure(shown, program, folder, size, repeat, diff):
    """A graph of about @size boxes: milliseconds to the picture, the longest stall, boxes."""
    path = os.path.join(folder, f"chain{size}.py")
    with open(path, "w") as file:
        file.write(SCRIPT.format(n=max(size // 5, 1)))
    w = Window(shown, program, path)
    try:
        w.wait(lambda s: True, "the window")
        w.take_focus((1600, 1000))
        w.wait(has_picture, "the workspace", 300)
        times, n_boxes = [], 0
        while w.state["step"] != LAST:
            times.append(step(w, "j"))
            n_boxes = max(n_boxes, w.state["graph"]["n_all"])
        w.settle()
        if diff:
            w.key("3")
            w.wait(lambda s: s["text_page"] == "diff", "the diff")
        w.settle()
        w.longest_stall_ms = w.longest_work_ms = 0
        for i in range(repeat):
            for key in ("k", "j"):
                times.append(step(w, key))
        # Zooming and moving are part of it.
        w.wheel(1000, 400, True, 3)
        w.drag(1000, 400, 900, 300)
        w.settle()
        return times, w.longest_stall_ms, w.longest_work_ms, n_boxes
    finally:
        w.kill()


def measure_start(shown, program):
    times = []
    for i in range(3):
        begin = time.monotonic()
        w = Window(shown, program, "example:two_set_ops")
        try:
            w.wait(lambda s: s["page"] == "workspace" and not s["lowering"] and s["graph"]["nodes"], "the workspace")
            times.append((time.monotonic() - begin) * 1000)
        finally:
            w.kill()
    return min(times)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--sizes", default="10,100,1000,3000,10000")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    reason = display.what_is_missing()
    if reason:
        sys.exit(reason)
    program = os.path.abspath(options.program)
    shown = display.Display()
    rows = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(("start", "", f"{measure_start(shown, program):.0f}", "", "", ""))
            for size in options.sizes.split(","):
                for diff in (False, True):
                    times, stall, work, n = measure(shown, program, folder, int(size), options.repeat, diff)
                    rows.append(("step, diff" if diff else "step", str(n), f"{percentile(times, 0.5):.1f}",
                                 f"{percentile(times, 0.99):.1f}", f"{stall:.1f}", f"{work:.1f}"))
                    print("\t".join(rows[-1]), flush=True)
    finally:
        shown.close()
    text = "what\tboxes\tp50_ms\tp99_ms\tstall_ms\tstall_cpu_ms\n" + "".join("\t".join(row) + "\n" for row in rows)
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    print(text)


main()
