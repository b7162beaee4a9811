#!/usr/bin/env python3
"""test-links.py HIRSCOPE [GROUP...]

Tests what connects the views: lines of the script, the history of selections, links in the inspector, the selection in
the difference, and that a key means the same wherever the focus is. See test-window.py for the method.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import PASSES, opened, ran, run_groups  # noqa: E402

SIZE = (1600, 1000)
STREAM_LINE = "tv2.axis(0).parallelize(ParallelType.stream)"


def open_example(room, *words):
    w = room.open("example:ag_matmul", *words, size=SIZE)
    w.wait(lambda s: opened(s) and any(STREAM_LINE in line["text"] for line in s["lines"]), "the script")
    w.settle()
    return w


def click_line(w, text):
    page = w.controls(kind="HirCodeView")[0]
    line = w.line_with(text)
    w.click(page["x"] + 80, line["y"])
    return line["line"]


def marked(s, mark="selected"):
    return [line["text"].strip() for line in s["lines"] if mark in line["marks"]]


def kinds(s):
    return {node["kind"] for node in s["selected"]}


def inspector_labels(s):
    """Return the labels of the inspector with links or a selectable text, from the top."""
    return sorted((c for c in s["controls"] if c["kind"] == "GtkLabel" and c["x"] > SIZE[0] - 280 and c["y"] < 660), key=lambda c: c["y"])


def go_to_last_pass(w):
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1] and s["graph"]["nodes"], "the last pass")
    w.settle()


def test_line(t, room):
    """A line of the schedule selects what it caused in each pass."""
    w = open_example(room)
    number = click_line(w, STREAM_LINE)
    s = w.wait(lambda s: s["selected"], "the line to be selected")
    t.check(s["script_line"] == number, "the line is selected in the script", s["script_line"], number)
    t.check("IterDomain" in kinds(s) and "TensorView" in kinds(s), "in the fusion, it caused an axis of a tensor", s["selected"])
    go_to_last_pass(w)
    s = w.state
    t.check("ForLoop" in kinds(s), "in the host program, it caused the loop", s["selected"])
    t.check("MatmulOp" not in kinds(s), "but not the product", s["selected"])
    w.key("2")
    s = w.wait(lambda s: s["text_page"] == "ir" and marked(s), "the loop to be marked in the program")
    t.check(any(text.startswith("FOR StreamIdx") for text in marked(s)), "the text marks the loop", marked(s))
    w.key("1")
    w.wait(lambda s: s["text_page"] == "script", "the script")
    w.settle()
    number = click_line(w, "tv2 = fd.ops.matmul")
    s = w.wait(lambda s: "MatmulOp" in kinds(s), "the line of the product")
    t.check(s["script_line"] == number, "the line of the product caused the product", s["script_line"], number)
    room.end(t, w)


def test_history(t, room):
    """The arrows in the head bar and Alt with the arrow keys go through selections of all kinds."""
    w = open_example(room)
    w.key("F5")
    w.wait(ran, "a run")
    w.settle()
    back, forward = (next(c for c in w.state["controls"] if c["name"].startswith(name))
                     for name in ("Previous selection", "Next selection"))
    number = click_line(w, STREAM_LINE)
    w.wait(lambda s: s["script_line"] == number, "the line to be selected")
    w.settle()
    node = next(n for n in w.state["graph"]["nodes"] if n["title"] == "matmul")
    w.click(node["x"], node["y"])
    w.wait(lambda s: kinds(s) == {"MatmulOp"}, "the node to be selected")
    w.settle()
    bar = next(b for b in w.state["bars"] if b["y"] > 0)
    w.click(bar["x"], bar["y"])
    w.wait(lambda s: s["event"], "the event to be selected")
    w.settle()
    w.click(back["x"] + 8, back["y"] + 8)
    w.wait(lambda s: kinds(s) == {"MatmulOp"} and not s["event"], "the node again")
    w.settle()
    w.click(back["x"] + 8, back["y"] + 8)
    s = w.wait(lambda s: s["script_line"] == number and not s["event"], "the line again")
    t.check("IterDomain" in kinds(s), "the arrow goes back from an event to a node and to a line", s["selected"])
    w.settle()
    w.click(forward["x"] + 8, forward["y"] + 8)
    w.wait(lambda s: kinds(s) == {"MatmulOp"}, "the node after the line")
    # The script view uses Alt with the arrow keys itself.
    page = w.controls(kind="HirCodeView")[0]
    line = w.line_with("def ag_matmul")
    w.click(page["x"] + 40, line["y"])
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the script to have the focus")
    w.key("alt+Right")
    w.wait(lambda s: s["event"], "the event, from the script")
    w.key("alt+Left", "alt+Left")
    w.wait(lambda s: s["script_line"] == number and not s["event"], "the line, from the script")
    t.check(True, "the keys do the same with the focus in the script")
    w.key("j")
    w.wait(lambda s: s["step"] == PASSES[1], "j to go to the next pass")
    t.check(True, "j goes through passes")
    room.end(t, w)


def test_inspector(t, room):
    """The script position is a link, and another selection is shown from its head."""
    w = open_example(room)
    w.key("F5")
    w.wait(ran, "a run")
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir", "the program text")
    w.settle()
    node = next(n for n in w.state["graph"]["nodes"] if n["title"] == "matmul")
    w.click(node["x"], node["y"])
    w.wait(lambda s: kinds(s) == {"MatmulOp"}, "the node to be selected")
    w.settle()
    link = next(c for c in w.state["controls"] if c["kind"] == "GtkLabel" and c["name"].startswith("multi_device.py:"))
    number = int(link["name"].split(":")[1])
    pane = inspector_labels(w.state)[0]
    w.wheel(pane["x"] + 20, pane["y"] + 100, up=False, n=20)
    w.settle()
    link = next(c for c in w.state["controls"] if c["kind"] == "GtkLabel" and c["name"].startswith("multi_device.py:"))
    w.click(link["x"] + 20, link["y"] + link["height"] / 2)
    s = w.wait(lambda s: s["text_page"] == "script" and s["script_line"] == number, "the link to show the script")
    t.check(any("matmul" in text for text in marked(s)), "the link selects the line", marked(s))
    w.wheel(pane["x"] + 20, pane["y"] + 100, up=False, n=20)
    w.settle()
    node = next(n for n in w.state["graph"]["nodes"] if n["title"] != "matmul" and n["y"] > 0)
    w.click(node["x"], node["y"])
    s = w.wait(lambda s: s["selected"] and kinds(s) != {"MatmulOp"}, "another node")
    s = w.settle()
    head = inspector_labels(s)[0]
    t.check(abs(head["y"] - pane["y"]) < 4, "the inspector shows the head of the new selection", head, pane)
    bar = next(b for b in w.state["bars"] if b["y"] > 0)
    w.click(bar["x"], bar["y"])
    w.wait(lambda s: s["event"], "an event")
    w.settle()
    name = w.state["inspector"][w.state["inspector"].index("track") + 1]
    label = next(c for c in inspector_labels(w.state) if c["name"] == name)
    w.click(label["x"] + 8, label["y"] + label["height"] / 2)
    s = w.wait(lambda s: any(track["cursor"] for track in s["tracks"]), "the cursor on the track")
    t.check([track["name"] for track in s["tracks"] if track["cursor"]] == [label["name"]], "the track of an event is a link", label["name"])
    room.end(t, w)


def test_diff(t, room):
    """The selected instruction and tensor are marked in the difference, in the old and the new text."""
    w = open_example(room)
    go_to_last_pass(w)
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir", "the program text")
    w.settle()
    page = w.controls(kind="HirCodeView")[0]
    line = next(x for x in w.state["lines"] if x["text"].strip().startswith("FOR StreamIdx"))
    w.click(page["x"] + 80, line["y"])
    w.wait(lambda s: kinds(s) == {"ForLoop"}, "the loop to be selected")
    w.key("3")
    s = w.wait(lambda s: s["text_page"] == "diff" and marked(s), "the loop to be marked in the difference")
    t.check(any("FOR StreamIdx" in text for text in marked(s)), "the difference marks the selected instruction", marked(s))
    room.end(t, w)


def test_keys(t, room):
    """Keys that meant different things, with the focus in the timeline, in the text and in the graph."""
    w = open_example(room)
    w.key("F5")
    w.wait(ran, "a run")
    w.settle()
    places = {"HirTimelineView": lambda c: (c["x"] + c["width"] - 30, c["y"] + c["height"] - 4),
              "HirGraphView": lambda c: (c["x"] + c["width"] / 2, c["y"] + c["height"] - 10),
              "HirCodeView": lambda c: (c["x"] + 200, c["y"] + 60)}
    for kind, place in places.items():
        c = w.controls(kind=kind)[0]
        w.click(*place(c))
        w.wait(lambda s: w.focus() and w.focus()["kind"] == kind, f"{kind} to have the focus")
        w.move(SIZE[0] / 2, 20)
        w.settle()
        first = w.state["step"]
        w.key("bracketright", "bracketleft")
        s = w.settle()
        t.check(s["step"] == first, f"{kind}: brackets do not change the pass", s["step"])
        w.key("j")
        w.wait(lambda s: s["step"] == PASSES[1], f"{kind}: j goes to the next pass")
        w.key("k")
        w.wait(lambda s: s["step"] == first, f"{kind}: k goes back")
        w.key("t")
        s = w.settle()
        t.check(not any(track["folded"] for track in s["tracks"]), f"{kind}: t does not fold a track")
    w.key("1")
    w.wait(lambda s: s["text_page"] == "script", "the script")
    w.key("ctrl+g")
    w.wait(lambda s: s["page"] == "gallery", "the gallery")
    w.key("j", "x", "3")
    s = w.settle()
    t.check(s["step"] == PASSES[0] and s["text_page"] == "script", "letters in the gallery do not act on the hidden document",
            s["step"], s["text_page"])
    room.end(t, w)


run_groups([test_line, test_history, test_inspector, test_diff, test_keys])
