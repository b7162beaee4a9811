#!/usr/bin/env python3
"""test-edit.py HIRSCOPE [GROUP...]

Tests changes of the program: passes and their options, the script, an axis by its menu, the printed program; undo; and
the bisection for the first incorrect pass. See test-window.py for the method.
"""
import os
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES  # noqa: E402
from room import PASSES, focus_dialog, focus_window, opened, ran, run_groups  # noqa: E402

SCRIPT = os.path.join(EXAMPLES, "single_device.py")
N_TABLE = 9  # the fusion and all passes, including disabled ones


def lowered(s):
    return s["page"] == "workspace" and not s["lowering"]


def rows(w):
    return {c["name"]: c for c in w.controls(kind="GtkListBoxRow")}


def switch(w, name):
    return w.control(f"{name} on or off (x)", "GtkSwitch")


def printed(room, *words):
    return [line.strip() for line in room.program("lower", *words, "--print", "last").out.splitlines() if line.strip()]


def shown(s):
    return [line["text"].strip() for line in s["lines"] if line["text"].strip()]


def has_message(w, number):
    """Return whether there is one message of an error, next to line @number."""
    w.settle()
    y = next(x["y"] for x in w.state["lines"] if x["line"] == number)
    found = [c for c in w.controls(kind="GtkLabel") if c.get("message")]
    return len(found) == 1 and abs(found[0]["y"] + found[0]["height"] / 2 - y) < 20 + found[0]["height"] / 2


# --- passes -----------------------------------------------------------------------------------------------


def test_passes(t, room):
    w = room.open("example:matmul_m")
    w.wait(lambda s: opened(s) and len(rows(w)) == N_TABLE, "all passes")
    for name in PASSES[1:]:
        w.key("j")
        w.wait(lambda s: s["step"] == name, name)
    for name in reversed(PASSES[:-1]):
        w.key("k")
        w.wait(lambda s: s["step"] == name, name)
    t.check(True, "j and k step through all passes and skip disabled ones")
    t.check("off" in rows(w)["InsertDeallocations"]["text"] and "no change" in rows(w)["InsertReshardings"]["text"] and
            "+14" in rows(w)["StreamParallelType"]["text"], "each row shows what its pass changed", rows(w))

    w.key("ctrl+h")
    w.wait(lambda s: len(rows(w)) == 3, "the passes without changes to be hidden")
    t.check(set(rows(w)) == {"Fusion", "SegmentFusion", "StreamParallelType"}, "passes without changes are hidden", rows(w))
    w.key("j")
    w.wait(lambda s: s["step"] == "SegmentFusion", "the next pass with changes")
    w.key("j")
    w.wait(lambda s: s["step"] == "StreamParallelType", "the next pass with changes after that")
    t.check(True, "j skips hidden passes")
    w.key("ctrl+h")
    w.wait(lambda s: len(rows(w)) == N_TABLE, "all passes again")

    w.key("ctrl+shift+f")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkSearchEntry", "GtkText"), "the search entry")
    w.type("shardings")
    w.wait(lambda s: set(rows(w)) == {"PropagateShardings", "InsertReshardings"}, "the matching passes")
    w.key("Return")
    w.wait(lambda s: s["step"] == "PropagateShardings", "the first matching pass")
    t.check(True, "a pass is found by part of its name")
    w.key("ctrl+shift+f", "Escape")
    w.wait(lambda s: len(rows(w)) == N_TABLE, "the search to end")
    room.end(t, w)


def test_switches(t, room):
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    w.key("space")
    w.wait(ran, "a run")
    n_bars = len(w.state["bars"])
    w.key(*["j"] * 6)
    w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")

    # Disabling a pass without effect by the pointer keeps everything, including the recording.
    c = switch(w, "InsertReshardings")
    w.click(c["x"] + c["width"] / 2, c["y"] + c["height"] / 2)
    s = w.wait(lambda s: lowered(s) and "InsertReshardings off" in s["status"], "the lowering without the pass")
    t.check("the programs are unchanged" in s["status"], "disabling a pass without effect changes no program", s["status"])
    w.wait(lambda s: "off" in rows(w)["InsertReshardings"]["text"], "the row to show that the pass is off")
    t.check(len(s["bars"]) == n_bars and s["step"] == PASSES[-1], "the recording and the current step are unchanged", len(s["bars"]), n_bars)

    # Disabling a pass with effect by its key.
    w.key("k")
    w.wait(lambda s: s["step"] == "StreamParallelType", "the pass with effect")
    w.key("x")
    s = w.wait(lambda s: lowered(s) and "StreamParallelType off" in s["status"] and not s["bars"], "the lowering without the pass")
    # The report does not prove that the text is drawn: the pane could be blank if a layout got lost.
    w.settle()
    page = w.controls(kind="HirCodeView")[0]
    seen = room.display.n_colors(page["x"], page["y"], page["x"] + 300, page["y"] + 100)
    t.check(seen > 5, "the shorter program is drawn", seen)
    t.check("differ" in s["status"] and "Ctrl+Z" in s["status"], "the status describes the effect", s["status"])
    t.check(s["step"] == "SegmentFusion", "the previous step is displayed", s["step"])
    s = w.wait(lambda s: "\u2260" in rows(w)["ConvertOpToCommunication"]["text"], "the mark of a changed program")
    w.key("j")
    s = w.wait(lambda s: s["step"] == PASSES[-1] and s["text_page"] == "ir", "the last pass")
    wanted = printed(room, SCRIPT + "::matmul_m", "--disable", "StreamParallelType", "--disable", "InsertReshardings")
    t.check(shown(s) == wanted, "the program equals the output of lower --disable", shown(s), wanted)

    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and s["status"].startswith("Undone: StreamParallelType off"), "undo")
    w.wait(lambda s: switch(w, "StreamParallelType")["active"], "the switch to be on again")
    t.check(True, "undo enables the pass again")
    w.wait(lambda s: not any("\u2260" in row["text"] for row in rows(w).values()), "no mark after undo")
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and s["status"].startswith("Undone: InsertReshardings off"), "undo again")
    w.key("ctrl+shift+z", "ctrl+shift+z")
    w.wait(lambda s: lowered(s) and "StreamParallelType off" in s["status"] and "Undone" not in s["status"], "redo")
    w.wait(lambda s: not switch(w, "StreamParallelType")["active"], "the switch to be off")
    t.check(True, "redo repeats both changes")
    room.end(t, w)


def test_toggle(t, room):
    """The key that switches a pass off switches it on again, although an earlier step is displayed then."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    w.key(*["j"] * 5)
    w.wait(lambda s: s["step"] == "StreamParallelType", "the pass")
    w.key("x")
    w.wait(lambda s: lowered(s) and "StreamParallelType off" in s["status"] and s["step"] == "SegmentFusion", "the pass to be off")
    w.key("x")
    s = w.wait(lambda s: lowered(s) and "StreamParallelType on" in s["status"], "the same pass to be on")
    w.wait(lambda s: switch(w, "StreamParallelType")["active"] and switch(w, "SegmentFusion")["active"], "the switches")
    t.check(True, "x twice switches the pass off and on")
    w.key("x")
    w.wait(lambda s: lowered(s) and "StreamParallelType off" in s["status"], "the pass to be off again")
    w.key("k", "k")
    w.wait(lambda s: s["step"] == "InsertReshardings", "another pass")
    w.key("x")
    w.wait(lambda s: lowered(s) and "InsertReshardings off" in s["status"], "the other pass to be off")
    t.check(not switch(w, "StreamParallelType")["active"], "after a move, x switches the displayed pass")
    room.end(t, w)


def test_options(t, room):
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    w.key(*["j"] * 5)
    w.wait(lambda s: s["step"] == "StreamParallelType", "the pass")
    before = shown(w.wait(lambda s: s["text_page"] == "ir" and s["lines"], "the program of the pass"))
    w.key("o")
    w.wait(lambda s: w.controls("separate", "GtkDropDown"), "the options of the pass")
    w.wait(lambda s: any(c["focus"] for c in w.controls("separate", "GtkDropDown")), "the option to have the focus")
    w.key("space")
    w.settle()
    w.key("Down", "Return")
    s = w.wait(lambda s: lowered(s) and "initial_sync=in_loop" in s["status"], "the lowering with the option")
    w.key("Escape")
    s = w.wait(lambda s: not w.controls("in_loop", "GtkDropDown") and shown(s) != before, "the program to change")
    wanted = printed(room, SCRIPT + "::matmul_m", "--set", "StreamParallelType.initial_sync=in_loop")
    t.check(shown(s) == wanted, "the program equals the output of lower --set", shown(s), wanted)
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and shown(s) == before, "undo")
    t.check(True, "undo resets the option")
    room.end(t, w)


def test_first_touch(t, room):
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    w.settle()
    node = next(n for n in w.state["graph"]["nodes"] if n["title"] == "matmul")
    w.click(node["x"], node["y"])
    w.wait(lambda s: s["selected"], "the op to be selected")
    w.key("t")
    s = w.wait(lambda s: s["step"] != "Fusion" and s["text_page"] == "diff", "the first pass that changed the node")
    first = s["step"]
    w.wait(lambda s: "added" in {m for line in s["lines"] for m in line["marks"]}, "the difference")
    t.check(first == "StreamParallelType", "t shows the difference of the first pass that changed the node", first)
    w.key("k", "k", "t")
    w.wait(lambda s: s["step"] == first, "the same pass again")
    t.check(True, "t from an earlier pass shows the same pass")
    room.end(t, w)


PARAMETERS = os.path.join(os.path.dirname(EXAMPLES), "..", "tests", "data", "compat", "parameters.py")


def test_parameters(t, room):
    path = os.path.normpath(PARAMETERS) + "::test_product_of_rows"
    w = room.open(path)
    w.wait(opened, "the workspace")
    w.settle()
    t.check(w.controls("Parameters", "GtkMenuButton"), "a test with parameters has a menu of them", w.controls(kind="GtkMenuButton"))
    w.key(*["j"] * N_TABLE)
    before = shown(w.wait(lambda s: s["step"] == PASSES[-1] and s["text_page"] == "ir" and s["lines"], "the last program"))
    w.key("ctrl+shift+m")
    ids = room.program("lower", path, "--list").out.split()
    names = [i.split("[")[1][:-1] for i in ids]
    w.wait(lambda s: w.controls("\u2713 " + names[0]), "the menu with its first entry marked")
    t.check(all(w.controls(name) for name in names[1:]), "the menu has the ids that lower --list prints", ids)
    w.key("Down", "Down", "Down", "Return")
    w.wait(lambda s: lowered(s) and shown(s) != before, "the program to change")
    wanted = [shown_of for shown_of in (printed(room, i) for i in ids) if shown_of == shown(w.state)]
    t.check(len(wanted) == 1 and shown(w.state) != printed(room, ids[0]), "the program is that of the chosen parameters",
            shown(w.state))
    w.key("ctrl+shift+m")
    w.wait(lambda s: any(w.controls("\u2713 " + name) for name in names[1:]) and w.controls(names[0]), "the other mark")
    t.check(True, "the current parameters are marked")
    w.key("Escape")
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and shown(s) == before, "undo")
    t.check(True, "undo returns to the first parameters")
    room.end(t, w)
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    t.check(not w.controls("Parameters", "GtkMenuButton"), "a function without parameters has no menu")
    room.end(t, w)


def test_functions(t, room):
    """A script with several fusions offers its functions; opening it again continues with the chosen one."""
    with open(os.path.join(os.path.dirname(PARAMETERS), "..", "cases", "host_ir_2026", "layers.py")) as file:
        path = room.path("several.py", file.read())
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        w = room.open(path, "-d", "2", home=home)
        s = w.wait(lambda s: s["page"] == "workspace" and not s["lowering"] and w.controls("Function", "GtkMenuButton"), "the menu of functions")
        t.check("Ctrl+Shift+M" in s["status"], "the error names the key of the menu", s["status"])
        t.check("pointwise" not in s["status"], "the status does not repeat the functions, which the text lists", s["status"])
        w.settle()
        w.key("ctrl+shift+m")
        w.wait(lambda s: w.controls("row_parallel_linear", "GtkModelButton"), "the functions")
        w.key("Down", "Return")
        s = w.wait(lambda s: opened(s) and s["title"] == "row_parallel_linear", "the second function")
        t.check(s["step"] == "Fusion" and not w.controls("Function", "GtkMenuButton"), "the menu opens a function", s["title"])
        w.key("ctrl+shift+m")
        focus_dialog(w)
        w.type("pointwise")
        w.key("Return")
        focus_window(w)
        w.wait(lambda s: opened(s) and s["title"] == "pointwise", "a function from the palette")
        w.key("q")
        w.wait(lambda s: opened(s) and rows(w).keys() >= {"LowerSegmentedFusionToHostIr"} and not s["lowering"], "the other pipeline")
        room.end(t, w)
        # GTK's dialog adds each file that is written.
        report = room.path("report.html", "<html></html>")
        with open(os.path.join(home, "data", "recently-used.xbel"), "r+") as file:
            text = file.read()
            item = re.search(r"\s*<bookmark .*?</bookmark>", text, re.S).group(0)
            file.seek(0)
            file.write(text.replace(item, item + item.replace("several.py", os.path.basename(report)) + item.replace("several.py", "other.py")))
        room.path("other.py", "")
        w = room.open(home=home)
        w.wait(lambda s: s["page"] == "gallery" and w.controls("several.py"), "the recent file")
        t.check(w.controls("other.py") and not w.controls("report.html"), "files that cannot be opened are not listed", sorted(c["name"] for c in w.controls()))
        w.click_control("several.py")
        s = w.wait(lambda s: opened(s) and s["title"] == "pointwise", "the same function")
        t.check(w.controls("2 devices") and "LowerSegmentedFusionToHostIr" in rows(w), "devices and pipeline are the same", list(rows(w)))
        room.end(t, w)


def test_impossible(t, room):
    """A key whose action is not possible now says why."""
    path = room.path("printed.txt", room.program("lower", "example:two_set_ops", "--print", "last").out)
    w = room.open(path)
    w.wait(opened, "the printed program")
    for key, text in (("ctrl+b", "bisect --against"), ("q", "A printed program has no passes"), ("ctrl+z", "Nothing to undo"),
                      ("ctrl+e", "No recording"), ("ctrl+F10", "F6 starts the debugger"), ("ctrl+shift+c", "No earlier run")):
        w.key(key)
        w.wait(lambda s: any(text in toast for toast in s["toasts"]), f"the reason after {key}")
        t.check(True, f"{key} says why it does nothing")
        if key == "ctrl+b":
            s = w.settle()
            t.check(text in s["status"] and s["toast_s"] > 10, "a long reason stays longer, and also in the status line", s["status"], s["toast_s"])
    room.end(t, w)


def test_no_run(t, room):
    """Views without a recording say what prevents a run, and so do the keys that would need one."""
    w = room.open("example:matmul_m", size=(1600, 1000))
    w.wait(opened, "the workspace")

    def says(key, text):
        w.key(key)
        w.wait(lambda s: any(text in toast for toast in s["toasts"]), f"the reason after {key}")
        t.check(True, f"{key} says why it does nothing")

    says("F8", "No program is being debugged; F6 starts the debugger")
    w.click_control("Explain")
    s = w.wait(lambda s: s["explain"]["shown"], "the page without a recording")
    t.check(s["explain"]["title"] == "No recording; press Space to run the program", "it says how to get a recording", s["explain"])
    w.key("F6")
    w.wait(lambda s: s["debug"]["pointer"].strip("0") and not s["debug"]["busy"], "the debugger")
    w.click_control("Explain")
    s = w.wait(lambda s: "is being debugged" in s["explain"]["title"], "the reason while debugging")
    says("F6", "The program is being debugged; F8 continues it")
    w.key("shift+F6")
    s = w.wait(lambda s: not s["running"] and "before it recorded anything" in s["explain"]["title"], "the reason after the session")
    t.check("press Space to run" in s["explain"]["title"], "a session without events is named as the reason", s["explain"])
    w.key("1")
    w.wait(lambda s: s["text_page"] == "script", "the script")
    edit_at_end_of(w, "fd.add_output(")
    w.type(" + (")
    s = w.wait(lambda s: lowered(s) and marked(s, "error"), "the error")
    reason = "No recording. No valid program; fix or undo the error in the script first"
    t.check(s["explain"]["title"] == reason, "the explanation does not advise to run", s["explain"])
    w.click_control("Statistics")
    w.wait(lambda s: s["stats_title"] == reason, "the same reason in the statistics")
    w.click_control("Events")
    w.wait(lambda s: s["events"]["title"] == reason, "the same reason in the events")
    w.key("Escape")
    for key in ("F5", "F6", "ctrl+e"):
        says(key, "No valid program; fix or undo the error in the script first")
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and s["events"]["title"].endswith("press Space to run the program"), "the advice after undo")
    room.end(t, w)


def test_script_streams(t, room):
    """A script sets the number of streams; the user may choose another one."""
    w = room.open(os.path.join(os.path.dirname(PARAMETERS), "..", "cases", "scripts", "executor_options.py::streams"))
    w.wait(opened, "the workspace")
    chosen = [c["name"] for c in w.controls()]
    t.check(any("2 streams (script)" in text for text in chosen), "the number of the script is selected", chosen)
    w.key("space")
    s = w.wait(lambda s: not s["running"] and s["bars"], "the run")
    streams = {b["track"] for b in s["bars"] if b["device"]}
    t.check(0 < len(streams) <= 2, "the run has at most as many streams", streams)
    room.end(t, w)


# --- the script -------------------------------------------------------------------------------------------

ONE = """from nvfuser_direct import DataType, FusionDefinition, ParallelType


def one():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
    return fd
"""
STREAM = "tv1.axis(0).parallelize(ParallelType.stream)"


def edit_at_end_of(w, text):
    """Place the cursor at the end of the line with @text."""
    w.key("F2")
    w.wait(lambda s: s["text_page"] == "script" and w.focus() and w.focus()["kind"] == "HirCodeView", "the script")
    w.settle()
    line = w.line_with(text)
    w.click(line["x"] + 60, line["y"])
    w.key("End")
    return line["line"]


def marked(s, mark):
    return [line["line"] for line in s["lines"] if mark in line["marks"]]


def test_invalid_file(t, room):
    """A script that is invalid when it opens: its line is in the status, and the empty graph has no legend."""
    w = room.open(room.path("invalid.py", "import torch\ntorch EDITED\n"))
    s = w.wait(lambda s: s["status"].startswith("Not lowered, line 2: "), "the error")
    t.check(marked(s, "error") == [2], "the error is at its line", marked(s, "error"))
    t.check(not s["graph"]["legend_shown"], "there is no legend", s["graph"]["legend_shown"])
    room.end(t, w)


def test_message_place(t, room):
    """A long message is one line high at its line, wherever the cursor is. A click shows all of it, Escape cuts it again."""
    w = room.open("example:ag_matmul", size=(1024, 700))
    w.wait(opened, "the workspace")
    line = edit_at_end_of(w, "tv2 = fd.ops.matmul")
    w.type(" + unknown_function_name(tv0, 17)")
    w.wait(lambda s: lowered(s) and marked(s, "error") == [line], "the error")

    def place():
        s = w.settle()
        message, = [c for c in s["controls"] if c.get("message")]
        return message, message["y"] + message["height"] / 2 - next(x["y"] for x in s["lines"] if x["line"] == line)

    message, distance = place()
    t.check(message["height"] < 25 and abs(distance) < 12, "the message is at its line", message, distance)
    t.check(message["width"] < 60, "at the line with the cursor it leaves the text free", message)
    w.key("Down")
    message, distance = place()
    t.check(message["height"] < 25 and abs(distance) < 12 and message["width"] >= 100, "it is also there while the cursor is below", message, distance)
    w.click(message["x"] + 10, message["y"] + message["height"] / 2)
    w.wait(lambda s: any(c["height"] > 25 for c in s["controls"] if c.get("message")), "the whole message")
    message, distance = place()
    t.check(0 < message["y"] - next(x["y"] for x in w.state["lines"] if x["line"] == line) < 20, "the whole message is below the line", message)
    w.key("Escape")
    w.wait(lambda s: all(c["height"] < 25 for c in s["controls"] if c.get("message")), "the cut message")
    t.check(w.control("Edit", "GtkToggleButton")["active"], "Escape does not leave the editor")
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not marked(s, "error"), "no error")
    t.check(not [c for c in w.settle()["controls"] if c.get("message")], "without the error, there is no message")
    room.end(t, w)


def test_warnings(t, room):
    """A name that is not defined where the script does not use it is a warning at its line."""
    w = room.open("example:ag_matmul", size=(1600, 1000))
    w.wait(opened, "the workspace")
    line = edit_at_end_of(w, "tv2 = fd.ops.matmul")
    w.type(" if True else no_sutch_name")
    w.wait(lambda s: lowered(s) and [c for c in s["controls"] if c.get("message")] and not marked(s, "error"), "the warning")
    t.check(has_message(w, line), "the warning is at its line", w.state["lines"])
    t.check(not w.controls("Show Rejected"), "the program is lowered in spite of it", w.state["outdated"])
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not [c for c in s["controls"] if c.get("message")], "no warning")
    room.end(t, w)


def test_typing(t, room):
    path = room.path("one.py", ONE)
    w = room.open(path)
    w.wait(opened, "the workspace")
    line = edit_at_end_of(w, "fd.add_output(tv1)")
    w.key("Return")
    w.type("tv1.axis(0).parallelize(ParallelType.strea")
    s = w.wait(lambda s: lowered(s) and marked(s, "error"), "the error of the incomplete line")
    t.check(marked(s, "error") == [line + 1], "the error is displayed at its line", marked(s, "error"))
    t.check(has_message(w, line + 1), "its message is at the line", [c for c in s["controls"] if c.get("message")])
    t.check(s["graph"]["nodes"] and len(rows(w)) == N_TABLE and not w.control("Run")["usable"],
            "the previous program is still displayed, but cannot be run")
    t.check(s["title"].startswith("\u2022"), "the title marks unsaved changes", s["title"])
    w.type("m)")
    s = w.wait(lambda s: lowered(s) and "Edit of the script: " in s["status"] and "differ" in s["status"], "the lowering of the complete line")
    t.check(not marked(s, "error"), "no error is left", s["lines"])
    w.wait(lambda s: "+" in rows(w)["StreamParallelType"]["text"], "the pass to change the program")
    w.key("Escape")
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "GtkListBoxRow", "the focus to return to the list of passes")
    w.key("j", "j", "j", "j", "j")
    s = w.wait(lambda s: s["step"] == "StreamParallelType" and s["text_page"] == "ir", "the pass")
    w.key("j")
    s = w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")
    wanted = printed(room, room.path("wanted.py", ONE.replace("fd.add_output(tv1)\n", f"fd.add_output(tv1)\n        {STREAM}\n")))
    t.check(shown(s) == wanted, "the program equals that of the typed script", shown(s), wanted)
    w.key("space")
    w.wait(ran, "a run of the typed script")
    t.check("numbers equal" in w.state["status"], "an unsaved script can be run", w.state["status"])

    while w.state["title"].startswith("\u2022"):
        before = w.state["status"]
        w.key("ctrl+z")
        w.wait(lambda s: lowered(s) and s["status"] != before, "undo")
        w.settle()
    w.key("1")
    s = w.wait(lambda s: s["text_page"] == "script", "the script")
    t.check(shown(s) == [x.strip() for x in ONE.splitlines() if x.strip()], "undo restores the opened text", shown(s))
    room.end(t, w)


def test_whole_reason(t, room):
    """The reason why a change was rejected is readable as a whole, although it is cut at its line."""
    for size in ((1600, 1000), (1024, 700)):
        w = room.open(room.path("one.py", ONE), size=size)
        w.wait(opened, "the workspace")
        edit_at_end_of(w, "fd.add_output(tv1)")
        for line in ("tv1.split(0, 2)", STREAM):
            w.key("Return")
            w.type(line)
        w.wait(lambda s: lowered(s) and "StreamParallelType, line" in s["status"], "the error of the pass")
        s = w.settle()
        t.check(s["status"].endswith("or reshape the tensor") and not s["status_is_cut"], f"the status shows the whole reason at {size}", s["status"])
        w.key("ctrl+z")
        room.end(t, w, keys="ctrl+q")


def test_refused_edit(t, room):
    w = room.open(room.path("one.py", ONE))
    w.wait(opened, "the workspace")
    line = edit_at_end_of(w, "fd.add_output(tv1)")
    w.key("Return")
    w.type("tv1.split(0, 2)")
    w.key("Return")
    w.type(STREAM)
    s = w.wait(lambda s: lowered(s) and "StreamParallelType, line" in s["status"], "the error of the pass")
    t.check(marked(s, "error") == [line + 2], "the error is displayed at the line that caused it", marked(s, "error"))
    w.wait(lambda s: "failed at line " in rows(w)["StreamParallelType"]["text"], "the line of the error in the row of the pass")
    t.check("no change" in rows(w)["ConvertOpToCommunication"]["text"], "the rows of later passes are unchanged", rows(w))
    w.settle()
    w.click_control("Show Rejected")
    w.wait(lambda s: w.controls("Show Previous"), "the rejected program")
    w.wait(lambda s: "not reached" in rows(w)["ConvertOpToCommunication"]["text"], "the later passes not to be reached")
    t.check(True, "the rejected program is displayed up to the failed pass")
    w.click_control("Show Previous")
    w.wait(lambda s: w.controls("Show Rejected"), "the previous program")
    w.key("Escape", "ctrl+z")
    w.wait(lambda s: lowered(s) and not marked(s, "error"), "undo")
    t.check(not w.controls("Show Rejected"), "undo removes the error")
    w.key("ctrl+y")
    w.wait(lambda s: lowered(s) and marked(s, "error"), "redo")
    w.key("ctrl+w")
    w.wait(lambda s: s["dialogs"], "the dialog")
    w.focus_newest()
    w.settle()
    w.key("alt+d")
    t.check(w.process.wait(20) == 0, "Discard closes the window")
    room.end(t, w, keys=None)


def test_saving(t, room):
    path = room.path("save.py", ONE.replace("\n", "\r\n"))
    w = room.open(path)
    w.wait(opened, "the workspace")
    edit_at_end_of(w, "fd.add_output(tv1)")
    w.key("Return")
    w.type("# mine")
    w.key("ctrl+s")
    w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022") and any("# mine" in line["text"] for line in s["lines"]), "the save")
    with open(path, "rb") as file:
        text = file.read().decode()
    t.check(text == ONE.replace("fd.add_output(tv1)\n", "fd.add_output(tv1)\n        # mine\n").replace("\n", "\r\n"),
            "the file has the new text and its original line ends", text)
    w.type(" too")
    w.wait(lambda s: s["title"].startswith("\u2022"), "a change")
    with open(path, "a") as file:
        file.write("# theirs\n")
    w.key("ctrl+s")
    s = w.wait(lambda s: s["dialogs"], "the dialog")
    t.check(s["dialogs"][0]["heading"] == "Replace save.py?", "a file changed by another program is not overwritten without asking", s["dialogs"])
    w.focus_newest()
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the dialog to close")
    with open(path) as file:
        t.check(file.read().endswith("# theirs\n"), "Cancel leaves the file unchanged")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.key("ctrl+w")
    s = w.wait(lambda s: s["dialogs"], "the dialog")
    t.check(s["dialogs"][0]["heading"] == "Save Changes to save.py?", "closing the window asks about unsaved changes", s["dialogs"])
    w.focus_newest()
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the dialog to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.key("Escape", "ctrl+z")
    w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022"), "the change to be undone")
    room.end(t, w)


def test_modified(t, room):
    """The mark of unsaved changes follows undo and redo; Ctrl+S without changes does nothing."""
    path = room.path("modified.py", ONE)
    w = room.open(os.path.relpath(path))
    w.wait(opened, "the workspace")

    def press(key, is_modified):
        w.key(key)
        return w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022") == is_modified, f"{key}, modified: {is_modified}")

    def saved():
        with open(path) as file:
            return file.read()

    w.key("space")
    w.wait(lambda s: s["bars"] and not s["running"], "a run")
    w.key("ctrl+s")
    s = w.wait(lambda s: s["status"] == "No changes to save", "the status")
    t.check(not s["dialogs"] and saved() == ONE, "Ctrl+S without changes saves neither the text nor the recording", s["dialogs"])
    edit_at_end_of(w, "fd.add_output(tv1)")
    press("Return", True)
    press("ctrl+s", False)
    t.check(saved() != ONE, "the change is saved")
    press("Return", True)
    press("ctrl+z", False)
    press("ctrl+z", True)
    press("ctrl+y", False)
    press("ctrl+y", True)
    t.check(True, "the mark is displayed if the text differs from the saved one")
    press("ctrl+z", False)
    press("ctrl+z", True)
    s = press("ctrl+s", False)
    t.check(saved() == ONE and not s["dialogs"], "an undone text is saved in the same file", s["dialogs"])
    press("ctrl+y", True)
    press("ctrl+z", False)
    room.end(t, w)


def test_changed_file(t, room):
    """A file that another program changes is read again; unsaved changes are kept until the user decides."""
    path = room.path("theirs.py", ONE)
    w = room.open(path)
    w.wait(opened, "the workspace")

    def write(text):
        with open(path + ".new", "w") as file:
            file.write(text)
        os.replace(path + ".new", path)

    def texts(s):
        return [line["text"] for line in s["lines"]]

    write(ONE + "# first\n")
    s = w.wait(lambda s: lowered(s) and "# first" in texts(s), "the new text")
    t.check("theirs.py changed on disk" in s["status"] and not s["title"].startswith("\u2022") and not s["changedFile"],
            "an unchanged text follows its file", s["status"])
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and "# first" not in texts(s) and s["title"].startswith("\u2022"), "undo")
    w.key("ctrl+s")
    w.wait(lambda s: not s["title"].startswith("\u2022"), "the save")
    with open(path) as file:
        t.check(file.read() == ONE, "an undone reload can be saved without a question")

    edit_at_end_of(w, "fd.add_output(tv1)")
    w.key("Return")
    w.type("# mine")
    w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "a change")
    write(ONE + "# second\n")
    s = w.wait(lambda s: s["changedFile"], "the question")
    t.check(s["changedFile"][0] == "theirs.py was changed by another program" and any("# mine" in text for text in texts(s)),
            "changes are not replaced", s["changedFile"])
    write(ONE)
    w.wait(lambda s: not s["changedFile"], "the question to disappear when the file has its first text again")
    write(ONE + "# third\n")
    w.wait(lambda s: s["changedFile"] and w.controls("Reload", "GtkButton"), "the question again")
    picture = os.environ.get("HIR_TEST_PICTURES")
    if picture:
        w.screenshot(os.path.join(picture, "changed-file.png"))
    w.click_control("Reload", "GtkButton")
    w.wait(lambda s: lowered(s) and "# third" in texts(s) and not s["title"].startswith("\u2022") and not s["changedFile"], "the text of the file")
    w.key("ctrl+z")
    s = w.wait(lambda s: lowered(s) and any("# mine" in text for text in texts(s)), "undo")
    t.check(s["title"].startswith("\u2022"), "undo restores the replaced changes", s["title"])
    write(ONE + "# fourth\n")
    w.wait(lambda s: s["changedFile"] and w.controls("Keep Mine", "GtkButton"), "the question again")
    w.click_control("Keep Mine", "GtkButton")
    w.wait(lambda s: not s["changedFile"], "the question to close")
    w.key("ctrl+s")
    s = w.wait(lambda s: not s["title"].startswith("\u2022") or s["dialogs"], "the save")
    with open(path) as file:
        t.check("# mine" in file.read() and not s["dialogs"], "the kept text replaces the file without another question", s["dialogs"])
    room.end(t, w)


def test_save_as(t, room):
    w = room.open("example:two_set_ops")
    w.wait(opened, "the workspace")
    edit_at_end_of(w, "tv1 = fd.ops.set(tv0)")
    w.key("Return")
    w.type("# mine")
    w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "the change")
    # An example has no file, so that saving asks for one.
    path = room.path("as.py")
    w.key("ctrl+shift+s")
    w.wait(lambda s: len(w.display.xdotool("search", "--onlyvisible", "--pid", w.process.pid).split()) > 1, "the file chooser")
    w.focus_newest()
    w.key("ctrl+a")
    w.type(path)
    w.key("Return")
    s = w.wait(lambda s: not s["title"].startswith("\u2022") and os.path.exists(path), "the save")
    with open(path) as file:
        t.check("# mine" in file.read(), "the text is in the chosen file")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.wait(lambda s: lowered(s) and any("# mine" in line["text"] for line in s["lines"]), "the text to be displayed")
    room.end(t, w)


def test_draft(t, room):
    """Unsaved changes of a killed window are offered by the next window with the file, or by the start page."""
    path = room.path("draft.py", ONE)
    home = room.path("home-draft")
    folder = os.path.join(home, "state", "hirscope", "drafts")
    os.makedirs(home)

    def start(*words):
        w = room.open(*words, home=home, remembered="[tour]\nseen=true\n")
        if words:
            w.wait(opened, "the workspace")
        return w

    def wait_drafts(n):
        end = time.monotonic() + 60
        while len([name for name in os.listdir(folder) if name.endswith(".draft")] if os.path.exists(folder) else []) != n:
            if time.monotonic() > end:
                raise AssertionError(f"waited for {n} drafts, but saw {os.listdir(folder)}")
            time.sleep(0.05)

    def change(w, text):
        edit_at_end_of(w, text)
        w.key("Return")
        w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "the change")
        wait_drafts(1)

    def kill(w):
        w.kill()
        room.open_windows.remove(w)

    def offer(w):
        w.wait(lambda s: s["draft"] and w.controls("Restore", "GtkButton"), "the offer")
        return w.settle()["draft"][0]

    w = start(path)
    change(w, "fd.add_output(tv1)")
    other = start(path)
    other.settle()
    t.check(not other.controls("Restore"), "a second window does not offer the changes of an open one")
    room.end(t, other)
    kill(w)

    w = start(path)
    t.check(offer(w).startswith("Unsaved changes of draft.py from "), "the next window with the file offers the changes", offer(w))
    picture = os.environ.get("HIR_TEST_PICTURES")
    if picture:
        w.screenshot(os.path.join(picture, "draft.png"))
    w.click_control("Restore", "GtkButton")
    w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022") and not w.controls("Restore", "GtkButton"), "the restored text")
    t.check(not w.focus() or w.focus()["name"] != "Open", "a hidden offer gives the focus to no other button", w.focus())
    wait_drafts(1)
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022"), "undo")
    wait_drafts(0)
    w.key("ctrl+y")
    w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "redo")
    wait_drafts(1)
    kill(w)

    w = start(path)
    offer(w)
    w.click_control("Discard", "GtkButton")
    s = w.wait(lambda s: not w.controls("Restore", "GtkButton"), "the offer to disappear")
    t.check(not s["title"].startswith("\u2022"), "Discard leaves the text as it is", s["title"])
    wait_drafts(0)
    room.end(t, w)

    # The start page opens the file. It has changed since, so that saving asks.
    w = start(path)
    change(w, "fd.add_output(tv1)")
    kill(w)
    with open(path, "a") as file:
        file.write("# elsewhere\n")
    os.utime(path, (time.time() + 60, time.time() + 60))
    w = start()
    t.check(offer(w).startswith("Unsaved changes of draft.py from ") and ", older than the file, which was saved at " in offer(w),
            "the start page offers changes of a file, and says that the file is newer", offer(w))
    w.click_control("Restore", "GtkButton")
    w.wait(lambda s: opened(s) and lowered(s) and s["title"].startswith("\u2022") and not w.controls("Restore", "GtkButton"),
           "the file with the restored text")
    wait_drafts(1)
    w.key("ctrl+s")
    s = w.wait(lambda s: s["dialogs"], "the question")
    t.check(s["dialogs"][0]["heading"] == "Replace draft.py?", "saving asks", s["dialogs"])
    w.focus_newest()
    w.settle()
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the question to close")
    with open(path) as file:
        t.check("# elsewhere" in file.read(), "the file is not replaced")
    focus_window(w)
    w.key("ctrl+z")
    s = w.wait(lambda s: lowered(s) and "Undone" in s["status"] and not s["title"].startswith("\u2022"), "undo to the text of the file")
    wait_drafts(0)
    room.end(t, w)

    # Each of two crashes leaves a version; Discard shows the next.
    for text in ("fd.add_output(tv1)", "tv1 = fd.ops.set(tv0)"):
        w = start(path)
        edit_at_end_of(w, text)
        w.key("Return")
        w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "the change")
        wait_drafts(1 if text.startswith("fd") else 2)
        kill(w)
    w = start(path)
    t.check(offer(w).endswith(" \u00b7 the newest of 2 versions, Discard shows the next"), "the number of versions is displayed", offer(w))
    w.click_control("Discard", "GtkButton")
    w.wait(lambda s: s["draft"] and "versions" not in s["draft"][0], "the other version")
    w.click_control("Discard", "GtkButton")
    w.wait(lambda s: not w.controls("Restore", "GtkButton"), "the offer to disappear")
    wait_drafts(0)
    room.end(t, w)

    # An example has no file.
    w = start("example:two_set_ops")
    change(w, "tv1 = fd.ops.set(tv0)")
    kill(w)
    w = start("example:two_set_ops")
    t.check(offer(w).startswith("Unsaved changes of "), "the same example offers its changes", offer(w))
    name = w.display.xdotool("getwindowname", w.id)
    t.check(name.strip() == "two_set_ops - single_device.py - Hirscope", "lists of windows name the document", name)
    room.end(t, w)
    # So does a recording of it.
    recording = room.path("draft.hirs")
    room.program("run", "example:two_set_ops", "--clock", "model", "-o", recording)
    w = start(recording)
    t.check(offer(w).startswith("Unsaved changes of "), "a recording with the same text offers the changes", offer(w))
    room.end(t, w)
    w = start("example:ag_matmul")
    w.settle()
    t.check(not w.controls("Restore", "GtkButton"), "an example of another script does not")
    room.end(t, w)
    w = start()
    t.check(offer(w).startswith("Unsaved changes of ") and w.state["page"] == "gallery", "the start page offers changes of a text without a file", offer(w))
    w.click_control("Restore", "GtkButton")
    w.wait(lambda s: opened(s) and lowered(s) and s["title"].startswith("\u2022") and not w.controls("Restore", "GtkButton"), "the restored text")
    wait_drafts(1)
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022"), "undo to the text of the example")
    wait_drafts(0)
    w.key("ctrl+y")
    w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "redo")
    wait_drafts(1)
    w.key("ctrl+w")
    w.wait(lambda s: s["dialogs"], "the question")
    w.focus_newest()
    w.settle()
    w.key("alt+d")
    t.check(w.process.wait(20) == 0, "Discard closes the window")
    room.end(t, w, keys=None)
    wait_drafts(0)


def test_draft_next(t, room):
    """The start page offers the drafts of several documents, and shows where a restored text was changed."""
    path = room.path("next.py", ONE.replace("def ", "# \n" * 80 + "def ", 1))
    home = room.path("home-next")
    folder = os.path.join(home, "state", "hirscope", "drafts")
    os.makedirs(home)

    def start(*words):
        return room.open(*words, home=home, remembered="[tour]\nseen=true\n")

    def leave(n, text, *words):
        """Leave draft @n, which changes the line with @text."""
        w = start(*words)
        w.wait(opened, "the workspace")
        edit_at_end_of(w, text)
        w.type("  # mine")
        w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "the change")
        w.wait(lambda s: os.path.exists(folder) and len([x for x in os.listdir(folder) if x.endswith(".draft")]) == n, f"draft {n}")
        w.kill()
        room.open_windows.remove(w)

    def offer(w, name):
        w.wait(lambda s: s["draft"] and s["draft"][0].startswith(f"Unsaved changes of {name} from "), f"the offer of {name}")
        return w.settle()["draft"][0]

    def restored(w, title):
        s = w.wait(lambda s: opened(s) and lowered(s) and s["title"] == f"\u2022 {title}" and not w.controls("Restore", "GtkButton"), "the restored text")
        w.wait(lambda s: any(line["text"].endswith("  # mine") for line in s["lines"]), "the changed line")
        return s

    leave(1, "tv1 = fd.ops.set", path)
    leave(2, "out = fd.ops.sum", "example:matmul_AR", "-d", "4")
    w = start()
    text = offer(w, "multi_device.py")
    t.check(text.endswith(" \u00b7 1 more document has unsaved changes, see Next"), "the start page says that another document has unsaved changes", text)
    picture = os.environ.get("HIR_TEST_PICTURES")
    if picture:
        w.screenshot(os.path.join(picture, "draft-next.png"))
    w.click_control("Next", "GtkButton")
    t.check("1 more document" in offer(w, "next.py"), "Next shows the other document", w.state["draft"])
    w.click_control("Restore", "GtkButton")
    restored(w, "one")
    if picture:
        w.screenshot(os.path.join(picture, "draft-restored-file.png"))
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022"), "undo")
    room.end(t, w)

    w = start()
    t.check("more" not in offer(w, "multi_device.py") and not w.controls("Next", "GtkButton"), "without a second document, there is no Next", w.state["draft"])
    w.click_control("Restore", "GtkButton")
    restored(w, "matmul_AR")
    if picture:
        w.screenshot(os.path.join(picture, "draft-restored.png"))
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022"), "undo")
    room.end(t, w)


# --- axis menu ------------------------------------------------------------------------------


def node(s, title):
    return next(n for n in s["graph"]["nodes"] if n["title"] == title)


def pick(w, *items):
    """Click @items of the open menu one after the other."""
    for item in items:
        w.wait(lambda s: w.controls(item, "GtkModelButton"), f"'{item}' in the menu")
        w.settle()
        w.click_control(item, "GtkModelButton")


def test_axis_menu(t, room):
    w = room.open(room.path("one.py", ONE))
    w.wait(opened, "the workspace")
    w.settle()
    n = node(w.state, "T1")
    w.click(n["x"], n["y"], button=3)
    pick(w, "Axis 0:  iS2{i0}", "Stream")
    s = w.wait(lambda s: lowered(s) and "tv1, axis 0 stream: " in s["status"], "the axis to be a stream axis")
    wanted = ONE.replace("fd.add_output(tv1)\n", f"fd.add_output(tv1)\n        {STREAM}\n")
    t.check(shown(s) == [x.strip() for x in wanted.splitlines() if x.strip()], "the script has the new line", shown(s))
    w.wait(lambda s: "+" in rows(w)["StreamParallelType"]["text"], "the pass to change the program")

    # The same axis by keys only; a different choice changes the same line.
    w.wait(lambda s: [x["kind"] for x in s["selected"]] == ["TensorView"], "the tensor to be still selected")
    w.key("Menu")
    w.wait(lambda s: w.controls("Axis 1:  iS3{i2}", "GtkModelButton"), "the menu")
    w.settle()
    w.key("Down", "Right")
    w.wait(lambda s: w.controls("Stream", "GtkModelButton"), "the menu of the axis")
    w.settle()
    w.key("Return")
    s = w.wait(lambda s: lowered(s) and "StreamParallelType, line" in s["status"], "the error about two stream axes")
    line = wanted.splitlines().index(f"        {STREAM}") + 2
    w.wait(lambda s: marked(s, "error") == [line], "the error at the inserted line")
    t.check("two stream axes" in s["status"], "a rejected schedule is displayed at its line", s["status"])
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not marked(s, "error"), "undo")
    w.settle()
    n = node(w.state, "T1")
    w.click(n["x"], n["y"], button=3)
    pick(w, "Axis 0:  iStreamIdx2{i0}")
    w.wait(lambda s: w.controls("Stream  (current)", "GtkModelButton"), "the menu of the axis")
    names = {c["name"]: c["usable"] for c in w.state["controls"] if c["kind"] == "GtkModelButton"}
    t.check(names["Stream  (current)"] is False and names["Serial"], "the current kind of an axis changes nothing", names)
    t.check("mesh_x, over the Devices" in names, "the underscore of mesh_x is no mnemonic", names)
    if os.environ.get("HIR_TEST_PICTURES"):
        w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "axis.png"))
    pick(w, "Serial")
    s = w.wait(lambda s: lowered(s) and "tv1, axis 0 serial: " in s["status"], "the axis to be serial")
    t.check(shown(s) == [x.strip() for x in ONE.splitlines() if x.strip()], "Serial removes the line", shown(s))

    # From the program text of a later step: edits the origin of the tensor.
    w.key(*["j"] * 4)
    w.wait(lambda s: s["step"] == "SegmentFusion" and s["text_page"] == "ir", "a later step")
    w.settle()
    line = w.line_with("T1_g_float")
    w.click(line["x"] + 30, line["y"], button=3)
    pick(w, "Schedule of T1 [i0, i2]\u2026", "Axis 1:  iS3{i2}", "Split Axis 1, Outer", "By 4")
    s = w.wait(lambda s: lowered(s) and "tv1, axis 1 split: " in s["status"], "the axis to be split")
    w.key("1")
    s = w.wait(lambda s: s["text_page"] == "script" and any("tv1.outer_split(1, 4)" in x["text"] for x in s["lines"]), "the split")
    t.check(True, "an axis is split from the program text")
    w.key("ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z")
    w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022"), "all changes to be undone")
    room.end(t, w)


def test_split(t, room):
    """Splits an axis by a typed factor; rejects invalid factors; one undo restores the script."""
    w = room.open(room.path("split.py", ONE))
    w.wait(opened, "the workspace")
    w.settle()
    n = node(w.state, "T1")
    w.click(n["x"], n["y"], button=3)
    pick(w, "Axis 0:  iS2{i0}", "Split Axis 0, Inner", "By Another Number\u2026")
    w.wait(lambda s: s["dialogs"], "the dialog")
    w.focus_newest()
    w.settle()
    w.type("0")
    s = w.settle()
    button = [c for c in s["dialogs"][0]["controls"] if c["name"] in ("_Split", "Split")]
    t.check(button and not button[0]["usable"], "a split by 0 is rejected", s["dialogs"])
    w.key("BackSpace", "6", "Return")
    s = w.wait(lambda s: not s["dialogs"] and lowered(s) and "tv1, axis 0 split: " in s["status"], "the axis to be split")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.wait(lambda s: any("tv1.inner_split(0, 6)" in x["text"] for x in s["lines"]), "the new line")
    t.check(True, "an axis is split by a typed factor")
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and not any("inner_split" in x["text"] for x in s["lines"]), "one undo to remove the split")
    room.end(t, w)


def test_leave_from_elsewhere(t, room):
    """Editing ends while another view has the focus and the cursor of the script blinks."""
    # The last value of a key counts.
    w = room.open(room.path("one.py", ONE), more_settings="gtk-cursor-blink=1\ngtk-cursor-blink-time=200\n")
    w.wait(opened, "the workspace")
    for _ in range(3):
        w.key("F2")
        w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the script")
        time.sleep(0.5)  # the cursor has begun to blink
        w.read()
        row = next(c for c in w.state["controls"] if c["kind"] == "GtkListBoxRow" and c["name"] == "StreamParallelType")
        w.click(row["x"] + 40, row["y"] + 10)
        w.wait(lambda s: w.focus() and w.focus()["kind"] == "GtkListBoxRow", "the focus in the list")
        w.key("F2")
        w.wait(lambda s: not w.control("Edit")["active"], "the end of editing")
        time.sleep(0.5)
        w.key("1")
    t.check(w.process.poll() is None, "the window stays open")
    room.end(t, w)


def test_link_to_error(t, room):
    """The line in the status of a rejected script leads there, even though it created no instruction."""
    path = room.path("long.py", ONE + "\n" * 120 + "x = 1\n")
    w = room.open(path)
    w.wait(opened, "the workspace")
    w.key("F2")
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the script")
    w.key("ctrl+End")
    w.type("foo(")
    w.wait(lambda s: not s["lowering"] and s["status"].startswith("Not lowered, line"), "the error")
    w.key("ctrl+Home")
    s = w.wait(lambda s: s["lines"][0]["line"] == 1, "the first line")
    label = next(c for c in s["controls"] if c["kind"] == "GtkLabel" and c["name"].startswith("Not lowered, line"))
    w.click(label["x"] + 95, label["y"] + label["height"] / 2)
    s = w.wait(lambda s: any("foo(" in line["text"] for line in s["lines"]), "the line of the error")
    t.check(not any("created no instruction" in c["name"] for c in s["controls"]), "no message says that the line has no instruction")
    w.key("ctrl+w")
    w.wait(lambda s: s["dialogs"], "the question about the text")
    w.focus_newest()
    w.settle()
    w.key("alt+d")
    t.check(w.process.wait(20) == 0, "Discard closes the window")
    room.end(t, w, keys=None)


# --- bisection --------------------------------------------------------------------------------------------

DIFFERENCES = """
import nvfuser
from nvfuser import FusionDefinition, DataType, ParallelType


def differences():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        b = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        c = fd.ops.sub(a, b)
        d = fd.ops.mul(c, c)
        e = fd.ops.add(d, c)
        fd.add_output(e)
        e.axis(0).parallelize(ParallelType.stream)
    return fd
"""


def test_bisect(t, room):
    w = room.open("--enable", "SwapOperands", "--set", "SwapOperands.tensor=T2", room.path("differences.py", DIFFERENCES),
                  env={"HIRSCOPE_TEST_PASSES": "1"})
    w.wait(opened, "the workspace")
    w.key("space")
    w.wait(lambda s: ran(s) and "differ" in s["status"], "a run with incorrect results")
    w.wait(lambda s: w.controls("Find Pass"), "the button to find the pass")
    w.settle()
    w.click_control("Find Pass")
    s = w.wait(lambda s: s["step"] == "SwapOperands" and s["text_page"] == "diff", "the injected bug")
    text = {name: c["text"] for name, c in rows(w).items()}
    t.check("wrong" in text["SwapOperands"] and "right" in text["Fusion"] and
            not any("wrong" in x for name, x in text.items() if name != "SwapOperands"), "only the injected bug is reported", text)
    w.wait(lambda s: {m for line in s["lines"] for m in line["marks"]} & {"added", "changed", "removed"}, "the changes of the pass")
    t.check(True, "the difference of the pass is displayed")

    # Without the incorrect pass, no pass is reported.
    w.key("x")
    w.wait(lambda s: lowered(s) and "SwapOperands off" in s["status"], "the pass to be off")
    t.check(not w.controls("Show Changes"), "the result of the previous program is dropped")
    w.key("ctrl+b")
    w.wait(lambda s: w.controls("Done", "GtkButton"), "the result")
    w.wait(lambda s: "right" in rows(w)["StreamParallelType"]["text"], "the verdict of the host program")
    t.check(not any("wrong" in c["text"] for c in rows(w).values()), "no pass is reported if all are correct", rows(w))

    w.key("ctrl+shift+b")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkEntry", "GtkText"), "the entry")
    w.type("FOR StreamIdx")
    w.key("Return")
    s = w.wait(lambda s: s["step"] == "StreamParallelType" and s["text_page"] == "diff", "the pass that creates loops")
    verdicts = {name: set(c["text"].split(" | ")) & {"match", "no match", "right", "wrong"} for name, c in rows(w).items()}
    t.check([name for name, words in verdicts.items() if words == {"match"}] == ["StreamParallelType"] and verdicts["Fusion"] == {"no match"} and
            not any(words & {"right", "wrong"} for words in verdicts.values()), "a pass is found by a pattern in the program text", verdicts)
    t.check(s["bisect"][0] == "StreamParallelType is the first match", "and named", s["bisect"])
    w.key("ctrl+shift+b")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkEntry", "GtkText"), "the entry again")
    w.type("^Inputs:")
    w.key("Return")
    w.wait(lambda s: "SegmentFusion is the first without a match" in s["bisect"], "the pass that removes it")
    t.check("no match" in rows(w)["SegmentFusion"]["text"] and "no match" not in rows(w)["Fusion"]["text"], "a pattern can disappear, too", rows(w))
    w.settle()
    w.click_control("Done", "GtkButton")
    w.wait(lambda s: not w.controls("Done", "GtkButton"), "the strip to disappear")
    room.end(t, w)


def test_bisect_lost(t, room):
    """Programs whose transfers are not communications are incorrect, although no enabled pass is."""
    w = room.open("example:matmul_AR", "-d", "4", "--disable", "ConvertOpToCommunication")
    w.wait(opened, "the workspace")
    w.key("ctrl+b")
    s = w.wait(lambda s: w.controls("Done", "GtkButton"), "the result")
    verdicts = {name: c["text"].split(" | ") for name, c in rows(w).items()}
    t.check("wrong" in verdicts["StreamParallelType"] and "right" in verdicts["Fusion"], "the last program is not right", verdicts)
    t.check("a disabled one is required" in s["bisect"][0] and "enable ConvertOpToCommunication" in s["bisect"][1], "the disabled pass is named", s["bisect"])
    room.end(t, w)


def test_bisect_rejected(t, room):
    """A verdict disappears if the other pipeline rejects the program."""
    w = room.open("example:allgather_p2p", "-d", "2")
    w.wait(opened, "the workspace")
    w.key("ctrl+b")
    s = w.wait(lambda s: w.controls("Done", "GtkButton"), "the result")
    t.check("No pass changes the results" in s["bisect"][0], "no pass is incorrect", s["bisect"])
    w.key("q")
    s = w.wait(lambda s: not w.controls("Done", "GtkButton") and "cannot become a communication" in s["status"], "the rejection without the verdict")
    t.check(not any("right" in c["text"] for c in rows(w).values()), "no pass has a verdict", rows(w))
    w.key("ctrl+b")
    w.wait(lambda s: w.controls("Done", "GtkButton"), "the result for the rejected program")
    t.check("No pass changes the results" not in w.state["bisect"][0], "it has another verdict", w.state["bisect"])
    room.end(t, w)


def test_bisect_cancel(t, room):
    """Cancels a bisection: a reference of 34 GFLOP in double precision takes long enough."""
    w = room.open("example:matmul_m", "--input", "4096x1024", "--input", "1024x4096")
    w.wait(opened, "the workspace")
    w.key("ctrl+b")
    w.wait(lambda s: w.controls("Cancel", "GtkButton"), "the strip with its progress bar")
    w.click_control("Cancel", "GtkButton")
    w.wait(lambda s: not w.controls("Cancel", "GtkButton"), "the strip to disappear")
    t.check(not any("right" in c["text"] or "wrong" in c["text"] for c in rows(w).values()), "a cancelled search has no verdict", rows(w))
    w.key("j")
    w.wait(lambda s: s["step"] != "Fusion", "the next step")
    t.check(not w.controls("Done", "GtkButton"), "no result appears later")
    # Cancelling does not stop a matrix product, and closing does not wait for it.
    w.key("ctrl+b")
    w.wait(lambda s: w.controls("Cancel", "GtkButton"), "the strip again")
    room.end(t, w)


# --- the printed program -------------------------------------------------------------------------------------


def test_host_ir(t, room):
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    w.key(*["j"] * 6)
    s = w.wait(lambda s: s["step"] == PASSES[-1] and s["text_page"] == "ir" and s["lines"], "the last program")
    program = shown(s)
    first = w
    first.key("space")
    first.wait(ran, "a run of the script")
    w = first.expect_second()
    first.settle()
    first.click_control("Edit", "GtkToggleButton")
    w.poll(lambda s: s["page"] == "workspace", "the window of the copy", time.monotonic() + 60)
    w.take_focus()
    s = w.wait(lambda s: lowered(s) and s["text_page"] == "script" and s["step"] == "Dump", "an editable copy of the program")
    t.check(shown(s) == program, "the copy equals the printed program", shown(s), program)
    w.wait(lambda s: list(rows(w)) == ["Dump"], "the other passes to disappear, because the copy is already lowered")
    w.settle()
    line = next(x for x in w.state["lines"] if x["text"].strip() == "Synchronize Stream 0")
    w.click(line["x"] + 60, line["y"])
    w.key("End", "BackSpace", "BackSpace")
    w.type("x")
    s = w.wait(lambda s: lowered(s) and marked(s, "error"), "the error")
    t.check(marked(s, "error") == [line["line"]] and has_message(w, line["line"]), "the parse error is displayed at its line", marked(s, "error"))
    w.key("Home", "shift+End", "BackSpace")
    s = w.wait(lambda s: lowered(s) and not marked(s, "error") and not any("Synchronize Stream 0" in x["text"] for x in s["lines"]), "the line to be deleted")
    w.key("Escape", "space")
    s = w.wait(ran, "a run of the edited program")
    t.check("sequence" in s["status"], "the edited program is compared with its sequential execution", s["status"])
    # The changed copy is asked about, once.
    w.key("ctrl+w")
    s = w.wait(lambda s: s["dialogs"] and any(d.get("heading") for d in s["dialogs"]), "the question")
    w.focus_newest()
    w.settle()
    w.key("alt+d")
    first.display.xdotool("windowfocus", "--sync", first.id)
    first.wait(lambda s: not s["dialogs"], "the question to close")
    s = first.settle()
    t.check(s["title"] == "matmul_m" and len(rows(first)) == N_TABLE and s["bars"] and s["text_page"] == "ir",
            "the script, its passes and its run stay in the first window", s["title"], s["status"])
    os.close(w.ask)
    room.end(t, first)


run_groups([test_host_ir, test_leave_from_elsewhere, test_link_to_error, test_bisect, test_bisect_lost, test_bisect_rejected, test_bisect_cancel, test_axis_menu, test_split, test_typing, test_warnings, test_invalid_file, test_message_place, test_whole_reason, test_refused_edit, test_saving, test_modified, test_changed_file, test_draft, test_draft_next, test_save_as, test_passes, test_switches, test_toggle, test_options, test_first_touch, test_parameters, test_functions, test_impossible, test_no_run, test_script_streams])
