#!/usr/bin/env python3
"""test-runs.py HIRSCOPE [GROUP...]

Tests the history of runs by keys and pointer: list, display, comparison, names, deletion, the offer to run both
programs, and the question on closing. See test-window.py for the method.
"""
import os
import re
import shlex
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES  # noqa: E402
from room import open_file, PASSES, opened, ran, run_groups  # noqa: E402

PICTURES = os.environ.get("HIR_TEST_PICTURES")
DEBUGGING = "debug-stop"


def lowered(s):
    return s["page"] == "workspace" and not s["lowering"]


def run(w, n):
    """Run the program. Wait until it is run @n of the list."""
    w.key("F5")
    return w.wait(lambda s: ran(s) and len(s["runs"]) == n and s["runs"][-1]["shown"] and s["runs"][-1]["verdict"], f"run {n}")


def choose_streams(w):
    """Choose another number of streams. Return its text."""
    def chosen():
        return next(c for c in w.controls(kind="GtkDropDown") if "stream" in c["name"])
    before = chosen()
    w.click(before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    w.settle()
    # Depending on the version of GTK, this is the first number or the previous one.
    w.key("Up", "Return")
    w.wait(lambda s: chosen()["name"] != before["name"], "another number of streams")
    w.settle()
    return chosen()["name"]


def list_rows(w):
    """Return the rows of the open list of runs, newest first."""
    return [c for c in w.controls(kind="GtkListBoxRow") if any(word in c.get("text", "") for word in ("Run ", "Debug session", "base"))]


def open_list(w, n):
    w.key("ctrl+r")
    w.wait(lambda s: len(list_rows(w)) == n, f"the list with {n} runs")
    w.settle()


def close_list(w):
    w.key("Escape")
    w.wait(lambda s: not list_rows(w), "the list to close")


def stream_switch(w):
    return [c for c in w.controls(kind="GtkSwitch") if c["name"].startswith("StreamParallelType")]


def switch_pass_off(w):
    w.key(*["j"] * 5)
    w.wait(lambda s: s["step"] == "StreamParallelType", "the pass")
    w.key("x")
    w.wait(lambda s: lowered(s) and "StreamParallelType off" in s["status"] and not s["bars"], "the program without the pass")


def test_back_to_trace(t, room):
    """A run of the document before is displayed while a trace is open; Show Current shows the trace again."""
    path = room.path("plain.json", '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 5}]}')
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    open_file(w, path)
    first = w.wait(lambda s: s["title"] == "plain.json" and s["bars"], "the trace")
    w.key("ctrl+r")
    w.wait(lambda s: list_rows(w), "the list")
    w.settle()
    row = next(c for c in list_rows(w) if "Run 1" in c["text"])
    w.click(row["x"] + 40, row["y"] + row["height"] / 2)
    w.wait(lambda s: s["title"] == "matmul_m" and s["graph"]["nodes"], "the run with its program")
    w.key("Escape")
    w.wait(lambda s: w.controls("Show Current"), "the way back")
    w.settle()
    w.click_control("Show Current")
    s = w.wait(lambda s: s["title"] == "plain.json" and s["bars"], "the trace again")
    t.check([b["name"] for b in s["bars"]] == [b["name"] for b in first["bars"]] and not s["panes"]["text"], "the trace is displayed as before",
            s["title"], s["bars"], s["panes"])
    room.end(t, w)


def test_history(t, room):
    """An edit, undo and a debug session lose no run."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    # The list is empty.
    w.key("ctrl+r", "Escape")
    t.check(not w.settle()["runs"], "no run is listed before the first one", w.state["runs"])
    s = run(w, 1)
    bars = s["bars"]
    t.check(s["runs"][0]["title"] == "Run 1" and s["runs"][0]["verdict"] == "Correct" and s["runs"][0]["note"] == "Displayed",
            "a run is listed with its verdict", s["runs"])
    t.check(s["runs"][0]["total"] not in ("", "0 ns"), "the list shows the total", s["runs"])

    switch_pass_off(w)
    s = w.settle()
    t.check(s["runs"][0]["earlier"] and "Program has changed since" in s["runs"][0]["note"], "the run is labelled when the program has changed", s["runs"])
    w.key("ctrl+z")
    s = w.wait(lambda s: lowered(s) and len(s["bars"]) == len(bars), "the run after undo")
    t.check(s["runs"][0]["shown"] and not s["runs"][0]["earlier"], "undo shows the run again", s["runs"])

    # Debug, then Stop before the first instruction.
    w.key("F6")
    w.wait(lambda s: s["running"] and "Stopped" in s["status"], "the debugger")
    t.check(len(w.state["runs"]) == 2, "a debug session is listed", w.state["runs"])
    w.key("shift+F5")
    s = w.wait(lambda s: not s["running"], "the end of the session")
    s = w.wait(lambda s: any(r["title"] == "Run 1" for r in s["runs"]), "the run")
    w.key("ctrl+r")
    w.wait(lambda s: list_rows(w), "the list")
    w.settle()
    row = next(c for c in list_rows(w) if "Run 1" in c["text"])
    w.click(row["x"] + 40, row["y"] + row["height"] / 2)
    s = w.wait(lambda s: s["runs"][0]["shown"] and len(s["bars"]) == len(bars), "the run before the session")
    t.check(True, "Debug, then Stop keeps the run")
    close_list(w)
    w.key("shift+F6")
    room.end(t, w)


def test_command(t, room):
    """A run says how to repeat it: in the inspector, the list and the report."""
    w = room.open("example:ag_matmul", "-d", "2", "--set", "StreamParallelType.initial_sync=separate")
    w.wait(opened, "the workspace")
    s = run(w, 1)
    s = w.wait(lambda s: "command" in s["inspector"], "the card of the recording")
    # The card of the program names its inputs, too, but has no sizes.
    shown, inputs = ([b for a, b in zip(s["inspector"], s["inspector"][1:]) if a == name][-1] for name in ("command", "inputs"))
    t.check(shown.startswith("hirscope run example:ag_matmul") and inputs == "tv0 (T0) 16x2x64x64 float, tv1 (T1) 64x64 float",
            "the inspector has command and inputs", shown, inputs)
    link = w.controls(shown, "GtkLabel")[0]
    w.click(link["x"] + 10, link["y"] + 8)
    w.wait(lambda s: "text/plain" in s["clipboard"], "the copied command")
    open_list(w, 1)
    (row,) = list_rows(w)
    command, same_inputs = row["tooltip"].split("\n")
    t.check(re.match(r"hirscope run example:ag_matmul -d 2 (--rank 0 )?--set StreamParallelType.initial_sync=separate .*--streams \d+ --check$", command) and
            same_inputs == inputs and command.startswith(shown.split("\u2026")[0]), "the row of the list has them", row, shown)
    close_list(w)
    path = room.path("again.hirs")
    done = room.program(*shlex.split(command)[1:], "-o", path)
    t.check(done.code == 0 and all(part in done.out for part in ("float[16, 2, 64, 64]", "float[64, 64]", "right")),
            "the command repeats the run with these inputs", done)
    room.end(t, w)


def test_stopped(t, room):
    """A debug session that was stopped says so wherever it is displayed, also in a recording of it."""
    w = room.open("example:ag_matmul", "-d", "2")
    w.wait(opened, "the workspace")
    w.key("F6")
    w.wait(lambda s: s["debug"]["pointer"].strip("0") and not s["debug"]["busy"], "the first stop")
    for text in ("tbreak Allgather iteration 1", "continue"):
        n = w.settle()["debug"]["answers"]
        console = max((c for c in w.state["controls"] if c["kind"] == "GtkEntry"), key=lambda c: c["x"])
        w.click(console["x"] + 20, console["y"] + console["height"] / 2)
        w.type(text)
        w.key("Return")
        w.wait(lambda s: s["debug"]["answers"] > n and not s["debug"]["busy"], text)
    w.key("Escape")
    s = w.wait(lambda s: "run" in s["inspector"], "the card of the recording during the session")
    t.check("4 streams, in the debugger" in s["inspector"], "a run that is not yet checked does not say that it was", s["inspector"])
    w.key("shift+F5")
    s = w.wait(lambda s: not s["running"] and s["bars"], "the end of the session")
    where = "topped in the debugger on rank 0 before program line 15, "
    whole = "This is only a part of the run: s" + where
    t.check("S" + where in s["status"], "the status says where the session was stopped", s["status"])
    t.check(s["runs"][0]["verdict"] == "Stopped" and "S" + where in s["runs"][0]["note"], "the list says so", s["runs"])
    w.key("Escape")
    s = w.wait(lambda s: "command" in s["inspector"], "the card of the recording")
    facts = dict(zip(s["inspector"], s["inspector"][1:]))
    t.check(facts["command"].startswith("hirscope debug example:ag_matmul") and "checked" not in facts["run"] and "S" + where in facts["stopped"],
            "the card has the command that repeats it, and no check", facts)
    w.click_control("Statistics")
    s = w.wait(lambda s: s["stats"] and not s["stats"]["busy"], "the statistics")
    t.check(whole in s["stats"]["title"] and s["stats"]["title"].startswith("The part that ran, "), "so do the statistics", s["stats"]["title"])
    w.click_control("Explain")
    s = w.wait(lambda s: s["explain"]["computed"] and s["explain"]["rows"], "the explanation")
    rows = [r["text"] for r in s["explain"]["rows"]]
    t.check(whole in rows[0] and rows[1].startswith("The part that ran: "), "the explanation begins with it", rows[:3])
    wait_kept(w)
    path = next(os.path.join(root, name) for root, _, names in os.walk(os.path.join(w.home, "cache", "hirscope", "runs"))
                for name in names if name.endswith(".hirs"))
    html = room.path("stopped.html")
    for words in (("stats", path), ("explain", path), ("compare", path, path)):
        done = room.program(*words)
        t.check(done.code == 0 and whole in done.out, f"{words[0]} of its recording says so", done)
    done = room.program("export", path, "--to", "html", "-o", html)
    with open(html) as file:
        text = file.read()
    t.check(whole in text and "<dt>Command</dt><dd>hirscope debug " in text and ", checked" not in text, "so does the report", done)
    room.end(t, w)


def test_verdict(t, room):
    """A recording whose check failed is displayed as incorrect, and so is such a run in the window."""
    path = os.path.join(room.folder.name, "wrong.hirs")
    done = room.program("run", "example:two_set_ops", "--check", "--plant-error", "set:0.1", "-o", path)
    t.check(done.code == 1, "the recorded run is incorrect", done)
    w = room.open(path)
    s = w.wait(lambda s: opened(s) and s["bars"] and "command" in s["inspector"], "the recording")
    facts = dict(zip(s["inspector"], s["inspector"][1:]))
    t.check(facts["check"] == "Incorrect" and "checked" not in facts["run"], "the card has the verdict", facts)
    t.check("; check: Incorrect" in s["status"], "so has the status", s["status"])
    t.check([r["verdict"] for r in s["runs"]] == ["Incorrect"], "so has the list", s["runs"])
    w.click_control("Statistics")
    s = w.wait(lambda s: s["stats"] and not s["stats"]["busy"], "the statistics")
    t.check(s["stats"]["title"].startswith("Whole trace, ") and "The results of this run are incorrect" in s["stats"]["title"], "so have the statistics", s["stats"]["title"])
    w.click_control("Explain")
    s = w.wait(lambda s: s["explain"]["computed"] and s["explain"]["rows"], "the explanation")
    t.check(s["explain"]["rows"][0]["text"].startswith("The results of this run are incorrect"), "so has the explanation", s["explain"]["rows"][:2])
    s = run(w, 2)
    w.wait(lambda s: s["runs"][1]["verdict"] == "Correct" and "check" in s["inspector"], "a run of the program")
    facts = dict(zip(w.state["inspector"], w.state["inspector"][1:]))
    t.check(facts["check"] == "Correct" and "checked" not in facts["run"], "a run of the window has the verdict of the list", facts)
    room.end(t, w)


def test_show(t, room):
    """A run of another program is displayed with it; the edits stay."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    switch_pass_off(w)
    run(w, 2)
    open_list(w, 2)
    rows = list_rows(w)
    t.check("Run 2" in rows[0]["text"] and "Run 1" in rows[1]["text"], "the newest run comes first", rows)
    t.check("StreamParallelType on" in rows[1]["text"] and "Program has changed since" in rows[1]["text"],
            "the row lists the options that differ", rows[1])
    w.key("Down", "Return")
    s = w.wait(lambda s: s["runs"][0]["shown"], "the first run")
    w.wait(lambda s: any("is of an earlier program" in x for x in s["outdated"]), "the notice")
    close_list(w)
    w.key("j", "j", "j", "j", "j", "j")
    s = w.wait(lambda s: any("FOR StreamIdx" in line["text"] for line in s["lines"]), "the program of the run")
    t.check(s["bars"], "the run is displayed with its program", s["status"])
    w.settle()
    switch, = stream_switch(w)
    t.check(switch["active"] and not switch["usable"], "the switches of the passes are those of the run", switch)
    w.key("x")
    s = w.settle()
    t.check(s["runs"][0]["shown"] and not s["lowering"], "they cannot be changed", s["runs"], s["status"])
    w.click_control("Show Current")
    w.wait(lambda s: [c["active"] and 1 or 0 for c in stream_switch(w)] == [0], "the switches of the current program")
    t.check(stream_switch(w)[0]["usable"], "those of the current program can be changed", stream_switch(w))
    s = w.wait(lambda s: s["runs"][1]["shown"] and not any("is of an earlier program" in x for x in s["outdated"]), "the current program")
    w.key("2")
    s = w.wait(lambda s: s["text_page"] == "ir" and s["lines"] and not any("FOR StreamIdx" in line["text"] for line in s["lines"]), "its text")
    t.check(True, "Show Current returns to the current program")
    # A change while an earlier run is displayed is one of the current program.
    open_list(w, 2)
    w.key("Down", "Return")
    w.wait(lambda s: s["runs"][0]["shown"], "the first run")
    close_list(w)
    w.key("ctrl+z")
    s = w.wait(lambda s: lowered(s) and s["runs"][0]["shown"] and not s["runs"][0]["earlier"], "undo")
    t.check(s["status"].startswith("Undone: StreamParallelType off") and not s["outdated"], "undo applies to the current program", s["status"], s["outdated"])
    room.end(t, w)


def test_compare(t, room):
    """Ctrl+Shift+C compares with the previous run; any row compares with the displayed run; A is the older one."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    streams = choose_streams(w)
    s = w.wait(lambda s: any(x == f"Since Run 1: {streams}" for x in s["outdated"]), "the offer")
    t.check("Run Both and Compare" in s["outdated"], "a changed number of streams offers to run both", s["outdated"])
    run(w, 2)
    s = w.wait(lambda s: not s["outdated"], "the offer to disappear")
    w.key("ctrl+shift+c")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison")
    dialog = next(d for d in s["dialogs"] if d["kind"] == "HirCompareWindow")
    names = [c["name"] for c in dialog["controls"]] + [str(dialog)]
    t.check(s["compare"]["rows"] and not s["compare"]["failure"], "the previous run is compared", names)
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)

    # By pointer: the button of the older row, while the newer one is displayed.
    open_list(w, 2)
    row = list_rows(w)[1]
    button = min((c for c in w.controls("Compare with the displayed run (c)") if c["usable"]),
                 key=lambda c: abs(c["y"] + c["height"] / 2 - row["y"] - row["height"] / 2))
    w.click(button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)
    w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison of the row")
    t.check(True, "a row is compared with the displayed run by one click")
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    room.end(t, w)


def test_both(t, room):
    """Run Both and Compare after a pass was switched off."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    switch_pass_off(w)
    w.wait(lambda s: any("StreamParallelType off" in x for x in s["outdated"]), "the offer")
    w.settle()
    w.click_control("Run Both and Compare")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison")
    # The first run has modelled times, which are not computed again.
    t.check([r["title"] for r in s["runs"]] == ["Run 1", "Run 2"] and s["runs"][1]["shown"], "only the new program runs", s["runs"])
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)

    # On the wall clock both programs run.
    clock = next(c for c in w.controls(kind="GtkDropDown") if "clock" in c["name"])
    w.click(clock["x"] + clock["width"] / 2, clock["y"] + clock["height"] / 2)
    w.settle()
    w.key("Down", "Return")
    w.wait(lambda s: any("wall clock" in x for x in s["outdated"]), "the offer for the clock")
    run(w, 3)
    w.key("ctrl+z")
    w.wait(lambda s: lowered(s) and any("StreamParallelType on" in x for x in s["outdated"]), "the offer after undo")
    w.settle()
    w.click_control("Run Both and Compare")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"] and len(s["runs"]) == 5, "both runs and the comparison")
    t.check(s["runs"][3]["earlier"] and not s["runs"][4]["earlier"] and s["runs"][4]["shown"], "both programs run, the old one first", s["runs"])
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)

    # The offer can be hidden.
    streams = choose_streams(w)
    w.wait(lambda s: any(streams in x for x in s["outdated"]), "another offer")
    w.settle()
    w.click_control("Hide this offer")
    s = w.wait(lambda s: not s["outdated"], "the offer to disappear")
    t.check(True, "the offer can be hidden")
    room.end(t, w)


def test_names(t, room):
    """Pin, rename, delete and undo by keys; closing asks once about a pinned run that is not saved."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    run(w, 2)
    open_list(w, 2)
    w.key("p")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkEntry", "GtkText"), "the entry for the name")
    w.key("ctrl+a")
    w.type("base line")
    w.key("Return")
    s = w.wait(lambda s: s["runs"][1]["pinned"], "the name")
    t.check(s["runs"][1]["title"] == "base line", "a run is pinned under a name", s["runs"])
    w.settle()
    w.key("Down")
    w.settle()
    w.key("Delete")
    s = w.wait(lambda s: len(s["runs"]) == 1, "the deletion")
    t.check(s["runs"][0]["title"] == "base line", "Delete deletes the run of the row", s["runs"])
    w.key("ctrl+z")
    s = w.wait(lambda s: len(s["runs"]) == 2 and s["status"] == "Undone: Deletion of Run 1", "the deleted run")
    t.check([r["title"] for r in s["runs"]] == ["Run 1", "base line"], "undo restores the run at its place", s["runs"])
    w.key("ctrl+y")
    s = w.wait(lambda s: len(s["runs"]) == 1, "the deletion again")
    close_list(w)
    # The toast with Undo disappears; the palette has the same action.
    w.key("ctrl+p")
    w.wait(lambda s: s["dialogs"], "the palette")
    w.focus_newest()
    w.type("restore the deleted")
    w.settle()
    w.key("Return")
    w.wait(lambda s: not s["dialogs"], "the palette to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    s = w.wait(lambda s: len(s["runs"]) == 2, "undo")
    t.check([r["title"] for r in s["runs"]] == ["Run 1", "base line"], "Undo restores the run at its place", s["runs"])
    w.key("ctrl+z")
    s = w.settle()
    t.check(s["status"] == "Restored Run 1" and len(s["runs"]) == 2, "the deletion is not undone twice", s["status"])

    w.key("ctrl+w")
    s = w.wait(lambda s: s["dialogs"], "the question")
    t.check(s["dialogs"][0]["heading"] == "Save Pinned Runs?" and "base line" in s["dialogs"][0]["body"],
            "closing asks about the pinned run", s["dialogs"])
    w.focus_newest()
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the dialog to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    w.key("ctrl+w")
    w.wait(lambda s: s["dialogs"], "the question again")
    w.focus_newest()
    w.settle()
    w.key("alt+d")
    t.check(w.process.wait(20) == 0, "Discard closes the window")
    room.end(t, w, keys=None)


def test_delete_displayed(t, room):
    """If the displayed run is deleted, another one is displayed, or none; undo displays it again."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    run(w, 2)
    open_list(w, 2)
    w.key("Delete")
    s = w.wait(lambda s: len(s["runs"]) == 1 and s["runs"][0]["shown"], "the next run")
    t.check(s["bars"] and s["runs"][0]["title"] == "Run 1", "another run is displayed instead of a deleted one", s["runs"])
    w.wait(lambda s: len(list_rows(w)) == 1 and list_rows(w)[0]["focus"], "the focus on its row")
    w.key("Delete")
    s = w.wait(lambda s: not s["runs"] and not s["bars"], "no run")
    t.check(not s["toasts"], "while the list is open, its button undoes the deletion", s["toasts"])
    w.settle()
    w.click_control("Undo Deletion")
    s = w.wait(lambda s: s["bars"] and s["runs"] and s["runs"][0]["shown"] and list_rows(w) and list_rows(w)[0]["focus"], "the run after a click")
    t.check(True, "one click in the list restores the run and displays it")
    w.key("Delete")
    w.wait(lambda s: not s["runs"], "the deletion again")
    w.key("Escape")
    w.wait(lambda s: "Undo" in s["toasts"] and not list_rows(w) and w.controls("Undo", "GtkButton"), "the toast")
    for _ in range(5):  # the toast slides in: a click on a busy machine may miss it
        if w.controls("Undo", "GtkButton"):
            w.click_control("Undo", "GtkButton")
        if w.settle()["runs"]:
            break
    w.wait(lambda s: s["runs"] and s["runs"][0]["shown"] and s["bars"], "the run after a click on the toast")
    t.check(True, "a click on the toast does so, too")
    w.key("ctrl+z")
    s = w.wait(lambda s: len(s["runs"]) == 2 and s["runs"][1]["shown"] and s["bars"], "the run that was deleted first")
    t.check(s["status"] == "Undone: Deletion of Run 2", "Ctrl+Z restores the run and displays it", s["status"], s["runs"])
    w.key("ctrl+y")
    s = w.wait(lambda s: len(s["runs"]) == 1 and s["runs"][0]["shown"] and s["bars"], "the deletion once more")
    open_list(w, 1)
    w.key("Delete")
    w.wait(lambda s: not s["runs"], "the deletion of the last run")
    w.key("Escape")
    w.wait(lambda s: "Undo" in s["toasts"] and not list_rows(w), "the toast")
    w.key("ctrl+z")
    w.wait(lambda s: s["runs"] and not s["toasts"], "the run, without the offer to restore it")
    t.check(True, "Ctrl+Z also removes the toast")
    room.end(t, w)


def test_save_pinned(t, room):
    """Saving on closing writes each pinned run to the chosen folder."""
    folder = room.path("pinned")
    os.makedirs(folder, exist_ok=True)
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    open_list(w, 1)
    w.key("p")
    w.wait(lambda s: w.focus() and w.focus()["kind"] in ("GtkEntry", "GtkText"), "the entry for the name")
    w.key("ctrl+a")
    w.type("base")
    w.key("Return")
    w.wait(lambda s: s["runs"][0]["pinned"], "the name")
    close_list(w)
    w.key("ctrl+w")
    w.wait(lambda s: s["dialogs"], "the question")
    w.focus_newest()
    w.settle()
    w.key("alt+s")
    w.wait(lambda s: [d["kind"] for d in s["dialogs"]] == ["GtkFileChooserDialog"], "the folder chooser")
    w.settle()
    w.focus_newest()
    w.settle()
    w.key("ctrl+l")
    w.key("ctrl+a")
    w.type(folder)
    w.key("Return")
    t.check(w.process.wait(60) == 0, "the window closes after saving")
    t.check(os.listdir(folder) == ["base.hirs"], "the pinned run is in the folder", os.listdir(folder))
    found = room.program("stats", os.path.join(folder, "base.hirs"))
    t.check(found.code == 0, "the saved run is a recording", found.err)
    room.end(t, w, keys=None)


def test_across_documents(t, room):
    """Opening another document keeps the runs of the one before."""
    w = room.open("example:matmul_m")
    w.wait(opened, "the workspace")
    run(w, 1)
    w.key("ctrl+g")
    w.wait(lambda s: s["page"] == "gallery", "the gallery")
    w.settle()
    w.wait(lambda s: w.controls("Two set ops"), "the card")
    w.click_control("Two set ops")
    s = w.wait(lambda s: s["page"] == "workspace" and not s["lowering"] and s["title"] == "two_set_ops", "another script")
    t.check(s["runs"] and s["runs"][0]["earlier"] and not s["bars"], "the run is still listed", s["runs"])
    open_list(w, 1)
    w.key("Return")
    s = w.wait(lambda s: s["runs"][0]["shown"] and s["bars"], "the run of the other script")
    close_list(w)
    w.settle()
    w.click_control("Show Current")
    w.wait(lambda s: not s["bars"] and s["title"] == "two_set_ops", "the current script")
    t.check(True, "the run of the other script is displayed, and the current script again")
    room.end(t, w)


def wait_kept(w):
    """Wait until all runs are on disk, which changes nothing in the window."""
    end = time.monotonic() + 60
    while not all(r["stays"] for r in w.settle()["runs"]):
        if time.monotonic() > end:
            raise AssertionError(f"runs were not kept: {w.state['runs']}")
        time.sleep(0.1)


def test_sessions(t, room):
    """Runs are listed again when the same script is opened later, are compared with new ones, and can all be deleted."""
    seen = "[tour]\nseen=true\n"
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        script = os.path.join(home, "own.py")
        with open(os.path.join(EXAMPLES, "single_device.py")) as file:
            text = file.read()
        with open(script, "w") as file:
            file.write(text)

        def start(path=script):
            w = room.open(path + "::matmul_m", home=home, remembered=seen, size=(1600, 1000))
            w.wait(opened, "the workspace")
            return w

        w = start()
        run(w, 1)
        wait_kept(w)
        # A second window at the same time does not list it.
        other = start()
        other.take_focus()
        run(other, 1)
        t.check(len(other.state["runs"]) == 1, "a second window lists only its own runs", other.state["runs"])
        wait_kept(other)
        room.end(t, other)
        # A killed window leaves what it has kept.
        w.process.kill()
        w.process.wait(20)
        room.open_windows.remove(w)

        w = start()
        s = w.wait(lambda s: len(s["runs"]) == 2, "the runs of both earlier sessions")
        t.check(all("Earlier session" in r["note"] and r["verdict"] == "Correct" for r in s["runs"]), "they are labelled", s["runs"])
        t.check(not s["bars"] and not s["outdated"], "none is displayed until it is chosen", s["runs"])
        switch_pass_off(w)
        w.key("ctrl+z")
        s = w.wait(lambda s: lowered(s) and s["status"].startswith("Undone: StreamParallelType off"), "undo")
        t.check(not s["bars"] and not any(r["shown"] for r in s["runs"]), "undo displays none, either", s["runs"])
        s = run(w, 3)
        t.check(s["runs"][-1]["title"] == "Run 1" and not any(r["shown"] for r in s["runs"][:2]), "the runs of a session are counted from 1", s["runs"])
        open_list(w, 3)
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, "runs-sessions.png"))
        w.key("Down", "Return")
        s = w.wait(lambda s: s["runs"][1]["shown"] and s["bars"], "a run of an earlier session")
        t.check(s["status"] == "Run 1 of an earlier session", "its timeline is read from the cache", s["status"])
        close_list(w)
        w.key("x")
        w.wait(lambda s: lowered(s) and not s["bars"], "a change")
        w.key("ctrl+z")
        s = w.wait(lambda s: lowered(s) and s["bars"], "undo")
        t.check(s["runs"][1]["shown"] and s["status"].endswith("Run 1 of an earlier session"), "undo displays this run again, and says which it is",
                s["runs"], s["status"])
        w.key("ctrl+shift+c")
        w.wait(lambda s: s["compare"] and s["compare"]["ready"] and not s["compare"]["failure"], "the comparison with the one before")
        t.check(True, "runs of earlier sessions are compared")
        w.focus_newest()
        w.key("ctrl+w")
        w.wait(lambda s: not s["compare"], "the comparison to close")
        w.display.xdotool("windowfocus", "--sync", w.id)
        wait_kept(w)
        room.end(t, w)

        # The runs stay with the file when its text changes.
        with open(script, "w") as file:
            file.write(text.replace("fd.ops.matmul(a, b)", "fd.ops.relu(fd.ops.matmul(a, b))"))
        w = start()
        s = w.wait(lambda s: len(s["runs"]) == 3, "the runs of three sessions")
        t.check(all("Program has changed since" in r["note"] for r in s["runs"]), "runs before a change are labelled", s["runs"])
        open_list(w, 3)
        w.key("Down", "Return")
        s = w.wait(lambda s: any(r["shown"] for r in s["runs"]) and s["bars"], "a run before the change")
        close_list(w)
        command = next(text for text in s["inspector"] if text.startswith("hirscope run "))
        t.check(command.endswith(" not in the file"), "its command says that the file has another text", command)
        w.key("ctrl+shift+c")
        w.wait(lambda s: s["compare"] and s["compare"]["ready"] and not s["compare"]["failure"], "the comparison")
        w.focus_newest()
        w.key("ctrl+w")
        w.wait(lambda s: not s["compare"], "the comparison to close")
        w.display.xdotool("windowfocus", "--sync", w.id)
        room.end(t, w)
        with open(script, "w") as file:
            file.write(text)

        w = start()
        s = w.wait(lambda s: len(s["runs"]) == 3, "the runs of three sessions")
        t.check(not any("Program has changed since" in r["note"] for r in s["runs"]), "the file has the text of these runs again", s["runs"])
        open_list(w, 3)
        w.key("Delete")
        w.wait(lambda s: len(s["runs"]) == 2, "the deletion of one")
        w.settle()
        w.click_control("Delete Earlier Sessions\u2026")
        w.wait(lambda s: s["dialogs"], "the question")
        w.focus_newest()
        w.settle()
        w.key("alt+d")
        w.wait(lambda s: not s["runs"] and not s["dialogs"], "the deletion of all")
        w.display.xdotool("windowfocus", "--sync", w.id)
        room.end(t, w)
        left = [name for _, _, names in os.walk(os.path.join(home, "cache", "hirscope", "runs")) for name in names if ".hirs" in name]
        t.check(not left, "nothing is left in the cache", left)


def test_example_sessions(t, room):
    """Runs of an edited example are listed after a crash, for its text and for the one before; those of another function say so."""
    with tempfile.TemporaryDirectory(prefix="hirscope-home-") as home:
        def start(*words):
            return room.open(*words, home=home, remembered="[tour]\nseen=true\n", size=(1600, 1000))

        def crash(w):
            w.kill()
            room.open_windows.remove(w)

        def restore(w):
            w.wait(lambda s: s["draft"] and w.controls("Restore", "GtkButton"), "the offer")
            w.settle()
            w.click_control("Restore", "GtkButton")
            s = w.wait(lambda s: opened(s) and lowered(s) and s["title"].startswith("\u2022") and s["runs"], "the restored text and its run")
            t.check(len(s["runs"]) == 1 and s["runs"][0]["note"] == "Earlier session", "the run of the restored text is listed", s["runs"])
            w.wait(lambda s: any(line["text"].endswith("  # edit") for line in s["lines"]), "the changed line")
            t.check(True, "the changed line is displayed")

        drafts = os.path.join(home, "state", "hirscope", "drafts")
        w = start("example:matmul_AR", "-d", "4")
        w.wait(opened, "the workspace")
        w.key("F2")
        w.wait(lambda s: s["text_page"] == "script" and w.focus() and w.focus()["kind"] == "HirCodeView", "the script")
        w.settle()
        w.key("End")
        w.type("  # edit")
        w.wait(lambda s: lowered(s) and s["title"].startswith("\u2022"), "the change")
        run(w, 1)
        wait_kept(w)
        w.wait(lambda s: any(name.endswith(".draft") for name in os.listdir(drafts)), "the draft")
        crash(w)

        w = start("example:matmul_AR", "-d", "4")
        w.wait(opened, "the workspace")
        restore(w)
        crash(w)
        w = start()
        restore(w)
        focus = w.focus()
        t.check(focus and focus["kind"] == "HirCodeView", "the restored text has the focus", focus)
        w.key("End")
        w.type("ed")
        w.wait(lambda s: lowered(s) and any(line["text"].endswith("  # edited") for line in s["lines"]), "the text typed at the changed line")
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, "runs-restored.png"))
        w.key("ctrl+z", "ctrl+z")
        s = w.wait(lambda s: lowered(s) and not s["title"].startswith("\u2022"), "undo to the text of the example")
        t.check(len(s["runs"]) == 1 and not s["runs"][0]["earlier"], "the run is listed for the text before the change, too", s["runs"])
        room.end(t, w)

        w = start("example:ag_matmul", "-d", "8")
        w.wait(opened, "the workspace")
        s = w.wait(lambda s: s["runs"], "the run of the other function")
        t.check(s["runs"][0]["note"] == "Earlier session \u00b7 Another function \u00b7 matmul_AR, 4 devices", "the list names function and devices", s["runs"])
        open_list(w, 1)
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, "runs-function.png"))
        w.key("Return")
        s = w.wait(lambda s: s["runs"][0]["shown"] and s["bars"], "the run of the other function")
        t.check(any("is of another function" in text for text in s["outdated"]), "the notice says that it is of another function", s["outdated"])
        close_list(w)
        room.end(t, w)


run_groups([test_history, test_command, test_stopped, test_verdict, test_back_to_trace, test_show, test_compare, test_both, test_names, test_delete_displayed, test_save_pinned, test_across_documents, test_sessions, test_example_sessions])
