#!/usr/bin/env python3
"""test-loading.py HIRSCOPE [GROUP...]

Tests the window while it loads a large trace: progress, responsiveness, cancellation, and the previous document.
"""
import gzip
import json
import os
import re
import time

from room import open_file, run_groups
from window import TIMEOUT_S

SIZE = (1280, 800)
EVENT = '{"ph":"X","cat":"kernel","name":"last","pid":0,"tid":7,"ts":1,"dur":2}'


class Held:
    """A trace whose loading pauses half-way until it is released, independent of the speed of the machine."""

    def __init__(self, room, name):
        self.path = room.path(name)
        self.hold = room.path(name + ".hold", "")
        self.env = {"HIRSCOPE_TEST_LOAD_HOLD": self.hold}
        pack = gzip.open if name.endswith(".gz") else open
        with pack(self.path, "wt") as file:
            file.write(f"[{EVENT},{' ' * 4_000_000}{EVENT}]")

    def release(self):
        os.unlink(self.hold)


def soon(w, condition, what):
    """Like wait(), but for a window that is busy loading."""
    return w.poll(condition, what, time.monotonic() + TIMEOUT_S)


def strip_is_shown(w):
    return lambda s: w.controls("Cancel", "GtkButton")


def test_cancel(t, room):
    held = Held(room, "slow.json")
    w = room.open(held.path, size=SIZE, env=held.env, rest_s=0.3)
    s = soon(w, strip_is_shown(w), "the strip that shows the progress")
    t.check(s["lowering"], "the window is loading", s["status"])
    w.key("Escape")
    s = w.wait(lambda s: s["status"] == "Loading was cancelled", "Escape to cancel the loading")
    s = w.wait(lambda s: not w.controls("Cancel", "GtkButton"), "the strip to disappear")
    t.check(not s["lowering"], "the window is no longer loading")
    t.check(w.longest_work_ms < 1000, "the main loop is never blocked", w.longest_work_ms)
    room.end(t, w)


def test_what_was_open_stays(t, room):
    small = room.path("small.json", '[{"ph":"X","cat":"kernel","name":"only","pid":0,"tid":7,"ts":1,"dur":2}]')
    held = Held(room, "slow2.json.gz")
    # The same file would hold the first trace, too.
    held.release()
    w = room.open(small, size=SIZE, env=held.env, rest_s=0.3)
    w.wait(lambda s: "1 event of 1 track" in s["status"], "the small trace")
    room.path("slow2.json.gz.hold", "")
    open_file(w, held.path)
    soon(w, strip_is_shown(w), "the strip")
    w.click_control("Cancel", "GtkButton")
    s = w.wait(lambda s: s["status"] == "Loading was cancelled", "the button to cancel the loading")
    t.check(s["page"] == "workspace", "the previous document is still open", s["page"])
    room.end(t, w)


def test_to_the_end(t, room):
    held = Held(room, "slow3.json.gz")
    w = room.open(held.path, size=SIZE, env=held.env, rest_s=0.3)
    soon(w, strip_is_shown(w), "the strip")
    held.release()
    s = w.wait(lambda s: "2 events of 1 track" in s["status"], "the complete trace")
    s = w.wait(lambda s: not w.controls("Cancel", "GtkButton"), "the strip to disappear")
    t.check(s["page"] == "workspace", "the trace is displayed", s["page"])
    room.end(t, w)


def test_statistics(t, room):
    """Long statistics show their progress; Cancel and Escape cancel them, Compute restarts them."""
    small = room.path("counted.json", f"[{EVENT}]")
    hold = room.path("counted.hold", "")
    w = room.open(small, size=SIZE, env={"HIRSCOPE_TEST_STATS_HOLD": hold}, rest_s=0.3)
    soon(w, lambda s: s["page"] == "workspace" and w.controls("Cancel", "GtkButton"), "statistics in progress")
    t.check(w.state["stats"] is None, "there are no numbers yet", w.state["stats"])
    w.settle(2)
    w.click_control("Cancel", "GtkButton")
    s = w.wait(lambda s: w.controls("Compute", "GtkButton"), "the statistics to be cancelled")
    t.check(not w.controls("Cancel", "GtkButton") and s["stats"] is None, "no partial statistics are displayed", s["stats"])
    w.click_control("Compute", "GtkButton")
    soon(w, lambda s: w.controls("Cancel", "GtkButton"), "the statistics to restart")
    w.key("Escape")
    s = w.wait(lambda s: w.controls("Compute", "GtkButton"), "Escape to cancel the statistics")
    w.click_control("Compute", "GtkButton")
    soon(w, lambda s: w.controls("Cancel", "GtkButton"), "the statistics to restart again")
    os.unlink(hold)
    s = w.wait(lambda s: s["stats"] and not s["stats"]["busy"], "the complete statistics")
    t.check(s["stats"]["Kernels by name"][1][:2] == ["last", "1"], "the statistics are complete", s["stats"])
    t.check(not w.controls("Cancel", "GtkButton") and not w.controls("Compute", "GtkButton"), "the buttons disappear")
    room.end(t, w)


def events_json(n=30_000):
    """Return kernels of 8 us every 10 us on two streams, with a new name every 1000 kernels."""
    for i in range(n):
        yield {"ph": "X", "cat": "kernel", "name": f"k{i // 1000}", "pid": 0, "tid": 7 + i % 2, "ts": 10 * i, "dur": 8,
               "args": {"stream": 7 + i % 2, "device": 0, "note": "of block %d" % (i // 64)}}


class HeldMany(Held):
    """Like Held, with enough events for a preview of half of them."""

    def __init__(self, room, name):
        super().__init__(room, name)
        pack = gzip.open if name.endswith(".gz") else open
        with pack(self.path, "wt") as file:
            json.dump(list(events_json()), file)


def count(s):
    """Return the number of events in the status."""
    found = re.search(r"([\d,]+) events? of", s["status"])
    return int(found.group(1).replace(",", "")) if found else 0


def test_first_picture(t, room):
    """Shows the first half before the rest is read; the view is kept when the rest appears."""
    held = HeldMany(room, "many.json")
    w = room.open(held.path, size=SIZE, env=held.env, rest_s=0.3)
    s = soon(w, lambda s: s["page"] == "workspace" and s["bars"] and "so far" in s["status"], "the preview")
    part = count(s)
    t.check(0 < part < 30_000, "the preview contains some of the events", s["status"])
    t.check(s["lowering"] and w.controls("Cancel", "GtkButton") and w.controls("Keep Loaded Part", "GtkButton"),
            "the strip shows that loading continues")
    s = soon(w, lambda s: s["stats"] and s["stats"]["title"], "the statistics of the preview")
    t.check(s["stats"]["title"].startswith("Loaded so far"), "the title shows that the statistics are partial", s["stats"]["title"])
    whole = s["shown_ns"]
    for _ in range(8):
        w.key("plus")
    s = soon(w, lambda s: s["shown_ns"][1] - s["shown_ns"][0] < (whole[1] - whole[0]) / 4, "the zoom")
    w.click(SIZE[0] / 2, s["bars"][0]["y"])
    # Idle, so that the zoom has finished.
    s = w.wait(lambda s: s["event"], "a bar to be selected")
    place, chosen = s["shown_ns"], s["event"]
    if os.environ.get("HIR_TEST_PICTURES"):
        w.settle()
        w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "loading.png"))
    held.release()
    s = w.wait(lambda s: not s["lowering"] and "so far" not in s["status"], "the complete trace")
    t.check(count(s) == 30_000, "all events are loaded", s["status"])
    s = w.wait(lambda s: s["stats"]["title"].startswith("Whole trace"), "the statistics of the whole trace")
    t.check(s["shown_ns"] == place, "the visible range is unchanged", s["shown_ns"], place)
    t.check(s["event"] == chosen, "the selection is unchanged", s["event"], chosen)
    room.end(t, w)


def test_put_back(t, room):
    """Cancelling restores the previous document; keeping the loaded part notes that it is incomplete."""
    small = room.path("before.json", f"[{EVENT}]")
    held = HeldMany(room, "next.json")
    held.release()
    w = room.open(small, size=SIZE, env=held.env, rest_s=0.3)
    w.wait(lambda s: "1 event of 1 track" in s["status"] and s["title"] == "before.json", "the small trace")
    room.path("next.json.hold", "")
    open_file(w, held.path)
    soon(w, lambda s: "so far" in s["status"] and s["title"] == "next.json", "the preview")
    w.key("Escape")
    s = w.wait(lambda s: s["title"] == "before.json" and not s["lowering"], "the previous document")
    t.check(len(s["bars"]) == 1, "its one bar is drawn", s["bars"])
    open_file(w, held.path)
    soon(w, lambda s: "so far" in s["status"] and w.controls("Keep Loaded Part", "GtkButton"), "the preview")
    w.click_control("Keep Loaded Part", "GtkButton")
    s = w.wait(lambda s: not s["lowering"] and "note" in s["status"], "the loaded part")
    t.check(0 < count(s) < 30_000 and s["title"] == "next.json", "the loaded part is open", s["status"])
    t.check(not w.controls("Cancel", "GtkButton"), "loading has ended")
    room.end(t, w)
    w = room.open(held.path, size=SIZE, env=held.env, rest_s=0.3)
    soon(w, lambda s: "so far" in s["status"], "the preview")
    w.key("Escape")
    s = w.wait(lambda s: s["page"] == "gallery", "the gallery, because no document was open before")
    t.check(not s["lowering"] and s["title"] == "Hirscope", "no document is open", s["title"])
    room.end(t, w)


def test_args(t, room):
    """Shows all arguments of an event of another profiler, and why they are unavailable later."""
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
    w.wait(lambda s: "External id" in labels(), "the card of arguments")
    shown = labels()
    for key, value in [("External id", "514"), ("grid", "[8, 1, 1]"), ("note", "a \u201cb\u201d"),
                       ("est. achieved occupancy %", "31")]:
        t.check(key in shown and shown[shown.index(key) + 1] == value, f"{key} is {value}", shown)
    if os.environ.get("HIR_TEST_PICTURES"):
        w.settle()
        w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "args.png"))
    room.end(t, w)


GROUPS = [test_args, test_cancel, test_what_was_open_stays, test_to_the_end, test_statistics, test_first_picture, test_put_back]

run_groups(GROUPS)
