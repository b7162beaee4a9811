#!/usr/bin/env python3
"""test-links.py HIRSCOPE [GROUP...]

Tests what connects the views: lines of the script, the history of selections, links in the inspector, the selection in
the difference, and that a key means the same wherever the focus is. See test-window.py for the method.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import SOURCE  # noqa: E402
from room import PASSES, opened, ran, run_groups  # noqa: E402

SIZE = (1600, 1000)
PICTURES = os.environ.get("HIR_TEST_PICTURES")
STREAM_LINE = "tv2.axis(0).parallelize(ParallelType.stream)"


def open_example(room, *words):
    w = room.open("example:ag_matmul", *(words or ("-d", "1")), size=SIZE)
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
    w.key("1")
    w.wait(lambda s: s["text_page"] == "script", "the script")
    w.settle()
    click_line(w, "tv2 = fd.ops.matmul")
    s = w.wait(lambda s: "6 nodes of line 56 are selected; this is the first" in s["inspector"], "the nodes of the line")
    t.check("EVENT" not in s["inspector"] and not s["event"], "a line is shown without the event selected before", s["inspector"])
    room.end(t, w)


def test_stream(t, room):
    """A link to a stream leads to its instruction before a run, and to its track after one, in front of other panes."""
    w = open_example(room, "-d", "2")
    go_to_last_pass(w)

    def follow():
        w.key("2")
        w.wait(lambda s: s["text_page"] == "ir", "the program text")
        w.settle()
        click_line(w, "    SetCurrentStream to Stream 0")
        w.wait(lambda s: kinds(s) == {"SetCurrentStream"}, "the instruction to be selected")
        w.settle()
        label = next(c for c in inspector_labels(w.read()) if c["name"] == "Default stream (Stream 0 in the program)")
        w.click(label["x"] + 8, label["y"] + 6)

    follow()
    w.wait(lambda s: kinds(s) == {"GetCurrentStream"}, "the instruction that names the stream")
    t.check(True, "before a run, the link leads to the instruction")
    w.key("F5")
    w.wait(lambda s: ran(s) and s["tracks"], "a run")
    w.key("F7")
    w.wait(lambda s: s["check"]["shown"] and not s["check"]["busy"], "the check in front of the timeline")
    follow()
    s = w.wait(lambda s: any(track["cursor"] for track in s["tracks"]), "the cursor on the track")
    t.check([track["name"] for track in s["tracks"] if track["cursor"]] == ["Default stream"], "after a run, it leads to the track", s["tracks"])
    w.wait(lambda s: (w.focus() or {}).get("kind") == "HirTimelineView", "the timeline to be displayed")
    room.end(t, w)


RECORDING = os.path.join(SOURCE, "screenshots", "overlap", "nccl.hirs")


def open_recording(room):
    w = room.open(RECORDING, size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and " events of " in s["status"], "the recording")
    return w


def cursor_ranks(s):
    return [track["rank"] for track in s["tracks"] if track["cursor"]]


def test_explain(t, room):
    """Instructions, ranks and repetitions are links in the explanation, by pointer and by keys."""
    w = open_recording(room)
    w.key("shift+e")
    s = w.wait(lambda s: s["explain"]["shown"] and not s["explain"]["simulating"] and
               any(row["text"].startswith("What would help") for row in s["explain"]["rows"]), "the explanation")
    rows = s["explain"]["rows"]
    row = next(r for r in rows if r["time"] and any(link["target"].startswith("node/") for link in r["links"]))
    link = next(link for link in row["links"] if link["target"].startswith("node/"))
    w.click(link["x"], link["y"])
    s = w.wait(lambda s: s["selected"] and not s["event"], "the instruction")
    t.check(s["selected"][0]["id"] == link["target"][5:], "a click on the name selects the instruction", s["selected"], link)
    t.check(s["range_ns"][0] == s["range_ns"][1], "and does not go to the interval of the row", s["range_ns"])
    link = next(link for r in rows for link in r["links"] if link["target"] == "rank/1")
    w.click(link["x"], link["y"])
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirTimelineView", "the timeline")
    # The cursor is on the header of the rank.
    w.key("Down")
    w.wait(lambda s: cursor_ranks(s) == [1], "the first track of rank 1")
    t.check(True, "a click on a rank goes to it")
    # By keys: the first row with a link to another rank.
    at = next(i for i, r in enumerate(rows) if r["time"] and any(link["target"] == "rank/0" for link in r["links"]))
    w.click(rows[at]["x"], rows[at]["y"])
    w.wait(lambda s: s["range_ns"][0] < s["range_ns"][1], "the interval of the row")
    n = next(i for i, link in enumerate(rows[at]["links"]) if link["target"] == "rank/0")
    w.key(*["Right"] * (n + 1))
    w.wait(lambda s: s["explain"]["rows"][at]["links"][n]["chosen"], "the link to be chosen")
    w.key("Return")
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirTimelineView", "the timeline again")
    w.key("Down")
    w.wait(lambda s: cursor_ranks(s) == [0], "the first track of rank 0")
    t.check(True, "Right chooses a link of the row, and Return follows it")
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "links-explain.png"))
    # The lines of gains are lines of the printed program.
    canvas = w.controls(kind="HirExplainCanvas")[0]
    w.wheel(canvas["x"] + 50, canvas["y"] + 50, up=False, n=60)
    s = w.settle()
    link = next(link for r in s["explain"]["rows"] for link in r["links"] if link["target"].startswith("instruction/"))
    number = int(link["target"].split("/")[1])
    printed = query(room, f"SELECT id FROM instructions WHERE line = {number} LIMIT 1")[0][0]
    w.click(link["x"], link["y"])
    s = w.wait(lambda s: s["selected"] and s["selected"][0]["id"] == printed, "the instruction of the line")
    t.check(True, "the line of a gain is a link to the instruction")
    room.end(t, w)


def query(room, sql):
    return json.loads(room.program("query", RECORDING, sql, "--json").out)["rows"]


def test_events(t, room):
    """Cells of the events table are links, by pointer and by keys."""
    w = open_recording(room)
    w.key("ctrl+e")
    w.wait(lambda s: s["events"]["shown"] and s["events"]["rows"][1:] and not s["events"]["busy"], "the table")
    w.type("rank=1 stream>0")
    s = w.wait(lambda s: s["events"]["rows"][1:] and " of " in s["events"]["title"] and not s["events"]["busy"] and
               all(row["cells"][3] == "1" for row in s["events"]["rows"][1:]), "the events of rank 1")
    head, row = s["events"]["rows"][0], s["events"]["rows"][3]
    t.check(head["cells"][3:5] == ["rank", "stream"], "the columns", head["cells"])
    w.click(head["xs"][3], row["y"])
    s = w.wait(lambda s: s["rank"] == 1 and s["event"], "rank 1")
    t.check(s["events"]["current"] == row["row"], "a click on a rank goes to it, and the row stays", s["events"]["current"])
    w.click(head["xs"][4], row["y"])
    s = w.wait(lambda s: any(track["cursor"] for track in s["tracks"]), "the track of the stream")
    t.check(len([track for track in s["tracks"] if track["cursor"]]) == 1, "a click on a stream goes to its track", s["tracks"])
    # By keys: the columns of the SQL of the user.
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")
    w.settle()
    w.key("ctrl+a")
    sql = "SELECT e.id, e.name, e.instruction, i.script_line FROM events AS e JOIN instructions AS i ON i.id = e.instruction"
    w.type(sql)
    w.key("ctrl+Return")
    s = w.wait(lambda s: s["events"]["rows"][0:1] and "script_line" in s["events"]["rows"][0]["cells"], "the rows of the SQL")
    rows = [r for r in s["events"]["rows"][1:] if r["cells"][3] not in ("", "NULL")]
    t.check(rows, "some instructions have a line of the script", s["events"]["rows"][:3])
    w.click(rows[0]["x"], rows[0]["y"])
    w.wait(lambda s: s["events"]["current"] == rows[0]["row"] and s["events"]["focused"], "the row")
    w.key("Right", "Right", "Right", "Return")
    s = w.wait(lambda s: s["selected"] and s["selected"][0]["id"] == rows[0]["cells"][2] and s["step"] == PASSES[-1], "the instruction")
    t.check(s["events"]["current"] == rows[0]["row"], "Right and Return follow the link to the instruction", s["events"]["current"])
    w.key("Right", "Return")
    s = w.wait(lambda s: str(s["script_line"]) == rows[0]["cells"][3], "the line of the script")
    t.check(True, "the line of the script is a link")
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "links-events.png"))
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


FUSED = """from nvfuser_direct import FusionDefinition, DataType

def f():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[64, 64], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.exp(fd.ops.neg(a)))
    return fd
"""


def test_unit(t, room):
    """A box of an op in a HostUnit highlights the bars of the HostUnit."""
    w = room.open(room.path("fused.py", FUSED), size=SIZE)
    w.wait(opened, "the script")
    go_to_last_pass(w)
    w.key("space")
    w.wait(ran, "the run")
    s = w.settle()
    bars = {b["instruction"] for b in s["bars"] if b["name"].startswith("HostUnit")}
    box = next(n for n in s["graph"]["nodes"] if n["title"] == "exp")
    t.check(len(bars) == 1 and not s["related"], "the run has bars of the HostUnit", s["bars"])
    w.click(box["x"], box["y"])
    s = w.wait(lambda s: s["selected"] and s["related"], "the box to be selected")
    t.check(bars < set(s["related"]), "a box in the HostUnit highlights its bars", bars, s["related"])
    labels = [label["name"] for label in inspector_labels(w.settle())]
    t.check("once" in labels and "longest" in labels, "the inspector lists the instances of the HostUnit", labels)
    room.end(t, w)


run_groups([test_line, test_history, test_inspector, test_stream, test_explain, test_events, test_diff, test_keys, test_unit])
