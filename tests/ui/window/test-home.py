#!/usr/bin/env python3
"""test-home.py HIRSCOPE [GROUP...]

Tests tour, palette, preferences, stored settings, values of tensors, copied pictures and large text. See
test-window.py for the method.
"""
import os
import json
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import PASSES, focus_dialog, focus_window, open_file, opened, ran, run_groups  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
PROGRAM = ("example:ag_matmul", "-d", "8")
PICTURES = os.environ.get("HIR_TEST_PICTURES")


def opened_window(room, *words, size=(1600, 1000), **options):
    w = room.open(*(words or PROGRAM), size=size, **options)
    w.wait(opened, "the program")
    return w


def settings_of(home):
    with open(os.path.join(home, "config", "hirscope", "settings.ini")) as file:
        return file.read()


def find(w, text):
    """Choose the first match of @text in the palette."""
    w.key("ctrl+p")
    focus_dialog(w)
    w.type(text)
    w.key("Return")
    focus_window(w)


def test_tour(t, room):
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        w = opened_window(room, home=home)
        for title in ("Step through the passes", "Click anything"):
            w.wait(lambda s: w.controls("Next", "GtkButton") and w.focus() and w.focus()["name"] == "Next", f"the step {title} of the tour")
            w.key("Return")
        w.wait(lambda s: w.controls("Done", "GtkButton"), "the last step")
        w.click_control("Done", "GtkButton")
        w.wait(lambda s: not w.controls("Done", "GtkButton"), "the end of the tour")
        t.check(True, "the tour has three steps")
        w.key("j")
        w.wait(lambda s: s["step"] != "Fusion", "a step by key")
        room.end(t, w)
        t.check("seen=true" in settings_of(home), "the settings store that the tour was seen", settings_of(home))
        w = opened_window(room, home=home)
        t.check(not w.controls("Skip", "GtkButton"), "the tour is not offered again")
        find(w, "take the tour")
        w.wait(lambda s: w.controls("Skip", "GtkButton"), "the tour from the palette")
        w.key("Escape")
        w.wait(lambda s: not w.controls("Skip", "GtkButton"), "Escape to end the tour")
        t.check(True, "the menu offers the tour, and Escape ends it")
        room.end(t, w)


def test_tour_follows(t, room):
    """Doing what a step of the tour says shows the next one; a run ends it."""
    w = room.open(*PROGRAM, size=(1600, 1000), remembered="")
    w.wait(lambda s: opened(s) and w.focus() and w.focus()["name"] == "Next", "the tour")
    w.key("j")
    w.wait(lambda s: s["step"] != "Fusion" and s["graph"]["nodes"], "the next pass")
    w.settle()
    t.check(w.controls("Next", "GtkButton"), "j shows the second of three steps", w.state["controls"])
    node = w.state["graph"]["nodes"][0]
    w.click(node["x"], node["y"])
    w.wait(lambda s: w.controls("Done", "GtkButton"), "the last step after a click")
    w.key("space")
    w.wait(lambda s: ran(s) and not w.controls("Skip", "GtkButton"), "the end of the tour after a run")
    t.check(True, "a click shows the last step, and a run ends the tour")
    room.end(t, w)


def test_outline(t, room):
    """The outline of a step of the tour is visible only while the card has the focus."""
    w = room.open(*PROGRAM, size=(1600, 1000), remembered="")
    w.wait(lambda s: opened(s) and w.focus() and w.focus()["name"] == "Next", "the tour")
    t.check(room.display.n_colors(0, 600, 12, 601) > 1, "the passes are outlined")
    w.key("F2")
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the editor")
    t.check(room.display.n_colors(0, 600, 12, 601) == 1, "they are not outlined while the text has the focus")
    room.end(t, w)


def test_palette(t, room):
    w = opened_window(room)
    w.key("ctrl+p")
    focus_dialog(w)
    rows = [c for c in w.state["dialogs"][0]["controls"] if c["kind"] == "GtkListBoxRow"]
    t.check(len(rows) >= 40, "the palette lists all entries at first", len(rows))
    w.type("zzqzz")
    w.wait(lambda s: not any(c["kind"] == "GtkListBoxRow" for c in s["dialogs"][0]["controls"]), "an empty list")
    w.key("Escape")
    focus_window(w)
    t.check(True, "no match empties the list, and Escape closes the palette")
    find(w, "StreamPar")
    w.wait(lambda s: s["step"] == "StreamParallelType", "a pass by name")
    find(w, "wait allg")
    s = w.wait(lambda s: any("Wait" in n["label"] for n in s["selected"]), "an instruction by name")
    t.check(s["step"] == PASSES[-1], "the pass with the instruction is displayed", s["step"])
    find(w, "all of the graph")
    w.key("ctrl+p")
    focus_dialog(w)
    w.type("two set")
    w.wait(lambda s: any(c["kind"] == "GtkListBoxRow" for c in s["dialogs"][0]["controls"]), "the example")
    w.key("Down", "Up", "Return")
    focus_window(w)
    w.wait(lambda s: opened(s) and s["title"] != "ag_matmul", "another example")
    t.check(True, "arrow keys choose an example")
    room.end(t, w)
    with open(os.path.join(SOURCE, "ui", "window", "window-actions.c")) as file:
        actions = re.findall(r'\{ "(win\.[a-z-]+)", (NULL|"[a-z()]+"), \w+, [\w-]+, "([^"]*)" \}', file.read())
    with open(os.path.join(SOURCE, "ui", "window", "shortcuts.c")) as file:
        text = file.read()
    rows = re.findall(r'\{ "([^"]+)", "([^"]+)", "', text)
    listed = {key for _, keys in rows for key in keys.split()}
    shown = set(re.findall(r'"([^"]+)"', " ".join(re.findall(r'\{ "[^"]+", \{ (.+) \} \},', text))))
    t.check(shown == {group for group, _ in rows}, "every group of keys has a section", shown)
    t.check(len(actions) > 50, "the table of actions is parsed", len(actions))
    missing = [(name, keys) for name, kind, keys in actions if keys and not any(k in listed for k in keys.split("|"))]
    t.check(not missing, "every action with a key is in the shortcuts window", missing)


def test_remembered(t, room):
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        w = opened_window(room, home=home, remembered="[tour]\nseen=true\n[run]\nstreams=2\ntime-limit=60\n")
        w.wait(lambda s: w.controls("2 streams", "GtkDropDown"), "the number of streams from the settings")
        w.key("F5")
        s = w.wait(lambda s: ran(s) and "command" in s["inspector"], "a run")
        t.check(any("meout 60 " in text for text in s["inspector"]), "a run has the time limit of the settings", s["inspector"])
        w.key("F9")
        w.wait(lambda s: not s["panes"]["inspector"], "the inspector to be hidden")
        w.resize(1240, 780)
        w.wait(lambda s: any(c["kind"] == "HirGraphView" for c in s["controls"]), "the smaller window")
        w.settle()
        w.key("ctrl+comma")
        focus_dialog(w)
        t.check(any(c["name"] == "Animation" or c["kind"] == "GtkSwitch" for c in w.state["dialogs"][0]["controls"]),
                "the preferences open", w.state["dialogs"])
        t.check(any("Time Limit" in c.get("text", "") and "1 min" in c.get("text", "") for c in w.state["dialogs"][0]["controls"]), "they have the time limit",
                w.state["dialogs"])
        w.key("Escape")
        focus_window(w)
        room.end(t, w)
        text = settings_of(home)
        t.check("width=1240" in text and "height=780" in text and "show-inspector=false" in text,
                "the settings store the size and the panes", text)
        w = opened_window(room, home=home, size=None)
        s = w.wait(lambda s: True, "the window")
        t.check(not s["panes"]["inspector"] and s["panes"]["passes"], "the panes are restored", s["panes"])
        right = max(c["x"] + c["width"] for c in s["controls"])
        t.check(1180 <= right <= 1240, "the size is restored", right)
        w.key("F9", "F12")
        w.wait(lambda s: s["panes"]["inspector"] and not s["panes"]["timeline"], "the inspector to be shown and the timeline to be hidden")
        t.check(True, "keys show and hide panes")
        room.end(t, w)
        with open(os.path.join(home, "config", "hirscope", "settings.ini"), "wb") as file:
            file.write(b"\xff\xfe rubbish [")
        w = opened_window(room, home=home)
        t.check(w.state["panes"]["inspector"], "an invalid settings file is ignored")
        room.end(t, w)


def test_looks(t, room):
    """Keys toggle legend, map and animation, which are stored; the map covers no node."""
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        w = opened_window(room, home=home, size=(1400, 760), remembered="[tour]\nseen=true\n[look]\nlegend=true\n")
        t.check(w.state["graph"]["legend"], "the legend is displayed as set")
        t.check(w.settle(5)["rest"] == w.n_asked, "the window becomes idle with a narrow graph next to the legend")
        w.key(*["j"] * 6)
        w.wait(lambda s: s["step"] == "ConvertOpToCommunication" and opened(s), "the last pass")
        w.key("g")
        s = w.wait(lambda s: s["diff"]["in_graph"] and s["graph"]["nodes"], "the difference")
        w.settle()
        view = w.controls(kind="HirGraphView")[0]
        w.wheel(view["x"] + view["width"] / 2, view["y"] + view["height"] / 2, True, 8)
        w.wait(lambda s: s["graph"]["map"], "the map")
        s = w.settle()
        m = s["graph"]["map"]
        # There is no map if the whole graph is visible next to the legend. Otherwise it is in the emptier corner.
        view = w.controls(kind="HirGraphView")[0]
        corners = [view["y"] + view["height"] - m["height"] - 12, view["y"] + 12] if m else []
        below = [[n["title"] for n in s["graph"]["nodes"] if y - 14 < n["y"] < y + m["height"] + 14 and
                  m["x"] - n["width"] / 2 < n["x"] < m["x"] + m["width"] + n["width"] / 2] for y in corners]
        t.check(not m or len(below[m["y"] < view["y"] + view["height"] / 3]) == min(map(len, below)),
                "the map is in the corner with fewer boxes", below, m, view)
        w.key("L")
        w.wait(lambda s: s["graph"]["map"] is None, "the map to be hidden")
        w.key("l", "A")
        w.wait(lambda s: not s["graph"]["legend"], "the legend to be hidden")
        w.settle()
        room.end(t, w)
        text = settings_of(home)
        t.check(all(x in text for x in ("map=false", "legend=false", "animation=false")), "the settings store all three", text)
        w = opened_window(room, home=home)
        w.key("ctrl+comma")
        focus_dialog(w)
        s = w.settle()
        found = [c for d in s["dialogs"] for c in d["controls"] if c["kind"] == "GtkSwitch"]
        t.check([c["active"] for c in found] == [False] * 4, "the preferences have four switches, all off", found)
        for i in (1, 3):
            w.click(found[i]["x"] + found[i]["width"] / 2, found[i]["y"] + found[i]["height"] / 2)
            w.wait(lambda s: [c for d in s["dialogs"] for c in d["controls"] if c["kind"] == "GtkSwitch"][i]["active"], "a switch to be on")
        w.key("Escape")
        focus_window(w)
        room.end(t, w)
        t.check("map=true" in settings_of(home) and "wheel-zooms=true" in settings_of(home),
                "switches in the preferences enable the map and the zooming wheel", settings_of(home))


def test_patterns(t, room):
    """A pattern of the preferences classifies the traces that are opened from then on; an invalid one is marked."""
    kernel = {"ph": "X", "cat": "kernel", "name": "my_ring", "pid": 0, "tid": 7, "ts": 5, "dur": 5, "args": {"stream": 7}}
    trace = room.path("ring.json", json.dumps({"traceEvents": [kernel]}))

    def entry(text):
        row = next(c for c in w.state["dialogs"][0]["controls"] if c["kind"] == "AdwEntryRow")
        w.click(row["x"] + row["width"] / 2, row["y"] + row["height"] / 2)
        w.key("ctrl+a", "Delete")
        w.type(text)
        w.key("Return")

    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        w = opened_window(room, home=home, remembered="[tour]\nseen=true\n", size=(1480, 980))
        w.key("ctrl+comma")
        focus_dialog(w)
        w.settle()
        entry("my_(")
        w.settle()
        title = next(c for c in w.state["dialogs"][0]["controls"] if c["kind"] == "AdwEntryRow")["title"]
        t.check(title.startswith("Communication: ") and "my_(" in title, "an invalid pattern has its reason at the field", title)
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, "preferences-error.png"))
        t.check("comm-pattern" not in settings_of(home), "an invalid pattern is not stored", settings_of(home))
        entry("^my_ring")
        w.settle()
        title = next(c for c in w.state["dialogs"][0]["controls"] if c["kind"] == "AdwEntryRow")["title"]
        t.check(title == "Communication", "a valid one has the title again", title)
        w.key("Escape")
        focus_window(w)
        open_file(w, trace)
        s = w.wait(lambda s: s["title"] == "ring.json" and s["account"], "the trace with its account")
        t.check("^my_ring" in s["account"], "the account names the pattern", s["account"])
        room.end(t, w)
        t.check("comm-pattern=^my_ring\n" in settings_of(home), "the valid pattern is stored", settings_of(home))


def test_values(t, room):
    w = opened_window(room)
    find(w, "T3 [Stream")
    w.wait(lambda s: any("Run the program" in text for text in s["inspector"]), "the hint to run the program")
    w.key("space")
    w.wait(ran, "the run")
    s = w.wait(lambda s: "mean" in s["inspector"], "the value")
    labels = s["inspector"]
    t.check(labels[labels.index("not finite") + 1] == "none", "T3 has no values that are not finite", labels)
    card = w.control("Value", "HirSceneCard")
    t.check(len(card["parts"]) > 100 and "mean" in card["parts"][0]["text"], "the value has a map", card["parts"][:2])
    # The first is the symbolic extent of the program.
    shape = [labels[i + 1] for i in range(len(labels)) if labels[i] == "shape"][-1]
    t.check(shape.count(",") == 3, "the value has four axes", shape)
    whole = labels[labels.index("mean") + 1]
    # The layout of the timeline and the pane below is complete now.
    w.settle()
    entry = next(c for c in w.controls(kind="GtkText") if c["name"] == "[:, :, :, :]")
    w.click(entry["x"] + 5, entry["y"] + entry["height"] / 2)
    w.key("ctrl+a")
    w.type("[3, :, :, -1]")
    w.key("Return")
    s = w.wait(lambda s: "mean" in s["inspector"] and s["inspector"][s["inspector"].index("mean") + 1] != whole, "a slice")
    total = s["inspector"][s["inspector"].index("zeros") + 1].split(" of ")[1]
    numbers = [int(n) for n in re.findall(r"\d+", shape)]
    t.check(int(total) == numbers[1] * numbers[2], "the slice has the expected number of elements", total, shape)
    w.settle()
    w.read()
    entry = next(c for c in w.controls(kind="GtkText") if c["name"].startswith("[3, :, :, "))
    w.click(entry["x"] + 5, entry["y"] + entry["height"] / 2)
    w.key("ctrl+a")
    w.type("[99, :, :, :]")
    w.key("Return")
    w.wait(lambda s: any(c["name"] == "[99, :, :, :]" for c in s["controls"]), "an invalid slice")
    t.check(True, "an invalid slice is rejected and stays in the entry")
    # A change that leaves the program as it is leaves its values, too, and so does its undo.
    for keys, status in (((), "InsertDeallocations on"), (("ctrl+z",), "Undone")):
        if keys:
            w.key("Escape")
            w.settle()
            w.key(*keys)
        else:
            w.click_control("InsertDeallocations on or off (x)")
        w.wait(lambda s: not s["lowering"] and s["status"].startswith(status), status)
        w.settle()
        find(w, "T3 [Stream")
        w.wait(lambda s: "mean" in s["inspector"] and any(c["kind"] == "GtkText" and c["name"].startswith("[") for c in s["controls"]),
               f"the entry of the slice after {status}")
    t.check(True, "slices can be entered after a change and after Undo")
    room.end(t, w)


def test_recorded_values(t, room):
    """A recording has the values of a run on each device, but no slices."""
    path = room.path("values.hirs")
    done = room.program("run", "example:ag_matmul", "-d", "2", "--clock", "model", "-o", path)
    t.check(done.code == 0, "the run is recorded", done)
    w = opened_window(room, path)
    find(w, "T3 [Stream")
    s = w.wait(lambda s: "mean" in s["inspector"], "the recorded value")
    labels = s["inspector"]
    t.check(any("As recorded" in text for text in labels), "the value is labeled as recorded", labels)
    t.check(not [c for c in w.controls(kind="GtkText") if c["name"].startswith("[:")], "a recorded value has no slices")
    t.check(len(w.control("Value", "HirSceneCard")["parts"]) > 100, "a recorded value has a map")
    numbers = labels[labels.index("min"):labels.index("zeros") + 2]
    w.key("space")
    s = w.wait(lambda s: ran(s) and "mean" in s["inspector"] and not any("As recorded" in text for text in s["inspector"]), "the value of the run")
    labels = s["inspector"]
    t.check(labels[labels.index("min"):labels.index("zeros") + 2] == numbers, "the recorded value equals that of the run", numbers, labels)
    room.end(t, w)


def test_clipboard(t, room):
    w = opened_window(room)
    w.key("ctrl+shift+g")
    w.wait(lambda s: "image/png" in s["clipboard"], "the copied graph")
    t.check(True, "the graph is copied")
    room.end(t, w)
    w = opened_window(room)
    w.key("ctrl+shift+t", "space")
    w.wait(ran, "the run")
    t.check("image/png" not in w.state["clipboard"], "nothing is copied without a timeline", w.state["clipboard"])
    w.key("ctrl+shift+t")
    s = w.wait(lambda s: "image/png" in s["clipboard"] and s["copied"], "the copied timeline")
    plain = s["copied"]
    w.key("shift+d")
    w.wait(lambda s: s["explain"]["path"] and not s["explain"]["busy"], "the critical path")
    w.key("ctrl+shift+t")
    s = w.wait(lambda s: s["copied"] != plain, "the timeline with its critical path")
    drawn = s["copied"]
    w.key("e")
    w.settle()
    w.key("ctrl+shift+t")
    s = w.wait(lambda s: s["copied"] not in (plain, drawn), "the folded timeline")
    t.check(True, "the picture has the critical path and the folds of the window")
    room.end(t, w)


def test_large(t, room):
    remembered = "[look]\ntext-size={}\n[tour]\nseen=true\n[window]\nwidth=1280\nheight=800\n"
    w = opened_window(room, size=(1280, 800), remembered=remembered.format(200))
    w.key("space")
    s = w.wait(ran, "the run")
    t.check(s["text_size"] == 200, "the text size is 200%")
    outside = [c for c in s["controls"] if c["x"] + c["width"] > 1280 or (c["y"] > 800 and not c["scrolls"])]
    t.check(not outside, "every control is inside the window", outside[:2])
    t.check(not w.controls("4 streams", "GtkDropDown"), "the run options do not fit into the header bar")
    w.click_control("Streams, clock and device of the next run", "GtkMenuButton")
    w.wait(lambda s: w.controls("4 streams", "GtkDropDown"), "the run options in a popover")
    w.key("Escape")
    room.end(t, w)
    w = opened_window(room, size=(1280, 800), remembered=remembered.format(140))
    w.key("space")
    w.wait(lambda s: ran(s) and w.controls("Streams, clock and device of the next run"), "the run, with the options in a popover")
    w.resize(1600, 1000)
    s = w.wait(lambda s: w.controls("4 streams", "GtkDropDown") and not w.controls("Streams, clock and device of the next run"), "the wider window")
    t.check(True, "the run options are in the header bar again")
    s = w.settle()
    bar = next(b for b in s["bars"] if b["device"] and "matmul" in b["name"])
    w.click(bar["x"], bar["y"])
    s = w.wait(lambda s: s["selected"], "the clicked bar to be selected")
    t.check("matmul" in s["selected"][0]["label"], "the click selects the bar under the pointer", s["selected"])
    room.end(t, w)


def test_tab(t, room):
    """Tab goes through all panes from left to right and down, then through the header bar, and wraps around."""
    w = opened_window(room, "example:two_set_ops")
    w.key("space")
    w.wait(ran, "the run")
    w.settle()
    seen = []
    for _ in range(52):
        w.key("Tab")
        w.settle()
        focus = w.focus()
        seen.append((focus["kind"], focus["name"]) if focus else None)
    t.check(None not in seen, "a widget always has the focus", seen)
    kinds = [kind for kind, _ in filter(None, seen)]
    order = [kinds.index(kind) for kind in ("HirCodeView", "HirGraphView", "HirTimelineView")]
    t.check(order == sorted(order), "Tab visits text, graph and timeline in this order", order)
    names = {name for _, name in filter(None, seen)}
    wanted = {"Script", "Program", "Diff", "Edit", "Graph", "Lanes", "Statistics", "Near", "Open", "4 streams",
              "Modelled clock", "Debug", "Run", "Export", "Menu (F10)", "Find a pass by its name (Ctrl+Shift+F)"}
    t.check(wanted <= names, "Tab reaches every control", wanted - names)
    t.check(len(set(seen)) < len(seen), "Tab wraps around")
    room.end(t, w)


GROUPS = [test_tour, test_tour_follows, test_outline, test_palette, test_remembered, test_patterns, test_looks, test_values, test_recorded_values, test_clipboard, test_large, test_tab]

run_groups(GROUPS)
