#!/usr/bin/env python3
"""test-loading.py HIRSCOPE [GROUP...]

The window while a large trace is read: it says how far it is, stays quick, can be told to stop, and what was open stays.
"""
import gzip
import json
import os

from room import run_groups

SIZE = (1280, 800)
EVENT = b'{"ph":"X","cat":"kernel","name":"last","pid":0,"tid":7,"ts":1,"dur":2},'


def write_slow(path, megabytes=4000):
    """A trace that takes a while: one event behind much white space, packed small."""
    space = gzip.compress(b" " * 64_000_000, 6)
    with open(path, "wb") as file:
        file.write(gzip.compress(b"[" + EVENT))
        for _ in range(megabytes // 64):
            file.write(space)
        file.write(gzip.compress(EVENT + b"]"))
    return path


def test_cancel(t, room):
    w = room.open(write_slow(room.path("slow.json.gz")), size=SIZE)
    w.wait(lambda s: w.controls("Cancel", "GtkButton"), "the strip that says that it is loading")
    names = [c["name"] for c in w.state["controls"]]
    t.check(w.state["lowering"], "it is busy", names)
    if os.environ.get("HIRSCOPE_SHOTS"):
        w.settle()
        w.screenshot(os.path.join(os.environ["HIRSCOPE_SHOTS"], "loading.png"))
    w.key("Escape")
    s = w.wait(lambda s: s["status"] == "Loading was cancelled", "Escape to end it", timeout=10)
    w.wait(lambda s: not w.controls("Cancel", "GtkButton"), "the strip to go")
    t.check(not s["lowering"], "it is no longer busy")
    t.check(w.longest_stall_ms < 1000, "the main loop was never held up", w.longest_stall_ms)
    room.end(t, w)


def test_what_was_open_stays(t, room):
    small = room.path("small.json", '[{"ph":"X","cat":"kernel","name":"only","pid":0,"tid":7,"ts":1,"dur":2}]')
    w = room.open(small, size=SIZE)
    w.wait(lambda s: "1 event of 1 track" in s["status"], "the small trace")
    slow = write_slow(room.path("slow2.json.gz"))
    w.key("ctrl+o")
    w.wait(lambda s: s["dialogs"], "the chooser")
    w.focus_newest()
    w.key("slash")
    w.type(slow[1:])
    w.key("Return")
    w.wait(lambda s: not s["dialogs"], "the chooser to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.wait(lambda s: w.controls("Cancel", "GtkButton"), "the strip")
    w.click_control("Cancel", "GtkButton")
    s = w.wait(lambda s: s["status"] == "Loading was cancelled", "the button to end it", timeout=10)
    t.check(s["page"] == "workspace", "what was open is still there", s["page"])
    room.end(t, w)


def test_to_the_end(t, room):
    w = room.open(write_slow(room.path("slow3.json.gz"), 640), size=SIZE)
    s = w.wait(lambda s: "2 events of 1 track" in s["status"], "all of it")
    t.check(not w.controls("Cancel", "GtkButton"), "the strip has gone")
    t.check(s["page"] == "workspace", "the trace is on show", s["page"])
    room.end(t, w)


def test_args(t, room):
    """All args of the selected event of another profiler; and why there are none any more."""
    event = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 2,
             "args": {"est. achieved occupancy %": 31, "grid": [8, 1, 1], "External id": 514, "note": "a \u201cb\u201d",
                      "stream": 7, "Process Group Ranks": "[0, 1]", "warps per SM": 1.5}}
    path = room.path("args.json", json.dumps([event]))
    w = room.open(path, size=SIZE)
    w.wait(lambda s: s["bars"], "the trace")
    w.settle()
    bar = w.read()["bars"][0]
    labels = lambda: [c["name"] for c in w.controls(kind="GtkLabel")]
    w.click(bar["x"], bar["y"])
    w.wait(lambda s: "External id" in labels(), "the card of args")
    shown = labels()
    for key, value in [("External id", "514"), ("grid", "[8, 1, 1]"), ("note", "a \u201cb\u201d"),
                       ("est. achieved occupancy %", "31")]:
        t.check(key in shown and shown[shown.index(key) + 1] == value, f"{key} is {value}", shown)
    if os.environ.get("HIRSCOPE_SHOTS"):
        w.settle()
        w.screenshot(os.path.join(os.environ["HIRSCOPE_SHOTS"], "args.png"))
    room.end(t, w)


GROUPS = [test_args, test_cancel, test_what_was_open_stays, test_to_the_end]

run_groups(GROUPS)
