#!/usr/bin/env python3
"""test-layout.py HIRSCOPE [GROUP...]

Tests the arrangement of the window: the tabs of the bottom place, maximized panes, and sizes of panes in small and large
windows. See test-window.py for the method.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import PASSES, opened, ran, run_groups  # noqa: E402

PROGRAM = ("example:ag_matmul", "-d", "2")
PANES = ("passes", "text", "views", "inspector", "bottom")


def program(room, size=(1600, 1000), **options):
    w = room.open(*PROGRAM, size=size, **options)
    w.wait(opened, "the program")
    return w


def run_program(w):
    w.key("space")
    return w.wait(ran, "the run")


def shown(s):
    return [name for name in PANES if s["panes"][name]]


def tab(w, name):
    """Return the tab @name of the bottom place, or None."""
    return next((c for c in w.controls(name, "GtkToggleButton")), None)


def head_y(w):
    """Return the top of the bottom place."""
    return w.state["pane_places"]["bottom"][1]


def is_raised(w, name):
    return tab(w, name) is not None and tab(w, name)["active"]


def test_bottom(t, room):
    """Opening a tab by key, menu or click shows it and hides the others; closing it shows the one before."""
    w = program(room)
    s = w.wait(lambda s: not s["panes"]["timeline"], "the empty timeline to take one line")
    low = head_y(w)
    t.check(low > 1000 - 50, "without a recording, the bottom place is one line", low)
    run_program(w)
    w.wait(lambda s: s["panes"]["timeline"] and head_y(w) < low - 150, "the timeline")
    high = head_y(w)
    w.key("F7")
    w.wait(lambda s: s["check"]["shown"] and not s["check"]["busy"] and not s["panes"]["timeline"], "the check")
    t.check(is_raised(w, "Check") and not is_raised(w, "Timeline"), "the check is displayed instead of the timeline")
    w.key("F6")
    w.wait(lambda s: s["debug"]["shown"] and is_raised(w, "Debugger"), "the debugger")
    w.wait(lambda s: s["status"].startswith("Stopped"), "the program to stop")
    t.check(abs(head_y(w) - high) <= 2, "the other panes keep their place", head_y(w), high)
    t.check(shown(w.state) == list(PANES), "no pane is pushed away", shown(w.state))
    w.click_control("Check", "GtkToggleButton")
    w.wait(lambda s: is_raised(w, "Check") and not is_raised(w, "Debugger"), "a click on a tab")
    w.click_control("Debugger", "GtkToggleButton")
    w.wait(lambda s: is_raised(w, "Debugger"), "a click on the other tab")
    w.key("shift+F6")
    w.wait(lambda s: not s["debug"]["shown"] and is_raised(w, "Check"), "the check after the debugger")
    t.check(tab(w, "Debugger") is None, "a closed tab is gone")
    w.key("shift+F7")
    w.wait(lambda s: not s["check"]["shown"] and is_raised(w, "Timeline"), "the timeline after the check")
    run_program(w)
    w.wait(lambda s: s["panes"]["timeline"], "the second recording")
    w.key("k", "F7")
    w.wait(lambda s: is_raised(w, "Check"), "the check again")
    w.key("F12")
    w.wait(lambda s: s["panes"]["timeline"], "F12 to show the timeline")
    t.check(s["check"]["shown"] or tab(w, "Check") is not None, "the check remains open behind it")
    w.key("F12")
    w.wait(lambda s: not s["panes"]["timeline"] and is_raised(w, "Check"), "F12 to close the timeline")
    w.key("shift+F7")
    w.wait(lambda s: head_y(w) > 1000 - 50, "one line if all tabs are closed")
    w.click_control("Timeline", "GtkToggleButton")
    w.wait(lambda s: s["panes"]["timeline"], "a click on the tab to show the timeline")
    w.key("F7")
    w.wait(lambda s: s["check"]["shown"] and not s["check"]["busy"], "the check")
    w.key("space")
    w.wait(lambda s: s["panes"]["timeline"], "a run to show the timeline")
    room.end(t, w)


def test_bisect(t, room):
    """The bisection is a tab as high as its text, and closes with Done."""
    w = program(room)
    low = head_y(w)
    w.key("ctrl+b")
    w.wait(lambda s: is_raised(w, "Bisect") and w.controls("Done", "GtkButton"), "the result of the bisection")
    t.check(low - 160 < head_y(w) < low - 30, "it takes only the height of its text", low, head_y(w))
    w.click_control("Done", "GtkButton")
    w.wait(lambda s: tab(w, "Bisect") is None and head_y(w) == low, "the bisection to close")
    w.key("space")
    w.wait(ran, "a run")
    w.settle()
    high = head_y(w)
    w.key("ctrl+b")
    w.wait(lambda s: is_raised(w, "Bisect") and w.controls("Done", "GtkButton"), "the result of the bisection")
    w.settle()
    t.check(head_y(w) > high + 30, "it takes less than the timeline", high, head_y(w))
    w.click_control("Timeline")
    w.wait(lambda s: is_raised(w, "Timeline"), "the timeline")
    w.settle()
    t.check(head_y(w) == high, "a click on its tab restores the height of the timeline", high, head_y(w))
    w.click_control("Bisect")
    w.wait(lambda s: is_raised(w, "Bisect"), "the bisection")
    w.click_control("Done", "GtkButton")
    w.wait(lambda s: tab(w, "Bisect") is None and head_y(w) == high, "the bisection to close")
    w.key("ctrl+shift+b")
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "GtkText", "the focus in the entry for a pattern")
    w.type("Synchronize")
    w.key("Return")
    w.wait(lambda s: w.controls("Done", "GtkButton"), "the result of the search")
    room.end(t, w)


def double_click(w, x, y):
    w.move(x, y)
    w.display.xdotool("click", "--repeat", 2, "--delay", 60, 1)


def test_maximize(t, room):
    """Ctrl+M and a double click on the head maximize a pane; the same and Escape show all panes again."""
    # A busy machine may take longer than GTK's 400 ms to handle both clicks.
    w = program(room, more_settings="gtk-double-click-time=4000\n")
    run_program(w)
    w.key("F12")
    w.wait(lambda s: not s["panes"]["timeline"], "the timeline to close")
    w.key("F12")
    w.wait(lambda s: s["panes"]["timeline"], "the timeline")
    places = w.state["pane_places"]
    for name in PANES:
        x, y, width, _ = w.state["pane_places"][name]
        at = {"passes": (x + 40, y + 50), "inspector": (x + 20, y + 16)}.get(name, (x + width * 0.6, y + 16))
        double_click(w, *at)
        s = w.wait(lambda s: shown(s) == [name], f"a double click to maximize {name}")
        w.key("Escape")
        w.wait(lambda s: shown(s) == list(PANES), f"Escape to show all panes after {name}")
    t.check(True, "a double click on the head maximizes each pane, and Escape ends it")
    after = w.state["pane_places"]
    t.check(places == after, "the panes have their sizes again", places, after)
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir", "the program text")
    w.click(600, 400)
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the focus in the text")
    w.key("ctrl+m")
    w.wait(lambda s: shown(s) == ["text"], "Ctrl+M to maximize the pane with the focus")
    w.settle()
    double_click(w, 800, w.control("Edit")["y"] + 10)
    w.wait(lambda s: shown(s) == list(PANES), "a double click to end it")
    w.key("ctrl+m")
    w.wait(lambda s: shown(s) == ["text"], "Ctrl+M again")
    w.key("F6")
    w.wait(lambda s: shown(s) == list(PANES) and is_raised(w, "Debugger"), "the debugger to end it")
    w.key("ctrl+m")
    w.wait(lambda s: len(shown(s)) == 1, "Ctrl+M a third time")
    w.key("ctrl+m")
    w.wait(lambda s: shown(s) == list(PANES), "Ctrl+M to end it")
    double_click(w, w.control("Lanes")["x"] + 10, w.control("Lanes")["y"] + 10)
    s = w.settle()
    t.check(shown(s) == list(PANES), "a double click on a tab does not maximize the pane", shown(s))
    room.end(t, w)


def lefts(w):
    """Return the left edges of text, views and inspector."""
    return [w.state["pane_places"][name][0] for name in ("text", "views", "inspector")]


def test_sizes(t, room):
    """A width that was set in a small window is kept there, but not used in a large one."""
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        w = program(room, size=(1024, 700), home=home, remembered="[tour]\nseen=true\n")
        small = lefts(w)
        w.resize(1880, 1000)
        w.wait(lambda s: lefts(w)[2] > 1400, "the large window")
        large = lefts(w)
        w.resize(1024, 700)
        w.wait(lambda s: lefts(w) == small, "the sizes of the small window")
        w.drag(small[0] - 1, 300, small[0] - 31, 300)
        w.wait(lambda s: abs(lefts(w)[0] - (small[0] - 30)) <= 6, "the divider to move")
        dragged = lefts(w)
        w.resize(1880, 1000)
        w.wait(lambda s: lefts(w) == large, "the sizes of the large window")
        w.resize(1024, 700)
        w.wait(lambda s: lefts(w) == dragged, "the divider that was moved in the small window")
        t.check(True, "small and large windows have separate sizes")
        room.end(t, w)
        w = program(room, size=(1024, 700), home=home)
        t.check(lefts(w) == dragged, "the settings store the sizes", lefts(w), dragged)
        room.end(t, w)


def program_text(room, **options):
    w = program(room, **options)
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir", "the program text")
    w.key(*["j"] * 7)
    w.wait(lambda s: s["step"] == "ConvertOpToCommunication" and any("ALLOCATE" in line["text"] for line in s["lines"]),
           "the last pass")
    return w


def test_wrap(t, room):
    """Long lines are wrapped, so that a window of 1920 pixels shows them whole; Alt+Z toggles it, which is stored."""
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        w = program_text(room, size=(1920, 1080), home=home, remembered="[tour]\nseen=true\n")
        high = w.line_with(" = ALLOCATE(")["height"]
        low = w.line_with("GetCurrentStream")["height"]
        t.check(2 * low <= high <= 4 * low, "a long line has several rows", high, low)
        w.resize(1400, 1000)
        w.wait(lambda s: w.line_with(" = ALLOCATE(")["height"] == low, "one row in a smaller window")
        w.resize(1920, 1080)
        w.wait(lambda s: w.line_with(" = ALLOCATE(")["height"] == high, "several rows in the large window")
        w.key("alt+z")
        w.wait(lambda s: w.line_with(" = ALLOCATE(")["height"] == low, "one row without wrapping")
        room.end(t, w)
        w = program_text(room, size=(1920, 1080), home=home)
        t.check(w.line_with(" = ALLOCATE(")["height"] == low, "the settings store it", w.line_with(" = ALLOCATE("))
        room.end(t, w)


def test_abbreviate(t, room):
    """Alt+X hides domains and meshes; links, search and copies have the whole text."""
    w = program_text(room)
    whole = w.line_with("= matmul(")["text"]
    w.key("alt+x")
    s = w.wait(lambda s: w.line_with("= matmul(")["shown"].strip() == "= matmul(T5_g_float,", "the abbreviated line")
    t.check(w.line_with("= matmul(")["text"] == whole, "the text keeps the whole line")
    t.check(not any("DeviceMesh" in line["shown"] for line in s["lines"]), "no mesh is displayed", s["lines"])
    line = w.line_with("= matmul(")
    w.click(w.state["pane_places"]["text"][0] + 100, line["y"])
    s = w.wait(lambda s: any("matmul" in node["label"] for node in s["selected"]), "a click to select the matmul")
    w.key("ctrl+f")
    w.type("DeviceMesh")
    s = w.wait(lambda s: " of " in (s["found"] or ""), "the search to find hidden text")
    t.check(int(s["found"].split()[-1]) >= 10, "all meshes are found", s["found"])
    t.check(any("DeviceMesh" in line["shown"] for line in s["lines"]), "the search shows them")
    w.key("Escape")
    w.wait(lambda s: not any("DeviceMesh" in line["shown"] for line in s["lines"]), "the end of the search to hide them")
    w.key("alt+x")
    w.wait(lambda s: any("DeviceMesh" in line["shown"] for line in s["lines"]), "the whole lines again")
    room.end(t, w)


def test_selected_pass(t, room):
    """The selected pass stays visible in a small window, when the timeline opens and without the focus in the list."""
    def is_visible(s):
        _, top, _, height = s["pane_places"]["passes"]
        row, = [c for c in s["controls"] if c["kind"] == "GtkListBoxRow" and c["name"] == s["step"]]
        return top < row["y"] and row["y"] + row["height"] <= top + height

    w = program(room, size=(1024, 700))
    w.key(*["j"] * 6)
    w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")
    run_program(w)
    w.wait(is_visible, "the last pass next to the timeline", timeout=20)
    w.key(*["k"] * 6)
    s = w.wait(lambda s: s["step"] == PASSES[0] and is_visible(s), "the first pass", timeout=20)
    node = s["graph"]["nodes"][0]
    w.click(node["x"], node["y"])
    w.wait(lambda s: w.focus() and w.focus()["kind"] != "GtkListBoxRow", "the focus outside of the list")
    w.key(*["j"] * 6)
    w.wait(lambda s: s["step"] == PASSES[-1] and is_visible(s), "the last pass without the focus in the list", timeout=20)
    t.check(True, "the selected pass is always visible")
    room.end(t, w)


def test_scale(t, room):
    """At 200 % on 1920x1080 every control is inside the window, before and while a program is debugged."""
    w = program(room, size=(1920, 1080), env={"GDK_SCALE": "2"})
    w.key("F6")
    s = w.wait(lambda s: s["status"].startswith("Stopped"), "the debugger")
    out = [c for c in s["controls"] if c["width"] and not c["scrolls"] and
           not (0 <= c["x"] and c["x"] + c["width"] <= 960 and c["y"] + c["height"] <= 540)]
    t.check(not out, "every control is inside the window", out)
    t.check(shown(s) == list(PANES), "all panes are visible", shown(s))
    room.end(t, w)


def test_trace(t, room):
    """A trace without a program shows at least 8 rows of Events at 1024x700."""
    events = [{"ph": "X", "cat": "kernel", "name": f"kernel_{i % 7}", "pid": 0, "tid": 7 + i % 12, "ts": 10 * i, "dur": 1,
               "args": {"device": 0, "stream": 7 + i % 12, "correlation": i}} for i in range(500)]
    path = room.path("many.json", json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}))
    w = room.open(path, size=(1024, 700))
    w.wait(lambda s: s["page"] == "workspace" and s["tracks"], "the trace")
    w.key("ctrl+e")
    s = w.wait(lambda s: s["events"]["shown"] and s["events"]["n_rows"] and not s["events"]["busy"], "the table")
    table = w.controls(kind="HirEventsCanvas")[0]
    rows = [row["y"] for row in s["events"]["rows"][1:] if row["y"] + 10 <= table["y"] + table["height"]]
    t.check(len(rows) >= 8, "the table has at least 8 rows", rows, table)
    t.check(s["panes"]["timeline"] and s["pane_places"]["bottom"][3] > 150, "the timeline is visible", s["pane_places"])
    room.end(t, w)


if __name__ == "__main__":
    run_groups([test_bottom, test_bisect, test_maximize, test_sizes, test_wrap, test_abbreviate, test_selected_pass, test_scale,
                test_trace], screen=(1920, 1080))
