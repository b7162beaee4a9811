#!/usr/bin/env python3
"""test-tour.py HIRSCOPE [GROUP...]

Does what the README's tour does in the window, without a pointer: opens, lowers, runs, selects, edits, compares,
analyzes, checks, debugs and exports. See test-window.py for the method.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import PASSES, focus_dialog, focus_window, opened, run_groups  # noqa: E402

SIZE = (1600, 1000)

SCRIPT = """
from nvfuser_direct import FusionDefinition, ParallelType


def two_set_ops():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1], contiguity=True)
        tv1 = fd.ops.set(tv0)
        tv2 = fd.ops.set(tv1)
        fd.add_output(tv2)
        for tv in (tv1, tv2):
            tv.axis(0).parallelize(ParallelType.stream)
    return fd
"""


def no_pointer(*_args, **_options):
    raise AssertionError("the pointer is not used")


def open_window(room, *words, **options):
    w = room.open(*words, size=SIZE, **options)
    w.move = w.click = w.drag = w.wheel = no_pointer
    return w


def choose(w, text):
    """Choose what Ctrl+P finds for @text."""
    w.key("ctrl+p")
    focus_dialog(w)
    w.type(text)
    w.wait(lambda s: any(c["kind"] == "GtkListBoxRow" for d in s["dialogs"] for c in d["controls"]), f"a result for {text}")
    w.key("Return")


def by_palette(w, text):
    """As choose(), for an entry that opens no dialog."""
    choose(w, text)
    focus_window(w)


def go_to(w, kind, name=None):
    """Press Tab until a control of @kind, and with @name unless it is None, has the focus."""
    for _ in range(150):
        if w.focus() and w.focus()["kind"] == kind and name in (None, w.focus()["name"]):
            return
        before = w.focus()
        # Tab indents in a script that is edited.
        w.key("ctrl+Tab" if before and before["kind"] == "HirCodeView" else "Tab")
        w.settle()  # Tab also goes through the links of a text, which has the focus as a whole
    raise AssertionError(f"Tab does not reach {kind}")


def save_as(w, path):
    """Enter @path in the file chooser and save."""
    focus_dialog(w)
    w.key("ctrl+a")
    w.type(path)
    w.key("Return")


def record(room, name, *words):
    path = room.path(name)
    done = room.program("run", *words, "--clock", "model", "-o", path)
    assert done.code == 0, done.err
    return path


def test_lower(t, room):
    """Step 1: a card of the gallery, the passes, an option, a rejected example."""
    w = open_window(room)
    w.wait(lambda s: s["page"] == "gallery" and w.controls("Two set ops"), "the gallery")
    go_to(w, w.control("Two set ops")["kind"], "Two set ops")
    w.key("Return")
    w.wait(opened, "the fusion")
    w.key(*["j"] * (len(PASSES) - 2))
    w.wait(lambda s: s["step"] == "StreamParallelType", "the pass that makes the loop")
    w.key("3")
    s = w.wait(lambda s: s["text_page"] == "diff" and s["diff"]["summary"], "what the pass changed")
    t.check(True, f"a pass and its difference: {s['diff']['summary']}")
    w.key("o")
    w.wait(lambda s: w.controls(kind="GtkDropDown") and w.focus(), "the options of the pass")
    w.settle()
    w.key("Escape")
    by_palette(w, "refused_split_axis")
    s = w.wait(lambda s: s["title"] == "refused_split_axis" and not s["lowering"] and "at line" in s["status"], "the rejection")
    t.check("line" in s["status"], "a rejected example names its line", s["status"])
    room.end(t, w)


def test_record(t, room):
    """Steps 2 and 3: run, find, select, go back, mark, switch a pass, compare, maximize; the list of keys."""
    w = open_window(room, record(room, "m.hirs", "example:matmul_m", "--input", "64x64", "--input", "64x64", "--check"))
    s = w.wait(lambda s: opened(s) and s["bars"], "the recording")
    w.key("ctrl+f")
    w.type("matmul")
    w.wait(lambda s: s["found"], "matches in the text")
    w.key("Escape")
    go_to(w, "HirTimelineView")
    w.key("Right", "Right")
    s = w.wait(lambda s: s["event"] and s["selected"], "an event and its instruction")
    t.check(s["script_line"] > 0, "arrow keys select an event, its instruction and its script line", s["script_line"])
    first = s["event_start_ns"]
    w.key("Right")
    w.wait(lambda s: s["event"] and s["event_start_ns"] != first, "the next event")
    w.key("f")
    w.wait(lambda s: s["shown_ns"][1] - s["shown_ns"][0] < s["span_ns"][1] - s["span_ns"][0], "the event to fill the view")
    w.key("ctrl+d")
    w.wait(lambda s: s["marks"] and w.focus() and w.focus()["kind"] == "GtkText", "the mark and the entry of its name")
    w.key("ctrl+a")
    w.type("look here")
    w.key("Return")
    w.wait(lambda s: s["marks"][0]["name"] == "look here" and not w.controls("Delete the mark"), "the name")
    w.key("alt+Left")
    w.wait(lambda s: s["event"] and s["event_start_ns"] == first, "the previous selection")
    t.check(True, "f fits the selection, Ctrl+D marks a time, and Alt+Left goes back")

    n = len(w.state["runs"])
    w.key("space")
    w.wait(lambda s: not s["running"] and len(s["runs"]) == n + 1, "the run")
    w.key(*["k"] * 2)
    w.wait(lambda s: s["step"] != PASSES[-1], "an earlier pass")
    by_palette(w, "StreamParallelType")
    w.wait(lambda s: s["step"] == "StreamParallelType", "the pass of the loop")
    w.key("x")
    w.wait(lambda s: not s["lowering"] and s["runs"][-1]["earlier"], "the run to be of an earlier program")
    w.key("ctrl+z")
    w.wait(lambda s: not s["lowering"] and not s["runs"][-1]["earlier"], "the program of the run again")
    w.key("space")
    w.wait(lambda s: not s["running"] and len(s["runs"]) == n + 2, "a second run")
    w.key("ctrl+shift+c")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison of both runs")
    t.check(s["compare"]["rows"], "x disables a pass, Ctrl+Z enables it again, and Ctrl+Shift+C compares the last two runs", s["compare"])
    w.focus_newest()
    w.key("ctrl+w")
    focus_window(w)
    w.key("ctrl+r")
    w.wait(lambda s: w.controls(kind="GtkListBoxRow") and any("Run 2" in c.get("text", "") for c in s["controls"]), "the list of runs")
    w.key("Escape")
    w.settle()
    w.key("q")
    w.wait(lambda s: not s["lowering"] and "LowerSegmentedFusionToHostIr, line" in s["status"], "the rejection of the other pipeline")
    w.key("q")
    w.wait(lambda s: not s["lowering"] and not s["status"].startswith("Lower"), "the first pipeline")
    w.key("c")
    w.settle()
    w.key("Escape")
    go_to(w, "HirGraphView")
    w.key("ctrl+m")
    w.wait(lambda s: s["panes"]["views"] and not s["panes"]["text"], "only the graph")
    w.key("Escape")
    w.wait(lambda s: s["panes"]["text"], "all panes")
    w.key("F1")
    s = w.wait(lambda s: s["dialogs"], "the list of keys")
    t.check(True, "q, c, Ctrl+R, Ctrl+M and F1 work from the keyboard")
    w.focus_newest()
    w.key("Escape")
    focus_window(w)
    room.end(t, w)


def test_edit(t, room):
    """Step 3: F2 edits the script; the axes of a tensor are in a menu."""
    path = room.path("edited.py", SCRIPT)
    w = open_window(room, path)
    s = w.wait(opened, "the script")
    n = len(s["graph"]["nodes"])
    w.key("F2")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("HirCodeView", "GtkSourceView"), "the focus in the script")
    w.key("ctrl+Home")
    w.key("ctrl+f")
    w.type("fd.add_output(tv2)")
    w.wait(lambda s: s["found"] == "1 of 1", "the line")
    w.key("Escape", "End", "Home")
    w.type("tv2 = fd.ops.set(tv2)")
    w.key("Return")
    s = w.wait(lambda s: opened(s) and len(s["graph"]["nodes"]) > n, "the program with one more op")
    t.check(True, "F2 edits the script, and it is lowered while typing")
    w.key("ctrl+s")
    w.wait(lambda s: "set(tv2)" in open(path).read(), "the saved script")
    go_to(w, "HirGraphView")
    w.key("Down")
    w.wait(lambda s: s["selected"], "a box")
    w.key("Menu")
    w.wait(lambda s: w.controls(kind="GtkModelButton"), "the menu of the box")
    t.check(True, "the menu of a box opens by its key")
    w.key("Escape")
    w.settle()
    room.end(t, w)


def test_analyze(t, room):
    """Step 5: statistics, lost time, events, SQL, a prediction, the check."""
    path = record(room, "ag.hirs", "example:ag_matmul", "-d", "8")
    w = open_window(room, path)
    w.wait(lambda s: opened(s) and s["bars"], "the recording")
    w.key("shift+e")
    w.wait(lambda s: s["explain"]["shown"] and s["explain"]["computed"] and s["explain"]["rows"], "the causes")
    w.key("Down", "Down", "Return")
    w.wait(lambda s: s["range_ns"][1] > s["range_ns"][0], "the interval of a cause")
    w.key("shift+d")
    w.wait(lambda s: s["explain"]["path"], "the critical path")
    t.check(True, "Shift+E lists the causes, Return shows one, and Shift+D draws the critical path")
    w.key("ctrl+shift+p")
    w.wait(lambda s: s["dialogs"], "What If")
    w.focus_newest()
    w.settle()
    w.key("Escape")
    focus_window(w)
    w.key("Escape")
    w.wait(lambda s: s["range_ns"][1] <= s["range_ns"][0], "no range")
    w.key("ctrl+e")
    s = w.wait(lambda s: s["events"] and s["events"]["shown"] and s["events"]["rows"] and not s["events"]["busy"], "the events")
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.focus() and w.focus()["kind"] != "HirEventsCanvas", "the entry of the SQL")
    sql = "SELECT name, count(*) AS n FROM kernels GROUP BY name"
    w.key("ctrl+a")
    w.type(sql)
    w.key("ctrl+Return")
    same = json.loads(room.program("query", path, sql, "--json").out)["rows"]
    s = w.wait(lambda s: not s["events"]["busy"] and [r["cells"] for r in s["events"]["rows"]][1:2] ==
               [[same[0][0], str(same[0][1])]], "the answer of the command")
    t.check(True, f"Ctrl+Shift+E takes SQL: {same}")
    room.end(t, w)


def test_debug(t, room):
    """Steps 5 and 6: the check, a breakpoint, steps in both directions, the bisection."""
    w = open_window(room, "example:ag_matmul", "-d", "2")
    w.wait(opened, "the program")
    w.key("F7")
    w.wait(lambda s: s["check"]["shown"] and not s["check"]["busy"] and s["check"]["title"].startswith("0 missing"), "the check")
    w.key("shift+F7")
    w.wait(lambda s: not s["check"]["shown"], "the check to close")
    by_palette(w, "wait allg")
    w.wait(lambda s: any("Wait" in n["label"] for n in s["selected"]), "the Wait")
    w.key("b")
    w.wait(lambda s: s["debug"]["breaks"], "the breakpoint")
    w.key("F6")
    s = w.wait(lambda s: s["debug"]["on"] and not s["debug"]["busy"] and s["debug"]["place"], "the debugger")
    w.key("F8")
    s = w.wait(lambda s: not s["debug"]["busy"] and "Wait" in s["debug"]["place"], "the breakpoint to be reached")
    there = s["debug"]["place"]
    w.key("F10")
    w.wait(lambda s: not s["debug"]["busy"] and s["debug"]["place"] != there, "a step")
    w.key("ctrl+F10")
    w.wait(lambda s: not s["debug"]["busy"] and s["debug"]["place"] == there, "the step back")
    t.check(True, "F7 checks; b, F6, F8, F10 and Ctrl+F10 debug")
    w.key("shift+F6")
    w.wait(lambda s: not s["debug"]["shown"], "the debugger to close")
    w.key("ctrl+b")
    w.wait(lambda s: w.controls("Done", "GtkButton"), "the result of the bisection")
    t.check(True, "Ctrl+B bisects the passes")
    room.end(t, w)


def test_export(t, room):
    """Step 7: the trace and the report are written from the palette."""
    w = open_window(room, record(room, "e.hirs", "example:two_set_ops"))
    w.wait(lambda s: opened(s) and s["bars"], "the recording")
    path = room.path("by-keys.json")
    choose(w, "Export a Chrome trace")
    w.wait(lambda s: any("Chooser" in d["kind"] for d in s["dialogs"]), "the dialog")
    save_as(w, path)
    focus_window(w)
    w.wait(lambda s: not s["writing"] and os.path.exists(path) and os.path.getsize(path) > 0, "the trace")
    t.check(json.load(open(path))["traceEvents"], "a Chrome trace is exported by keys")
    room.end(t, w)


run_groups([test_lower, test_record, test_edit, test_analyze, test_debug, test_export], animates=True)
