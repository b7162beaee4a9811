#!/usr/bin/env python3
"""test-window.py HIRSCOPE [GROUP...]

Tests the window with a real keyboard and pointer on a private X server. The visible state is read from the report of the
window (ui/testing/report.h); the expected state comes from the commands.
"""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES  # noqa: E402
from room import (PASSES, device_bars, lines_of, opened, ran, run_groups, selected_ids, wait_gone)  # noqa: E402

SCRIPT = os.path.join(EXAMPLES, "single_device.py")

SLOW = """
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def slow():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[3000, 3000], contiguity=True, dtype=DataType.Float)
        b = fd.define_tensor(shape=[3000, 3000], contiguity=True, dtype=DataType.Float)
        c = a
        made = []
        for i in range(40):
            c = fd.ops.matmul(c, b)
            made.append(c)
        fd.add_output(c)
        for c in made:
            c.axis(0).parallelize(ParallelType.stream)
    return fd
"""

PICTURES = os.environ.get("HIR_TEST_PICTURES")
BROKEN = """
from nvfuser_direct import FusionDefinition

def one():
    with FusionDefinition() as fd
        tv0 = fd.define_tensor(shape=[-1])

def two(:
    pass

def three():
    x = = 3
"""


# --- first steps -----------------------------------------------------------------------


def test_first_minute(t, room):
    w = room.open()
    w.wait(lambda s: s["page"] == "gallery" and w.controls("Two set ops"), "the gallery")
    t.check(len(w.controls(kind="GtkButton")) >= 10, "the gallery has its cards")
    w.click_control("Two set ops")
    s = w.wait(opened, "the workspace")
    t.check(s["step"] == "Fusion" and s["title"] == "two_set_ops", "the card opens its fusion", w.describe())
    w.wait(lambda s: s["text_page"] == "script" and any("def two_set_ops" in line["text"] for line in s["lines"]),
           "the function in the script")
    t.check(True, "the script is displayed at the function")
    view = w.controls(kind="HirCodeView")[0]
    w.settle()
    # Keywords, names, numbers and strings have hues; gray letters have none.
    t.check(w.display.n_hues(view["x"] + 60, view["y"], view["x"] + view["width"], view["y"] + view["height"]) >= 2,
            "the script is colored")

    for i, name in enumerate(PASSES[1:], 1):
        w.key("j")
        s = w.wait(lambda s: s["step"] == name, f"pass {name}")
        t.check(s["text_page"] == "ir", f"j steps to {name} and shows its program")
        rows = [c["name"] for c in w.controls(kind="GtkListBoxRow")]
        t.check(name in rows, f"{name} is in the list of passes", rows)
    w.key("j")
    w.key("k")
    s = w.wait(lambda s: s["step"] == PASSES[-2], "the step before the last pass")
    t.check(True, "j at the end changes nothing, and k steps back")
    w.key("j")
    w.wait(lambda s: s["step"] == PASSES[-1], "the last pass again")

    w.key("space")
    s = w.wait(ran, "a run and its trace")
    t.check(len({b["track"] for b in device_bars(s)}) >= 4, "four streams have bars", {b["track"] for b in s["bars"]})
    t.check(s["shown_ns"][0] < s["shown_ns"][1], "the whole trace is visible")

    select_a_bar(t, w)
    walk_back(t, w)
    room.end(t, w)


def select_a_bar(t, w):
    w.settle()  # the trace is fitted when the run has finished
    s = w.read()
    bars = device_bars(s)
    middle = bars[len(bars) // 2]
    w.click(middle["x"], middle["y"])
    s = w.wait(lambda s: s["event"], "the bar to be selected")
    t.check(selected_ids(s) == [middle["instruction"]], "a click on a bar selects its instruction", middle, s["selected"])
    nodes = {n["id"]: n for n in s["graph"]["nodes"]}
    t.check(middle["instruction"] in nodes, "the graph has the node of the instruction", middle)
    wanted = lines_of(SCRIPT, "fd.ops.set", "two_set_ops")
    t.check(s["script_line"] in wanted, "the selected script line contains a set", s["script_line"], wanted)
    highlighted = [line for line in s["lines"] if "selected" in line["marks"]]
    t.check(0 < len(highlighted) <= 2 and "Set" in highlighted[-1]["text"], "only the lines of the instruction are highlighted in the program", highlighted)
    # The same number from the command.
    w.key("1")
    s = w.wait(lambda s: s["text_page"] == "script", "the script")
    highlighted = [line["line"] for line in s["lines"] if "selected" in line["marks"]]
    t.check(highlighted == [s["script_line"]], "the script line is highlighted", highlighted, s["script_line"])
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir", "the program text")


def walk_back(t, w):
    """Press k until the fusion is displayed; the counterpart of the selected node is selected there."""
    line = w.state["script_line"]
    w.key(*["k"] * (len(PASSES) - 1))
    s = w.wait(lambda s: s["step"] == "Fusion", "the fusion")
    labels = [n["label"] for n in s["selected"]]
    t.check(s["selected"] and all(n["kind"] for n in s["selected"]), "the origin is selected in the fusion", labels)
    t.check(s["script_line"] == line, "the selected script line is unchanged", s["script_line"], line)


# --- selection in all views ---------------------------------------------------------------------------


def test_selecting(t, room):
    w = room.open("example:two_set_ops")
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    s = w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")

    w.settle()
    node = next(n for n in w.state["graph"]["nodes"] if n["title"] == "Set")
    w.click(node["x"], node["y"])
    s = w.wait(lambda s: selected_ids(s) == [node["id"]], "the graph node to be selected")
    t.check(s["script_line"] > 0, "a click on a graph node selects it and its script line")

    line = w.line_with("ALLOCATE")
    w.click(line["x"] + 200, line["y"])
    s = w.wait(lambda s: s["selected"] and s["selected"][0]["id"] != node["id"], "a line to be selected")
    t.check(any(n["kind"] for n in s["selected"]), "a click on a line of the program selects its node", s["selected"])

    w.key("Escape")
    w.wait(lambda s: not s["selected"], "the selection to be cleared")
    t.check(True, "Escape clears the selection")

    w.key("1")
    s = w.wait(lambda s: s["text_page"] == "script", "the script")
    wanted = lines_of(SCRIPT, "fd.ops.set", "two_set_ops")[0]
    line = next(line for line in s["lines"] if line["line"] == wanted)
    w.click(line["x"] + 80, line["y"])
    s = w.wait(lambda s: s["script_line"] == wanted, "the script line to be selected")
    t.check(bool(s["selected"]), "a click on a script line selects the nodes created there", s["selected"])

    row = next(c for c in w.controls(kind="GtkListBoxRow") if c["name"] == "Fusion")
    w.click(row["x"] + 60, row["y"] + 10)
    s = w.wait(lambda s: s["step"] == "Fusion", "the fusion")
    t.check(bool(s["selected"]), "a click in the list of passes steps and keeps the selection", s["selected"])
    room.end(t, w)


def test_find(t, room):
    w = room.open("example:two_set_ops")
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")
    w.key("ctrl+f")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkSearchEntry", "GtkText"), "the search entry")
    w.type("Stream")
    n = room.program("lower", "example:two_set_ops", "--print", "last").out.lower().count("stream")
    w.wait(lambda s: s["found"] == f"1 of {n}", f"the first of {n} matches")
    t.check(n > 3 and w.state["step"] == PASSES[-1], "letters are typed into the entry and do not step", n)
    w.key("Return", "Return")
    w.wait(lambda s: s["found"] == f"3 of {n}", "the third match")
    w.key("shift+Return")
    w.wait(lambda s: s["found"] == f"2 of {n}", "the previous match")
    t.check(True, "Enter and Shift+Enter step through the matches")
    w.key("Escape")
    w.wait(lambda s: not w.controls(kind="GtkSearchEntry"), "the search bar to close")
    w.key("k")
    w.wait(lambda s: s["step"] == PASSES[-2], "a step after the search")
    t.check(True, "Escape closes the search, and keys step again")
    room.end(t, w)


# --- navigation ---------------------------------------------------------------------------------------


def test_timeline(t, room):
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    w.key("space")
    s = w.wait(ran, "a run")
    view = w.controls(kind="HirTimelineView")[0]
    x, y = view["x"] + view["width"] * 0.6, view["y"] + view["height"] * 0.6
    span = lambda s: s["shown_ns"][1] - s["shown_ns"][0]
    whole = s["shown_ns"]

    def after(act, condition, name):
        before = w.state["shown_ns"]
        act()
        w.settle()
        t.check(condition(before, w.state["shown_ns"]), name, before, w.state["shown_ns"])

    closer = lambda a, b: b[1] - b[0] < a[1] - a[0]
    wider = lambda a, b: b[1] - b[0] > a[1] - a[0]
    later = lambda a, b: b[0] > a[0] and abs((b[1] - b[0]) - (a[1] - a[0])) <= 4
    earlier = lambda a, b: b[0] < a[0] and abs((b[1] - b[0]) - (a[1] - a[0])) <= 4
    at = lambda bounds: bounds[0] + (bounds[1] - bounds[0]) * (x - view["x"] - w.state["header_width"]) / (
        view["width"] - w.state["header_width"])
    after(lambda: w.wheel(x, y, up=True, n=3, held="ctrl"),
          lambda a, b: closer(a, b) and abs(at(a) - at(b)) <= (a[1] - a[0]) * 0.01, "Ctrl and the wheel zoom in at the pointer")
    after(lambda: w.wheel(x, y, up=False, n=1, held="ctrl"), wider, "Ctrl and the wheel zoom out")
    after(lambda: w.wheel(x, y, up=False, n=1, held="shift"), later, "Shift and the wheel move forward")
    after(lambda: w.wheel(x, y, up=True, n=1, held="shift"), earlier, "Shift and the wheel move back")
    after(lambda: w.wheel(x, y, up=False, n=2), lambda a, b: a == b, "the wheel alone changes neither zoom nor time")
    after(lambda: w.wheel(view["x"] + view["width"] - 10, y, up=False, n=40, held="ctrl"), lambda a, b: b == whole,
          "zooming out stops at the whole trace, wherever the pointer is")
    after(lambda: w.wheel(x, y, up=True, n=3, held="ctrl"), closer, "zoomed in again")
    after(lambda: w.wheel(x, y, up=False, n=60, held="shift"),
          lambda a, b: b[1] <= whole[1] and whole[1] - b[1] < (b[1] - b[0]) * 0.05, "moving in time stops at the end of the trace")
    after(lambda: w.wheel(x, y, up=True, n=99, held="shift"),
          lambda a, b: b[0] >= whole[0] and b[0] - whole[0] < (b[1] - b[0]) * 0.05, "and at its start")
    after(lambda: w.wheel(x, y, up=False, n=20, held="ctrl"), lambda a, b: b == whole, "the whole trace again")
    w.click(view["x"] + view["width"] - 30, view["y"] + view["height"] - 4)
    w.wait(lambda s: w.controls(kind="HirTimelineView")[0]["focus"], "the timeline to have the focus")
    after(lambda: w.key("w"), closer, "w zooms in")
    after(lambda: w.key("w"), closer, "w zooms in again")
    after(lambda: w.key("d"), later, "d scrolls forward")
    after(lambda: w.key("a"), earlier, "a scrolls back")
    after(lambda: w.key("s"), wider, "s zooms out")
    after(lambda: w.key("plus"), closer, "+ zooms in")
    after(lambda: w.key("minus"), wider, "- zooms out")
    after(lambda: w.key("plus"), closer, "+ zooms in again")
    after(lambda: w.drag(x, y, x - 100, y), later, "a drag to the left scrolls forward")
    after(lambda: w.key("0"), wider, "0 shows the whole trace")
    t.check(w.state["shown_ns"] == whole, "the visible range is the initial one", w.state["shown_ns"], whole)
    ruler = view["y"] + 8
    w.drag(x, ruler, x + 120, ruler)
    s = w.wait(lambda s: s["range_ns"][1] > s["range_ns"][0], "a range")
    t.check(span(s) > s["range_ns"][1] - s["range_ns"][0] > 0, "a drag along the ruler selects a range", s["range_ns"])
    w.key("Right")
    s = w.wait(lambda s: s["event"], "an event to be selected by keyboard")
    first = [b for b in device_bars(s)][0]
    t.check(selected_ids(s) is not None, "Right selects the first event", first)
    room.end(t, w)


def test_graph(t, room):
    w = room.open("example:matmul_m")
    s = w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1] and s["graph"]["nodes"], "the last pass")
    view = w.controls(kind="HirGraphView")[0]
    x, y = view["x"] + view["width"] / 2, view["y"] + view["height"] - 10
    graph = lambda s: (s["graph"]["zoom"], s["graph"]["dx"], s["graph"]["dy"])
    w.settle()
    fitted = graph(w.state)

    def after(act, condition, name):
        before = graph(w.state)
        act()
        w.settle()
        t.check(condition(before, graph(w.state)), name, before, graph(w.state))

    after(lambda: w.wheel(x, y, up=True), lambda a, b: b[0] > a[0], "the wheel zooms in")
    after(lambda: w.drag(x, y, x - 80, y - 40), lambda a, b: abs(b[1] - a[1] + 80) < 2 and abs(b[2] - a[2] + 40) < 2,
          "a drag moves the graph")
    w.click(x, y)
    w.wait(lambda s: w.controls(kind="HirGraphView")[0]["focus"], "the graph to have the focus")
    after(lambda: w.key("d"), lambda a, b: b[1] < a[1], "d moves right")
    after(lambda: w.key("a"), lambda a, b: b[1] > a[1], "a moves left")
    after(lambda: w.key("Page_Up"), lambda a, b: b[2] > a[2], "Page Up moves up")
    after(lambda: w.key("Page_Down"), lambda a, b: b[2] < a[2], "Page Down moves down")
    for more, less in (("w", "s"), ("plus", "minus")):
        after(lambda: w.key(more), lambda a, b: b[0] > a[0], f"{more} zooms in, as in the timeline")
        after(lambda: w.key(less), lambda a, b: b[0] < a[0], f"{less} zooms out, as in the timeline")
    after(lambda: w.key("0"), lambda a, b: b == fitted, "0 restores the initial view")
    w.key("Down")
    s = w.wait(lambda s: s["selected"], "a node to be selected by keyboard")
    first = selected_ids(s)
    w.key("Down")
    s = w.wait(lambda s: s["selected"] and selected_ids(s) != first, "the next node to be selected")
    t.check(True, "Down follows the edges")
    w.settle()
    fitted = graph(w.state)
    after(lambda: w.key("f"), lambda a, b: b[0] > a[0], "f zooms to the selected node")
    node = w.state["selected"][0]["id"]
    found = [n for n in w.state["graph"]["nodes"] if n["id"] == node]
    t.check(found and abs(found[0]["x"] - view["x"] - view["width"] / 2) < 3 and
            abs(found[0]["y"] - view["y"] - view["height"] / 2) < 3, "and centers it", found, view)
    after(lambda: w.key("0"), lambda a, b: b == fitted, "0 shows the whole graph again")

    w.click_control("Lanes")
    w.wait(lambda s: s["graph"]["lanes"] and s["graph"]["nodes"], "the lanes")
    w.settle()
    s = w.state
    t.check(len(s["graph"]["nodes"]) > 5, "Lanes shows the program in lanes")
    node = next(n for n in s["graph"]["nodes"] if n["title"] == "matmul")
    w.click(node["x"], node["y"])
    w.wait(lambda s: selected_ids(s) == [node["id"]], "a node of the lanes to be selected")
    t.check(True, "nodes of the lanes can be selected")
    room.end(t, w)


# --- errors -----------------------------------------------------------------------------------


def messages(w):
    """Return the messages over the script."""
    return [c for c in w.controls(kind="GtkLabel") if c.get("message")]


def test_refused(t, room):
    w = room.open()
    w.wait(lambda s: w.controls("Rejected schedule"), "the gallery")
    w.click_control("Rejected schedule")
    s = w.wait(lambda s: any("error" in x["marks"] for x in s["lines"]), "the refusal at its script line")
    # The command reports the position.
    printed = room.program("lower", "example:refused_split_axis").err
    line = int(printed.split("single_device.py:")[1].split(":")[0])
    highlighted = [x["line"] for x in s["lines"] if "error" in x["marks"]]
    t.check(highlighted == [line], "the error is displayed at its script line", highlighted, line)
    message = printed.split(": ", 1)[1].split("\n")[0]
    shown = messages(w)
    t.check(len(shown) == 1 and shown[0]["name"] in printed, "the error is displayed once, over the script", shown, message)
    view = w.controls(kind="HirCodeView")[0]
    at = next(x for x in w.state["lines"] if x["line"] == line)
    t.check(abs(shown[0]["y"] + shown[0]["height"] / 2 - at["y"]) < at["height"] / 2, "it is at its line", shown[0], at)
    t.check(view["x"] <= shown[0]["x"] and shown[0]["x"] + shown[0]["width"] <= view["x"] + view["width"], "it is within the text", shown[0])
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "refused.png"))
    places = [(x["line"], x["y"]) for x in w.state["lines"]]
    w.wheel(view["x"] + 50, view["y"] + 50, up=False, n=1)
    s = w.wait(lambda s: [(x["line"], x["y"]) for x in s["lines"]] != places, "the script to scroll")
    at = [x for x in s["lines"] if x["line"] == line]
    moved = messages(w)
    t.check(len(moved) == 1 and (not at or abs(moved[0]["y"] - at[0]["y"]) < 60), "it scrolls with its line", moved, at)
    t.check(not w.control("Run")["usable"], "a rejected program cannot be run")
    rows = {c["name"]: c["text"] for c in w.controls(kind="GtkListBoxRow")}
    t.check(f"failed at line {line}" in rows["StreamParallelType"], "the row of the failed pass shows the line", rows)
    t.check("not reached" in rows["ConvertOpToCommunication"], "the next pass was not reached", rows)
    room.end(t, w)


def test_syntax_errors(t, room):
    w = room.open(room.path("broken.py", BROKEN))
    s = w.wait(lambda s: s["page"] == "workspace" and not s["lowering"], "the workspace")
    printed = room.program("lower", room.path("broken.py")).err
    lines = sorted({int(x.split(":")[1]) for x in printed.splitlines() if x.startswith(room.path("broken.py")) or
                    x.startswith("broken.py:")})
    s = w.wait(lambda s: any("error" in x["marks"] for x in s["lines"]), "an error")
    highlighted = [x["line"] for x in s["lines"] if "error" in x["marks"]]
    t.check(len(lines) >= 3 and highlighted == lines, "each syntax error is displayed at its line", highlighted, lines, printed)
    t.check(s["text_page"] == "script", "the script is displayed")
    view = w.controls(kind="HirCodeView")[0]
    for line in lines:
        y = next(x["y"] for x in s["lines"] if x["line"] == line)
        found = [c for c in messages(w) if abs(c["y"] + c["height"] / 2 - y) < 30]
        t.check(found and all(view["x"] <= c["x"] and c["x"] + c["width"] <= view["x"] + view["width"] for c in found),
                f"the message of line {line} is at it", messages(w), y)
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "syntax-errors.png"))
    places = [(x["line"], x["y"]) for x in s["lines"]]
    # Without errors, and with the last one again, each line is where it was.
    w.click_control("Edit")
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the script to be editable")
    w.key("ctrl+End")
    w.type("x = (")
    s = w.wait(lambda s: any(line["text"].startswith("x = (") and "error" in line["marks"] for line in s["lines"]), "the typed error")
    shown = len(messages(w))
    w.key("ctrl+Home")
    w.wait(lambda s: s["lines"][0]["line"] == 1, "the first line")
    t.check([(x["line"], x["y"]) for x in w.settle()["lines"]][:len(places)] == places, "errors do not move the text", w.state["lines"], places)
    t.check(shown > 0, "a typed error has its message", messages(w))
    w.key("ctrl+w")
    w.wait(lambda s: s["dialogs"], "the question about the text")
    w.focus_newest()
    w.settle()
    w.key("alt+d")
    t.check(w.process.wait(20) == 0, "Discard closes the window")
    room.end(t, w, keys=None)


def test_nothing_there(t, room):
    result = room.program("no-such-file.py")
    t.check(result.code == 2 and "no-such-file.py" in result.err, "a missing file is rejected", result)


# --- runs ------------------------------------------------------------------------------------------------


def start_slow(room, t):
    w = room.open(room.path("slow.py", SLOW))
    w.wait(opened, "the workspace")
    w.key("space")
    w.wait(lambda s: s["running"] and w.run_children(), "the run")
    return w


def test_stop(t, room):
    w = start_slow(room, t)
    child = w.run_children()[0]
    w.key("j")
    w.wait(lambda s: s["step"] == PASSES[1], "a step during the run")
    t.check(w.read()["running"], "the window stays usable during the run")
    w.click_control("Stop")
    s = w.wait(lambda s: not s["running"], "the run to stop")
    t.check(not s["dialogs"], "Stop ends the run without an error dialog", s["dialogs"])
    t.check(wait_gone([child]), "the run's process has ended")
    t.check(w.control("Run")["usable"], "the program can be run again")
    room.end(t, w)


def test_close_during_run(t, room):
    w = start_slow(room, t)
    children = w.run_children()
    room.end(t, w)
    t.check(wait_gone(children), "closing the window ends the run")


def test_killed_child(t, room):
    w = start_slow(room, t)
    os.kill(w.run_children()[0], signal.SIGKILL)
    s = w.wait(lambda s: s["dialogs"], "the error dialog")
    t.check("killed" in s["dialogs"][0]["body"].lower() or "signal" in s["dialogs"][0]["body"].lower(),
            "the dialog reports the killed process", s["dialogs"])
    w.focus_newest()
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the dialog to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    t.check(w.control("Run")["usable"], "the program can be run again")
    room.end(t, w)


# --- recordings, styles, sizes ---------------------------------------------------------------------------


def test_recording(t, room):
    path = room.path("two.hirs")
    made = room.program("run", "example:two_set_ops", "--clock", "model", "-o", path)
    t.check(made.code == 0, "the run is recorded", made)
    w = room.open(path)
    s = w.wait(lambda s: opened(s) and device_bars(s), "the recording")
    t.check(s["title"] in ("two.hirs", "two_set_ops"), "the recording opens", s["title"])
    bar = next(b for b in device_bars(s) if b["name"].startswith("Set"))
    w.click(bar["x"], bar["y"])
    s = w.wait(lambda s: s["event"], "its bar to be selected")
    t.check(s["script_line"] in lines_of(SCRIPT, "fd.ops.set", "two_set_ops"), "the bar selects the script line stored in the recording",
            s["script_line"])
    w.key(*["j"] * (len(PASSES) - 1))
    s = w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")
    t.check(selected_ids(s) == [bar["instruction"]], "the instruction is selected in the last pass", s["selected"])
    room.end(t, w)
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    w = room.open(path)
    s = w.wait(lambda s: s["dialogs"] or opened(s), "the error dialog")
    t.check(bool(s["dialogs"]) and s["dialogs"][0]["body"], "a truncated recording is rejected with a message", s["dialogs"])
    w.focus_newest()
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the dialog to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


def test_styles(t, room):
    # Without settings of a desktop, GTK uses another font than the canvases.
    w = room.open("example:two_set_ops", dark=False, more_settings="gtk-font-name=Sans 10\n")
    s = w.wait(opened, "the workspace")
    t.check(not s["dark"], "the window follows the light style of the desktop")
    t.check(s["font"].replace(", ", ",") == "Inter,Cantarell,DejaVu Sans,sans-serif", "widgets have the font of the canvases", s["font"])
    w.settle()
    light = mean_brightness(room.display)
    w.key("F10")
    w.wait(lambda s: any(c["name"] == "Dark" for c in s["controls"]), "the menu")
    s = w.settle()
    t.check(s["focus_font"] == s["font"], "menus have the font of the window", s["focus_font"], s["font"])
    w.click_control("Dark")
    w.wait(lambda s: s["dark"], "the dark style")
    w.key("Escape")
    w.settle()
    dark = mean_brightness(room.display)
    t.check(dark < 90 < 160 < light, "the menu selects the dark style", dark, light)
    for key in ("ctrl+comma", "F1"):
        w.key(key)
        s = w.wait(lambda s: s["dialogs"], f"the dialog of {key}")
        t.check(s["dialogs"][0]["font"] == s["font"], "dialogs have the font of the window", key, s["font"], s["dialogs"][0]["font"])
        w.key("Escape")
        w.wait(lambda s: not s["dialogs"], "the dialog to close")
    room.end(t, w)


def mean_brightness(screen):
    width, height, rows = screen.pixels()
    sample = b"".join(row[::37] for row in rows[:900:11])
    return sum(sample) / len(sample)


def test_small_window(t, room):
    # No renderer is requested: Xvfb has no GPU, and GL would run on the CPU.
    w = room.open("example:two_set_ops", size=(1024, 700), env={"GSK_RENDERER": None})
    w.wait(opened, "the workspace")
    w.key("space")
    s = w.wait(lambda s: ran(s) and w.controls(kind="HirTimelineView"), "the timeline")
    for c in s["controls"]:
        if c["width"] and not (c["x"] >= 0 and c["x"] + c["width"] <= 1024 and c["y"] + c["height"] <= 700):
            if c["kind"] in ("GtkTextView", "HirCodeView", "GtkListBoxRow"):
                continue
            t.check(False, "every control is inside the 1024x700 window", c)
    t.check(w.controls(kind="HirGraphView")[0]["width"] > 150, "the graph is wide enough", w.controls(kind="HirGraphView"))
    t.check(w.controls(kind="HirTimelineView")[0]["height"] > 80, "the timeline is high enough")
    t.check(s["renderer"] == "GskCairoRenderer", "Cairo draws the window if there is no GPU", s["renderer"])
    room.end(t, w)


def test_keyboard_alone(t, room):
    w = room.open()
    w.wait(lambda s: w.controls("Two set ops"), "the gallery")
    for _ in range(40):
        focus = w.focus()
        if focus and focus["name"] == "Two set ops":
            break
        before = focus
        w.key("Tab")
        w.wait(lambda s: w.focus() != before, "Tab to move the focus")
    t.check(w.focus()["name"] == "Two set ops", "Tab reaches a card")
    w.key("Return")
    w.wait(opened, "the workspace")
    w.key("F5")
    w.wait(lambda s: ran(s) and w.controls(kind="HirTimelineView"), "the timeline")
    seen, kinds = set(), set()
    for _ in range(120):
        before = w.focus()
        w.key("Tab")
        try:
            w.wait(lambda s: w.focus() != before, "Tab to move the focus", timeout=3)
        except AssertionError:
            break
        focus = w.focus()
        key = (focus["kind"], focus["name"], focus["x"], focus["y"]) if focus else None
        if focus and focus["kind"] in ("HirGraphView", "HirTimelineView"):
            key = focus["kind"]
        if key in seen and len(seen) > 20:
            break
        seen.add(key)
        kinds.update(c["kind"] for c in w.state["controls"] if c["focus"])
    for kind in ("HirGraphView", "HirTimelineView", "GtkListBoxRow", "GtkDropDown", "HirCodeView"):
        t.check(kind in kinds, f"Tab reaches {kind}", seen)
    room.end(t, w)


GROUPS = [test_first_minute, test_selecting, test_find, test_timeline, test_graph, test_refused, test_syntax_errors,
          test_nothing_there, test_stop, test_close_during_run, test_killed_child, test_recording, test_styles,
          test_small_window, test_keyboard_alone]

run_groups(GROUPS, animates=True)
