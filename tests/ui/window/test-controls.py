#!/usr/bin/env python3
"""test-controls.py HIRSCOPE [GROUP...]

Tests the controls of the header bar and what they apply to: devices, inputs and the options of the next run. See
test-window.py for the method.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES  # noqa: E402
from room import opened, ran, run_groups  # noqa: E402

SCRIPT = os.path.join(EXAMPLES, "multi_device.py")
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


def says(w, text):
    return any(text in (c.get("text") or "") + (c["name"] or "") for c in w.controls())


def test_devices(t, room):
    """The number of devices lowers again, is undone like other edits, and fits into a small window."""
    w = room.open(SCRIPT + "::ag_matmul", size=(1024, 700), remembered=SEEN)
    w.wait(lambda s: opened(s) and has_button(w, "1 device"), "the script with one device")
    s = w.settle()
    out = [c for c in s["controls"] if c["width"] and not c["scrolls"] and
           not (0 <= c["x"] and c["x"] + c["width"] <= 1024 and 0 <= c["y"] and c["y"] + c["height"] <= 700)]
    t.check(not out, "every control is inside the small window", out)
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


if __name__ == "__main__":
    run_groups([test_devices, test_example, test_inputs])
