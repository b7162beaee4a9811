#!/usr/bin/env python3
"""test-debug.py HIRSCOPE [GROUP...]

Tests the debugger of the window: breakpoints by key, gutter and text; stepping forward and backward; the next
instruction in text and graph. Expected positions and values come from `hirscope debug`. See test-window.py for the
method.
"""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import GOLDEN  # noqa: E402
from room import PASSES, device_bars, opened, run_groups, selected_ids  # noqa: E402

SIZE = (1480, 920)
PICTURES = os.environ.get("HIR_TEST_PICTURES")
SPEC = ("example:ag_matmul", "-d", "2")


def picture(w, name):
    if PICTURES:
        w.settle()
        w.screenshot(os.path.join(PICTURES, name))


def is_paused(s):
    return s["debug"]["on"] and not s["debug"]["busy"] and s["debug"]["pointer"].strip("0")


def after(w, n, what):
    """Return the state after the debugger has answered more than @n lines."""
    return w.wait(lambda s: s["debug"]["answers"] > n and not s["debug"]["busy"], what)


def click_entry(w, index):
    """Click an entry of the panel: 0 is that of breakpoints, 1 is the console."""
    found = {(c["x"], c["y"]): c for c in w.state["controls"] if c["kind"] == "GtkEntry" and c["y"] > SIZE[1] / 3}
    c = found[sorted(found)[index]]
    w.click(c["x"] + c["width"] / 2, c["y"] + c["height"] / 2)


def pointed(s):
    return [line for line in s["lines"] if "pointer" in line["marks"]]


def by_command(room, *lines):
    """Return the output of `hirscope debug` for the commands @lines."""
    script = room.path("lines.txt", "\n".join(lines) + "\n")
    return room.program("debug", "-x", script, *SPEC).out


def test_iteration(t, room, dark=True):
    """Breaks in iteration 5 on rank 1, prints T5, steps back twice, continues."""
    expected = by_command(room, "break Allgather iteration 5 rank 1", "run", "next 2", "print T5[0, 0:2, 0:2]")
    w = room.open(*SPEC, size=SIZE, dark=dark)
    s = w.wait(opened, "the workspace")
    t.check(not s["debug"]["shown"], "the panel is hidden before the first use")
    w.key("F6")
    s = w.wait(is_paused, "the program to pause before its first instruction")
    t.check("before program line 2, " in s["debug"]["place"] and s["debug"]["round"] == 0, "the program is paused before its first instruction", s["debug"])
    t.check(not s["spins"] and s["status"].startswith("Stopped on rank 0 before program line 2, "), "no activity is shown while the program is paused", s["status"])
    t.check(len(pointed(s)) == 1 and "ALLOCATE" in pointed(s)[0]["text"], "the instruction is marked in the text", s["lines"][:3])
    t.check([n["id"] for n in s["selected"]] == [s["debug"]["pointer"]], "the instruction is selected, so that the graph shows it", s["selected"])
    click_entry(w, 0)
    n = s["debug"]["answers"]
    w.type("Allgather iteration 5 rank 1")
    w.key("Return")
    s = after(w, n, "the breakpoint")
    t.check(s["debug"]["breaks"] == ["Allgather iteration 5 rank 1"], "the breakpoint is listed", s["debug"])
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and "in iteration 5" in s["debug"]["place"], "the stop in iteration 5")
    t.check(s["debug"]["place"].startswith("Rank 1, before program line 15, "), "the position is rank 1, before the Allgather", s["debug"])
    t.check("Breakpoint 1, rank 1, iteration 5" in s["debug"]["said"], "the console reports the reason", s["debug"]["said"])
    s = w.wait(lambda s: pointed(s) and "Communication" in pointed(s)[0]["text"],
               "the pointer in the text")
    s = w.wait(lambda s: device_bars(s) and s["debug"]["pointer_ns"] >= 0, "the timeline to grow")
    front = s["debug"]["pointer_ns"]
    clock = room.program("debug", "-x", room.path("clock.txt", "break Allgather iteration 5 rank 1\nrun\ninfo clock\n"), *SPEC, "--clock", "model").out
    t.check(f"rank 1: host at {front / 1000:.3f} µs on the modelled clock" in clock, "the position is on the selected clock", front, clock)
    # T5 is uninitialized before the Allgather. Two steps later, after the Wait, it has its value.
    there = s["debug"]["round"]
    for i in (1, 2):
        n = s["debug"]["answers"]
        w.key("F10")
        s = after(w, n, "a step over an instruction")
    n = s["debug"]["answers"]
    click_entry(w, 1)
    w.type("print T5[0, 0:2, 0:2]")
    w.key("Return")
    s = after(w, n, "the value of T5")
    numbers = re.findall(r"(?m)^ +\d+: .*$", expected)
    t.check(numbers and all(line in s["debug"]["said"] for line in numbers), "the console prints the same T5 as the command", numbers,
            s["debug"]["said"])
    s = w.wait(lambda s: s["debug"]["pointer_ns"] > front, "the pointer in the timeline to advance")
    picture(w, f"debug{'' if dark else '-light'}.png")
    ahead = s["debug"]["pointer_ns"]
    for i in (1, 2):
        n = s["debug"]["answers"]
        w.key("ctrl+F10")
        s = after(w, n, "a step back")
    t.check(s["debug"]["round"] == there and is_paused(s), "two steps back restore the round", s["debug"]["round"], there)
    t.check(front <= s["debug"]["pointer_ns"] < ahead, "two steps back move the pointer in the timeline", front, s["debug"]["pointer_ns"], ahead)
    instances = lambda s: [c["name"] for c in s["controls"] if "not executed yet" in c["name"]]  # noqa: E731
    s = w.wait(instances, "the undone execution to be restated")
    t.check(len(instances(s)) == 1, "the inspector does not show the undone execution of the Allgather", instances(s))
    n = s["debug"]["answers"]
    w.key("F11")
    s = after(w, n, "a step forward")
    t.check(s["debug"]["round"] == there + 1, "a step advances by one round", s["debug"]["round"], there)
    w.key("F8")
    s = w.wait(lambda s: "has ended" in s["debug"]["place"], "the end of the program")
    t.check("right; largest error" in s["debug"]["said"], "the results are correct", s["debug"]["said"])
    t.check(not pointed(s), "no line is marked after the end", pointed(s))
    w.click_control("Stop", kind="GtkButton")
    s = w.wait(lambda s: not s["debug"]["on"] and not s["running"], "the run to end")
    t.check(s["debug"]["breaks"] == ["Allgather iteration 5 rank 1"], "the breakpoint persists after the run", s["debug"])
    room.end(t, w)


def break_by_key(w, text, dx):
    """Select the instruction in the line with @text by a click at @dx, and press b."""
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.key("shift+F6")
    w.wait(lambda s: not s["debug"]["on"] and not s["debug"]["shown"] and not s["running"], "the panel to close")
    w.settle()
    line = w.line_with(text)
    w.click(line["x"] + dx, line["y"])
    w.wait(lambda s: s["selected"] and s["selected"][0]["kind"] != "Allocate", f"{text} to be selected")
    w.key("b")
    return w.wait(lambda s: len(s["debug"]["breaks"]) == 1 and s["debug"]["shown"], "the breakpoint to be set by key")


def test_breaks(t, room):
    """Key and gutter set and delete breakpoints before a run; they persist from run to run."""
    w = room.open(*SPEC, size=SIZE)
    w.wait(opened, "the workspace")
    number = break_by_key(w, "matmul", 40)["debug"]["breaks"][0]
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and s["debug"]["round"] > 0, "the stop at the breakpoint")
    t.check(f"before program line {number}, " in s["debug"]["place"], "the program stops at the breakpoint", s["debug"]["place"], number)
    n = s["debug"]["answers"]
    w.key("b")
    s = after(w, n, "the breakpoint to be deleted")
    t.check(s["debug"]["breaks"] == [], "the same key deletes the breakpoint", s["debug"])
    n = s["debug"]["answers"]
    w.key("ctrl+shift+F10")
    s = after(w, n, "the start of the iteration")
    t.check(is_paused(s), "the program is paused at the start of the iteration", s["debug"])
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def test_margin(t, room):
    """A click anywhere in the gutter toggles a breakpoint, and the program stops there."""
    w = room.open(*SPEC, size=SIZE)
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1], "the last pass")
    w.key("2")
    w.wait(lambda s: any("break" in line for line in s["lines"]), "the program text with its gutter")
    w.settle()

    def dot(w):
        return w.line_with("Wait Communication")["break"]

    at = dot(w.read() and w)
    t.check(not at["set"], "there is no breakpoint at first", at)
    for dx in (0, -5, 5):
        at = dot(w)
        w.click(at["x"] + dx, at["y"])
        s = w.wait(lambda s: dot(w)["set"], f"the dot after a click {dx} px from its center")
        w.settle()
        at = dot(w)
        if dx < 5:
            w.click(at["x"] + dx, at["y"])
            w.wait(lambda s: not dot(w)["set"], "the dot to disappear")
            w.settle()
    t.check(len(s["debug"]["breaks"]) == 1 and not s["selected"], "a click in the gutter does not change the selection",
            s["debug"]["breaks"], s["selected"])
    number = s["debug"]["breaks"][0]
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and s["debug"]["round"] > 0, "the stop at the breakpoint")
    t.check(f"before program line {number}, " in s["debug"]["place"], "the program stops at the instruction of that line", s["debug"]["place"])
    t.check("Wait" in pointed(s)[0]["text"], "that line is marked", pointed(s))
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def node(s, title):
    return next(n for n in s["graph"]["nodes"] if n["title"] == title)


def loop(s):
    """Return the loop over the iterations: the last group that can be folded."""
    return s["graph"]["groups"][-1]


def test_graph(t, room):
    """A click to the left of a box toggles a breakpoint, but only in the debugger; the box of a folded loop shows it."""
    w = room.open(*SPEC, size=SIZE)
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    s = w.wait(lambda s: s["step"] == PASSES[-1] and [n for n in s["graph"]["nodes"] if "matmul" in n["title"]], "the host program")
    box = node(w.settle(), "matmul")
    w.click(box["x"] - box["width"] / 2 - 4, box["y"])
    w.click(box["x"] - box["width"] / 2 + 2, box["y"])
    s = w.wait(lambda s: selected_ids(s) == [box["id"]], "the box to be selected")
    t.check(not s["debug"]["breaks"], "without the debugger, a click at the edge of a box sets no breakpoint", s["debug"])
    w.key("F6")
    s = w.wait(is_paused, "the first stop")
    box = node(s, "matmul")
    w.click(box["x"] - box["width"] / 2 + 2, box["y"])
    s = w.wait(lambda s: selected_ids(s) == [box["id"]], "the box to be selected")
    t.check(not s["debug"]["breaks"], "a click on a box sets no breakpoint", s["debug"]["breaks"])
    n = s["debug"]["answers"]
    w.click(box["x"] - box["width"] / 2 - 4, box["y"])
    s = after(w, n, "a breakpoint to the left of a box")
    t.check(len(s["debug"]["breaks"]) == 1, "the breakpoint is set", s["debug"]["breaks"])
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and s["debug"]["round"] > 0, "the stop at the breakpoint")
    t.check(f"before program line {s['debug']['breaks'][0]}, " in s["debug"]["place"], "the program stops at the breakpoint", s["debug"])
    t.check(s["debug"]["pointer"] == box["id"], "the position is that box", s["debug"]["pointer"], box)
    group = loop(s)
    w.click(group["fold_x"], group["fold_y"])
    s = w.wait(lambda s: [g for g in s["graph"]["nodes"] if g["folded"]], "the loop to be folded")
    w.settle()
    picture(w, "debug-folded.png")
    folded = next(g for g in w.read()["graph"]["nodes"] if g["folded"])
    n = s["debug"]["answers"]
    w.click(folded["x"] - folded["width"] / 2 - 4, folded["y"])
    s = after(w, n, "a breakpoint on the loop")
    t.check(len(s["debug"]["breaks"]) == 2, "a click to the left of the folded loop sets a breakpoint", s["debug"]["breaks"])
    n = s["debug"]["answers"]
    w.click(folded["x"] - folded["width"] / 2, folded["y"])
    s = after(w, n, "the breakpoint of the loop to be deleted")
    t.check(len(s["debug"]["breaks"]) == 1, "the same click deletes the breakpoint", s["debug"]["breaks"])
    room.end(t, w)


def choose(w, names, wanted):
    """Choose @wanted in the drop-down with @names, which may have been scrolled out of view. The list takes the focus in
    steps, so that keys can get lost; the loop then starts again from the entry that was chosen."""
    def button():
        return [c for c in w.state["controls"] if c["kind"] == "GtkToggleButton" and c["name"] in names and c["x"] < SIZE[0] / 2][0]

    for _ in range(5):
        y = w.control("Values", "GtkToggleButton")["y"]
        w.wheel(SIZE[0] * 0.45, y + 60, up=True, n=12)
        w.settle()
        found = button()
        if found["name"] == wanted:
            return
        w.click(found["x"] + found["width"] / 2, found["y"] + found["height"] / 2)
        w.wait(lambda s: button()["active"], "the list of the drop-down")
        away = names.index(wanted) - names.index(found["name"])
        w.key(*(["Down"] * away if away > 0 else ["Up"] * -away), "Return")
        w.wait(lambda s: not button()["active"], "the list to close")
    raise AssertionError(f"{wanted} could not be chosen")


def test_values(t, room, dark=True):
    """Shows the value of T5 where the program is paused, which equals that of the sequential program."""
    w = room.open(*SPEC, "--input", "4x2x4x4", "--input", "4x8", size=SIZE, dark=dark)
    w.wait(opened, "the workspace")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    s = w.settle()
    click_entry(w, 0)
    n = s["debug"]["answers"]
    w.type("matmul iteration 2 rank 1")
    w.key("Return")
    after(w, n, "the breakpoint")
    w.key("F8")
    w.wait(lambda s: is_paused(s) and "in iteration 2" in s["debug"]["place"], "the stop at the matmul")
    w.click_control("Values")
    s = w.wait(lambda s: "float[" in s["debug"]["values"], "a value")
    t.check(s["debug"]["values"].startswith("float[2, 4, 4]"), "the value of the operand T5 is displayed", s["debug"]["values"])
    choose(w, [f"T{i}" for i in range(7)], "T0")
    s = w.wait(lambda s: s["debug"]["values"].startswith("float[4, 1, 4, 4]"), "the value of T0")
    choose(w, [f"T{i}" for i in range(7)], "T5")
    s = w.wait(lambda s: s["debug"]["values"].startswith("float[2, 4, 4]"), "the value of T5")
    click_entry(w, -1)
    w.type("print T5")
    w.key("Return")
    s = w.wait(lambda s: "> print T5" in s["debug"]["said"] and not s["debug"]["busy"], "the output of print")
    low = re.search(r"min \S+", s["debug"]["values"]).group(0)
    t.check(low in s["debug"]["said"], "print reports the same minimum", low, s["debug"]["said"])
    picture(w, f"debug-values{'' if dark else '-light'}.png")
    choose(w, ["Value", "Gathered", "Difference"], "Difference")
    s = w.wait(lambda s: s["debug"]["values"].startswith("T5: "), "the difference")
    t.check("right" in s["debug"]["values"] and "first at" not in s["debug"]["values"], "the value equals that of the sequential program", s["debug"]["values"])
    w.settle()
    picture(w, f"debug-difference{'' if dark else '-light'}.png")
    w.resize(1024, 700)
    s = w.settle()
    wide = [c for c in s["controls"] if c["kind"] in ("GtkDropDown", "GtkEntry", "HirSceneCard") and c["y"] > 515 and 290 < c["x"] < 664]
    t.check(len(wide) > 3 and all(c["x"] + c["width"] <= 664 for c in wide), "in a small window nothing is beyond the edge of Values", wide)
    picture(w, f"debug-values-small{'' if dark else '-light'}.png")
    w.click_control("State")
    s = w.wait(lambda s: any(c["name"].startswith("Memory of rank") for c in s["controls"]), "the state")
    labels = [c for c in s["controls"] if c["kind"] == "GtkLabel" and c["y"] > 515 and 350 < c["x"] < 820 and not c["name"].startswith("Rank 1, before")]
    t.check(len(labels) > 8 and all(c["x"] + c["width"] <= 664 for c in labels), "nor beyond the edge of State", labels)
    t.check(any(re.search(r"before program line \d+, T6_matmul in iteration 2$", c["name"]) and c["height"] > 25 for c in labels), "the position wraps", labels)
    w.click_control("Values")
    w.resize(*SIZE)
    w.settle()
    # T6 is the result of the matmul, which has not been executed in this iteration.
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def test_wrong(t, room):
    """One click finds the first incorrect result, selects its instruction, and breaks there."""
    w = room.open(*SPEC, "--input", "4x2x4x4", "--input", "4x8", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("ctrl+F6")
    s = w.wait(lambda s: "No incorrect result found" in s["debug"]["wrong"], "the comparison of all results")
    # An Allgather on 2 ranks and a matmul in each of 4 iterations: more than 8 results.
    t.check(int(re.search(r"(\d+) results", s["debug"]["wrong"]).group(1)) >= 16, "every result was compared", s["debug"]["wrong"])
    w.click_control("Done", kind="GtkButton")
    w.wait(lambda s: not s["debug"]["wrong"], "the strip to disappear")
    room.end(t, w)
    w = room.open(*SPEC, "--input", "4x2x4x4", "--input", "4x8", size=SIZE, env={"HIRSCOPE_TEST_PLANT": "matmul"})
    w.wait(opened, "the workspace")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.settle()
    w.click_control("Find Mismatch", kind="GtkButton")
    s = w.wait(lambda s: "First incorrect result" in s["debug"]["wrong"], "the first incorrect result")
    found = re.match(r"First incorrect result: program line 19, T6 = matmul\(T5, T1\) in iteration 0 on rank ([01])\b", s["debug"]["wrong"])
    t.check(found, "the injected error is found", s["debug"]["wrong"])
    t.check("matmul" in s["selected"][0]["label"], "the incorrect instruction is selected", s["selected"])
    s = w.settle()
    picture(w, "debug-wrong.png")
    n = s["debug"]["answers"]
    w.click_control("Set Breakpoint", kind="GtkButton")
    s = after(w, n, "the breakpoint at the incorrect instruction")
    t.check(s["debug"]["breaks"] == [f"19 iteration 0 rank {found.group(1)}"], "the breakpoint has the iteration and the rank", s["debug"]["breaks"])
    room.end(t, w)


def test_recording(t, room):
    """Debugs a recording; its breakpoints are stored in its file."""
    path, home = room.path("two.hirs"), room.path("home-recording")
    made = room.program("run", "example:two_set_ops", "--clock", "model", "-o", path)
    t.check(made.code == 0, "the run is recorded", made)
    os.makedirs(home)
    w = room.open(path, size=SIZE, home=home, remembered="[tour]\nseen=true\n")
    w.wait(opened, "the recording")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    n = w.settle()["debug"]["answers"]
    w.key("F10")
    after(w, n, "a step")
    n = w.settle()["debug"]["answers"]
    w.key("b")
    s = after(w, n, "a breakpoint")
    t.check(s["debug"]["breaks"] == ["3"] and not s["debug"]["unbound"], "the breakpoint is at the second instruction", s["debug"])
    room.end(t, w)
    # The recording was moved.
    moved, home = room.path("moved.hirs"), room.path("home-elsewhere")
    os.rename(path, moved)
    os.makedirs(home)
    t.check(room.program("stats", moved).code == 0, "the recording is valid")
    w = room.open(moved, size=SIZE, home=home, remembered="[tour]\nseen=true\n")
    s = w.wait(lambda s: opened(s) and s["debug"]["breaks"], "the breakpoint to be restored")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and s["debug"]["round"] > 0, "the stop at the breakpoint")
    t.check("before program line 3, " in s["debug"]["place"] and s["debug"]["breaks"] == ["3"], "the program stops at the restored breakpoint", s["debug"])
    room.end(t, w)


def test_failed(t, room):
    """A failed program shows the error and a hint in place of its position; stepping back clears it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "debug-no-wait.txt")
    w = room.open(path, "-d", "2", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.key("F8")
    s = w.wait(lambda s: not s["debug"]["busy"] and s["debug"]["place"].startswith("Failed: ")
               and s["status"].startswith("Program failed: "), "the error in the panel and in the status")
    t.check("insert a Wait for it first" in s["debug"]["place"], "the error contains a hint", s["debug"]["place"])
    picture(w, "debug-failed.png")
    n = s["debug"]["answers"]
    w.key("ctrl+F10")
    s = after(w, n, "a step back")
    t.check(", before program line " in s["debug"]["place"] and s["status"].startswith("Stopped "), "the program is paused again", s["debug"]["place"], s["status"])
    room.end(t, w)


def test_pause(t, room):
    """A running program is reported and can be paused and continued."""
    w = room.open(*SPEC, "--input", "12000x2x4x4", "--input", "4x8", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    s = w.settle()
    click_entry(w, 0)
    n = s["debug"]["answers"]
    w.type("T6 if max(T6) > 1e9")
    w.key("Return")
    after(w, n, "a breakpoint whose condition is never true")
    w.key("F8")
    # The window is never idle here.
    s = w.poll(lambda s: s["spins"], "the program to continue", time.monotonic() + 60)
    t.check(s["status"].startswith("Debugging: continue"), "the status shows the running command", s["status"])
    w.key("shift+F8")
    s = w.wait(lambda s: s["debug"]["on"] and not s["debug"]["busy"] and s["debug"]["round"] > 0, "the program to pause")
    t.check("in iteration " in s["debug"]["place"] and not s["spins"], "Pause stops the program in an iteration", s["debug"]["place"])
    there, n = s["debug"]["round"], s["debug"]["answers"]
    w.key("F10")
    s = after(w, n, "a step")
    t.check(s["debug"]["round"] == there + 1, "a step continues from there", there, s["debug"]["round"])
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def test_wrong_races(t, room):
    """A program that races is reported as by the command: its results, then the races in lines of fixed width."""
    with open(os.path.join(GOLDEN, "ag_matmul.txt"), encoding="utf-8") as file:
        lines = file.readlines()
    at = max(i for i, line in enumerate(lines) if "Synchronize Stream (" in line)
    path = room.path("races.txt", "".join(lines[:at] + lines[at + 1:]))
    words = ("--input", "4x8x4x4", "--input", "4x8")
    command = room.program("bisect", path, "--program", *words)
    n = re.search(r"(\d+) results compared", command.out).group(1)
    t.check(command.code == 1 and "no result exceeds its error bound" in command.out, "the command finds races only", command)
    w = room.open(path, *words, size=SIZE)
    w.wait(opened, "the workspace")
    w.key("ctrl+F6")
    s = w.wait(lambda s: "The program races" in s["debug"]["wrong"], "the races")
    heading, text, *report = s["debug"]["wrong"].rstrip("\n").split("\n")
    t.check(text == f"{n} results compared with the sequential program; none exceeds its error bound", "it says that the results are right", text)
    t.check("\n".join(report[:3]) in command.out and report[2].strip() == "^", "the report is that of the command", report, command)
    t.check("Mono" in s["debug"]["wrong_font"], "its carets point at columns", s["debug"]["wrong_font"])
    picture(w, "debug-races.png")
    room.end(t, w)


def test_wrong_cancel(t, room):
    """A long search shows its progress and can be cancelled."""
    w = room.open(*SPEC, "--input", "20000x2x4x4", "--input", "4x8", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("ctrl+F6")
    w.poll(lambda s: re.search(r"[1-9][0-9]* results so far", s["debug"]["wrong"]), "the progress of the search", time.monotonic() + 60)
    w.click_control("Cancel", kind="GtkButton")
    s = w.wait(lambda s: not s["debug"]["wrong"], "the search to be cancelled")
    t.check(not s["debug"]["breaks"] and not s["running"], "cancelling changes nothing else", s["debug"])
    room.end(t, w)


def line_text(s):
    """Return the text of the console entry, the last one of the panel."""
    return [c for c in s["controls"] if c["kind"] == "GtkEntry" and c["x"] > SIZE[0] / 2 and c["y"] > SIZE[1] / 3][-1]["name"]


def test_words(t, room):
    """Tab completes a line, Up and Down recall lines, Pause pauses a running command; stepping one rank alone."""
    w = room.open(*SPEC, size=SIZE)
    w.wait(opened, "the workspace")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    s = w.settle()
    click_entry(w, -1)
    w.type("inf")
    w.key("Tab")
    s = w.wait(lambda s: line_text(s) == "info ", "the completed word")
    w.type("dev")
    w.key("Tab")
    s = w.wait(lambda s: line_text(s) == "info devices ", "the completed argument")
    n = s["debug"]["answers"]
    w.key("Return")
    s = after(w, n, "the output of the command")
    t.check("rank 1" in s["debug"]["said"] and "> info devices" in s["debug"]["said"], "the completed line is executed", s["debug"]["said"])
    w.type("d")
    w.key("Tab")
    s = w.wait(lambda s: "delete  disable  display" in s["debug"]["said"], "the list of completions")
    t.check(line_text(s) == "d", "the typed text is unchanged", line_text(s))
    w.key("BackSpace")
    w.type("print StreamIdx")
    n = w.settle()["debug"]["answers"]
    w.key("Return")
    after(w, n, "the output of the second line")
    w.type("half")
    w.key("Up")
    w.wait(lambda s: line_text(s) == "print StreamIdx", "the previous line")
    w.key("Up")
    w.wait(lambda s: line_text(s) == "info devices ", "the line before the previous line")
    w.key("Down", "Down")
    w.wait(lambda s: line_text(s) == "half", "the line typed before")
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def test_waits(t, room, dark=True):
    """With one rank held before a collective, the panel shows which rank waits for which, and where."""
    w = room.open(*SPEC, size=(1280, 800), dark=dark)
    w.wait(opened, "the workspace")
    w.key("F6")
    s = w.wait(is_paused, "the first stop")
    t.check(s["debug"]["waits"] == "", "no rank waits at first", s["debug"])
    n = s["debug"]["answers"]
    w.click_control("Alone", kind="GtkToggleButton")
    s = after(w, n, "rank 0 to be stepped alone")
    w.key("F8")
    s = w.wait(lambda s: s["debug"]["waits"], "the hang to be reported", timeout=5)
    lines = s["debug"]["waits"].splitlines()
    t.check(lines[0] == "Other ranks wait for a rank that is held", "the panel reports the reason", lines)
    t.check("Rank 0 waits in Allgather T5 in iteration 0 for rank 1, stopped before program line 2, " in s["debug"]["waits"],
            "the panel reports which rank waits for which, and where", lines)
    t.check(not s["spins"] and is_idle(s), "the program is paused", s["status"])
    picture(w, f"debug-waits{'' if dark else '-light'}.png")
    n = s["debug"]["answers"]
    found = [c for c in s["controls"] if c["kind"] == "GtkButton" and c["name"].startswith("for rank 1, ")]
    w.click(found[0]["x"] + 30, found[0]["y"] + found[0]["height"] / 2)
    s = after(w, n, "rank 1 to be displayed")
    t.check(s["debug"]["place"].startswith("Rank 1, before program line 2, "), "a click displays the rank that others wait for", s["debug"])
    w.key("F8")
    w.wait(lambda s: not s["debug"]["waits"] and not s["debug"]["busy"], "rank 1 to reach the collective")
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def test_waits_light(t, room):
    test_waits(t, room, dark=False)


def is_idle(s):
    return s["debug"]["on"] and not s["debug"]["busy"]


SCRIPT = """from nvfuser_direct import FusionDefinition, DataType, ParallelType


def copies():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[8, 8], contiguity=True, dtype=DataType.Float)
        c = fd.ops.set(a)
        d = fd.ops.set(c)
        fd.add_output(d)
        for tv in [c, d]:
            tv.axis(0).parallelize(ParallelType.stream)
    return fd
"""
CHANGED = SCRIPT.replace("        for tv in [c, d]:\n            tv.axis(0).parallelize(ParallelType.stream)\n", "")


def form(w, i):
    """Return entry @i of the open form."""
    found = sorted((c["y"], c["x"]) for c in w.state["controls"] if c["kind"] == "GtkEntry" and c["width"] > 180
                   and c["x"] > 120)
    return found[i]


def test_kept(t, room):
    """Invalid breakpoints are reported at their entry; a form changes one; all are restored with the document."""
    path = room.path("copies.py", SCRIPT)
    home = room.path("home-kept")
    os.makedirs(home)
    w = room.open(path, size=SIZE, home=home, remembered="[tour]\nseen=true\n")
    w.wait(opened, "the workspace")
    number = break_by_key(w, "= Set(", 90)["debug"]["breaks"][0]
    w.settle()
    click_entry(w, 0)
    w.type("T1 if max(")
    w.key("Return")
    s = w.wait(lambda s: s["debug"]["refused"], "the syntax error")
    t.check([c for c in s["controls"] if c["name"] == "T1 if max("], "the typed text is unchanged", s["debug"])
    t.check(len(s["debug"]["breaks"]) == 1, "no breakpoint was set", s["debug"])
    w.key("End")
    w.type("T1) > 1e9")
    w.key("Return")
    s = w.wait(lambda s: len(s["debug"]["breaks"]) == 2, "the corrected breakpoint")
    t.check(s["debug"]["breaks"][1] == "T1 if max(T1) > 1e9" and not s["debug"]["refused"], "the breakpoint is listed", s["debug"])
    w.settle()
    w.click_control(f"Edit {number}")
    w.wait(lambda s: [c for c in s["controls"] if c["kind"] == "GtkButton" and c["name"] == "Apply"], "the form")
    w.settle()
    w.key("Tab", "Tab")
    w.type("x")
    w.key("Return")
    s = w.wait(lambda s: s["debug"]["refused"], "the error in the form")
    t.check("iteration takes a number" in s["debug"]["refused"], "the error describes the invalid iteration", s["debug"]["refused"])
    w.key("BackSpace")
    w.type("3")
    w.key("Return")
    s = w.wait(lambda s: s["debug"]["breaks"][0] == f"{number} iteration 3", "the breakpoint to be changed")
    w.settle()
    picture(w, "debug-list.png")
    w.click_control("Stop at T1 if max(T1) > 1e9", kind="GtkCheckButton")
    s = w.wait(lambda s: s["debug"]["off"] == [1], "the second breakpoint to be disabled")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and "in iteration 3" in s["debug"]["place"], "the stop at the breakpoint")
    t.check(s["debug"]["off"] == [1], "the second breakpoint is still disabled", s["debug"])
    picture(w, "debug-breaks.png")
    watch(w, "max(T1)")
    watch(w, "T9")
    watch(w, "StreamIdx")
    w.wait(lambda s: len(watched(s)) == 3 and watched(s)["StreamIdx"]["value"], "three watches")
    w.key("Up", "Up", "Delete")
    w.wait(lambda s: list(watched(s)) == ["max(T1)", "StreamIdx"], "one to be deleted")
    room.end(t, w)
    # A different lowering gives the same instruction a different number.
    w = room.open(path, "--set", "StreamParallelType.initial_sync=in_loop", size=SIZE, home=home)
    s = w.wait(lambda s: opened(s) and len(s["debug"]["breaks"]) == 2, "both breakpoints to be restored")
    t.check(s["debug"]["off"] == [1] and s["debug"]["breaks"][1] == "T1 if max(T1) > 1e9", "the breakpoints are restored unchanged", s["debug"])
    t.check(list(watched(s)) == ["max(T1)", "StreamIdx"], "the watches are restored", s["debug"]["watches"])
    moved = s["debug"]["breaks"][0]
    t.check(moved.endswith(" iteration 3") and moved != f"{number} iteration 3", "the breakpoint has the new instruction number", moved, number)
    w.key("F6")
    w.wait(is_paused, "the first stop")
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and "in iteration 3" in s["debug"]["place"], "the stop at the restored breakpoint")
    t.check(f"before program line {moved.split()[0]}, " in s["debug"]["place"], "the program stops at that instruction", s["debug"]["place"], moved)
    t.check(watched(s)["StreamIdx"]["value"] == "3", "a restored watch has its value", s["debug"]["watches"])
    room.end(t, w)
    # Without the loop the breakpoint is unbound, but not deleted.
    room.path("copies.py", CHANGED)
    w = room.open(path, size=SIZE, home=home)
    s = w.wait(lambda s: opened(s) and s["debug"]["unbound"] == [0], "the breakpoint to become unbound")
    t.check(len(s["debug"]["breaks"]) == 2 and s["debug"]["breaks"][0].endswith(" iteration 3"), "the unbound breakpoint is not deleted", s["debug"])
    room.end(t, w)


def watch(w, text):
    """Watch @text with keys only."""
    w.key("ctrl+shift+w")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkText", "GtkEntry"), "the entry of watches")
    w.key("ctrl+a")
    w.type(text)
    w.key("Return")


def watched(s):
    return {row["text"]: row for row in s["debug"]["watches"]}


def test_watch(t, room, dark=True):
    """Watched expressions stay across steps, runs and sessions, and mark changed values."""
    w = room.open(*SPEC, "--input", "16x2x4x4", "--input", "4x4", size=SIZE, dark=dark)
    w.wait(opened, "the workspace")
    watch(w, "StreamIdx")
    watch(w, "T5[0, :, 0]")
    watch(w, "max(T99)")
    s = w.wait(lambda s: len(s["debug"]["watches"]) == 3, "three watches before the start")
    t.check(not any(row["value"] for row in s["debug"]["watches"]), "they have no values yet", s["debug"]["watches"])
    w.key("F6")
    w.wait(is_paused, "the first stop")
    s = w.wait(lambda s: "T99" in (watched(s)["max(T99)"]["value"] or ""), "the rejected watch")
    t.check(watched(s)["max(T99)"]["error"] and "T99" in watched(s)["max(T99)"]["value"], "a watch of a tensor that does not exist has a reason", s["debug"])
    w.key("Up", "Delete")
    s = w.wait(lambda s: "max(T99)" not in watched(s), "the watch to be deleted by keys")
    t.check(watched(s)["T5[0, :, 0]"]["error"], "a tensor without memory has a reason", s["debug"]["watches"])

    click_entry(w, 0)
    n = s["debug"]["answers"]
    w.type("matmul rank 0")
    w.key("Return")
    after(w, n, "the breakpoint")
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and "in iteration 0" in s["debug"]["place"] and watched(s)["StreamIdx"]["value"] == "0", "the first iteration")
    first = watched(s)["T5[0, :, 0]"]["value"]
    t.check(re.match(r"float\[4\], .*: -?[\d.]+, ", first), "the value of a slice", first)
    n = s["debug"]["answers"]
    w.key("F10")
    s = after(w, n, "the next instruction")
    t.check(not watched(s)["StreamIdx"]["changed"] and not watched(s)["T5[0, :, 0]"]["changed"], "the matmul changes none", s["debug"]["watches"])
    w.key("F8")
    s = w.wait(lambda s: is_paused(s) and "in iteration 1" in s["debug"]["place"] and watched(s)["StreamIdx"]["value"] == "1", "the next iteration")
    t.check(all(row["changed"] for row in s["debug"]["watches"]), "the next iteration changes both", s["debug"]["watches"])
    expected = by_command_of(room, "break matmul rank 0", "run", "continue", "print T5[0, :, 0]")
    shown = watched(s)["T5[0, :, 0]"]["value"].rsplit(": ", 1)[1].split(", ")
    t.check(all(float(number) == float(wanted) for number, wanted in zip(shown, expected) if number[-1].isdigit()), "the numbers are those of print", shown, expected)
    t.check("1: StreamIdx" not in s["debug"]["said"], "the console does not repeat them at each stop", s["debug"]["said"])
    picture(w, f"debug-watch{'' if dark else '-light'}.png")

    click_entry(w, -1)
    w.type("display max(T5)")
    w.key("Return")
    w.wait(lambda s: "max(T5)" in watched(s) and watched(s)["max(T5)"]["value"], "a watch by command")
    w.type("undisplay 1")
    w.key("Return")
    s = w.wait(lambda s: "StreamIdx" not in watched(s), "a watch deleted by command")
    w.key("shift+F5")
    s = w.wait(lambda s: not s["debug"]["on"], "the end")
    t.check(list(watched(s)) == ["T5[0, :, 0]", "max(T5)"] and not any(row["value"] for row in s["debug"]["watches"]), "the list stays", s["debug"]["watches"])
    w.key("F6")
    s = w.wait(lambda s: is_paused(s) and all(row["value"] for row in s["debug"]["watches"]), "another session")
    t.check(list(watched(s)) == ["T5[0, :, 0]", "max(T5)"], "another session has the same watches", s["debug"]["watches"])
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def by_command_of(room, *lines):
    """Return the numbers on the page that `hirscope debug` prints for the small program."""
    script = room.path("lines.txt", "\n".join(lines) + "\n")
    out = room.program("debug", "-x", script, *SPEC, "--input", "16x2x4x4", "--input", "4x4").out
    rows = re.findall(r"^ *\d+: (.*)$", out[out.rindex("(hirscope) print"):], re.MULTILINE)
    return " ".join(rows).split()


def test_follow(t, room, dark=True):
    """The value follows the instructions unless it is pinned."""
    def tensor(s):
        names = [c["name"] for c in s["controls"] if c["kind"] == "GtkDropDown" and re.fullmatch(r"T\d+", c["name"])]
        return names[0] if names else None

    w = room.open(*SPEC, "--input", "16x2x4x4", "--input", "4x4", size=SIZE, dark=dark)
    w.wait(opened, "the workspace")
    w.key("F6")
    w.wait(is_paused, "the first stop")
    s = w.settle()
    click_entry(w, 0)
    n = s["debug"]["answers"]
    w.type("Allgather iteration 2 rank 0")
    w.key("Return")
    after(w, n, "the breakpoint")
    w.key("F8")
    w.wait(lambda s: is_paused(s) and "in iteration 2" in s["debug"]["place"], "the stop at the Allgather")
    w.click_control("Values")
    s = w.wait(lambda s: tensor(s) == "T4" and s["debug"]["values"], "the input of the next instruction")
    t.check(s["debug"]["values"].startswith("float[1, 4, 4]"), "the value is that of T4", s["debug"]["values"])
    w.key("F10", "F10")
    s = w.wait(lambda s: tensor(s) == "T5" and s["debug"]["values"].startswith("float[2, 4, 4]"), "the result of Allgather and Wait")
    w.key("F10", "F10")
    s = w.wait(lambda s: tensor(s) == "T6" and "unwritten" not in s["debug"]["values"], "the result of the matmul")
    picture(w, f"debug-follow{'' if dark else '-light'}.png")
    w.click_control("Pin")
    w.wait(lambda s: w.control("Pin")["active"], "the pin")
    n = w.state["debug"]["answers"]
    w.key("ctrl+F10", "ctrl+F10", "ctrl+F10")
    s = w.wait(lambda s: s["debug"]["answers"] >= n + 3 and not s["debug"]["busy"], "three steps back")
    t.check(tensor(s) == "T6", "a pinned tensor stays", tensor(s))
    w.click_control("Pin")
    s = w.wait(lambda s: tensor(s) == "T5", "the tensor of the step without the pin")
    w.key("shift+F6")
    w.wait(lambda s: not s["running"], "the run to end")
    room.end(t, w)


def test_watch_light(t, room):
    test_watch(t, room, dark=False)


def test_follow_light(t, room):
    test_follow(t, room, dark=False)


def test_iteration_light(t, room):
    test_iteration(t, room, dark=False)


# The light style only changes the screenshots.
run_groups([test_iteration, test_breaks, test_graph, test_values, test_waits, test_words, test_wrong, test_wrong_races, test_wrong_cancel,
            test_recording, test_pause, test_failed, test_kept, test_margin, test_watch, test_follow] +
           ([test_iteration_light, test_waits_light, test_watch_light, test_follow_light] if PICTURES else []))
