#!/usr/bin/env python3
"""test-controls.py HIRSCOPE [GROUP...]

Tests the controls of the header bar and what they apply to: devices, inputs and the options of the next run. See
test-window.py for the method.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES, SOURCE  # noqa: E402
from room import PASSES, device_bars, focus_dialog, focus_window, open_file, opened, ran, run_groups  # noqa: E402

SCRIPT = os.path.join(EXAMPLES, "multi_device.py")
OVERLAP = os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026", "overlap.py")
SEEN = "[tour]\nseen=true\n"


def has_button(w, name):
    return bool(w.controls(name, "GtkMenuButton"))


def texts(w):
    """Return the texts of the entries of the open menu."""
    return [c["name"] for c in w.controls(kind="GtkText") if c["name"]]


def open_menu(w, key):
    w.key(key)
    w.wait(lambda s: w.focus() and w.focus()["kind"] == "GtkText", "an entry of the menu with the focus")


def replace(w, text):
    w.key("ctrl+a")
    w.type(text)
    w.key("Return")


def test_devices(t, room):
    """The number of devices lowers again, is undone like other edits, and fits into a small window."""
    w = room.open(SCRIPT + "::ag_matmul", size=(1024, 700), remembered=SEEN)
    w.wait(lambda s: opened(s) and has_button(w, "1 device"), "the script with one device")
    for width in (1024, 1142):
        w.resize(width, 700)
        s = w.wait(lambda s: w.controls("Baseline", "GtkToggleButton") if width == 1142 else has_button(w, "1 device"), "the size")
        out = [c for c in s["controls"] if c["width"] and not c["scrolls"] and
               not (0 <= c["x"] and c["x"] + c["width"] <= width and 0 <= c["y"] and c["y"] + c["height"] <= 700)]
        t.check(not out, f"every control is inside a window of {width} pixels", out)
    open_menu(w, "ctrl+shift+n")
    replace(w, "0")
    w.wait(lambda s: w.focus() and w.focus()["name"] == "0", "the error to keep the menu open")
    replace(w, "3")
    w.wait(lambda s: opened(s) and has_button(w, "3 devices") and s["status"].startswith("3 devices: "), "3 devices")
    w.resize(1500, 980)
    w.key("space")
    s = w.wait(lambda s: ran(s) and len(s["groups"]) >= 3, "a run with 3 ranks")
    t.check({group["rank"] for group in s["groups"]} == {0, 1, 2}, "the run has 3 ranks", s["groups"])
    w.click_control("3 devices", "GtkMenuButton")
    w.wait(lambda s: w.controls("8", "GtkToggleButton"), "the menu")
    w.click_control("8", "GtkToggleButton")
    w.wait(lambda s: opened(s) and has_button(w, "8 devices"), "8 devices")
    w.key("ctrl+z")
    w.wait(lambda s: opened(s) and has_button(w, "3 devices"), "the change to be undone")
    w.key("ctrl+z")
    w.wait(lambda s: opened(s) and has_button(w, "1 device"), "the first change to be undone")
    t.check(True, "both changes are undone")
    room.end(t, w)


def test_types(t, room):
    """The menu shortens long names of inputs, not their types and shapes."""
    path = room.path("names.py", "from nvfuser_direct import DataType, FusionDefinition\n\n\ndef f():\n    with FusionDefinition() as fd:\n"
                     "        weight_of_the_second_layer = fd.define_tensor([1, 4, 16384, 40960, 128, 2], dtype=DataType.BFloat16)\n"
                     "        weight = fd.define_tensor([4, 8], dtype=DataType.BFloat16)\n"
                     "        fd.add_output(fd.ops.neg(weight_of_the_second_layer))\n        fd.add_output(fd.ops.neg(weight))\n")
    w = room.open(path, remembered=SEEN)
    w.wait(opened, "the script")
    open_menu(w, "ctrl+shift+n")
    w.wait(lambda s: w.controls("4x8", "GtkEntry"), "the inputs")
    w.settle()
    entries = {c["name"]: c for c in w.controls(kind="GtkEntry")}
    t.check(entries["1x4x16384x40960x128x2"]["labels"] == "bfloat16" and entries["4x8"]["labels"] == "bfloat16 | weight (T1)", "types are whole", entries)
    t.check(entries["1x4x16384x40960x128x2"]["width"] > entries["4x8"]["width"], "a long shape has a wider entry", entries)
    w.key("Escape")
    w.wait(lambda s: not w.controls("4x8", "GtkEntry"), "the menu to close")
    room.end(t, w)


def test_example(t, room):
    """An example of the gallery has the number of devices of its card, unless -d is given."""
    w = room.open("example:ag_matmul", remembered=SEEN)
    w.wait(lambda s: opened(s) and has_button(w, "8 devices"), "the example with 8 devices")
    room.end(t, w)
    w = room.open("example:ag_matmul", "-d", "2", remembered=SEEN)
    w.wait(lambda s: opened(s) and has_button(w, "2 devices"), "the example with 2 devices")
    t.check(True, "-d has precedence over the card")
    room.end(t, w)


def test_inputs(t, room):
    """The entries have the shapes of the next run; an error is at its entry, and other shapes follow."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    open_menu(w, "ctrl+shift+i")
    before = texts(w)
    t.check(before[0] == "1" and all("x" in text for text in before[1:]), "all shapes are in the menu", before)
    replace(w, "8x")
    w.wait(lambda s: w.focus() and w.focus()["name"] == "8x", "the error to keep the menu open")
    replace(w, "32x48")
    w.wait(lambda s: not s["lowering"] and s["status"].startswith("Inputs 32x48"), "the shape")
    open_menu(w, "ctrl+shift+i")
    after = texts(w)
    t.check(after[1] == "32x48" and after[2].startswith("48x"), "the other shape follows", before, after)
    w.key("Escape")
    w.settle()
    path = room.path("shapes.hirs")
    w.key("space")
    w.wait(ran, "the run")
    w.key("ctrl+z")
    w.wait(lambda s: not s["lowering"] and s["status"].startswith("Undone: Inputs 32x48"), "the change to be undone")
    open_menu(w, "ctrl+shift+i")
    t.check(texts(w) == before, "the shapes are those from before", texts(w))
    w.key("Escape")
    room.end(t, w)
    room.program("run", "example:matmul_m", "--clock", "model", "--input", "16x24", "-o", path)
    w = room.open(path, remembered=SEEN)
    w.wait(lambda s: opened(s) and s["bars"], "the recording")
    w.key("ctrl+shift+i")
    w.wait(lambda s: len(texts(w)) == 3, "the shapes of a recording, whose script is read again")
    t.check(texts(w)[1] == "16x24", "they are those of its run", texts(w))
    w.key("Escape")
    room.end(t, w)


def run_of(room, name, *options):
    path = room.path(name)
    room.program("run", "example:matmul_m", *options, "-o", path)
    return path


def test_recording(t, room):
    """A recording opens with its options selected; another document has those of the preferences."""
    path = run_of(room, "wall.hirs", "--streams", "5", "--clock", "wall")
    w = room.open(path, remembered=SEEN)
    w.wait(lambda s: opened(s) and s["bars"] and w.controls("5 streams", "GtkDropDown"), "the streams of the recording")
    t.check(w.controls("Wall clock", "GtkDropDown"), "its clock is selected")
    w.key("space")
    w.wait(lambda s: ran(s) and "with 5 streams" in s["status"], "a run with the same streams")
    t.check("modelled" not in w.state["status"], "the run has the clock of the recording", w.state["status"])
    w.key("ctrl+g")
    w.wait(lambda s: s["page"] == "gallery", "the gallery")
    w.click_control("Two set ops")
    w.wait(lambda s: opened(s) and s["title"] == "two_set_ops" and w.controls("4 streams", "GtkDropDown"), "another document")
    t.check(w.controls("Modelled clock", "GtkDropDown"), "it has the options of the preferences")
    room.end(t, w)


def test_debugging(t, room):
    """An option changed while a program is debugged applies to the next session, which a button starts."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    w.key("F6")
    w.wait(lambda s: s["status"].startswith("Stopped"), "the debugger")
    w.click_control("4 streams", "GtkDropDown")
    w.settle()
    w.key("Home", "Return")
    w.wait(lambda s: w.controls("1 stream", "GtkDropDown") and w.controls("Restart", "GtkButton"), "the hint")
    w.click_control("Restart", "GtkButton")
    w.wait(lambda s: s["debug"]["shown"] and not s["status"].startswith("Stopped"), "the end of the session")
    w.wait(lambda s: s["status"].startswith("Stopped"), "the next session")
    w.key("F8")
    w.wait(lambda s: s["status"].startswith("Stopped at the end"), "the end of the program")
    w.click_control("Timeline", "GtkToggleButton")
    w.wait(lambda s: s["tracks"], "the timeline")
    streams = {track["name"] for track in w.state["tracks"] if track["name"].startswith("Stream ")}
    t.check(streams == {"Stream 0"}, "the next session has one stream", streams)
    room.end(t, w)


def test_popovers(t, room):
    """A closed popover returns the focus to where it was, so that Space runs the program."""
    w = room.open("example:matmul_m", remembered=SEEN)
    s = w.wait(lambda s: opened(s) and w.focus(), "the example")
    place = w.focus()["name"]
    for name, kind in (("Runs", "GtkMenuButton"), ("Export", "GtkMenuButton"), ("Menu (F10)", "GtkMenuButton"), ("4 streams", "GtkDropDown"),
                       ("1 device", "GtkMenuButton")):
        w.click_control(name, kind)
        w.settle()
        w.key("Escape")
        w.wait(lambda s: w.focus() and w.focus()["name"] == place, f"the focus to return from {name}")
    w.key("ctrl+r")
    w.settle()
    w.key("Escape", "space")
    w.wait(ran, "a run")
    t.check(True, "the focus returns from each popover, and Space runs")
    w.key("F6")
    w.wait(lambda s: s["status"].startswith("Stopped") and w.controls("Menu", "GtkMenuButton"), "the debugger")
    t.check(not w.controls("Menu (F10)"), "while debugging, F10 is not the key of the menu")
    room.end(t, w)


def test_submenus(t, room):
    """A menu that is closed in a submenu leaves the keyboard to the window, however it is closed."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(lambda s: opened(s) and w.focus(), "the example")

    def check(what, step):
        w.wait(lambda s: not w.controls(kind="GtkModelButton"), f"the menu to close by {what}")
        w.key("j")
        s = w.wait(lambda s: s["step"] == step, f"j after {what}", timeout=20)
        t.check(s["step"] == step, f"j goes to the next pass after {what}", s["step"])

    def open_panes():
        w.key("F10")
        w.wait(lambda s: w.controls("Panes", "GtkModelButton"), "the menu")
        w.settle()
        w.key("Down", "Down", "Return")
        w.wait(lambda s: w.controls("Wrap Long Lines", "GtkModelButton"), "the submenu")
        w.settle()

    open_panes()
    w.key("Escape")
    check("Escape in the submenu", PASSES[1])
    open_panes()
    w.key(*["Down"] * 4, "Return")
    check("an item of the submenu", PASSES[2])
    n = next(n for n in w.state["graph"]["nodes"] if n["title"].startswith("T0"))
    w.click(n["x"], n["y"])
    w.wait(lambda s: [x["kind"] for x in s["selected"]] == ["TensorView"], "a selected tensor")
    w.key("Menu")
    w.wait(lambda s: w.controls(kind="GtkModelButton"), "the menu of the axes")
    w.settle()
    w.key("Down", "Right")
    w.settle()
    w.key("Escape", "Escape")
    check("Escape in the menu of the axes", PASSES[3])
    room.end(t, w)


def test_trace(t, room):
    """A trace without a program: the tabs of the program are closed, and its keys say why they do nothing."""
    events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
               "args": {"device": 0, "stream": 7}} for i in range(4)]
    path = room.path("trace.json", json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}))
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    w.key("space")
    s = w.wait(ran, "the run")
    for bar in device_bars(s)[:2]:
        w.click(bar["x"], bar["y"])
        w.wait(lambda s: s["event"], "a selected bar")
    w.wait(lambda s: w.control("Previous selection (Alt+Left)")["usable"], "the previous selection")
    w.key("F7")
    w.wait(lambda s: s["check"]["shown"] and not s["check"]["busy"], "the check")
    open_file(w, path)
    s = w.wait(lambda s: s["title"] == "trace.json" and s["bars"], "the trace")
    t.check(not s["check"]["shown"], "the check of the program is closed")
    back = w.control("Previous selection (Alt+Left)")
    t.check(not back["usable"], "no selection of the program can be shown again", back)
    for key in ("F6", "F7", "space"):
        w.key(key)
        w.wait(lambda s: any("attach one with Ctrl+J" in text for text in s["toasts"]), f"the reason why {key} does nothing")
    t.check(not w.state["check"]["shown"] and not w.state["debug"]["shown"], "the keys open no panel")
    room.end(t, w)


def test_undone(t, room):
    """After a rejected switch of the pipeline, the list says whose passes it shows; Undo names the change."""
    w = room.open(OVERLAP + "::row_parallel_linear_forward", "-d", "2", "--pipeline", "hostir", remembered=SEEN)
    w.wait(opened, "the script")
    label = "Passes of the last valid program (Host IR)"
    t.check(label not in w.state["pass_labels"], "the list of a valid program says nothing")
    w.key("q")
    w.wait(lambda s: s["outdated"] and not s["lowering"] and label in s["pass_labels"], "the list to say whose passes it shows")
    w.key("ctrl+z")
    s = w.wait(lambda s: not s["outdated"] and not s["lowering"], "the change to be undone")
    t.check(s["status"].startswith("Undone: Pipeline Executor \u00b7 "), "the status names the pipeline", s["status"])
    room.end(t, w)


def test_fusion(t, room):
    """F2 at the fusion edits the script, also if the program text is in front."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir", "the text of the fusion")
    w.key("F2")
    w.wait(lambda s: s["text_page"] == "script" and w.control("Edit")["active"], "the script to be edited")
    t.check(True, "the script is edited")
    room.end(t, w)


def palette(w, text):
    """Return the titles of the palette for @text."""
    w.key("ctrl+p")
    focus_dialog(w)
    w.type(text)
    w.settle()
    titles = [c["text"] for c in w.state["dialogs"][0]["controls"] if c["kind"] == "GtkListBoxRow"]
    w.key("Escape")
    focus_window(w)
    return titles


def test_palette(t, room):
    """The palette finds actions by other words, and lists only those that can do something."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    found = palette(w, "synchronization check")
    t.check(not any("Cancel the" in title or "Close the" in title for title in found), "nothing ends a check that is not open", found)
    t.check(not palette(w, "Explain where"), "nothing explains a run before the first one")
    w.key("space")
    w.wait(ran, "the run")
    for word, title in (("overl", "Explain where"), ("bottleneck", "Explain where"), ("sizes", "Set the shapes"),
                        ("gpus", "Set the number of devices"), ("save picture", "Export the timeline")):
        found = palette(w, word)
        t.check(any(title in row for row in found[:4]), f"{word} finds '{title}'", found[:6])
    w.key("F7")
    w.wait(lambda s: s["check"]["shown"] and not s["check"]["busy"], "the check")
    found = palette(w, "synchronization check")
    t.check(any("Close the" in title for title in found) and not any("Cancel the" in title for title in found),
            "the open check can be closed", found)
    room.end(t, w)


def test_inspector(t, room):
    """With several selected nodes, the inspector says how many, and whose value it shows."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    w.key("space")
    w.wait(ran, "the run")
    w.key(*["j"] * 8)
    w.wait(lambda s: s["step"] == "ConvertOpToCommunication", "the last pass")
    w.key("1")
    s = w.wait(lambda s: s["text_page"] == "script" and any(" = fd.ops.matmul" in line["text"] for line in s["lines"]), "the script")
    line = w.line_with(" = fd.ops.matmul")
    w.click(line["x"] + 60, line["y"])
    s = w.wait(lambda s: any(" are selected; this is the first" in text for text in s["inspector"]), "the number of nodes")
    first = next(text for text in s["inspector"] if "this is the first" in text)
    t.check(first.startswith(f"{len(s['selected'])} nodes of line "), "it is that of the selection", first, len(s["selected"]))
    t.check(any(text.lower().startswith("value of t") for text in s["inspector"]), "the value names its tensor", s["inspector"])
    line = w.line_with("return fd")
    w.click(line["x"] + 60, line["y"])
    w.wait(lambda s: any("created no instruction" in text for text in s["toasts"]), "a line without instruction to say so")
    w.key("F2")
    w.wait(lambda s: not s["toasts"] and w.focus() and w.focus()["kind"] == "HirCodeView", "the script to be editable")
    w.click(line["x"] + 60, line["y"])
    s = w.settle()
    t.check(not s["toasts"], "it does not say so to somebody who edits", s["toasts"])
    room.end(t, w)


def test_overview(t, room):
    """The card of the program lists all outputs, also one that another op reads, and an input that is an output."""
    w = room.open(room.path("ends.py", """from nvfuser_direct import FusionDefinition


def ends():
    with FusionDefinition() as fd:
        a = fd.define_tensor([4, 8], True)
        b = fd.ops.neg(a)
        c = fd.ops.sum(b, dims=[1])
        for t in (a, b, c):
            fd.add_output(t)
    return fd
"""), remembered=SEEN)
    w.wait(opened, "the script")
    shown = w.settle()["inspector"]
    first, last = shown.index("inputs"), shown.index("outputs")
    t.check([text.split()[0] for text in shown[first + 1:last] if text[:1] == "T"] == ["T0"], "the input", shown)
    t.check([text.split()[0] for text in shown[last + 1:] if text[:1] == "T"][:3] == ["T0", "T1", "T2"], "all outputs", shown)
    room.end(t, w)


def test_keys(t, room):
    """F1 and Escape work in the comparison, Ctrl+W in the window of keys; a breakpoint is echoed by its number."""
    w = room.open("example:matmul_m", remembered=SEEN)
    w.wait(opened, "the example")
    for n in (1, 2):
        w.key("space")
        w.wait(lambda s: ran(s) and len(s["runs"]) == n, "the run")
    w.key("F1")
    focus_dialog(w)
    w.key("ctrl+w")
    focus_window(w)
    t.check(not w.state["dialogs"], "Ctrl+W closes the window of keys")
    w.key("ctrl+shift+c")
    w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison")
    w.focus_newest()
    n = len(w.state["dialogs"])
    w.key("F1")
    w.wait(lambda s: len(s["dialogs"]) > n, "the keys")
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: len(s["dialogs"]) == n, "the window of keys to close")
    w.focus_newest()
    w.key("Escape")
    w.wait(lambda s: not s["compare"], "Escape to close the comparison")
    focus_window(w)
    w.key("ctrl+shift+e")
    w.wait(lambda s: s["events"]["shown"] and w.focus(), "the query")
    w.key("ctrl+a")
    w.type("SELECT * FROM nothing")
    w.key("ctrl+Return")
    w.wait(lambda s: "the tables are events, " in s["events"]["title"], "the names of the tables")
    w.key("F6")
    w.wait(lambda s: s["status"].startswith("Stopped"), "the debugger")
    w.click(*(lambda line: (line["x"] + 60, line["y"]))(w.line_with("SetCurrentStream")))
    w.wait(lambda s: s["selected"], "the instruction")
    w.key("b")
    w.wait(lambda s: s["debug"]["breaks"], "the breakpoint")
    w.wait(lambda s: "> break " in s["debug"]["said"], "its echo")
    t.check("> break @" not in w.state["debug"]["said"], "the echo has the number of the instruction", w.state["debug"]["said"])
    room.end(t, w)


if __name__ == "__main__":
    run_groups([test_devices, test_types, test_example, test_inputs, test_recording, test_debugging, test_popovers, test_submenus, test_trace, test_undone, test_fusion, test_palette,
                test_inspector, test_overview, test_keys])
