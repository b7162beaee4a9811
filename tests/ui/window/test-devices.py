#!/usr/bin/env python3
"""test-devices.py HIRSCOPE [GROUP...]

Tests the window with programs of several devices: rank switch, domains and meshes, groups of tracks, and partners of
events on other ranks. See test-window.py for the method.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES  # noqa: E402
from room import PASSES, device_bars, opened, ran, run_groups, selected_ids  # noqa: E402

SCRIPT = os.path.join(EXAMPLES, "multi_device.py")
SIZE = (1280, 800)

# Rank 0 computes the input of ranks 1 and 2.
HAND_OVER = """
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition


def hand_over():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[64, 64], contiguity=True, dtype=DataType.Float)
        b = fd.ops.add(a, a)
        c = fd.ops.set(b)
        d = fd.ops.mul(c, c)
        fd.add_output(d)
        first = nvfuser.multidevice.DeviceMesh([0])
        second = nvfuser.multidevice.DeviceMesh([1, 2])
        a.set_device_mesh(first)
        b.set_device_mesh(first)
        c.set_device_mesh(second)
        d.set_device_mesh(second)
    return fd
"""

GRID = """
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def grid():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        b = fd.ops.add(a, a)
        fd.add_output(b)
        mesh = nvfuser.multidevice.DeviceMesh([[0, 1, 2], [3, 4, 5]])
        for tv in [a, b]:
            tv.set_device_mesh(mesh)
            tv.outer_split(0, 3)
            tv.axis(0).parallelize(ParallelType.mesh_x)
            tv.outer_split(2, 2)
            tv.axis(2).parallelize(ParallelType.mesh_y)
    return fd
"""


def to_last_pass(w):
    w.settle()
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1] and s["text_page"] == "ir", "the last pass")
    w.settle()
    return w.read()


def group(s, rank):
    return next(g for g in s["groups"] if g["rank"] == rank)


def shown_text(s):
    return "\n".join(line["text"] for line in s["lines"])


def switch(w):
    """Return the button of the rank switch, or None."""
    return next((c for c in w.controls(kind="GtkMenuButton") if c["name"].startswith("rank")), None)


def band(screen, y, height=20, left=200):
    """Return the pixels of a horizontal strip of the timeline."""
    _, _, rows = screen.pixels()
    return b"".join(row[3 * left:3 * SIZE[0]] for row in rows[y - height // 2:y + height // 2])


# --- rank switch --------------------------------------------------------------------------------------


def test_rank_switch(t, room):
    path = room.path("hand_over.py", HAND_OVER)
    texts = [room.program("lower", path, "-d", 3, "--rank", r, "--print", "last").out for r in range(3)]
    t.check("ALLOCATE" not in texts[0] and "ALLOCATE" in texts[1] and texts[1] == texts[2], "the programs of the ranks differ")
    w = room.open("-d", "3", path, size=SIZE)
    w.wait(opened, "the workspace")
    s = w.wait(lambda s: len(s["rank_programs"]) == 2, "the programs of the ranks")
    t.check(s["rank_programs"] == ["rank 0", "ranks 1, 2"], "each distinct program is listed once", s["rank_programs"])
    s = to_last_pass(w)
    t.check(switch(w) is not None and switch(w)["name"] == "rank 0", "the switch shows the displayed rank", w.controls(kind="GtkMenuButton"))
    t.check("ALLOCATE" not in shown_text(s), "the program of rank 0 allocates nothing", shown_text(s))

    line = w.line_with("Communication ")
    w.click(line["x"] + 120, line["y"])
    s = w.wait(lambda s: any("Broadcast" in n["label"] for n in s["selected"]), "the Broadcast to be selected")
    w.key("r")
    s = w.wait(lambda s: s["rank_program"] == 1 and "ALLOCATE" in shown_text(s), "the program of ranks 1 and 2")
    s = w.wait(lambda s: any(n["title"] == "mul" for n in s["graph"]["nodes"]), "the graph of ranks 1 and 2")
    t.check(s["step"] == PASSES[-1], "r shows the next program at the same pass", s["step"])
    t.check(not any(n["title"] == "add" for n in s["graph"]["nodes"]), "the graph shows the program of ranks 1 and 2", s["graph"]["nodes"])
    t.check(any("Broadcast" in n["label"] for n in s["selected"]), "the selected node has the same id", s["selected"])
    highlighted = [x["text"] for x in s["lines"] if "selected" in x["marks"]]
    t.check(any("type=Broadcast" in x for x in highlighted), "the selected line is highlighted in the new text", highlighted)
    w.settle()
    w.read()
    t.check(switch(w)["name"] == "ranks 1, 2", "the switch shows the new ranks", switch(w))

    line = w.line_with("* T2")
    w.click(line["x"] + 120, line["y"])
    s = w.wait(lambda s: s["selected"] and not any("Broadcast" in n["label"] for n in s["selected"]), "mul to be selected")
    script_line = s["script_line"]
    w.settle()
    w.key("shift+r")
    s = w.wait(lambda s: s["rank_program"] == 0 and "ALLOCATE" not in shown_text(s), "the program of rank 0")
    t.check(s["script_line"] == script_line and script_line > 0,
            "a node that rank 0 does not have at this pass is selected by its script line", script_line, s["script_line"])
    for shown in (1, 0):
        w.settle()
        w.key("r")
        w.wait(lambda s: s["rank_program"] == shown, "the next program")
    t.check(True, "r after the last program shows the first")

    # With the pointer.
    c = switch(w)
    w.click(c["x"] + 40, c["y"] + c["height"] / 2)
    w.wait(lambda s: any(x["name"] == "ranks 1, 2" for x in w.controls(kind="GtkModelButton")), "the list")
    w.settle()
    w.read()
    w.click_control("ranks 1, 2", "GtkModelButton")
    s = w.wait(lambda s: s["rank_program"] == 1, "the program chosen in the list")
    t.check("ALLOCATE" in shown_text(w.wait(lambda s: "ALLOCATE" in shown_text(s), "its text")), "the list switches the program")
    room.end(t, w)


def test_events_of_ranks(t, room):
    w = room.open("-d", "3", room.path("hand_over.py", HAND_OVER), size=SIZE)
    w.wait(lambda s: opened(s) and len(s["rank_programs"]) == 2, "the workspace")
    to_last_pass(w)
    w.key("space")
    s = w.wait(ran, "a run")
    t.check(group(s, 1)["folded"] and not group(s, 0)["folded"], "only the displayed rank of three is unfolded", s["groups"])
    w.click(group(s, 1)["x"], group(s, 1)["y"])
    s = w.wait(lambda s: not group(s, 1)["folded"], "rank 1 to unfold")
    mul = next(b for b in device_bars(s) if b["rank"] == 1 and "mul" in b["name"])
    w.settle()
    mul = next(b for b in device_bars(w.state) if b["rank"] == 1 and "mul" in b["name"])
    w.click(mul["x"], mul["y"])
    s = w.wait(lambda s: s["event"], "its bar to be selected")
    t.check(s["rank_program"] == 1 and s["rank"] == 1, "an event displays the program of its rank", s["rank_program"], s["rank"])
    t.check(selected_ids(s) == [mul["instruction"]] and s["selected"][0]["label"], "the event selects its instruction in that program", s["selected"])
    s = w.wait(lambda s: any("selected" in x["marks"] for x in s["lines"]), "the lines of the instruction")
    add = next(b for b in device_bars(s) if b["rank"] == 0 and "add" in b["name"])
    w.click(add["x"], add["y"])
    s = w.wait(lambda s: selected_ids(s) == [add["instruction"]], "the bar of rank 0")
    t.check(s["rank_program"] == 0 and s["selected"][0]["label"], "an event of rank 0 displays the program of rank 0", s["selected"])

    path = room.path("hand_over.hirs")
    made = room.program("run", room.path("hand_over.py"), "-d", 3, "--clock", "model", "-o", path)
    t.check(made.code == 0, "the run is recorded", made)
    room.end(t, w)
    w = room.open(path, size=SIZE)
    s = w.wait(lambda s: opened(s) and device_bars(s) and len(s["rank_programs"]) == 2, "the recording")
    t.check(s["rank_programs"] == ["rank 0", "ranks 1, 2"], "a recording contains all programs", s["rank_programs"])
    w.key("r")
    w.key(*["j"] * (len(PASSES) - 1))
    s = w.wait(lambda s: s["step"] == PASSES[-1] and "ALLOCATE" in shown_text(s), "the program of ranks 1 and 2")
    t.check(s["rank_program"] == 1, "r switches the program of a recording", s["rank_program"])
    room.end(t, w)


# --- domains and meshes ------------------------------------------------------------------------------------


def card(w, name):
    return next((c for c in w.controls(kind="HirSceneCard") if c["name"] == name), None)


def test_domains(t, room):
    w = room.open("-d", "6", room.path("grid.py", GRID))
    w.wait(opened, "the workspace")
    w.settle()
    node = next(n for n in w.state["graph"]["nodes"] if n["title"] == "T1")
    w.click(node["x"], node["y"])
    w.wait(lambda s: card(w, "Domains") and card(w, "Mesh"), "the cards of T1")
    w.settle()
    w.read()
    domains = card(w, "Domains")
    texts = [p["text"] for p in domains["parts"]]
    t.check(sum(x.startswith("logical ") for x in texts) == 2 and sum(x.startswith("loop ") for x in texts) == 4,
            "the tree has the logical and the loop axes", texts)
    t.check(any(x.startswith("loop ") and "extent 3, mesh_x" in x for x in texts) and
            any(x.startswith("loop ") and "extent 2, mesh_y" in x for x in texts), "with extents and parallel types", texts)
    t.check(all(domains["x"] <= p["x"] <= domains["x"] + domains["width"] for p in domains["parts"]),
            "the tree fits into the narrow pane", domains)
    part = next(p for p in domains["parts"] if "mesh_x" in p["text"])
    w.move(part["x"], part["y"])
    w.wait(lambda s: card(w, "Domains")["said"] == part["text"], "the axis under the pointer")
    t.check("Outer split" in part["text"], "hovering shows an axis and the operation that created it", part["text"])
    w.click(part["x"], part["y"])
    s = w.wait(lambda s: s["selected"] and s["selected"][0]["kind"] == "IterDomain", "the axis to be selected")
    t.check("deviceIdx.x" in s["selected"][0]["label"] and card(w, "Domains") is not None,
            "a click selects the axis and keeps the tree", s["selected"])

    w.settle()
    w.read()
    mesh = card(w, "Mesh")
    t.check([p["text"] for p in mesh["parts"]][:2] == ["device 0 at (0, 0), the displayed rank", "device 1 at (0, 1)"] and
            len(mesh["parts"]) == 6, "the mesh is a grid of devices, the displayed rank marked", mesh["parts"])
    xs, ys = {p["x"] for p in mesh["parts"]}, {p["y"] for p in mesh["parts"]}
    t.check(len(xs) == 3 and len(ys) == 2, "the grid has two rows", xs, ys)

    # With keys only.
    w.click(node["x"], node["y"])
    w.wait(lambda s: selected_ids(s) == [node["id"]], "T1 to be selected again")
    w.settle()
    w.read()
    mesh = card(w, "Domains")
    w.wheel(mesh["x"] + 20, mesh["y"] + 20, up=False, n=30)  # the mesh is below it
    w.settle()
    w.read()
    mesh = card(w, "Mesh")
    w.click(mesh["parts"][0]["x"], mesh["parts"][0]["y"])
    w.wait(lambda s: card(w, "Mesh")["focus"], "the focus of the mesh")
    w.key("Right", "Down")
    s = w.wait(lambda s: card(w, "Mesh")["said"].startswith("device 4 "), "device 4 by the arrow keys")
    t.check(True, "arrow keys move through the grid")
    room.end(t, w)


def test_team(t, room):
    w = room.open("-d", "8", SCRIPT + "::ag_matmul")
    w.wait(opened, "the workspace")
    s = to_last_pass(w)
    t.check(s["rank_programs"] in ([], ["ranks 0\u20137"]) and switch(w) is None, "a program shared by all ranks needs no switch",
            s["rank_programs"])
    line = w.line_with("Communication ")
    w.click(line["x"] + 120, line["y"])
    w.wait(lambda s: s["selected"] and card(w, "Team"), "the card of the team")
    w.settle()
    w.read()
    parts = [p["text"] for p in card(w, "Team")["parts"]]
    t.check(len(parts) == 8 and parts[0].endswith("the displayed rank"), "the team of a Communication is drawn", parts)
    room.end(t, w)


# --- groups of tracks ----------------------------------------------------------------------------------------


def test_groups(t, room):
    w = room.open("-d", "8", SCRIPT + "::ag_matmul", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("space")
    s = w.wait(ran, "a run")
    t.check([g["rank"] for g in s["groups"]] == list(range(8)), "there are eight groups, in the order of ranks", s["groups"])
    t.check([g["folded"] for g in s["groups"]] == [False] + [True] * 7, "only the displayed rank is unfolded", s["groups"])
    t.check({b["rank"] for b in device_bars(s)} == {0}, "only bars of the unfolded rank are displayed")
    w.key("e")
    s = w.wait(lambda s: all(g["folded"] for g in s["groups"]), "all groups to fold")
    w.settle()
    s = w.read()
    t.check(all(g["y"] + 12 <= SIZE[1] for g in s["groups"]), "all eight folded groups fit into a 1280x800 window", s["groups"])
    strips = [band(room.display, group(s, r)["y"]) for r in range(8)]
    t.check(all(len(set(x[i:i + 3] for i in range(0, len(x), 3))) > 2 for x in strips), "each folded group has a summary of its work")
    w.key("e")
    s = w.wait(lambda s: not any(g["folded"] for g in s["groups"]), "all groups to unfold")
    t.check(True, "e folds and unfolds all groups")
    w.click(group(s, 0)["x"], group(s, 0)["y"])
    s = w.wait(lambda s: group(s, 0)["folded"], "rank 0 to fold")
    t.check(not group(s, 1)["folded"], "a click on a header folds only that group", s["groups"])

    # Folds persist after another run and another document.
    w.key("space")
    w.wait(lambda s: s["running"] or not s["groups"], "another run")
    s = w.wait(ran, "the end of the run")
    t.check([g["folded"] for g in s["groups"]] == [True] + [False] * 7, "folds persist after another run", s["groups"])
    room.end(t, w)


def test_collective(t, room):
    w = room.open("-d", "8", SCRIPT + "::ag_matmul", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("space")
    w.wait(ran, "a run")
    w.key("e")
    w.wait(lambda s: all(g["folded"] for g in s["groups"]), "all groups to fold")
    s = w.read()
    w.click(group(s, 0)["x"], group(s, 0)["y"])
    w.wait(lambda s: not group(s, 0)["folded"], "rank 0 to unfold")
    w.settle()
    s = w.read()
    bars = [b for b in device_bars(s) if b["track"].startswith("comm")]
    bar = bars[3]
    before = band(room.display, group(s, 1)["y"])
    w.move(bar["x"], bar["y"])
    w.settle()
    hovered = band(room.display, group(w.read(), 1)["y"])
    t.check(hovered != before, "hovering a collective highlights its parts on other ranks")
    w.click(bar["x"], bar["y"])
    s = w.wait(lambda s: s["event"] and s["partners"], "the other parts of the collective")
    t.check(sorted(p["rank"] for p in s["partners"]) == list(range(1, 8)), "the other seven ranks take part", s["partners"])
    t.check({p["iteration"] for p in s["partners"]} == {bar["iteration"]}, "all parts are in the same iteration", bar, s["partners"])
    w.move(5, 5)
    w.settle()
    selected = band(room.display, group(w.read(), 1)["y"])
    t.check(selected not in (before, hovered), "the selected collective has stronger connections")
    w.key("Escape")
    w.wait(lambda s: not s["event"], "the selection to be cleared")
    w.settle()
    t.check(band(room.display, group(w.read(), 1)["y"]) == before, "clearing the selection removes the connections")
    room.end(t, w)


def test_allreduce(t, room):
    """A collective and its copies have durations of their own in the inspector, and rows in a comparison."""
    w = room.open("-d", "4", "example:allreduce", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("space")
    s = w.wait(ran, "a run")
    facts = dict(zip(s["inspector"], s["inspector"][1:]))
    t.check(facts["streams"] == "20 on 4 devices, with default streams; 4 tracks of communicators", "the streams of all devices are counted", facts)
    bar = next(b for b in device_bars(s) if b["name"].startswith("Allreduce"))
    w.click(bar["x"], bar["y"])
    s = w.wait(lambda s: s["event"] and "longest" in s["inspector"], "the Allreduce")
    words = s["inspector"][s["inspector"].index("work"):]
    works = [dict(zip(words[i:i + 12:2], words[i + 1:i + 12:2])) for i in range(0, len(words), 12) if words[i] == "work"]
    t.check([work["work"] for work in works] == ["Allreduce T3", "copy for Allreduce T3"], "the selected work comes first", words)
    t.check(all(work["events"] == "64" and work["mean"] == work["shortest"] == work["longest"] for work in works), "their durations are not mixed", works)
    t.check(any(" \u00b7 copy for Allreduce T3 \u00b7 " in word for word in s["inspector"]), "the instances are named", s["inspector"])
    w.key("Escape")
    w.wait(lambda s: not s["event"], "the selection to be cleared")
    w.key("F5")
    w.wait(lambda s: ran(s) and len(s["runs"]) == 2 and s["runs"][1]["shown"], "a second run")
    w.key("ctrl+shift+c")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison")
    t.check(sorted(row[0] for row in s["compare"]["rows"]) == ["Allreduce T3", "copy for Allreduce T3"], "each has a row", s["compare"]["rows"])
    s = w.wait(lambda s: "exposed copies" in s["compare"]["labels"], "the totals")
    labels = s["compare"]["labels"]
    busy, exposed, copies = (float(labels[labels.index(part) + 1].removesuffix(" µs"))
                             for part in ("busy", "exposed communication", "exposed copies"))
    t.check(copies > 0 and abs(busy - exposed - copies) < 0.1, "without kernels, what is exposed adds up to the busy time", labels)
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


def test_messages(t, room):
    w = room.open("-d", "4", SCRIPT + "::allgather_p2p")
    w.wait(opened, "the workspace")
    w.key("space")
    s = w.wait(ran, "a run")
    for bar in [b for b in device_bars(s) if b["track"] == "comm p2p"]:
        w.click(bar["x"], bar["y"])
        s = w.wait(lambda s: s["event"] and s["partners"], "the other end of the message")
        peer = int(bar["name"].split("send")[1].split("to ")[1].split(",")[0])
        t.check([p["rank"] for p in s["partners"]] == [peer], f"{bar['name']}: the other end is on the expected rank", s["partners"])
        w.key("Escape")
        w.wait(lambda s: not s["event"], "the selection to be cleared")
    room.end(t, w)


run_groups([test_rank_switch, test_events_of_ranks, test_domains, test_team, test_groups, test_collective,
            test_allreduce, test_messages])
