#!/usr/bin/env python3
"""test-attach.py HIRSCOPE [GROUP...]

Tests how the window ties the trace of another profiler to a program. The traces were recorded by tests/gpu/join_torch.py
on one H200. See test-window.py for the method.
"""
import os

from room import enter_path, focus_dialog, focus_window, opened, ran, run_groups

DATA = os.path.join(os.environ["HIR_TEST_SRCDIR"], "tests", "data", "join")
ATTACH = "ctrl+j"


def program(name):
    return os.path.join(DATA, "programs", name + ".txt")


def trace(name):
    return os.path.join(DATA, "h200", name + ".json.gz")


def attach(w, path):
    """Enter @path into the file chooser and wait for the result."""
    enter_path(w, path, ATTACH)
    w.wait(lambda s: not any(d["kind"].startswith("GtkFileChooser") for d in s["dialogs"]), "the file chooser to close")


def open_trace(room, name):
    w = room.open(trace(name))
    w.wait(lambda s: s["page"] == "workspace" and s["bars"], "the trace")
    w.settle()
    return w


def tied_bars(s):
    return [b for b in s["bars"] if b["instruction"].strip("0")]


def tied(s):
    return "device events tied" in s["status"]


def test_trace_to_program(t, room):
    w = room.open(program("chain"))
    w.wait(opened, "the program")
    attach(w, trace("chain"))
    s = w.wait(tied, "the trace to be tied")
    t.check(s["status"] == "96 of 96 device events tied, 3 repetitions", "the status line tells how much is tied", s["status"])
    focus_window(w)
    w.settle()
    bars = tied_bars(w.read())
    t.check(len(bars) > 50, "bars have instructions", len(bars))
    bar = max(bars, key=lambda b: b["end_ns"] - b["start_ns"])
    w.click(bar["x"], bar["y"])
    s = w.wait(lambda s: s["selected"], "an instruction to be selected")
    t.check(s["selected"][0]["id"] == bar["instruction"], "a click on a bar selects its instruction")


def test_differences(t, room):
    w = room.open(program("chain"))
    w.wait(opened, "the program")
    attach(w, trace("no_wait"))
    s = w.wait(lambda s: tied(s) and s["check"] and s["check"]["state"] == "list", "the differences")
    focus_window(w)
    t.check(s["check"]["title"].startswith("2 differences between program and trace"), "differences are counted first")
    rows = [c["text"] for c in w.controls("difference", "GtkListBoxRow")]
    t.check("difference | The trace lacks the wait of Synchronize | Rank 0, repetition 0, iteration 3; 3 times on this rank"
            in rows, "the missing wait is listed with its place", rows)
    t.check(w.wait(lambda s: s["selected"], "its instruction")["selected"], "and its instruction is selected")

    # Another run is displayed, then the trace again.
    w.key("F5")
    w.wait(lambda s: ran(s) and len(s["runs"]) == 2 and s["runs"][1]["shown"], "a run")
    w.key("F7")
    s = w.wait(lambda s: s["check"]["state"] in ("clean", "list") and not s["check"]["busy"], "the check of the run")
    t.check("between program and trace" not in s["check"]["title"], "the run has no differences", s["check"]["title"])
    w.key("ctrl+r")
    w.wait(lambda s: any("Attached trace" in c["text"] for c in w.controls(kind="GtkListBoxRow")), "the list of runs")
    w.settle()
    row = next(c for c in w.controls(kind="GtkListBoxRow") if "Attached trace" in c["text"])
    w.click(row["x"] + 40, row["y"] + row["height"] / 2)
    s = w.wait(lambda s: s["runs"][0]["shown"], "the trace again")
    t.check("2 differences from the program" in s["status"], "the status line counts the differences again", s["status"])
    w.key("Escape")
    w.settle()
    w.key("F7")
    s = w.wait(lambda s: s["check"]["title"].startswith("2 differences between program and trace"), "the differences again")
    t.check(True, "a trace of the history keeps its differences")


def test_program_to_trace(t, room):
    w = open_trace(room, "copies")
    attach(w, program("copies"))
    s = w.wait(tied, "the program to be tied")
    t.check(s["status"] == "51 of 51 device events tied, 3 repetitions", "the status line tells how much is tied", s["status"])
    focus_window(w)
    w.settle()
    s = w.read()
    t.check(s["title"] == "copies.txt" and tied_bars(s), "the program is open, and its events are tied")


def test_wrong_program(t, room):
    w = room.open(program("chain"))
    w.wait(opened, "the program")
    attach(w, trace("copies"))
    s = w.wait(lambda s: any("Open the Trace Alone" in c["name"] for d in s["dialogs"] for c in d["controls"]),
               "the refusal")
    t.check("did not run in this trace" in s["status"], "the status line has the reason")
    t.check(not s["bars"], "the document has not changed")
    focus_dialog(w)
    w.key("alt+o")
    w.wait(lambda s: s["title"] == "copies.json.gz" and s["bars"], "the trace alone")
    t.check(True, "the trace can be opened alone")


if __name__ == "__main__":
    run_groups([test_trace_to_program, test_differences, test_program_to_trace, test_wrong_program])
