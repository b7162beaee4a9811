#!/usr/bin/env python3
"""test-fold.py HIRSCOPE [GROUP...]

Tests folding of loops in the program text by triangle, key and row, and search, selection and copying in folds.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES, Program  # noqa: E402
from room import PASSES, opened, run_groups, selected_ids  # noqa: E402

SPEC = os.path.join(EXAMPLES, "multi_device.py") + "::ag_matmul"


def heads(s):
    return [line for line in s["lines"] if "fold" in line]


def numbers(s):
    return [line["line"] for line in s["lines"] if line["text"]]


def open_text(room, size=(1600, 1000)):
    w = room.open("-d", "8", SPEC, size=size)
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1] and opened(s), "the last pass")
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir" and len(heads(s)) == 2, "the program text with its two loops")
    w.settle()
    return w


def folded(w, head, n):
    row = f"\u2026 {n} lines"
    return w.wait(lambda s: any(h["line"] == head["line"] and h["fold"]["row"] == row for h in heads(s)), row)


def unfolded(w, n=2):
    return w.wait(lambda s: len(heads(s)) == n and not any(h["fold"]["row"] for h in heads(s)), "all loops to unfold")


def test_fold(t, room):
    text = Program(room.program.path)("lower", "-d", 8, SPEC).out.strip("\n").split("\n")
    w = open_text(room)
    first, second = heads(w.state)
    n_body = len(text) - 1 - second["line"]
    t.check([h["text"] for h in (first, second)] == [x for x in text if x.startswith("  FOR")],
            "each loop has a triangle", heads(w.state))

    w.click(second["fold"]["x"], second["fold"]["y"])
    s = folded(w, second, n_body)
    t.check(numbers(s) == [*range(1, second["line"] + 1), len(text)], "a click on the triangle hides the body", numbers(s))
    last, head = w.line_with("} // %HostIrContainer"), heads(s)[1]
    t.check(last["y"] - head["y"] <= 2.5 * head["fold"]["row_height"], "the folded body takes one row", head, last)

    w.key("k")
    w.wait(lambda s: s["step"] == PASSES[-2] and opened(s), "the previous pass")
    s = w.wait(lambda s: any(h["fold"]["row"] for h in heads(s)), "the fold in the previous pass")
    t.check([bool(h["fold"]["row"]) for h in heads(s)] == [False, True], "the loop stays folded in the previous pass", heads(s))
    w.key("j")
    s = folded(w, second, n_body)
    w.settle()

    head = heads(w.read())[1]
    w.click(head["x"] + 60, head["fold"]["y"] + head["fold"]["row_height"])
    s = unfolded(w)
    t.check(numbers(s) == [*range(1, len(text) + 1)], "a click on the row unfolds the loop")

    inside = w.line_with("Wait Communication")
    w.click(inside["x"] + 60, inside["y"])
    w.wait(lambda s: s["selected"] and s["selected"][0]["kind"] == "Wait", "the Wait to be selected")
    w.key("z")
    s = folded(w, second, n_body)
    t.check(s["selected"][0]["kind"] == "ForLoop",
            "z folds the enclosing loop and selects it", s["selected"])
    w.key("z")
    unfolded(w)
    t.check(True, "z unfolds the loop")

    w.click(first["fold"]["x"], first["fold"]["y"])
    folded(w, first, 2)
    head = heads(w.read())[1]
    w.click(head["fold"]["x"], head["fold"]["y"])
    folded(w, head, n_body)
    w.key("Z")
    s = unfolded(w)
    t.check(numbers(s) == [*range(1, len(text) + 1)], "Shift+z unfolds all loops")
    room.end(t, w)


def test_finds(t, room):
    text = Program(room.program.path)("lower", "-d", 8, SPEC).out.strip("\n")
    w = open_text(room)
    second = heads(w.state)[1]
    n_body = len(text.split("\n")) - 1 - second["line"]

    def fold():
        w.settle()
        head = next(h for h in heads(w.read()) if h["line"] == second["line"])
        w.click(head["fold"]["x"], head["fold"]["y"])
        folded(w, second, n_body)

    fold()
    w.key("ctrl+a", "ctrl+c")
    w.wait(lambda s: "text/plain" in s["clipboard"], "the copied text")
    w.key("ctrl+p")
    w.wait(lambda s: s["dialogs"], "the palette")
    w.focus_newest()
    w.settle()
    # The first keys after a window has opened can still go to the previous window.
    is_there = lambda s: [c for d in s["dialogs"] for c in d["controls"] if "%HostIrContainer {" in c["name"]]
    for _ in range(5):
        if not is_there(w.state):
            w.focus_newest()
            w.key("ctrl+a", "ctrl+v")
            w.settle()
    s = w.wait(is_there, "the pasted text in the palette")
    pasted = next(c["name"] for d in s["dialogs"] for c in d["controls"] if "%HostIrContainer {" in c["name"])
    t.check(pasted.split() == text.split(), "copying includes folded lines", pasted)
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the palette to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.key("ctrl+f")
    w.wait(lambda s: s["found"] is not None and w.focus() is not None, "the search bar")
    w.type("= matmul")
    unfolded(w)
    w.line_with("= matmul")
    t.check(True, "a search unfolds the loop that contains the match")
    w.key("Escape")

    fold()
    node = next(n for n in w.state["graph"]["nodes"] if n["title"] == "Wait")
    w.click(node["x"], node["y"])
    w.wait(lambda s: selected_ids(s) == [node["id"]], "the Wait to be selected")
    unfolded(w)
    t.check("selected" in w.line_with("Wait Communication")["marks"], "a selection in another view unfolds the loop that contains it")

    w.key("ctrl+p")
    w.wait(lambda s: s["dialogs"], "the palette")
    w.focus_newest()
    w.type("fold or unfold the loop in the text")
    w.settle()
    w.key("Return")
    w.wait(lambda s: not s["dialogs"], "the palette to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    s = folded(w, second, n_body)
    t.check(bool(s["selected"]), "the palette folds the loop")
    room.end(t, w)


def test_kinds(t, room):
    """Folds both branches of an IF inside a loop, and a HostUnit, by mouse and key."""
    golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "golden", "allgather_p2p.txt")
    w = room.open(golden, size=(1600, 1000))
    w.wait(opened, "the workspace")
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir" and len(heads(s)) == 4, "two loops, an IF and its ELSE")
    w.settle()
    t.check([h["text"].split()[0] for h in heads(w.read())] == ["FOR", "FOR", "IF", "ELSE:"], "each of them has a triangle",
            heads(w.state))
    n_all = len(numbers(w.state))
    branch, other = heads(w.state)[2:]
    w.click(branch["fold"]["x"], branch["fold"]["y"])
    s = folded(w, branch, 4)
    t.check(len(numbers(s)) == n_all - 4 and w.line_with("ELSE:"), "folding the IF leaves its ELSE visible", numbers(s))
    w.settle()
    line = w.line_with("EndCoalescing")
    w.click(line["x"] + 80, line["y"])
    w.wait(lambda s: s["selected"], "an instruction of the ELSE to be selected")
    w.key("z")
    s = folded(w, other, 5)
    t.check(len(numbers(s)) == n_all - 9, "z folds only the ELSE around the cursor", numbers(s))
    w.settle()
    loop = heads(w.read())[1]
    w.click(loop["fold"]["x"], loop["fold"]["y"])
    s = folded(w, loop, 16)
    t.check(len(heads(s)) == 2, "folding the outer loop hides both", heads(s))
    w.settle()
    loop = heads(w.read())[1]
    w.click(loop["fold"]["x"], loop["fold"]["y"])
    s = w.wait(lambda s: len(heads(s)) == 4, "the loop to unfold")
    t.check([bool(h["fold"]["row"]) for h in heads(s)] == [False, False, True, True], "the ELSE stays folded",
            heads(s))
    room.end(t, w)

    unit = os.path.join(os.path.dirname(golden), "..", "fusions", "stream_lowering.py")
    w = room.open(unit + "::DoNotSupportPostOnStream_unit", "--disable", "StreamParallelType", size=(1600, 1000))
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1), "2")
    w.wait(lambda s: s["text_page"] == "ir" and len(heads(s)) == 1 and opened(s), "the text with a HostUnit")
    w.settle()
    head = heads(w.read())[0]
    last = w.line_with("} // %kernel")
    w.click(head["fold"]["x"], head["fold"]["y"])
    s = folded(w, head, last["line"] - head["line"])
    t.check(numbers(s)[-2:] == [head["line"], last["line"] + 1], "a HostUnit folds to its first line", numbers(s))
    t.check(not any("%kernel" in line["text"] for line in s["lines"]), "its kernel is hidden completely", s["lines"])
    room.end(t, w)


def test_breaks(t, room):
    w = open_text(room)
    second = heads(w.state)[1]
    at = w.line_with("Wait Communication")["break"]
    w.click(at["x"], at["y"])
    s = w.wait(lambda s: (w.line_with("Wait Communication").get("break") or {}).get("set"), "a breakpoint in the loop")
    t.check(not any(h["break"]["hidden"] for h in heads(s)), "an unfolded loop does not show the breakpoint at its first line")
    second = heads(s)[1]
    w.click(second["fold"]["x"], second["fold"]["y"])
    s = w.wait(lambda s: heads(s)[1]["fold"]["row"], "the loop to fold")
    marks = [(h["break"]["set"], h["break"]["hidden"]) for h in heads(s)]
    t.check(marks == [(False, False), (False, True)], "a folded loop shows the breakpoint inside it", marks)
    at = heads(s)[1]["break"]
    w.click(at["x"], at["y"])
    s = w.wait(lambda s: heads(s)[1]["break"]["set"], "a breakpoint on the loop itself")
    t.check(heads(s)[1]["break"]["hidden"], "a click there sets a breakpoint on the loop and keeps the inner one")
    w.click(at["x"], at["y"])
    s = w.wait(lambda s: not heads(s)[1]["break"]["set"], "the breakpoint on the loop to be deleted")
    if os.environ.get("HIR_TEST_PICTURES"):
        w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "fold-break.png"))
    room.end(t, w)


run_groups([test_fold, test_finds, test_kinds, test_breaks])
