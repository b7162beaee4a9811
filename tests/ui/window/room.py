"""Helpers for the tests of the window: an X server, the program, a folder, and the main function."""
import re
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

import display  # noqa: E402
from program import Program  # noqa: E402
from tap import Tap  # noqa: E402
from window import Window  # noqa: E402

# GTK 4.8 warns about text views that are measured during a resize, and draws them in the next frame.
# Mesa reports missing drivers on machines without a GPU (Ubuntu 24.04).
# GtkSourceView may fail to mark the line of the cursor in the margin while another text is loaded; nothing is visible of it.
KNOWN = re.compile(r"gtk_source_gutter_lines_add_qclass: assertion 'line <= lines->last' failed"
                   r"|Trying to snapshot \w+ 0x[0-9a-f]+ without a current allocation"
                   r"|^MESA: |^libEGL warning: |^MESA-LOADER: |^glx: failed ")

PASSES = ["Fusion", "PropagateShardings", "InsertReshardings", "FinalizeMultideviceDomains",
          "SegmentFusion", "StreamParallelType", "ConvertOpToCommunication"]


class Room:
    """An X server, the program and a folder, shared by the tests of a file."""

    def __init__(self, program, animates, screen):
        self.animates = animates
        self.program = Program(program)
        self.display = display.Display(*screen)
        self.folder = tempfile.TemporaryDirectory(prefix="hirscope-test-")
        self.open_windows = []

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def open(self, *words, size=None, rest_s=Window.rest_s, **options):
        window = Window(self.display, self.program.path, *words, animates=self.animates, **options)
        window.rest_s = rest_s
        self.open_windows.append(window)
        window.take_focus(size)
        return window

    def end(self, t, window, keys="ctrl+w"):
        """Close @window. Checks that standard error is empty and that no process is left."""
        children = [pid for pid, _ in window.children()]
        code = window.close(keys)
        self.open_windows.remove(window)
        t.check(code == 0, "the window closes with exit code 0", code, window.last_words)
        words = [line for line in window.last_words.splitlines() if line.strip() and not KNOWN.search(line)]
        t.check(not words, "nothing on standard error", window.last_words)
        gone = not any(os.path.exists(f"/proc/{pid}/exe") for pid in children) or wait_gone(children)
        t.check(gone, "no child process is left")

    def close(self):
        for window in self.open_windows:
            window.kill()
        self.display.close()
        self.folder.cleanup()


def wait_gone(pids):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def lines_of(path, text, within):
    """Return the numbers of the lines with @text in function @within of a script."""
    found, inside = [], False
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if line.startswith("def "):
                inside = line.startswith(f"def {within}(")
            if inside and text in line:
                found.append(number)
    return found


def opened(s):
    return s["page"] == "workspace" and not s["lowering"] and s["graph"]["nodes"]


def device_bars(s):
    return [b for b in s["bars"] if b["device"]]


def ran(s):
    return not s["running"] and len(device_bars(s)) > 0 and not s["status"].startswith("Running")


def selected_ids(s):
    return [n["id"] for n in s["selected"]]


def focus_dialog(w):
    w.wait(lambda s: s["dialogs"], "a dialog")
    w.focus_newest()


def focus_window(w):
    w.wait(lambda s: not s["dialogs"], "the dialog to close")
    w.display.xdotool("windowfocus", "--sync", w.id)


def entry_of_chooser(w):
    return next((c["name"] for d in w.read()["dialogs"] for c in d["controls"] if c["kind"] in ("GtkText", "GtkFileChooserEntry", "GtkEntry")), None)


def enter_path(w, path, key="ctrl+o"):
    """Enter @path into the file chooser that @key opens. Its entry completes the text, and GTK 4.14 leaves a part after
    the cursor, which is deleted; if the text is still different, it is typed again."""
    w.key(key)
    w.wait(lambda s: s["dialogs"], "the file chooser")
    w.focus_newest()
    w.key("slash")
    w.type(path[1:])
    for _ in range(5):
        w.key("shift+End", "Delete")
        end = time.monotonic() + 2
        while entry_of_chooser(w) != path and time.monotonic() < end:
            time.sleep(0.02)
        if entry_of_chooser(w) == path:
            w.key("Return")
            return
        w.key("ctrl+a", "Delete")
        w.type(path)
    raise AssertionError(f"{path} could not be typed, but {entry_of_chooser(w)}")


def open_file(w, path):
    enter_path(w, path)
    w.wait(lambda s: not s["dialogs"], "the file chooser to close")
    w.display.xdotool("windowfocus", "--sync", w.id)


def run_groups(groups, animates=False, screen=(display.WIDTH, display.HEIGHT)):
    """Run a test: HIRSCOPE [GROUP...]. A window without animation is idle earlier and draws half as much; tests of
    animations set @animates."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} HIRSCOPE [GROUP...]")
    reason = display.what_is_missing()
    if reason:
        print(f"1..0 # SKIP {reason}")
        return
    t = Tap()
    room = Room(sys.argv[1], animates, screen)
    wanted = sys.argv[2:]
    try:
        for group in groups:
            if not wanted or group.__name__.removeprefix("test_") in wanted:
                print(f"# {group.__name__}", flush=True)
                t.group(group, room)
                for window in list(room.open_windows):
                    window.kill()
                    room.open_windows.remove(window)
    finally:
        room.close()
    t.done()
