#!/usr/bin/env python3
"""test-killed-exports.py HIRSCOPE

Tests exports that are killed or interrupted: no partial file has the given name, and an older file is unchanged. A
cancelled export leaves no other file, either.
"""
import json
import os
import signal
import subprocess
import tempfile
import time

from program import from_command_line
from tap import Tap

FORMS = {"chrome": ".json", "csv": ".csv", "nsight": ".sqlite", "hirs": ".hirs"}
LIMIT_S = 60


def make_trace(path, n):
    events = [{"ph": "X", "cat": "kernel", "name": f"k{i % 7}", "pid": 0, "tid": 7, "ts": i * 3, "dur": 2,
               "args": {"device": 0, "stream": 7}} for i in range(n)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


def writes_unnamed(folder, pid):
    """Return whether the process has an unnamed file in @folder open."""
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    return any(link.startswith(folder + "/#") for link in links)


def can_be_unnamed(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
        return True
    except OSError:
        return False


def wait_for_part(folder, process):
    """Wait until the paused export has written a part of the file."""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end and process.poll() is None:
        if any("partial" in name for name in os.listdir(folder)) or writes_unnamed(folder, process.pid):
            return True
        time.sleep(0.01)
    return False


def stop(hirscope, trace, form, out, number):
    """Export to @out and send the signal while the file is partially written."""
    folder = os.path.dirname(out)
    hold = trace + ".hold"
    with open(hold, "w", encoding="utf-8"):
        pass
    process = subprocess.Popen([hirscope.path, "export", trace, "--to", form, "-o", out], stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, text=True, env={**os.environ, "HIRSCOPE_TEST_EXPORT_HOLD": hold})
    try:
        is_held = wait_for_part(folder, process)
        process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
        os.unlink(hold)
    return is_held and process.returncode == -number, said


def test_form(tap, hirscope, trace, form, ending):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out" + ending)
        ended, said = stop(hirscope, trace, form, out, signal.SIGKILL)
        tap.check(ended and not os.path.exists(out), f"{form}, killed: no partial file", said, os.listdir(folder))
        if form in ("chrome", "csv") and can_be_unnamed(folder):
            tap.check(not os.listdir(folder), f"{form}, killed: no other file is left", os.listdir(folder))
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        ended, said = stop(hirscope, trace, form, out, signal.SIGTERM)
        tap.check(ended and not os.listdir(folder) and "was not written: the export was cancelled" in said,
                  f"{form}, terminated: no file is left", said, os.listdir(folder))
        whole = hirscope("export", trace, "--to", form, "-o", out)
        with open(out, "rb") as file:
            was = file.read()
        os.chmod(out, 0o640)
        ended, said = stop(hirscope, trace, form, out, signal.SIGINT)
        with open(out, "rb") as file:
            tap.check(whole.code == 0 and ended and file.read() == was and os.listdir(folder) == ["out" + ending],
                      f"{form}, interrupted: the older file is unchanged", said, os.listdir(folder))
        again = hirscope("export", trace, "--to", form, "-o", out)
        tap.check(again.code == 0 and os.listdir(folder) == ["out" + ending] and
                  (form == "hirs" or os.stat(out).st_mode & 0o777 == 0o640), f"{form}: the next export replaces the file and keeps its permissions", again)


def test_places(tap, hirscope, trace):
    """The target is not a regular file, or cannot be written."""
    with tempfile.TemporaryDirectory() as folder:
        link, real = os.path.join(folder, "link.csv"), os.path.join(folder, "real.csv")
        with open(real, "w", encoding="utf-8") as file:
            file.write("old")
        os.symlink("real.csv", link)
        done = hirscope("export", trace, "--to", "csv", "-o", link)
        tap.check(done.code == 0 and os.path.islink(link) and os.path.getsize(real) > 1000, "a symbolic link is preserved", done)
        os.symlink("nowhere.csv", os.path.join(folder, "dangling.csv"))
        done = hirscope("export", trace, "--to", "csv", "-o", os.path.join(folder, "dangling.csv"))
        tap.check(done.code == 2 and os.path.islink(os.path.join(folder, "dangling.csv")), "a dangling link is rejected and preserved", done)
        done = hirscope("export", trace, "--to", "csv", "-o", "/dev/stdout")
        tap.check(done.code == 0 and done.out.startswith("rank,device,"), "writes to a pipe", done.err)
        for out, why in ((folder, "Is a directory"), (os.path.join(folder, "no", "out.csv"), "its folder does not exist")):
            done = hirscope("export", trace, "--to", "csv", "-o", out)
            tap.check(done.code == 2 and why in done.err and "choose another name" in done.err, f"rejects a path that cannot be written: {why}", done)
        done = hirscope("export", trace, "--to", "nsight", "-o", "/dev/null")
        tap.check(done.code == 2 and "written to a regular file" in done.err, "rejects a device as the target of a database", done)


def main():
    hirscope = from_command_line()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        make_trace(trace, 6000)
        for form, ending in FORMS.items():
            tap.group(test_form, hirscope, trace, form, ending)
        tap.group(test_places, hirscope, trace)
    tap.done()


main()
