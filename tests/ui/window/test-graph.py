#!/usr/bin/env python3
"""test-graph.py HIRSCOPE [GROUP...]

Tests the graph and differences. Expected results come from `hirscope lower --diff`. See test-window.py for the method.
"""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES  # noqa: E402
from room import PASSES, opened, run_groups, selected_ids  # noqa: E402

SPEC = os.path.join(EXAMPLES, "multi_device.py") + "::ag_matmul"
STREAM, LAST = "StreamParallelType", PASSES[-1]


def seen(s):
    """Return whether the requested layout is displayed."""
    return opened(s) and s["graph"]["picture_ms"] > 0 and not s["graph"]["preview"] and \
        not s["graph"]["note"].startswith(("Laying out", "Layout stopped: "))


def open_graph(room, *words, step=LAST, **options):
    w = room.open("-d", "8", *(words or (SPEC,)), **options)
    w.wait(seen, "the workspace")
    go(w, step)
    return w


def go(w, step, key="j"):
    while w.state["step"] != step:
        before = w.state["step"]
        w.key(key)
        w.wait(lambda s: s["step"] != before and seen(s), "the next step")
    w.settle()
    w.read()


def node(w, title, nth=0):
    return [n for n in w.state["graph"]["nodes"] if n["title"] == title][nth]


def titles(w):
    return [n["title"] for n in w.state["graph"]["nodes"]]


def place(w, n):
    """Return the position of a node in the layout, which does not depend on the camera."""
    g = w.state["graph"]
    return (n["x"] - g["dx"]) / g["zoom"], (n["y"] - g["dy"]) / g["zoom"]


def numbers(text):
    """Return the numbers of a summary such as "+3, \u22121, ~2, 1 moved against ..."."""
    signs = {"+": "added", "\u2212": "removed", "~": "changed"}
    found = {signs[sign]: int(n) for sign, n in re.findall("([+\u2212~])(\\d+)", text.split(" against ")[0])}
    return found | {"moved": int(n) for n in re.findall(r"(\d+) moved", text)}


def count(w):
    changes = [n["change"] for n in w.state["graph"]["nodes"]]
    return {name: changes.count(name) for name in ("created", "removed", "changed")}


# --- stable positions ---------------------------------------------------------------------------------


def test_still(t, room):
    w = open_graph(room)
    before = {n["id"]: place(w, n) for n in w.state["graph"]["nodes"]}
    go(w, STREAM, "k")
    shared = [n for n in w.state["graph"]["nodes"] if n["id"] in before]
    moved = [n["title"] for n in shared if max(abs(a - b) for a, b in zip(place(w, n), before[n["id"]])) > 3]
    t.check(len(shared) > 8 and not moved, "nodes that two steps share keep their position", len(shared), moved)
    room.end(t, w)


# --- folds ----------------------------------------------------------------------------------------------


def test_small(t, room):
    w = room.open("-d", "8", SPEC)
    w.wait(seen, "the fusion")
    w.settle()
    a, b, op, out = (place(w, node(w, title)) for title in ("T0", "T1", "matmul", "T2"))
    t.check(abs(a[1] - b[1]) < 1, "both inputs of the first graph are in one row", a, b)
    t.check(abs(op[0] - out[0]) < 1 and a[0] < op[0] < b[0], "the output is below the op, which is between its inputs", a, b, op, out)
    room.end(t, w)


def test_columns(t, room):
    """A chain of ops is a straight column, in fusions and before there are streams."""
    w = room.open("example:two_set_ops")
    w.wait(seen, "the fusion")
    for step in ("Fusion", "SegmentFusion"):
        go(w, step)
        columns = [n["x"] for n in w.state["graph"]["nodes"]]
        t.check(max(columns) - min(columns) <= 2, f"{step}: the boxes are in one column", w.state["graph"]["nodes"])
    room.end(t, w)


def test_folds(t, room):
    w = open_graph(room)
    n_boxes, groups = w.state["graph"]["n_all"], w.state["graph"]["groups"]
    t.check(len(groups) == 2, "both loops are groups", groups)
    w.click(groups[1]["fold_x"], groups[1]["fold_y"])
    s = w.wait(lambda s: seen(s) and len(s["graph"]["groups"]) == 1, "the loop to fold")
    box = next(n for n in s["graph"]["nodes"] if n["folded"])
    t.check(box["id"] == groups[1]["id"] and "matmul" not in titles(w), "a click on the triangle of a loop folds it", box)
    t.check(s["graph"]["n_all"] == n_boxes - 9, "its ten boxes become one", n_boxes, s["graph"]["n_all"])

    go(w, STREAM, "k")
    t.check(any(n["folded"] for n in w.state["graph"]["nodes"]), "the loop stays folded in the previous step")
    go(w, LAST)
    w.settle()
    box = next(n for n in w.read()["graph"]["nodes"] if n["folded"])
    w.click(box["x"] + 20, box["y"])
    w.wait(lambda s: selected_ids(s) == [box["id"]], "the folded box to be selected")
    w.key("z")
    s = w.wait(lambda s: seen(s) and len(s["graph"]["groups"]) == 2, "the loop to unfold")
    t.check(s["graph"]["n_all"] == n_boxes, "z unfolds the loop")

    w.settle()
    n = node(w, "Wait")
    w.click(n["x"], n["y"])
    w.wait(lambda s: selected_ids(s) == [n["id"]], "a box in the loop to be selected")
    w.key("z")
    s = w.wait(lambda s: seen(s) and len(s["graph"]["groups"]) == 1, "the loop to fold")
    t.check(selected_ids(s) == [groups[1]["id"]], "z folds the enclosing loop and selects it")
    w.key("Z")
    w.wait(lambda s: seen(s) and len(s["graph"]["groups"]) == 2, "all loops to unfold")
    t.check(True, "Shift+z unfolds all loops")
    room.end(t, w)


# --- differences --------------------------------------------------------------------------------------


def test_diff(t, room):
    w = open_graph(room)
    w.key("g", "3")
    s = w.wait(lambda s: seen(s) and s["diff"]["in_graph"] and s["text_page"] == "diff" and s["diff"]["summary"],
               "the difference")
    summary = numbers(s["diff"]["summary"])
    t.check(summary == {"added": 3, "removed": 1, "changed": 2}, "the summary counts the changes", s["diff"])
    signs = [line["text"][0] for line in s["lines"] if line["text"]]
    t.check(signs.count("~") == 2 and signs.count(">") == 0, "as many lines have the sign of a change", signs)
    drawn = count(w)
    t.check(drawn == {"created": 3, "removed": 1, "changed": 2}, "the graph shows the same changes", drawn)
    ghost = next(n for n in s["graph"]["nodes"] if n["change"] == "removed")
    t.check(ghost["title"] == "Set", "the removed node is the Set that became a collective", ghost)
    lower = room.program("lower", SPEC, "-d", "8", "--diff").out.split(f"=== {LAST}")[1]
    wanted = sum(line[0] in "-+>" for line in lower.splitlines() if line and not line.startswith(("---", "+++")))
    signs = [line["text"][0] for line in s["lines"] if line["text"][:1] in ("-", "+", ">")]
    t.check(0 < len(signs) <= wanted, "changed lines have signs", len(signs), wanted)
    removed = [line for line in s["lines"] if "removed" in line["marks"]]
    t.check(len(removed) == 2 and "Set" in removed[1]["text"], "removed lines are marked", removed)

    w.settle()
    w.click(ghost["x"], ghost["y"])
    s = w.wait(lambda s: s["graph"]["nodes"] and any("selected" in line["marks"] for line in s["lines"]), "the lines of the removed node")
    highlighted = [line["text"] for line in s["lines"] if "selected" in line["marks"]]
    t.check(any(text.startswith("-") and "Set" in text for text in highlighted), "a click on a removed node highlights its old lines", highlighted)
    w.key("Escape", "y")
    s = w.wait(lambda s: s["diff"]["sides"] and s["lines"], "both sides of the difference")
    views = w.controls(kind="HirCodeView")
    t.check(len(views) == 2 and views[0]["x"] < views[1]["x"], "y shows the old text next to the new text", views)
    t.check(not any(line["text"].startswith("-") for line in s["lines"]), "the new side has no removed line")
    w.key("y", "g")
    w.wait(lambda s: seen(s) and not s["diff"]["in_graph"] and not s["diff"]["sides"], "the normal view")
    room.end(t, w)


def test_changes(t, room):
    """The list of passes, program, graph and difference show the same two tensors that a pass changes."""
    w = room.open("example:matmul_AR", "-d", "4")
    w.wait(opened, "the program")
    go(w, "FinalizeMultideviceDomains")
    s = w.wait(lambda s: seen(s) and any(n["mark"] for n in s["graph"]["nodes"]), "the marks of the pass")
    marked = {n["title"] for n in s["graph"]["nodes"] if n["mark"] == "changed"}
    t.check(marked == {"T0", "T2"}, "the graph marks both tensors", s["graph"]["nodes"])
    w.key("2")
    s = w.wait(lambda s: s["text_page"] == "ir" and s["lines"], "the program")
    lines = [line["text"].strip().split("_")[0] for line in s["lines"] if "changed" in line["marks"]]
    t.check(lines == ["T0", "T2", "= matmul(T0", "T1"], "the program marks the input, and the instruction that computes T2", lines)
    w.key("3")
    s = w.wait(lambda s: s["text_page"] == "diff" and s["lines"] and s["diff"]["summary"], "the difference")
    if os.environ.get("HIR_TEST_PICTURES"):
        w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "changes.png"))
    lower = room.program("lower", "example:matmul_AR", "-d", "4", "--diff").out.split("+++ FinalizeMultideviceDomains")[1].split("===")[0]
    wanted = [line[1:] for line in lower.splitlines() if line[:1] == "-"]
    old = [line["text"][2:] for line in s["lines"] if line["text"].startswith("- ")]
    t.check(old == wanted and len(old) == 4, "the difference has the old texts of the command", old, wanted)
    signs = [line["text"][0] for line in s["lines"] if line["text"][:1] in "~="]
    t.check(signs == ["~", "~", "~", "="], "the line whose operand changed has another sign", signs)
    t.check("~2 " in s["diff"]["summary"] or numbers(s["diff"]["summary"]) == {"changed": 2}, "the head counts two", s["diff"])
    room.end(t, w)


def test_compare(t, room):
    w = open_graph(room)
    w.key("c")
    w.wait(lambda s: s["dialogs"], "the dialog")
    names = [c["name"] for c in w.controls(kind="GtkListBoxRow", dialog=True)]
    t.check(names == PASSES[-2::-1], "all other steps can be chosen", names)
    w.focus_newest()
    w.type("reshard")
    w.settle()
    w.key("Return")
    s = w.wait(lambda s: not s["dialogs"] and seen(s) and s["diff"]["in_graph"] and
               s["diff"]["summary"].endswith("against InsertReshardings") and s["graph"]["note"], "the comparison")
    summary, drawn = numbers(s["diff"]["summary"]), count(w)
    t.check(summary["removed"] == drawn["removed"] == 2, "two steps that are not adjacent are compared", summary, drawn)
    t.check(f"{LAST} against InsertReshardings" in s["graph"]["note"], "the graph names the compared steps", s["graph"]["note"])
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.key("C")
    w.wait(lambda s: seen(s) and not s["diff"]["in_graph"] and s["diff"]["summary"].endswith(f"against {STREAM}"), "the comparison with the previous step")
    t.check(True, "Shift+c compares with the previous step again")
    room.end(t, w)


def test_two_pipelines(t, room):
    """Compares the program before and after a pass was disabled."""
    w = open_graph(room, "example:two_set_ops", step=STREAM)
    w.key("x")
    w.wait(lambda s: not s["lowering"] and s["step"] != STREAM and seen(s), "the pass to be off")
    w.key("c")
    w.wait(lambda s: s["dialogs"], "the dialog")
    w.focus_newest()
    w.type("lType, before")
    w.settle()
    w.key("Return")
    s = w.wait(lambda s: not s["dialogs"] and seen(s) and s["diff"]["in_graph"] and
               "before the last change" in s["diff"]["summary"], "the comparison of two pipelines")
    summary, drawn = numbers(s["diff"]["summary"]), count(w)
    t.check(summary.get("removed") == 18 and summary.get("added") == 2, "the loop is removed and its two ops are back", summary)
    t.check(drawn["removed"] == 13 and drawn["created"] == 2, "the graph shows the same changes, with loops as groups", drawn)
    room.end(t, w)


# --- nodes near the selection -------------------------------------------------------------------------------------


def test_near(t, room):
    w = open_graph(room)
    n_boxes = w.state["graph"]["n_all"]
    n = node(w, "matmul")
    w.click(n["x"], n["y"])
    w.wait(lambda s: selected_ids(s) == [n["id"]], "the matmul to be selected")
    w.key("n")
    s = w.wait(lambda s: seen(s) and s["graph"]["n_all"] < n_boxes and s["graph"]["note"], "the neighborhood")
    two = s["graph"]["n_all"]
    t.check("2 edges around" in s["graph"]["note"] and "matmul" in s["graph"]["note"], "n shows the neighborhood of the selection", s["graph"]["note"])
    w.key("comma")
    s = w.wait(lambda s: seen(s) and s["graph"]["n_all"] < two, "a smaller neighborhood")
    t.check({"Allgather", "T1", "T2", "HirAliasSelect T6"} <= set(titles(w)), "at a distance of one edge are its inputs and outputs", titles(w))
    t.check("GetCurrentStream" not in titles(w), "a node connected only by stream order is not included")
    w.key("u")
    s = w.wait(lambda s: seen(s) and "before" in s["graph"]["note"], "only the inputs")
    t.check("T1" in titles(w) and "T2" not in titles(w), "u shows only the inputs", titles(w))
    w.key("u")
    s = w.wait(lambda s: seen(s) and "after" in s["graph"]["note"], "only the outputs")
    t.check("T2" in titles(w) and "T1" not in titles(w), "u again shows only the outputs", titles(w))
    w.key("Down")
    s = w.wait(lambda s: seen(s) and selected_ids(s) == [node(w, "T2")["id"]] and "after T2" in s["graph"]["note"], "the neighborhood to follow")
    t.check(True, "the neighborhood follows the selection")
    view = w.controls(kind="HirGraphView")[0]

    def is_visible(n):
        return view["x"] < n["x"] < view["x"] + view["width"] and view["y"] < n["y"] < view["y"] + view["height"]

    w.key("u")
    w.wait(lambda s: seen(s) and "around" in s["graph"]["note"], "both directions")
    w.click(node(w, "T2")["x"], node(w, "T2")["y"])
    for _ in range(4):
        w.wheel(view["x"] + 5, view["y"] + 5, True, 4)
    w.key("Up")
    s = w.wait(lambda s: seen(s) and "matmul" in s["graph"]["note"] and selected_ids(s) == [n["id"]], "the neighborhood of the matmul")
    w.settle()
    t.check(is_visible(node(w, "matmul")), "a new neighborhood shows its center, even after a zoom", node(w, "matmul"), view)
    w.key("Up", "Up")
    s = w.wait(lambda s: seen(s) and selected_ids(s) and not s["graph"]["note"].endswith("matmul"), "another center")
    w.key("k", "k", "k")
    s = w.wait(lambda s: seen(s) and s["step"] != LAST, "an earlier step")
    w.settle()
    t.check(any(is_visible(n) for n in w.read()["graph"]["nodes"]), "in a step without the center, the graph is not empty", w.state["graph"])
    w.key("j", "j", "j")
    w.wait(lambda s: seen(s) and s["step"] == LAST, "the last step")
    w.key("n")
    w.wait(lambda s: seen(s) and s["graph"]["n_all"] == n_boxes, "the whole graph")
    room.end(t, w)


# --- highlights, card, map, lanes ---------------------------------------------------------------------


def test_marks(t, room):
    w = open_graph(room)
    for title in ("matmul", "Wait"):
        n = node(w, title)
        w.click(n["x"], n["y"])
        w.wait(lambda s: selected_ids(s) == [n["id"]], title)
        w.key("m")
        w.wait(lambda s: any(m["id"] == n["id"] for m in s["graph"]["marks"]), "the highlight")
        w.settle()
        w.read()
    marks = w.state["graph"]["marks"]
    t.check(len({m["color"] for m in marks}) == 2, "each highlight has a different color", marks)
    w.key("Escape")
    go(w, STREAM, "k")
    t.check(w.state["graph"]["marks"] == marks, "highlights persist from step to step")
    go(w, LAST)
    remove = [c for c in w.state["controls"] if c["name"].startswith("Remove highlight of")]
    t.check(len(remove) == 2, "highlights are listed", remove)
    w.click(remove[0]["x"] + 8, remove[0]["y"] + 8)
    s = w.wait(lambda s: len(s["graph"]["marks"]) == 1, "a highlight to be removed")
    t.check(s["graph"]["marks"] == marks[1:], "a highlight is removed from the list, and the other one stays")
    w.settle()
    w.read()
    listed = next(c for c in w.state["controls"] if "Wait" in (c["name"] or "") and c["kind"] == "GtkButton" and
                  not c["name"].startswith("No longer"))
    w.click(listed["x"] + 30, listed["y"] + 8)
    w.wait(lambda s: selected_ids(s) == [marks[1]["id"]], "a listed node to be selected")
    w.key("M")
    w.wait(lambda s: not s["graph"]["marks"], "the last highlight to be removed")
    t.check(True, "Shift+m removes the highlight of the selection")
    room.end(t, w)


def card(w):
    found = w.controls(kind="HirGraphCard")
    return found[0]["text"] if found else None


def test_card(t, room):
    w = open_graph(room)
    n = node(w, "Allgather")
    w.move(n["x"], n["y"])
    s = w.wait(lambda s: card(w), "the card")
    for words in ("domain | [iS", "extents | [i2, i3, i4]", "bytes | i2·i3·i4 × 4 B", f"made by | {LAST}", "multi_device.py:"):
        t.check(words in card(w), f"the card contains: {words}", card(w))
    w.move(5, 5)
    w.wait(lambda s: not card(w), "the card to disappear")
    w.click(n["x"], n["y"])
    w.wait(lambda s: selected_ids(s) == [n["id"]], "the box to be selected")
    w.move(5, 5)
    w.wait(lambda s: not card(w), "the card to disappear")
    w.key("i")
    w.wait(lambda s: card(w), "the card of the selection")
    t.check("Allgather" in card(w), "i shows the card of the selection", card(w))
    w.key("Up")
    w.wait(lambda s: selected_ids(s) != [n["id"]] and not card(w), "the card to disappear with the selection")
    w.key("l")
    w.wait(lambda s: s["graph"]["legend"], "the legend")
    w.key("l", "v")
    w.wait(lambda s: seen(s) and s["graph"]["lanes"] and not s["graph"]["legend"], "the lanes")
    w.settle()
    w.read()
    columns = [n["x"] for n in w.state["graph"]["nodes"] if n["title"] in ("Allgather", "Wait", "matmul")]
    t.check(max(columns) - min(columns) <= 4, "in lanes, the work of one stream is in one column", columns)
    t.check("No lanes" not in w.state["graph"]["note"], "a program with streams has lanes", w.state["graph"]["note"])
    go(w, "Fusion", "k")
    s = w.wait(lambda s: seen(s) and not s["graph"]["lanes"] and s["graph"]["note"], "the fusion")
    t.check("No lanes: the program of this step uses no streams" in s["graph"]["note"], "the note says why a fusion has no lanes",
            s["graph"]["note"])
    w.key("v")
    s = w.wait(lambda s: seen(s) and "No lanes" not in s["graph"]["note"], "the graph")
    w.key("v")
    s = w.wait(lambda s: "No lanes" in s["graph"]["note"], "the note again")
    t.check(True, "the key for lanes on a fusion is answered")
    room.end(t, w)


def test_map(t, room):
    w = open_graph(room)
    t.check(w.state["graph"]["map"] is None, "there is no map if the whole graph is visible")
    n = node(w, "matmul")
    w.wheel(n["x"], n["y"], True, 8)
    w.wait(lambda s: s["graph"]["map"], "the map")
    w.settle()
    s = w.read()
    place_before = s["graph"]["dx"], s["graph"]["dy"]
    m = s["graph"]["map"]
    w.click(m["x"] + m["width"] / 2, m["y"] + 20)
    s = w.wait(lambda s: (s["graph"]["dx"], s["graph"]["dy"]) != place_before, "another position")
    t.check(s["graph"]["dy"] > place_before[1], "a click on the map scrolls there", s["graph"]["dy"], place_before)
    w.key("0")
    w.wait(lambda s: s["graph"]["map"] is None, "the whole graph")
    w.key("v")
    w.wait(lambda s: seen(s) and s["graph"]["lanes"], "the lanes")
    w.settle()
    w.read()
    n = node(w, "matmul")
    w.wheel(n["x"], n["y"], True, 8)
    s = w.wait(lambda s: s["graph"]["map"], "the map of the lanes")
    view = w.controls(kind="HirGraphView")[0]
    t.check(s["graph"]["map"]["y"] > view["y"] + view["height"] / 2, "the map is not above the titles of lanes", s["graph"]["map"], view)
    room.end(t, w)


def test_refit(t, room):
    """A graph that was moved only to show the current instruction is fitted again in a larger window. A small pane has no map."""
    w = open_graph(room, size=(1024, 700))

    def outside(s):
        view = w.controls(kind="HirGraphView")[0]
        return [n["title"] for n in s["graph"]["nodes"] if not (view["x"] <= n["x"] - n["width"] / 2 and n["x"] + n["width"] / 2 <= view["x"] + view["width"] and
                view["y"] <= n["y"] <= view["y"] + view["height"])]

    w.key("F6")
    w.wait(lambda s: s["status"].startswith("Stopped"), "the debugger")
    for _ in range(4):
        before = w.state["status"]
        w.key("F10")
        w.wait(lambda s: s["status"].startswith("Stopped") and s["status"] != before, "the next instruction")
    s = w.settle()
    t.check(outside(s), "the graph does not fit", s["graph"])
    t.check(s["graph"]["map"] is None, "there is no map in a small pane", s["graph"]["map"])
    w.resize(1600, 1000)
    w.wait(lambda s: not outside(s), "the whole graph")
    t.check(True, "the whole graph is visible in the larger window")
    room.end(t, w)


def check_uncovered(t, w, what):
    legend, view = w.state["graph"]["legend_shown"], w.controls(kind="HirGraphView")[0]
    t.check(legend["y"] >= view["y"] + view["height"] or legend["x"] >= view["x"] + view["width"],
            "the legend is over no part of the graph: " + what, legend, view)


def test_legend(t, room):
    # Scroll bars that take space: the layout of the panes must become stable.
    w = open_graph(room, size=(1280, 800), more_settings="gtk-overlay-scrolling=0\n")
    for page in "123":
        w.key(page)
        s = w.wait(lambda s: s["text_page"] == ("script", "ir", "diff")[int(page) - 1] and s["lines"], "a page of text")
        s = w.settle(5)
        t.check(s["rest"] == w.n_asked, "a page with scroll bars has a stable layout", s["text_page"])
    view = w.controls(kind="HirGraphView")[0]
    w.key("l")
    w.wait(lambda s: s["graph"]["legend_shown"] and w.controls(kind="HirGraphView")[0]["height"] < view["height"],
           "the legend below the graph")
    t.check(w.controls(kind="HirGraphView")[0]["width"] == view["width"], "in a narrow pane the legend takes no width from the graph")
    check_uncovered(t, w, "a program")
    for step, keys in ((STREAM, "g"), ("InsertReshardings", None), (LAST, None)):
        if keys:
            w.key(keys)
            w.wait(lambda s: s["diff"]["in_graph"], "the difference")
        go(w, step, "j" if step == LAST else "k")
        check_uncovered(t, w, "what changed in " + step)
    w.key("g")
    w.wait(lambda s: seen(s) and not s["diff"]["in_graph"], "the program")
    w.resize(1600, 1000)
    w.key("F9")
    s = w.wait(lambda s: s["graph"]["legend_shown"] and s["graph"]["legend_shown"]["x"] > view["x"] + view["width"],
               "the legend next to the graph")
    view = w.controls(kind="HirGraphView")[0]
    check_uncovered(t, w, "the legend next to the graph")
    outside = [n["title"] for n in s["graph"]["nodes"]
               if n["x"] + n["width"] / 2 > view["x"] + view["width"] + 1 or n["x"] - n["width"] / 2 < view["x"] - 1]
    t.check(not outside, "the graph fits into the remaining space", outside)
    w.key("l")
    s = w.wait(lambda s: not s["graph"]["legend"], "no legend")
    t.check(w.controls(kind="HirGraphView")[0]["width"] > view["width"], "the graph takes the space of the legend")
    room.end(t, w)


# --- long operations ------------------------------------------------------------------------------------


def hold(room, name):
    return room.path(name, "")


def cancel(w):
    """Click Cancel. The window is never idle while the spinner turns, so that positions can be outdated."""
    for _ in range(10):
        if any(c["name"] == "Cancel" for c in w.read()["controls"]):
            w.click_control("Cancel")
        end = time.monotonic() + 3
        while w.read()["graph"]["busy"] and time.monotonic() < end:
            time.sleep(0.01)
        if not w.state["graph"]["busy"]:
            return


def select_first(w):
    """Click the first box until it is selected. The camera may still be moving, so that its position can be outdated."""
    for _ in range(10):
        if w.read()["graph"]["nodes"]:
            w.click(*(w.state["graph"]["nodes"][0][k] for k in "xy"))
        end = time.monotonic() + 3
        while not w.read()["selected"] and time.monotonic() < end:
            time.sleep(0.01)
        if w.state["selected"]:
            return


def test_late_layout(t, room):
    held = hold(room, "layout-held")
    w = room.open("-d", "8", SPEC, env={"HIRSCOPE_TEST_LAYOUT_HOLD": held, "HIRSCOPE_LAYOUT_BUDGET_MS": "60000"})
    s = w.poll(lambda s: opened(s) and s["graph"]["preview"] and "Rows for now" in s["graph"]["busy"] and
               any(c["name"] == "Cancel" for c in s["controls"]), "the preview in rows", time.monotonic() + 60)
    rows = {n["id"]: place(w, n) for n in s["graph"]["nodes"]}
    t.check(len(rows) > 2 and re.match(r"Rows for now; laying out \d+ boxes", s["graph"]["busy"]),
            "a preview in rows and a note are shown during the layout", len(rows), s["graph"]["busy"])
    before = s["step"]
    w.key("j")
    # Checks the state that persists while Graphviz is held.
    s = w.poll(lambda s: s["step"] != before and s["graph"]["preview"] and "Rows for now" in s["graph"]["busy"] and
               "Laying" not in s["graph"]["note"], "the preview of the next step", time.monotonic() + 60)
    t.check(os.path.exists(held), "stepping does not wait for the layout", s["graph"]["note"])
    os.unlink(held)
    w.wait(lambda s: seen(s) and not s["graph"]["busy"], "the layout of Graphviz")
    t.check(any(rows[n["id"]] != place(w, n) for n in w.state["graph"]["nodes"] if n["id"] in rows) and
            not [c for c in w.state["controls"] if c["name"] == "Cancel"], "the layout of Graphviz replaces the preview")
    # The camera does not move after the user has moved it.
    hold(room, "layout-held")
    w.key("g")
    s = w.poll(lambda s: s["graph"]["preview"] and s["diff"]["in_graph"], "the preview of the difference", time.monotonic() + 60)
    # The camera may still be moving to its fit position, so that zooming is detected by the largest zoom so far.
    nearest = 0
    for _ in range(10):
        nearest = max(nearest, w.read()["graph"]["zoom"])
        n = w.state["graph"]["nodes"][0]
        w.wheel(n["x"], n["y"], True, 3)
        end = time.monotonic() + 3
        while w.read()["graph"]["zoom"] <= nearest * 1.2 and time.monotonic() < end:
            time.sleep(0.01)
        if w.state["graph"]["zoom"] > nearest * 1.2:
            break
    os.unlink(held)
    s = w.wait(lambda s: "press 0 to show it" in s["graph"]["note"], "the note about the better layout")
    t.check(s["graph"]["preview"], "the view does not move after the user has moved it", s["graph"]["note"])
    w.key("0")
    w.wait(lambda s: seen(s) and "press 0 to show it" not in s["graph"]["note"], "the better layout")
    # The neighborhood of a tensor of a small fusion is the whole fusion, whose layout is known.
    w.key("g")
    go(w, LAST)
    hold(room, "layout-held")
    w.key("n")
    select_first(w)
    s = w.poll(lambda s: s["graph"]["preview"] and s["graph"]["busy"] and s["selected"] and
               any(c["name"] == "Cancel" for c in s["controls"]), "the preview of the neighborhood", time.monotonic() + 60)
    cancel(w)
    s = w.wait(lambda s: not s["graph"]["busy"] and not s["graph"]["preview"], "the end of the layout")
    t.check("Layout stopped" in s["graph"]["note"] and s["graph"]["nodes"], "Cancel keeps the preview", s["graph"]["note"])
    os.unlink(held)
    room.end(t, w)


def test_late_measure(t, room):
    held = room.path("measure-held")
    w = open_graph(room, env={"HIRSCOPE_TEST_MEASURE_HOLD": held})
    before = [n["id"] for n in w.state["graph"]["nodes"]]
    hold(room, "measure-held")
    w.key("v")
    w.poll(lambda s: s["graph"]["busy"] and any(c["name"] == "Cancel" for c in s["controls"]), "the Cancel button",
           time.monotonic() + 60)
    cancel(w)
    s = w.wait(lambda s: s["graph"]["note"].startswith("Layout stopped") and not s["graph"]["busy"], "the end of the layout")
    os.unlink(held)
    t.check(not s["graph"]["lanes"], "Cancel keeps the previous image", s["graph"]["note"])
    w.key("0")
    s = w.wait(lambda s: seen(s) and s["graph"]["lanes"], "the lanes")
    t.check(sorted(before) == sorted(n["id"] for n in s["graph"]["nodes"]), "0 restarts the layout")
    room.end(t, w)


run_groups([test_still, test_small, test_columns, test_folds, test_diff, test_changes, test_compare, test_two_pipelines, test_near, test_marks, test_card, test_map, test_refit,
            test_legend, test_late_layout, test_late_measure], animates=True)
