#!/usr/bin/env python3
"""test-check.py HIRSCOPE [GROUP...]

Tests the synchronization check of the window: missing synchronization is listed, highlighted between both instructions
in graph and timeline, and inserted by a click. Expected results come from `hirscope check`. See test-window.py for the
method.
"""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import GOLDEN, SOURCE, duration  # noqa: E402
from room import device_bars, opened, ran, run_groups  # noqa: E402
from window import TIMEOUT_S  # noqa: E402

SIZE = (1366, 900)
PICTURES = os.environ.get("HIR_TEST_PICTURES")


def picture(w, name):
    if PICTURES:
        w.settle()
        w.screenshot(os.path.join(PICTURES, name))


def cut(name, pattern, keep=()):
    """Return the golden dump without the lines that match @pattern, except matches number @keep."""
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        lines = file.readlines()
    at = [i for i, line in enumerate(lines) if re.search(pattern, line)]
    gone = {i for k, i in enumerate(at) if k not in keep}
    return "".join(line for i, line in enumerate(lines) if i not in gone)


def found_by_command(room, path, *words):
    return json.loads(room.program("check", path, "--json", *words).out)


def open_program(room, path, *words, **options):
    w = room.open(path, *words, size=SIZE, **options)
    w.wait(opened, "the workspace")
    return w


def rows(w):
    return [c["text"] for c in w.controls(kind="GtkListBoxRow") if "missing" in c["text"] or "redundant" in c["text"]]


def checked(s):
    return s["check"]["shown"] and not s["check"]["busy"] and s["check"]["title"]


def test_nothing_missing(t, room):
    w = open_program(room, os.path.join(GOLDEN, "ag_matmul.txt"))
    t.check(not w.read()["check"]["shown"], "the panel is hidden before the first check")
    w.key("F7")
    s = w.wait(checked, "the result of the check")
    counts = found_by_command(room, os.path.join(GOLDEN, "ag_matmul.txt"))
    t.check(s["check"]["title"].startswith("0 missing, 0 redundant") and f"{counts['pairs']} pairs" in s["check"]["title"],
            "nothing is missing, and the counts equal those of the command", s["check"], counts["pairs"])
    t.check(s["check"]["state"] == "clean", "the panel reports a clean program", s["check"])
    t.check(any("order nothing new" in text for text in s["check"]["notes"]), "it has the notes of the command", s["check"])
    picture(w, "check-clean.png")
    w.key("shift+F7")
    w.wait(lambda s: not s["check"]["shown"], "the panel to close")
    # GTK uses F7 in a text itself: it shows the cursor.
    page = w.controls(kind="HirCodeView")[0]
    w.click(page["x"] + 200, page["y"] + 60)
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the text to have the focus")
    w.key("F7")
    s = w.wait(lambda s: s["check"]["shown"] and s["check"]["state"] == "clean", "the check")
    t.check(True, "F7 checks with the focus in the text")
    w.click(page["x"] + 200, page["y"] + 60)
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "HirCodeView", "the text to have the focus again")
    w.key("shift+F7")
    w.wait(lambda s: not s["check"]["shown"], "the panel to close")
    t.check(True, "Shift+F7 closes the check with the focus in the text")
    room.end(t, w)


def missing_wait(room):
    """Return a program without its Wait: the matmul may start before the allgather has finished."""
    return room.path("cut.txt", cut("ag_matmul.txt", r"^\s*Wait "))


def test_missing(t, room, dark=True):
    path = missing_wait(room)
    expected = found_by_command(room, path)["missing"]
    w = open_program(room, path, dark=dark)
    w.key("F7")
    # The Communication without a Wait comes first, then what may go wrong because of it.
    w.wait(checked, "the result of the check")
    t.check(any("was not waited for" in c["text"] for c in w.controls(kind="GtkListBoxRow")), "the Communication without a Wait is reported")
    w.key("Down")
    s = w.wait(lambda s: checked(s) and s["check"]["pair"][0].strip("0"), "the pair of the missing synchronization")
    pair = [expected[0][which]["instruction"] for which in ("first", "second")]
    t.check(s["check"]["pair"] == pair, "the pair is that of the command", s["check"], pair)
    t.check(f"{len(expected)} missing" in s["check"]["title"], "the number of results equals that of the command", s["check"])
    labels = rows(w)
    t.check(any("may read T5 before Allgather T5 has written it (RAW)" in text for text in labels), "the row describes the hazard", labels)
    t.check(any(expected[0]["suggestion"][4:] in text for text in labels), "the row contains the suggestion", labels)
    w.wait(lambda s: s["graph"]["lanes"] and all(any(n["id"] == i for n in s["graph"]["nodes"]) for i in pair), "both instructions in the lanes")
    w.wait(lambda s: any(n["id"] == pair[1] for n in s["selected"]), "the second instruction to be selected")
    picture(w, f"check-missing{'' if dark else '-light'}.png")
    # One click inserts the Wait into the text; the program is checked again and runs.
    w.click_control("Apply and Run")
    w.wait(lambda s: checked(s) and s["check"]["title"].startswith("0 missing"), "the check of the changed program")
    s = w.wait(lambda s: ran(s) and device_bars(s), "the run")
    t.check(s["check"]["state"] == "clean", "nothing is missing in the changed program", s["check"])
    picture(w, f"check-fixed{'' if dark else '-light'}.png")
    w.key("Escape", "ctrl+z")
    s = w.wait(lambda s: not s["lowering"] and not s["check"]["title"].startswith("0 missing"), "Undo")
    t.check(s["check"]["pair"] == ["0" * 16, "0" * 16], "Undo removes the results of the changed program", s["check"])
    room.end(t, w)


def test_caller(t, room):
    """Opens the instruction that the command names if the other access is by the caller."""
    path = room.path("caller.txt", cut("ag_matmul.txt", r"Stream \( StreamIdx", keep=(0, 1)))
    expected = found_by_command(room, path)["missing"]
    t.check(len(expected) == 3 and all(e["second"]["instruction"] is None for e in expected), "the caller is second", expected)
    w = open_program(room, path)
    w.key("F7")
    for i, missing in enumerate(expected):
        w.wait(lambda s: checked(s) and [n["id"] for n in s["selected"]] == [missing["first"]["instruction"]], f"instruction {i} of the command")
        w.key("Down")
    t.check(True, "the instructions of the command are selected, not the tensors of the caller")
    room.end(t, w)


def test_without_fix(t, room):
    """A finding that no change fixes has its reason and no button."""
    zeroed = room.path("zeroed.txt", cut("row_parallel_linear.2026.txt", "^$").replace("zero_init=false", "zero_init=true"))
    beside = os.path.join(GOLDEN, "..", "cases", "verdicts", "needless_beside_hazard.txt")
    for path, words, buttons, n in ((os.path.join(GOLDEN, "row_parallel_linear.2026.txt"), "Insert Deallocate T3 at the end", (3, 0), 3),
                                   (zeroed, "No Synchronize, Wait or Deallocate that is added or moved", (0, 0), 5),
                                   (beside, "Cannot be removed: it orders work next to which synchronization is missing", (1, 1), 1)):
        w = open_program(room, path)
        w.key("F7")
        w.wait(checked, "the result of the check")
        texts = rows(w)
        t.check(sum(words in text for text in texts) == n, f"{os.path.basename(path)}: the findings say what to do, or why nothing can be done", texts)
        shown = tuple(len(w.controls(f"{verb} and Run", "GtkButton")) for verb in ("Apply", "Remove"))
        t.check(shown == buttons, f"{os.path.basename(path)}: only changes that are possible have a button", shown)
        if path == zeroed:
            t.check(sum("Iterations share the memory of T3: " in text for text in texts) == n, "the cause is shown", texts)
        room.end(t, w)


def test_missing_light(t, room):
    test_missing(t, room, dark=False)


def test_recording(t, room):
    """A recording is checked and bisected like its script."""
    path = room.path("checked.hirs")
    room.program("run", "example:ag_matmul", "-d", "2", "--clock", "model", "-o", path)
    w = room.open(path)
    w.wait(opened, "the recording")
    w.key("F7")
    s = w.wait(checked, "the result of the check")
    t.check(s["check"]["title"].startswith("0 missing, 0 redundant; 2 ranks"), "nothing is missing in a recording", s["check"])
    w.key("ctrl+b")
    s = w.wait(lambda s: w.controls("Done", "GtkButton") or s["dialogs"], "the result of the bisection")
    t.check(not s["dialogs"] and not w.controls("Show Changes"), "no pass is incorrect", s["dialogs"])
    room.end(t, w)


def test_script(t, room):
    """Lists redundant synchronization of a script, by keyboard only. Escape closes the panel and clears the pair."""
    w = open_program(room, "example:allgather_p2p", "-d", "1")
    w.key("F7")
    s = w.wait(checked, "the result of the check")
    expected = found_by_command(room, "example:allgather_p2p")
    n_redundant = sum(u["needless"] for u in expected["synchronisations"])
    t.check(f"{len(expected['missing'])} missing, {n_redundant} redundant" in s["check"]["title"], "the counts equal those of the command", s["check"])
    room.end(t, w)


def test_redundant(t, room):
    """One click removes redundant synchronization, and the program runs. Undo restores it."""
    path = os.path.join(GOLDEN, "three_set_ops_disjoint_loops.in_loop.txt")
    w = open_program(room, path)
    w.key("F7")
    s = w.wait(checked, "the result of the check")
    t.check(s["check"]["title"].startswith("0 missing, 2 redundant"), "two instructions are redundant", s["check"])
    costs = [use for use in found_by_command(room, path)["synchronisations"] if use["needless"]]
    t.check(all(any(f"it costs {duration(use['cost_ns'])} of" in text for text in rows(w)) for use in costs) and len(costs) == 2,
            "each row reports the cost", rows(w), costs)
    t.check("without redundant synchronization" in s["check"]["title"], "the title reports the total cost", s["check"])
    picture(w, "check-redundant.png")
    w.click_control("Remove and Run")
    w.wait(lambda s: checked(s) and s["check"]["title"].startswith("0 missing, 1 redundant"), "the check of the changed program")
    w.wait(lambda s: ran(s) and device_bars(s), "the run")
    t.check(sum("redundant" in text for text in rows(w)) == 1, "one redundant instruction is left", rows(w))
    w.key("Escape", "ctrl+z")
    w.wait(lambda s: not s["lowering"] and s["status"].startswith("Undone: "), "Undo")
    w.key("F7")
    s = w.wait(lambda s: checked(s) and s["check"]["title"].startswith("0 missing, 2 redundant"), "the check")
    t.check(s["status"] == "Printed program", "the undone change is not reported above the new findings", s["status"])
    room.end(t, w)


def test_fixed_copy(t, room):
    """A fix of a script's program changes a copy in a new window; the script and its run stay."""
    w = room.open("example:three_set_ops_disjoint_loops", "--set", "StreamParallelType.initial_sync=in_loop", size=SIZE)
    w.wait(opened, "the workspace")
    w.key("F5")
    bars = len(w.wait(ran, "a run of the script")["bars"])
    w.key("F7")
    w.wait(lambda s: checked(s) and s["check"]["title"].startswith("0 missing, 2 redundant"), "the result of the check")
    w.settle()
    copy = w.expect_second()
    w.click_control("Remove and Run")
    copy.poll(lambda s: s["page"] == "workspace" and ran(s) and checked(s), "the window of the copy", time.monotonic() + TIMEOUT_S)
    copy.take_focus()
    s = copy.wait(lambda s: checked(s) and s["check"]["title"].startswith("0 missing, 1 redundant") and device_bars(s), "its check and run")
    t.check(s["title"].startswith("\u2022") and s["title"].endswith(".ir.txt"), "the copy is fixed, run and marked as changed", s["title"])
    s = w.settle()
    t.check(s["title"] == "three_set_ops_disjoint_loops" and len(s["bars"]) == bars and s["check"]["title"].startswith("0 missing, 2 redundant"),
            "the script, its run and its check stay", s["title"], s["check"])
    copy.key("Escape", "ctrl+z")
    s = copy.wait(lambda s: not s["lowering"] and not s["title"].startswith("\u2022"), "Undo in the copy")
    copy.key("ctrl+w")
    w.display.xdotool("windowfocus", "--sync", w.id)
    os.close(copy.ask)
    room.end(t, w)


def test_during_lowering(t, room):
    """A check that is requested during a lowering checks the new program."""
    hold = room.path("hold")
    w = open_program(room, "example:matmul_m", env={"HIRSCOPE_TEST_LOWER_HOLD": hold})
    w.key("F7")
    before = w.wait(checked, "the result of the check")["check"]["title"]
    room.path("hold", "")
    w.key("Escape", *"jjjjj", "x")
    w.poll(lambda s: s["lowering"], "the lowering to start", time.monotonic() + TIMEOUT_S)
    w.key("F7")
    w.poll(lambda s: s["lowering"] and checked(s), "the check of the current program", time.monotonic() + TIMEOUT_S)
    os.unlink(hold)
    s = w.wait(lambda s: not s["lowering"] and checked(s) and s["check"]["title"] != before, "the check of the new program")
    t.check(s["check"]["shown"], "a check requested during the lowering checks the new program", before, s["check"])
    room.end(t, w)


def test_latent(t, room):
    """With a recording, lists instances that were in order only in this recording, and highlights both bars."""
    path = room.path("latent.txt", cut("three_set_ops_disjoint_loops.in_loop.txt", r"Stream \( StreamIdx", keep=(0, 3)))
    w = open_program(room, path)
    w.key("F5")
    w.wait(lambda s: ran(s) and device_bars(s), "a run")
    w.key("F7")
    w.wait(lambda s: checked(s) and s["check"]["pair"][0].strip("0"), "the missing synchronization")
    s = w.settle()
    pair = found_by_command(room, path)["missing"][0]
    keys = ("instruction", "rank", "iteration")
    highlighted = [[bar[key] for key in keys] for bar in s["check"]["lit"] if bar]
    t.check(highlighted == [[pair[which][key] for key in keys] for which in ("first", "second")],
            "the bars of both instances are highlighted", s["check"]["lit"], pair)
    t.check(s["check"]["lit"][0]["track"] == pair["first"]["stream"] and s["check"]["lit_note"] == "", "the bar is on the stream of the instance", s["check"])
    t.check(all(0 < bar["x"] for bar in s["check"]["lit"]), "both bars are visible", s["check"]["lit"])
    labels = rows(w)
    t.check(any("on the modelled clock" in text for text in labels), "a row reports the time between the instances", labels)
    picture(w, "check-latent.png")
    w.key("shift+F7")
    w.wait(lambda s: not s["check"]["shown"] and not s["check"]["lit"], "the highlight to disappear")
    room.end(t, w)


def test_held(t, room):
    """Memory that nothing frees is reported as a warning, at its allocation."""
    with open(os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026", "pointwise.txt"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = next(i for i, line in enumerate(lines) if line.strip() == "Deallocate {")
    path = room.path("held.txt", "\n".join(lines[:at] + lines[at + 3:]))
    w = open_program(room, path)
    w.key("F7")
    s = w.wait(checked, "the result of the check")
    t.check("0 missing, 0 redundant, 1 held" in s["check"]["title"], "the title counts it", s["check"])
    texts = [c["text"] for c in w.controls("held", "GtkListBoxRow")]
    t.check(len(texts) == 1 and "T1" in texts[0], "a row describes it", texts)
    t.check(any(n["label"].startswith("ALLOCATE") for n in w.wait(lambda s: s["selected"], "a node")["selected"]), "its allocation is selected", w.state["selected"])
    room.end(t, w)


run_groups([test_nothing_missing, test_held, test_missing, test_without_fix, test_missing_light, test_caller, test_recording, test_script, test_redundant, test_fixed_copy, test_during_lowering, test_latent])
