#!/usr/bin/env python3
"""test-loading.py HIRSCOPE [GROUP...]

The window while a large trace is read: it says how far it is, stays quick, can be told to stop, and what was open stays.
"""
import gzip
import json
import os

from room import run_groups

SIZE = (1280, 800)
EVENT = '{"ph":"X","cat":"kernel","name":"last","pid":0,"tid":7,"ts":1,"dur":2}'


class Held:
    """A trace whose loading stands still half-way until it is let go: however quick or slow the machine is."""

    def __init__(self, room, name):
        self.path = room.path(name)
        self.hold = room.path(name + ".hold", "")
        self.env = {"HIRSCOPE_TEST_LOAD_HOLD": self.hold}
        pack = gzip.open if name.endswith(".gz") else open
        with pack(self.path, "wt") as file:
            file.write(f"[{EVENT},{' ' * 4_000_000}{EVENT}]")

    def let_go(self):
        os.unlink(self.hold)


def strip_is_shown(w):
    return lambda s: w.controls("Cancel", "GtkButton")


def test_cancel(t, room):
    held = Held(room, "slow.json")
    w = room.open(held.path, size=SIZE, env=held.env)
    s = w.wait(strip_is_shown(w), "the strip that says that it is loading")
    t.check(s["lowering"], "it is busy", s["status"])
    if os.environ.get("HIRSCOPE_SHOTS"):
        w.settle()
        w.screenshot(os.path.join(os.environ["HIRSCOPE_SHOTS"], "loading.png"))
    w.key("Escape")
    s = w.wait(lambda s: s["status"] == "Loading was cancelled", "Escape to end it")
    s = w.wait(lambda s: not w.controls("Cancel", "GtkButton"), "the strip to go")
    t.check(not s["lowering"], "it is no longer busy")
    t.check(w.longest_work_ms < 1000, "the main loop was never held up", w.longest_work_ms)
    room.end(t, w)


def test_what_was_open_stays(t, room):
    small = room.path("small.json", '[{"ph":"X","cat":"kernel","name":"only","pid":0,"tid":7,"ts":1,"dur":2}]')
    held = Held(room, "slow2.json.gz")
    # What holds the second one would hold the first, too.
    held.let_go()
    w = room.open(small, size=SIZE, env=held.env)
    w.wait(lambda s: "1 event of 1 track" in s["status"], "the small trace")
    room.path("slow2.json.gz.hold", "")
    w.key("ctrl+o")
    w.wait(lambda s: s["dialogs"], "the chooser")
    w.focus_newest()
    w.key("slash")
    w.type(held.path[1:])
    w.key("Return")
    w.wait(lambda s: not s["dialogs"], "the chooser to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.wait(strip_is_shown(w), "the strip")
    w.click_control("Cancel", "GtkButton")
    s = w.wait(lambda s: s["status"] == "Loading was cancelled", "the button to end it")
    t.check(s["page"] == "workspace", "what was open is still there", s["page"])
    room.end(t, w)


def test_to_the_end(t, room):
    held = Held(room, "slow3.json.gz")
    w = room.open(held.path, size=SIZE, env=held.env)
    w.wait(strip_is_shown(w), "the strip")
    held.let_go()
    s = w.wait(lambda s: "2 events of 1 track" in s["status"], "all of it")
    s = w.wait(lambda s: not w.controls("Cancel", "GtkButton"), "the strip to go")
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
