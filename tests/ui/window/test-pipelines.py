#!/usr/bin/env python3
"""test-pipelines.py HIRSCOPE [GROUP...]

Tests switching between the pipelines: by key and by button; the selection, which follows the op of the script; and the
passes of both. See test-window.py for the method.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import SOURCE  # noqa: E402
from room import PASSES, enter_path, opened, run_groups, selected_ids  # noqa: E402

FOLDER = os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026")
LAYERS = os.path.join(FOLDER, "layers.py")
HOSTIR = ["Fusion", "ExactMappedExtentSubstitution", "PropagateShardings", "DecomposeReshardings",
          "ReorderShardedAxis", "MarkAliasesPrepare", "FinalizeMultideviceDomains", "LowerSegmentedFusionToHostIr",
          "AllocateAndDeallocate", "AssignStreams"]


def rows(w):
    return [c["name"] for c in w.controls(kind="GtkListBoxRow")]


def in_pipeline(last):
    return lambda s: opened(s) and s["step"] == last


def test_steps(t, room):
    w = room.open(LAYERS + "::pointwise", "-d", "2")
    w.wait(opened, "the workspace")
    for name in PASSES[1:]:
        w.key("j")
        w.wait(lambda s: s["step"] == name, name)
    w.key("q")
    s = w.wait(lambda s: in_pipeline(HOSTIR[-1])(s) and rows(w) == HOSTIR, "the host program of the other pipeline")
    t.check(any("LaunchKernel" in line["text"] for line in s["lines"]), "the text is that of 2026", s["lines"])
    for name in reversed(HOSTIR[:-1]):
        w.key("k")
        w.wait(lambda s: s["step"] == name, name)
    for name in HOSTIR[1:]:
        w.key("j")
        w.wait(lambda s: s["step"] == name, name)
    t.check(True, "j and k step through the passes of the other pipeline")
    w.key("ctrl+z")
    w.wait(lambda s: in_pipeline(PASSES[-1])(s) and len(rows(w)) == 9, "the first pipeline again")
    t.check(True, "a switch can be undone")
    room.end(t, w)


def test_selection(t, room):
    w = room.open(LAYERS + "::pointwise", "-d", "2")
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")
    line = w.line_with("  Wait")
    w.click(line["x"] + 60, line["y"])
    w.wait(lambda s: s["selected"] and "Wait" in s["selected"][0]["label"], "the Wait to be selected")
    w.key("q")
    s = w.wait(lambda s: in_pipeline(HOSTIR[-1])(s) and s["selected"], "the other pipeline")
    labels = [node["label"] for node in s["selected"]]
    t.check(any("Wait" in label for label in labels) and any("Allgather" in label for label in labels) and
            not any("relu" in label for label in labels), "its instructions of the same op are selected", labels)
    line = w.line_with("LaunchKernel")
    w.click(line["x"] + 60, line["y"])
    s = w.wait(lambda s: s["selected"] and "LaunchKernel" in s["selected"][0]["label"], "a kernel to be selected")
    made_by = [c for c in w.controls() if "LowerSegmentedFusionToHostIr" in (c.get("text") or c["name"] or "")]
    t.check(made_by, "the inspector names the pass that made the line", made_by)
    w.key("q")
    s = w.wait(lambda s: in_pipeline(PASSES[-1])(s) and s["selected"], "the first pipeline")
    labels = [node["label"] for node in s["selected"]]
    t.check(any("PostOnStream" in label for label in labels), "the kernel of the same op is selected", labels)
    room.end(t, w)


def test_buttons(t, room):
    w = room.open(LAYERS + "::pointwise", "-d", "2", "--pipeline", "hostir")
    w.wait(opened, "the workspace")
    w.wait(lambda s: rows(w) == HOSTIR, "the passes of the pipeline of the command line")
    w.click_control("Executor", "GtkToggleButton")
    w.wait(lambda s: opened(s) and len(rows(w)) == 9, "the other pipeline")
    w.click_control("Host IR", "GtkToggleButton")
    w.wait(lambda s: opened(s) and rows(w) == HOSTIR, "the first pipeline")
    t.check(True, "the buttons select the pipeline")
    room.end(t, w)


def test_rejected(t, room):
    w = room.open(os.path.join(FOLDER, "overlap.py") + "::row_parallel_linear_forward", "-d", "2", "--pipeline", "hostir")
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(HOSTIR) - 1))
    w.wait(lambda s: s["step"] == HOSTIR[-1], "the last pass")
    w.key("q")
    s = w.wait(lambda s: not s["lowering"] and any("cannot be a stream axis" in (c["name"] or "") + (c.get("text") or "")
                                                   for c in w.controls()), "the rejection")
    t.check(s["step"] == HOSTIR[-1], "the program stays when the other pipeline rejects the script", s["step"])
    w.key("q")
    w.wait(lambda s: opened(s) and rows(w) == HOSTIR, "the first pipeline again")
    room.end(t, w)


def test_compare(t, room):
    """Recordings of both pipelines are compared by the ops of the script, as by the command."""
    script = LAYERS + "::pointwise"
    paths = [room.path(name + ".hirs") for name in ("executor", "hostir")]
    for name, path in zip(("executor", "hostir"), paths):
        room.program("run", script, "-d", "2", "--clock", "model", "--pipeline", name, "-o", path)
    w = room.open(paths[0])
    w.wait(lambda s: opened(s) and s["bars"], "the recording")
    enter_path(w, paths[1], "ctrl+shift+o")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"] and s["compare"]["bars"], "the comparison")
    expected = json.loads(room.program("compare", *paths, "--json").out)["work"]
    shown = s["compare"]["rows"]
    t.check(len(shown) == len(expected) and any(row["line"] for row in expected), "the rows are those of the command", shown)
    t.check(any(row[0].startswith("script line ") and row[1] != "0" and row[2] != "0" for row in shown), "ops are named by their lines", shown)
    w.focus_newest()
    w.settle()
    w.key("Tab", "Home", "Return")
    w.wait(lambda s: s["compare"]["event_start_ns"] >= 0, "an event of the first op")
    t.check(True, "a row selects an event of its op")
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


run_groups([test_compare, test_steps, test_selection, test_buttons, test_rejected])
