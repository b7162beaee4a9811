#!/usr/bin/env python3
"""test-controls.py HIRSCOPE [GROUP...]

Tests the controls of the header bar and what they apply to: devices, inputs and the options of the next run. See
test-window.py for the method.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES, SOURCE  # noqa: E402
from room import device_bars, open_file, opened, ran, run_groups  # noqa: E402

SCRIPT = os.path.join(EXAMPLES, "multi_device.py")
OVERLAP = os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026", "overlap.py")
SEEN = "[tour]\nseen=true\n"


def has_button(w, name):
    return bool(w.controls(name, "GtkMenuButton"))


def texts(w):
    """Return the texts of the entries of the open menu."""
    return [c["name"] for c in w.controls(kind="GtkText") if c["name"]]


def open_menu(w, key):
    w.key(key)
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "GtkText", "an entry of the menu with the focus")


def replace(w, text):
    w.key("ctrl+a")
    w.type(text)
    w.key("Return")


def test_devices(t, room):
    """The number of devices lowers again, is undone like other edits, and fits into a small window."""
    w = room.open(SCRIPT + "::ag_matmul", size=(1024, 700), remembered=SEEN)
    w.wait(lambda s: opened(s) and has_button(w, "1 device"), "the script with one device")
    s = w.settle()
    out = [c for c in s["controls"] if c["width"] and not c["scrolls"] and
           not (0 <= c["x"] and c["x"] + c["width"] <= 1024 and 0 <= c["y"] and c["y"] + c["height"] <= 700)]
    t.check(not out, "every control is inside the small window", out)
    open_menu(w, "ctrl+shift+n")
    replace(w, "0")
    w.wait(lambda s: w.focus() and w.focus()["name"] == "0", "the error to keep the menu open")
    replace(w, "3")
    w.wait(lambda s: opened(s) and has_button(w, "3 devices") and s["status"].startswith("3 devices: "), "3 devices")
    w.resize(1500, 980)
    w.key("space")
    s = w.wait(lambda s: ran(s) and len(s["groups"]) >= 3, "a run with 3 ranks")
    t.check({group["rank"] for group in s["groups"]} == {0, 1, 2}, "the run has 3 ranks", s["groups"])
    w.click_control("3 devices", "GtkMenuButton")
    w.wait(lambda s: w.controls("8", "GtkToggleButton"), "the menu")
    w.click_control("8", "GtkToggleButton")
    w.wait(lambda s: opened(s) and has_button(w, "8 devices"), "8 devices")
    w.key("ctrl+z")
    w.wait(lambda s: opened(s) and has_button(w, "3 devices"), "the change to be undone")
    w.key("ctrl+z")
    w.wait(lambda s: opened(s) and has_button(w, "1 device"), "the first change to be undone")
    t.check(True, "both changes are undone")
    room.end(t, w)


def test_example(t, room):
    """An example of the gallery has the number of devices of its card, unless -d is given."""
    w = room.open("example:ag_matmul", remembered=SEEN)
    w.wait(lambda s: opened(s) and has_button(w, "8 devices"), "the example with 8 devices")
    room.end(t, w)
    w = room.open("example:ag_matmul", "-d", "2", remembered=SEEN)
    w.wait(lambda s: opened(s) and has_button(w, "2 devices"), "the example with 2 devices")
    t.check(True, "-d has precedence over the card")
    room.end(t, w)


def test_inputs(t, room):
    """The entries have the shapes of the next run; an error is at its entry, and other shapes follow."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    open_menu(w, "ctrl+shift+i")
    before = texts(w)
    t.check(before[0] == "1" and all("x" in text for text in before[1:]), "all shapes are in the menu", before)
    replace(w, "8x")
    w.wait(lambda s: w.focus() and w.focus()["name"] == "8x", "the error to keep the menu open")
    replace(w, "32x48")
    w.wait(lambda s: not s["lowering"] and s["status"].startswith("Inputs 32x48"), "the shape")
    open_menu(w, "ctrl+shift+i")
    after = texts(w)
    t.check(after[1] == "32x48" and after[2].startswith("48x"), "the other shape follows", before, after)
    w.key("Escape")
    w.settle()
    path = room.path("shapes.hirs")
    w.key("space")
    w.wait(ran, "the run")
    w.key("ctrl+z")
    w.wait(lambda s: not s["lowering"] and s["status"].startswith("Undone: Inputs 32x48"), "the change to be undone")
    open_menu(w, "ctrl+shift+i")
    t.check(texts(w) == before, "the shapes are those from before", texts(w))
    w.key("Escape")
    room.end(t, w)
    room.program("run", "example:matmul_m", "--clock", "model", "--input", "16x24", "-o", path)
    w = room.open(path, remembered=SEEN)
    w.wait(lambda s: opened(s) and s["bars"], "the recording")
    w.key("ctrl+shift+i")
    w.wait(lambda s: len(texts(w)) == 3, "the shapes of a recording, whose script is read again")
    t.check(texts(w)[1] == "16x24", "they are those of its run", texts(w))
    w.key("Escape")
    room.end(t, w)


def run_of(room, name, *options):
    path = room.path(name)
    room.program("run", "example:matmul_m", *options, "-o", path)
    return path


def test_recording(t, room):
    """A recording opens with its options selected; another document has those of the preferences."""
    path = run_of(room, "wall.hirs", "--streams", "5", "--clock", "wall")
    w = room.open(path, remembered=SEEN)
    w.wait(lambda s: opened(s) and s["bars"] and w.controls("5 streams", "GtkDropDown"), "the streams of the recording")
    t.check(w.controls("Wall clock", "GtkDropDown"), "its clock is selected")
    w.key("space")
    w.wait(lambda s: ran(s) and "with 5 streams" in s["status"], "a run with the same streams")
    t.check("modelled" not in w.state["status"], "the run has the clock of the recording", w.state["status"])
    w.key("ctrl+g")
    w.wait(lambda s: s["page"] == "gallery", "the gallery")
    w.click_control("Two set ops")
    w.wait(lambda s: opened(s) and s["title"] == "two_set_ops" and w.controls("4 streams", "GtkDropDown"), "another document")
    t.check(w.controls("Modelled clock", "GtkDropDown"), "it has the options of the preferences")
    room.end(t, w)


def test_debugging(t, room):
    """An option changed while a program is debugged applies to the next session, which a button starts."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    w.key("F6")
    w.wait(lambda s: s["status"].startswith("Stopped"), "the debugger")
    w.click_control("4 streams", "GtkDropDown")
    w.settle()
    w.key("Home", "Return")
    w.wait(lambda s: w.controls("1 stream", "GtkDropDown") and w.controls("Restart", "GtkButton"), "the hint")
    w.click_control("Restart", "GtkButton")
    w.wait(lambda s: s["debug"]["shown"] and not s["status"].startswith("Stopped"), "the end of the session")
    w.wait(lambda s: s["status"].startswith("Stopped"), "the next session")
    w.key("F8")
    w.wait(lambda s: s["status"].startswith("Stopped at the end"), "the end of the program")
    w.click_control("Timeline", "GtkToggleButton")
    w.wait(lambda s: s["tracks"], "the timeline")
    streams = {track["name"] for track in w.state["tracks"] if track["name"].startswith("Stream ")}
    t.check(streams == {"Stream 0"}, "the next session has one stream", streams)
    room.end(t, w)


def test_trace(t, room):
    """A trace without a program: the tabs of the program are closed, and its keys say why they do nothing."""
    events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
               "args": {"device": 0, "stream": 7}} for i in range(4)]
    path = room.path("trace.json", json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}))
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    w.key("space")
    s = w.wait(ran, "the run")
    for bar in device_bars(s)[:2]:
        w.click(bar["x"], bar["y"])
        w.wait(lambda s: s["event"], "a selected bar")
    w.wait(lambda s: w.control("Previous selection (Alt+Left)")["usable"], "the previous selection")
    w.key("F7")
    w.wait(lambda s: s["check"]["shown"] and not s["check"]["busy"], "the check")
    open_file(w, path)
    s = w.wait(lambda s: s["title"] == "trace.json" and s["bars"], "the trace")
    t.check(not s["check"]["shown"], "the check of the program is closed")
    back = w.control("Previous selection (Alt+Left)")
    t.check(not back["usable"], "no selection of the program can be shown again", back)
    for key in ("F6", "F7", "space"):
        w.key(key)
        w.wait(lambda s: any("attach one with Ctrl+J" in text for text in s["toasts"]), f"the reason why {key} does nothing")
    t.check(not w.state["check"]["shown"] and not w.state["debug"]["shown"], "the keys open no panel")
    room.end(t, w)


def test_undone(t, room):
    """After a rejected switch of the pipeline, the list says whose passes it shows; Undo names the change."""
    w = room.open(OVERLAP + "::row_parallel_linear_forward", "-d", "2", "--pipeline", "hostir", remembered=SEEN)
    w.wait(opened, "the script")
    label = "Passes of the last valid program (Host IR)"
    t.check(label not in w.state["pass_labels"], "the list of a valid program says nothing")
    w.key("q")
    w.wait(lambda s: s["outdated"] and not s["lowering"] and label in s["pass_labels"], "the list to say whose passes it shows")
    w.key("ctrl+z")
    s = w.wait(lambda s: not s["outdated"] and not s["lowering"], "the change to be undone")
    t.check(s["status"].startswith("Undone: Pipeline Executor \u00b7 "), "the status names the pipeline", s["status"])
    room.end(t, w)


def test_fusion(t, room):
    """F2 at the fusion edits the script, also if the program text is in front."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir", "the text of the fusion")
    w.key("F2")
    w.wait(lambda s: s["text_page"] == "script" and w.control("Edit")["active"], "the script to be edited")
    t.check(True, "the script is edited")
    room.end(t, w)


if __name__ == "__main__":
    run_groups([test_devices, test_example, test_inputs, test_recording, test_debugging, test_trace, test_undone, test_fusion])
