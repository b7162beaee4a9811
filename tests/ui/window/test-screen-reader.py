#!/usr/bin/env python3
"""test-screen-reader.py HIRSCOPE [GROUP...]

Tests that all focusable widgets of all windows, dialogs, pages and popovers have an accessible name and role. The
report contains what GTK exports to screen readers.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import PASSES, enter_path, focus_dialog, focus_window, opened, ran, run_groups  # noqa: E402

ENV = {"GTK_A11Y": "test"}
SIZE = (1600, 1000)
ONE = """from nvfuser_direct import DataType, FusionDefinition, ParallelType


def one():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
    return fd
"""


def opened_window(room, *words, **options):
    w = room.open(*(words or ("example:ag_matmul", "-d", "8")), size=SIZE, **options)
    w.wait(opened, "the program")
    return w


def find(w, text):
    """Choose the first match of @text in the palette."""
    w.key("ctrl+p")
    focus_dialog(w)
    w.type(text)
    w.key("Return")
    focus_window(w)


def check_names(t, w, where):
    def look(state):
        # Buttons of message dialogs belong to libadwaita. Since 1.5 their labels are their names. Other internal widgets
        # of libadwaita are not checked.
        asked = [c for d in state["dialogs"] for c in d["controls"] if d["kind"] != "AdwMessageDialog" or not c["name"]]
        pool = [c for c in state["controls"] + asked if c["width"] > 0]
        silent = [s for place in [state] + state["dialogs"] for s in place["silent"] if not s.endswith(" in AdwGizmo")]
        return pool, [(c["kind"], c["name"], c["x"], c["y"]) for c in pool if not c["named"]] + silent

    try:
        w.wait(lambda s: not look(s)[1], "all accessible names")  # new widgets get their names in an idle callback
    except AssertionError:
        pass
    pool, unnamed = look(w.state)
    t.check(pool and not unnamed, f"every control has a name: {where} ({len(pool)})", unnamed)


def test_names(t, room):
    """Fails on a control without an accessible name."""
    env = {"GTK_A11Y": "test"}
    w = room.open(size=(1600, 1000), env=env)
    w.wait(lambda s: s["page"] == "gallery" and s["controls"], "the gallery")
    w.settle()
    check_names(t, w, "gallery")
    w.close()
    room.open_windows.remove(w)
    w = opened_window(room, env=env)
    w.settle()
    check_names(t, w, "workspace")
    w.key("space")
    w.wait(ran, "the run")
    find(w, "T3 [Stream")
    w.wait(lambda s: "mean" in s["inspector"], "the value")
    w.settle()
    check_names(t, w, "after a run, with a tensor selected")
    w.key("3")
    w.click_control("Statistics")
    w.settle()
    check_names(t, w, "difference and statistics")
    w.key("ctrl+f")
    w.settle()
    check_names(t, w, "search")
    w.key("Escape")
    w.settle()
    w.key("ctrl+p")
    focus_dialog(w)
    w.settle()
    check_names(t, w, "palette")
    w.key("Escape")
    focus_window(w)
    w.key("ctrl+comma")
    focus_dialog(w)
    w.settle()
    check_names(t, w, "preferences")
    w.key("Escape")
    focus_window(w)
    room.end(t, w)


def test_names_of_all(t, room):
    """Checks popovers, dialogs and pages below the graph."""
    w = opened_window(room, "example:ag_matmul", "-d", "2", env={"GTK_A11Y": "test"}, remembered="[tour]\nseen=true\n[look]\nanimation=false\n")
    for keys, where in (("F10", "menu"), ("ctrl+shift+f", "search of passes")):
        w.key(keys)
        w.settle()
        check_names(t, w, where)
        w.key("Escape")
        w.settle()
    for control in ("Export", "4 streams", "Modelled clock"):
        w.settle()
        w.click_control(control)
        w.settle()
        check_names(t, w, control)
        w.key("Escape")
    w.settle()  # a closing popover takes the next key
    w.key("F1")
    focus_dialog(w)
    w.settle()
    check_names(t, w, "shortcuts")
    w.key("Escape")
    focus_window(w)
    w.key("j", "j", "o")
    w.wait(lambda s: s["step"] == PASSES[2], "a pass with options")
    check_names(t, w, "options of a pass")
    w.key("Escape", "g", "l", "3", "y")
    w.wait(lambda s: s["diff"]["sides"], "both sides of the difference")
    check_names(t, w, "both sides of a difference, and the legend")
    w.key("y", "2", "F7")
    w.wait(lambda s: s["check"]["state"] not in ("", "closed", "busy"), "the check")
    check_names(t, w, "check")
    w.key("shift+F7", "F6")
    w.wait(lambda s: s["debug"]["pointer"].strip("0") and not s["debug"]["busy"], "the debugger")
    check_names(t, w, "debugger")
    w.click_control("Values")
    w.settle()
    check_names(t, w, "values in the debugger")
    room.end(t, w)


def kernels(length_us):
    return json.dumps({"traceEvents": [{"ph": "X", "cat": "kernel", "name": f"k{i % 3}", "pid": 0, "tid": i % 2 + 1, "ts": 100 * i,
                                        "dur": length_us, "args": {"device": 0, "stream": i % 2 + 1}} for i in range(20)]})


def test_names_of_traces(t, room):
    """Checks a trace with menus and strip, the choice of a second trace, and their comparison."""
    w = room.open(room.path("before.json", kernels(20)), size=SIZE, env=ENV)
    s = w.wait(lambda s: s["page"] == "workspace" and s["tracks"] and s["minimap"] and s["minimap"]["ready"], "the trace")
    check_names(t, w, "a trace")
    place = next(x for x in s["tracks"] if x["name"] == "stream 1")
    w.click(place["x"], place["y"], button=3)
    w.wait(lambda s: w.controls("Hide"), "the menu of a track")
    check_names(t, w, "menu of a track")
    w.key("Escape")
    w.wait(lambda s: not w.controls("Hide"), "the menu to close")
    enter_path(w, room.path("after.json", kernels(40)), "ctrl+shift+o")
    w.wait(lambda s: s["compare"] and s["compare"]["ready"] and s["compare"]["rows"], "the comparison")
    check_names(t, w, "comparison of two traces")
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


def test_names_of_questions(t, room):
    """Checks dialogs: splitting an axis, searching, saving."""
    w = opened_window(room, room.path("one.py", ONE), env=ENV)
    n = next(n for n in w.state["graph"]["nodes"] if n["title"] == "T1")
    w.click(n["x"], n["y"], button=3)
    for item in ("Axis 0:  iS2{i0}", "Split Axis 0, Inner", "By Another Number\u2026"):
        w.wait(lambda s: w.controls(item, "GtkModelButton"), f"'{item}' in the menu")
        check_names(t, w, f"menu of an axis: {item}")
        w.click_control(item, "GtkModelButton")
    focus_dialog(w)
    check_names(t, w, "dialog about the factor of a split")
    w.type("6")
    w.key("Return")
    focus_window(w)
    w.wait(lambda s: not s["lowering"] and any("inner_split" in x["text"] for x in s["lines"]), "the split")
    w.key("ctrl+shift+b")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkEntry", "GtkText"), "the entry for the pattern")
    check_names(t, w, "entry for the pattern of a bisection")
    w.key("Escape")
    w.settle()
    w.key("ctrl+w")
    focus_dialog(w)
    check_names(t, w, "dialog about unsaved changes")
    w.key("Escape")
    focus_window(w)
    w.key("ctrl+z")
    w.wait(lambda s: not s["lowering"] and not any("inner_split" in x["text"] for x in s["lines"]), "the original script")
    room.end(t, w)


GROUPS = [test_names, test_names_of_all, test_names_of_traces, test_names_of_questions]

run_groups(GROUPS)
