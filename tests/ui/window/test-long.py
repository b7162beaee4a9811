#!/usr/bin/env python3
"""test-long.py HIRSCOPE [GROUP...]

Tests long operations on a program of 10,000 ops: progress, cancellation, and the previous state. Operations that would
finish too early are held until the test releases them.
"""
import os
import re
import time

from room import open_file, run_groups
from window import TIMEOUT_S

SIZE = (1280, 800)
N_OPS = 10_000
# Lowering and showing all of them takes about 10 s on two processors, and 1 min with sanitizers.
N_SHOWN = int(os.environ.get("HIR_LONG_OPS", "1000"))
SCRIPT = '''from nvfuser_direct import FusionDefinition, DataType, ParallelType


def {name}():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[8, 8], contiguity=True, dtype=DataType.Float)
        b = a
        for i in range({n}):
            b = fd.ops.add(b, a)
        fd.add_output(b)
        b.axis(0).parallelize(ParallelType.stream)
    return fd
'''


def make_script(room, name, n_ops):
    return room.path(name + ".py", SCRIPT.format(name=name, n=n_ops))


def soon(w, condition, what):
    """Like wait(), but for a busy window."""
    return w.poll(condition, what, time.monotonic() + TIMEOUT_S)


def lowered(s):
    return s["page"] == "workspace" and not s["lowering"] and s["graph"]["picture_ms"] > 0


def begun(s):
    return re.match(r"Lowering: \w+ \(1 of \d+\)", s["progress"])


def cancel(w):
    """Click Cancel. The window is never idle meanwhile, so that positions can be outdated."""
    for _ in range(10):
        if w.controls("Cancel", "GtkButton"):
            w.click_control("Cancel", "GtkButton")
        end = time.monotonic() + 3
        while w.read()["lowering"] and time.monotonic() < end:
            time.sleep(0.01)
        if not w.state["lowering"]:
            return


def test_opening(t, room):
    held = room.path("lower-held", "")
    w = room.open(make_script(room, "many", N_OPS), size=SIZE, env={"HIRSCOPE_TEST_LOWER_HOLD": held})
    s = soon(w, lambda s: begun(s) and w.controls("Cancel", "GtkButton"), "the strip that shows the progress")
    t.check(s["lowering"] and s["page"] == "gallery", "nothing is open during the first lowering", s["page"])
    cancel(w)
    s = w.wait(lambda s: s["status"] == "Lowering was cancelled" and not s["lowering"], "Cancel to end the lowering")
    t.check(not s["progress"] and s["page"] == "gallery", "the strip disappears and the gallery stays", s["progress"], s["page"])
    t.check(w.longest_work_ms < 1000, "the main loop is never blocked", w.longest_work_ms)
    os.unlink(held)
    room.end(t, w)


def test_what_was_open_stays(t, room):
    held = room.path("lower-held-2")
    w = room.open(make_script(room, "few", 3), size=SIZE, env={"HIRSCOPE_TEST_LOWER_HOLD": held})
    w.wait(lowered, "the small program")
    w.key("j", "x")
    w.wait(lambda s: lowered(s) and "PropagateShardings off" in s["status"], "a changed program")
    room.path("lower-held-2", "")
    open_file(w, make_script(room, "more", N_OPS))
    s = soon(w, begun, "the lowering of the large program")
    t.check(s["title"] == "few", "the previous document stays open meanwhile", s["title"])
    w.key("Escape")
    s = w.wait(lambda s: s["status"] == "Lowering was cancelled" and not s["progress"], "Escape to end the lowering")
    t.check(s["title"] == "few" and s["page"] == "workspace", "the previous document is still open", s["title"])
    os.unlink(held)
    w.key("ctrl+z")
    s = w.wait(lambda s: lowered(s) and s["status"].startswith("Undone: PropagateShardings"), "the undo")
    t.check(s["title"] == "few", "the changes of the previous document can be undone", s["title"])
    room.end(t, w)


def test_change(t, room):
    held = room.path("lower-held-3")
    w = room.open(make_script(room, "changed", 3), size=SIZE, env={"HIRSCOPE_TEST_LOWER_HOLD": held})
    w.wait(lowered, "the program")
    w.key("j")
    w.wait(lambda s: s["step"] == "PropagateShardings", "the first pass")
    room.path("lower-held-3", "")
    w.key("x")
    soon(w, lambda s: s["progress"].startswith("Lowering: ") and w.controls("Cancel", "GtkButton"), "the strip")
    cancel(w)
    w.wait(lambda s: s["status"] == "Lowering was cancelled" and w.controls("Undo", "GtkButton"), "the banner about the outdated program")
    t.check(w.state["title"] == "changed" and w.state["lines"], "the previous program is displayed", w.state["title"])
    os.unlink(held)
    w.click_control("Undo", "GtkButton")
    s = w.wait(lambda s: lowered(s) and s["status"].startswith("Undone: "), "Undo")
    t.check(not w.controls("Undo", "GtkButton"), "Undo reverts the change", s["status"])
    w.key("x")
    s = w.wait(lambda s: lowered(s) and "PropagateShardings off" in s["status"], "the change again")
    t.check(True, "the change can be repeated")
    room.end(t, w)


def test_large(t, room):
    """Searches through 10,000 ops do not block the main loop, and stop when another search starts."""
    w = room.open(make_script(room, "large", N_SHOWN), size=SIZE)
    w.poll(lowered, "the program", time.monotonic() + 300)
    w.settle()
    w.longest_work_ms = 0
    for _ in range(5):
        w.key("j")
    w.key("3")
    w.poll(lambda s: s["step"] == "StreamParallelType" and s["diff"]["summary"].startswith("+"), "the difference", time.monotonic() + 120)
    w.key("g")
    w.poll(lambda s: s["diff"]["in_graph"], "the difference in the graph", time.monotonic() + 120)
    w.key("2", "ctrl+f")
    w.type("T999_")
    w.poll(lambda s: s["found"], "the search", time.monotonic() + 120)
    w.key("Escape", "ctrl+shift+b")
    w.poll(lambda s: w.focus() and w.focus()["kind"] in ("GtkEntry", "GtkText"), "the entry", time.monotonic() + 60)
    w.type("FOR StreamIdx")
    w.key("Return")
    s = w.poll(lambda s: w.controls("Done", "GtkButton"), "the pass that creates loops", time.monotonic() + 120)
    t.check(s["step"] == "StreamParallelType", "a pass is found by a pattern in the program text", s["step"])
    t.check(w.longest_work_ms < 500, "the main loop is never blocked", w.longest_work_ms)
    room.end(t, w)


run_groups([test_opening, test_what_was_open_stays, test_change, test_large])
