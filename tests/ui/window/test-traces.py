#!/usr/bin/env python3
"""test-traces.py HIRSCOPE [GROUP...]

Tests the window with traces: statistics, time ranges, traces of other profilers, search for events. Expected numbers
come from `hirscope stats`. See test-window.py for the method.
"""
import csv
import json
import os
import re
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import EXAMPLES  # noqa: E402
from room import device_bars, opened, ran, run_groups  # noqa: E402

SIZE = (1280, 800)
LONG = "void cutlass::Kernel2<" + "cutlass::gemm::kernel::" * 12 + "Gemm>(Params)"
UNITS = {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}


def kernel(name, start_us, length_us, stream, correlation):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start_us, "dur": length_us,
            "args": {"device": 0, "stream": stream, "correlation": correlation}}


def launch(start_us, correlation):
    return {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": 77, "ts": start_us, "dur": 2,
            "args": {"correlation": correlation}}


def foreign():
    """Return a trace with ten short kernels, a long one and one with a very long name on two streams, with launches."""
    events = []
    for i in range(10):
        events += [launch(20 * i, i + 1), kernel("short_a", 20 * i + 5, 4, 7, i + 1)]
    events += [launch(50, 90), kernel("long_b", 60, 100, 8, 90)]
    events += [launch(170, 91), kernel(LONG, 180, 10, 8, 91)]
    return json.dumps({"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": events})


def open_foreign(room):
    w = room.open(room.path("other.json", foreign()), size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and s["stats"] and not s["stats"]["busy"] and s["stats"]["Devices"][1:],
           "the trace and its statistics")
    w.settle()
    w.read()
    return w


def to_ns(text):
    value, unit = text.split()
    return float(value.replace(",", "")) * UNITS[unit]


def names(s):
    return [row[0] for row in s["stats"]["Kernels by name"][1:]]


def selected_bar(w, s):
    """Return the labels of the selected event in the inspector, in order."""
    return [c["name"] for c in w.controls(kind="GtkLabel")]


def timeline(w):
    return w.controls(kind="HirTimelineView")[0]


def bar(s, name, i=0):
    return sorted((b for b in s["bars"] if b["name"] == name), key=lambda b: b["start_ns"])[i]


def stats_json(room, path, *words):
    return json.loads(room.program("stats", path, "--json", *words).out)


# --- a trace without a program ------------------------------------------------------------------------


def test_foreign(t, room):
    w = open_foreign(room)
    s = w.state
    t.check(s["status"].startswith("24 events of 3 tracks"), "the status shows the number of events and tracks", s["status"])
    t.check(not w.controls("Run") and not w.controls("Graph") and not w.controls(kind="GtkDropDown"),
            "a trace has neither run button, nor clock, nor graph", sorted({c["name"] for c in s["controls"]}, key=str))
    t.check(not w.controls("Script") and not w.controls(kind="GtkListBoxRow"), "a trace has neither script nor passes")
    view = timeline(w)
    table = w.controls(kind="HirStatsCanvas")[0]
    t.check(view["width"] > SIZE[0] - 30 and table["width"] > SIZE[0] * 0.7 and table["height"] > SIZE[1] * 0.4,
            "timeline and statistics take the space", view, table)
    w.click_control("Export")
    s = w.wait(lambda s: w.controls("Chrome Trace\u2026", "GtkModelButton"), "the export menu")
    t.check(not w.controls("Program Text\u2026", "GtkModelButton") and not w.controls("Copy Graph Picture", "GtkModelButton"),
            "the export menu has no items for a program", [c["name"] for c in w.controls(kind="GtkModelButton")])
    w.key("Escape")
    s = w.wait(lambda s: not w.controls("Chrome Trace\u2026", "GtkModelButton"), "the menu to close")
    lowest = max(b["y"] for b in s["bars"])
    t.check(lowest < view["y"] + view["height"], "all tracks are visible", lowest, view)
    t.check(set(names(s)) == {"short_a", "long_b", LONG}, "each kernel has a row with its full name", names(s))
    t.check(names(s)[0] == "long_b", "the kernel with the longest total is first", names(s))

    device = s["stats"]["Devices"]
    expected = stats_json(room, os.path.join(room.folder.name, "other.json"))["gpus"][0]
    for head, key in (("total", "total_ns"), ("busy", "busy_ns"), ("idle", "idle_ns"), ("compute", "computation_ns")):
        shown = to_ns(device[1][device[0].index(head)])
        t.check(abs(shown - expected[key]) <= expected[key] * 0.006, f"{head} equals the output of the command", shown, expected[key])
    room.end(t, w)


def test_event(t, room):
    w = open_foreign(room)
    b = bar(w.state, LONG)
    w.click(b["x"], b["y"])
    s = w.wait(lambda s: s["event"] and LONG in [c["name"] for c in s["controls"]], "the full name in the inspector")
    shown = [c["name"] for c in s["controls"]]
    t.check(LONG in shown, "the inspector shows the full name")
    w.settle()
    w.read()
    link = w.controls("cudaLaunchKernel", "GtkLabel")[0]
    w.click(link["x"] + 20, link["y"] + link["height"] / 2)
    s = w.wait(lambda s: s["event_start_ns"] == bar(s, "cudaLaunchKernel", 10)["start_ns"], "its launch to be selected")
    t.check(True, "the link selects the launch")
    w.wait(lambda s: w.controls(LONG, "GtkLabel"), "the link from the launch to the kernel")
    w.settle()
    w.read()
    link = w.controls(LONG, "GtkLabel")[0]
    w.click(link["x"] + 20, link["y"] + 8)
    w.wait(lambda s: s["event_start_ns"] == b["start_ns"], "the kernel to be selected again")
    t.check(True, "the link of the launch selects the kernel")
    room.end(t, w)


# --- kernels ------------------------------------------------------------------------------------------


def click_row(w, i):
    w.click(w.state["stats"]["x"] + 60, w.state["stats"]["kernels_y"] + 20 * i + 10)


def test_kernels(t, room):
    w = open_foreign(room)
    click_row(w, names(w.state).index("short_a"))
    w.wait(lambda s: s["event"] and s["event_start_ns"] == bar(s, "short_a", 0)["start_ns"], "the first short_a to be selected")
    click_row(w, names(w.state).index("short_a"))
    w.wait(lambda s: s["event_start_ns"] == bar(s, "short_a", 1)["start_ns"], "the second to be selected")
    for i in [*range(2, 10), 0]:
        click_row(w, names(w.state).index("short_a"))
        w.wait(lambda s: s["event_start_ns"] == bar(s, "short_a", i)["start_ns"], f"short_a {i} to be selected")
    t.check(True, "clicks on a row select its events in turn and wrap around")

    view = next(c for c in w.controls(kind="HirStatsCanvas"))
    last = (view["x"] + view["width"] - 30, w.state["stats"]["kernels_y"] - 10)
    w.click(*last)
    w.wait(lambda s: names(s) == ["long_b", LONG, "short_a"], "the rows sorted by descending maximum")
    w.click(*last)
    w.wait(lambda s: names(s) == ["short_a", LONG, "long_b"], "the rows sorted by ascending maximum")
    w.click(w.state["stats"]["x"] + 60, w.state["stats"]["kernels_y"] - 10)
    s = w.wait(lambda s: names(s)[0] == "long_b", "the rows sorted by ascending name")
    t.check(names(s) == ["long_b", "short_a", LONG], "a click on a column header sorts the rows", names(s))
    w.click(w.state["stats"]["x"] + 60, w.state["stats"]["kernels_y"] - 10)
    s = w.wait(lambda s: names(s)[0] == LONG, "the rows sorted by descending name")
    t.check(True, "a second click reverses the order")
    w.key("Up", "Return")
    w.wait(lambda s: s["event_start_ns"] == bar(s, LONG)["start_ns"], "the event of the row above")
    t.check(True, "Up and Enter choose a row")
    room.end(t, w)


# --- a range ------------------------------------------------------------------------------------------


def test_range(t, room):
    w = open_foreign(room)
    s = w.state
    b = bar(s, "long_b")
    view = timeline(w)
    px = (s["shown_ns"][1] - s["shown_ns"][0]) / (view["width"] - s["header_width"])
    left = view["x"] + s["header_width"] + (b["start_ns"] - s["shown_ns"][0]) / px
    right = view["x"] + s["header_width"] + (b["end_ns"] - s["shown_ns"][0]) / px
    w.display.xdotool("keydown", "shift")
    w.drag(left + 2, b["y"], right - 2, b["y"])
    w.display.xdotool("keyup", "shift")
    edges = [b["start_ns"], b["end_ns"]]
    s = w.wait(lambda s: s["range_ns"] == edges, "the range to snap to both edges")
    t.check(True, "Shift+drag selects a range that snaps to the edges of the event")
    s = w.wait(lambda s: not s["stats"]["busy"] and s["stats"]["title"].startswith("Range"), "the statistics of the range")
    t.check("100.0 \u00b5s long" in s["stats"]["title"], "the title shows the length of the range", s["stats"]["title"])
    device = s["stats"]["Devices"]
    t.check(to_ns(device[1][device[0].index("total")]) == 100e3, "the total is the length of the range", device)
    rows = {row[0]: row for row in s["stats"]["Kernels by name"][1:]}
    t.check(set(rows) == {"long_b"}, "a drag within one track selects this track", rows)
    place = next(x for x in s["tracks"] if x["name"] == "stream 8")
    w.display.xdotool("keydown", "ctrl")
    w.click(place["x"], place["y"])
    w.display.xdotool("keyup", "ctrl")
    s = w.wait(lambda s: s["range_ns"] == edges and not any(x["selected"] for x in s["tracks"]), "the range of all tracks")
    s = w.wait(lambda s: not s["stats"]["busy"] and len(s["stats"]["Kernels by name"]) > 2, "the statistics of all tracks")
    rows = {row[0]: row for row in s["stats"]["Kernels by name"][1:]}
    t.check(set(rows) == {"short_a", "long_b"} and rows["short_a"][1] == "5", "all tracks are counted", rows)
    t.check("Events cut at its ends" in s["stats"]["title"], "the title says what happens at the ends", s["stats"]["title"])

    w.click(view["x"] + view["width"] - 30, view["y"] + view["height"] - 4)  # moves the focus, and clears the range
    w.wait(lambda s: s["range_ns"] == [0, 0], "the range to be cleared")
    w.wait(lambda s: s["stats"]["title"].startswith("Whole"), "the statistics of the whole trace")
    w.move(left + 2, b["y"])
    w.key("bracketleft")
    w.wait(lambda s: s["range_ns"][0] == edges[0] and s["range_ns"][1] > edges[1], "[ to set the start")
    w.move(right - 2, b["y"])
    w.key("bracketright")
    w.wait(lambda s: s["range_ns"] == edges, "] to set the end")
    w.key("f")
    s = w.wait(lambda s: s["shown_ns"][1] - s["shown_ns"][0] < 1.2 * 100e3, "f to zoom to it")
    t.check(s["shown_ns"][0] <= edges[0] and s["shown_ns"][1] >= edges[1], "the whole range is visible", s["shown_ns"])
    w.key("Escape")
    s = w.wait(lambda s: s["range_ns"] == [0, 0], "Escape to clear it")
    w.wait(lambda s: s["stats"]["title"].startswith("Whole") and not s["stats"]["busy"], "the statistics of the whole trace again")
    t.check(True, "[ and ] set the ends of a range, f zooms to it, Escape clears it")

    # With keys only: the gap between two events.
    w.key("0")
    s = w.wait(lambda s: s["shown_ns"][0] < 0, "the whole trace")
    w.move(view["x"] + 300, view["y"] - 200)
    first, second = bar(s, "short_a", 0), bar(s, "short_a", 1)
    w.settle()
    w.read()
    w.click(bar(w.state, "short_a", 0)["x"], bar(w.state, "short_a", 0)["y"])
    w.wait(lambda s: s["event_start_ns"] == first["start_ns"], "the first event to be selected")
    w.move(view["x"] + 300, view["y"] - 200)
    w.settle()
    w.key("bracketleft")
    w.wait(lambda s: s["range_ns"][0] == first["start_ns"], "the range to start at the event's start")
    w.key("bracketleft")
    w.wait(lambda s: s["range_ns"][0] == first["end_ns"], "the range to start at the event's end")
    w.key("Right", "bracketright")
    w.wait(lambda s: s["range_ns"] == [first["end_ns"], second["end_ns"]], "the range to end at the next event's end")
    w.key("bracketright")
    s = w.wait(lambda s: s["range_ns"] == [first["end_ns"], second["start_ns"]], "the range to end at the next event's start")
    s = w.wait(lambda s: "16.00 \u00b5s long" in s["stats"]["title"], "the exact length of the gap")
    t.check(True, "keys measure the gap between two events")
    # One end is moved on the ruler; the other one stays.
    w.settle()
    s = w.read()
    px = (s["shown_ns"][1] - s["shown_ns"][0]) / (view["width"] - s["header_width"])
    at = view["x"] + s["header_width"] + (second["start_ns"] - s["shown_ns"][0]) / px
    w.drag(at, view["y"] + 10, at + 200, view["y"] + 10)
    w.wait(lambda s: s["range_ns"][0] == first["end_ns"] and s["range_ns"][1] > second["start_ns"] + 190 * px, "the end of the range to move")
    t.check(True, "an end of the range is dragged on the ruler")
    room.end(t, w)


# --- search ---------------------------------------------------------------------------------------------


def test_find(t, room):
    w = open_foreign(room)
    w.key("ctrl+f")
    w.wait(lambda s: s["events_found"] is not None and w.focus() and w.focus()["kind"] in ("GtkText", "GtkSearchEntry"),
           "the search bar")
    w.type("SHORT")
    s = w.wait(lambda s: s["events_found"] == "1 of 10", "the number of matches")
    t.check(s["event_start_ns"] == bar(s, "short_a", 0)["start_ns"], "the first match is selected")
    w.key("Return")
    w.wait(lambda s: s["events_found"] == "2 of 10" and s["event_start_ns"] == bar(s, "short_a", 1)["start_ns"], "the next match")
    w.key("shift+Return", "shift+Return")
    w.wait(lambda s: s["events_found"] == "10 of 10" and s["event_start_ns"] == bar(s, "short_a", 9)["start_ns"],
           "the last match after the first")
    t.check(True, "Enter and Shift+Enter step through the matches")
    w.key("ctrl+a")
    w.type("nothing like it")
    w.wait(lambda s: s["events_found"] == "none", "no match")
    w.key("Escape")
    w.wait(lambda s: not s["events_found"] and timeline(w)["focus"], "the timeline to have the focus again")
    t.check(True, "Escape closes the search")
    room.end(t, w)


# --- a recording of Hirscope ------------------------------------------------------------------------------------


def test_own(t, room):
    path = os.path.join(room.folder.name, "run.hirs")
    script = os.path.join(EXAMPLES, "multi_device.py") + "::ag_matmul"
    done = room.program("run", script, "-d", "2", "--clock", "model", "-o", path)
    t.check(done.code == 0, "the run is recorded", str(done))
    w = room.open(path, size=SIZE)
    w.wait(lambda s: opened(s) and device_bars(s), "the recording")
    t.check(w.controls("Run") and w.controls("Graph") and w.state["stats"] is None, "a Hirscope recording has its passes")
    w.click_control("Statistics")
    s = w.wait(lambda s: s["stats"] and not s["stats"]["busy"] and s["stats"]["Devices"][1:], "the statistics of the recording")
    expected = stats_json(room, path)
    t.check(len(s["stats"]["Devices"]) == 1 + len(expected["gpus"]) == 3, "both devices are listed", s["stats"]["Devices"])
    t.check(sorted(names(s)) == sorted(k["name"] for k in expected["kernels"]), "the kernels equal those of the command", names(s), expected["kernels"])
    shown = {row[0]: int(row[1].replace(",", "")) for row in s["stats"]["Kernels by name"][1:]}
    t.check(shown == {k["name"]: k["count"] for k in expected["kernels"]}, "the counts equal those of the command", shown)
    t.check(len(s["stats"]["Communication"]) > 1, "the collectives are listed", s["stats"]["Communication"])
    w.click_control("Graph")
    w.wait(lambda s: s["stats"] is None, "the graph again")
    # The view follows a run.
    w.click_control("Statistics")
    w.key("space")
    w.wait(lambda s: ran(s) and s["stats"] and not s["stats"]["busy"] and s["stats"]["Devices"][1:],
           "the statistics of a run")
    t.check(True, "a new run updates the statistics")
    room.end(t, w)


def test_program_first(t, room):
    """Opens a GPU recording whose program takes 1% of the time."""
    path = os.path.normpath(os.path.join(EXAMPLES, "..", "..", "screenshots", "overlap", "copy.hirs"))
    csv_path = os.path.join(room.folder.name, "copy.csv")
    done = room.program("export", path, "--to", "csv", "-o", csv_path)
    t.check(done.code == 0, "the table is exported", str(done))
    with open(csv_path, newline="") as file:
        spans = [(int(row["start_ns"]), int(row["start_ns"]) + int(row["duration_ns"])) for row in csv.DictReader(file)
                 if row["phase"] == "program" and row["track"].startswith("GPU")]
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    w = room.open(path, size=SIZE)
    s = w.wait(opened, "the recording")
    shown = s["shown_ns"]
    t.check(shown[0] < first and last < shown[1] and shown[1] - shown[0] < 1.1 * (last - first), "the visible range is that of the program", shown, first, last)
    m = s["minimap"]
    t.check(m["x1"] - m["x0"] < SIZE[0] / 10, "the program takes a small part of the minimap", m)
    w.click((m["x0"] + m["x1"]) / 2, m["y"])
    w.key("0")
    s = w.wait(lambda s: s["shown_ns"][1] - s["shown_ns"][0] > 10 * (last - first), "the whole trace")
    t.check(True, "0 shows the whole trace")
    room.end(t, w)


def test_counters(t, room):
    """A counter has a row; a click shows the value at the pointer."""
    events = [kernel("work", 0, 1000, 7, 1)]
    events += [{"ph": "C", "name": "power", "pid": 1, "ts": 10 * i, "args": {"value": 100 + i % 50}} for i in range(100)]
    w = room.open(room.path("counters.json", json.dumps({"traceEvents": events})), size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and s["stats"] and not s["stats"]["busy"] and s["bars"], "the trace")
    s = w.settle()
    row = next(track for track in s["tracks"] if track["name"] == "power")
    # Sample 30 is valid from 300 to 310 us; its value is 130.
    w.click((bar(s, "power", 30)["x"] + bar(s, "power", 31)["x"]) / 2, row["y"])
    w.wait(lambda s: "130" in selected_bar(w, s), "the value in the details")
    t.check("holds for" in selected_bar(w, s), "the details show for how long the value is valid", selected_bar(w, s))
    room.end(t, w)


N_MANY = 700000


def many():
    """Return enough kernels for indexes on a worker thread and 67 MB of statistics."""
    lines = ('{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":1,"args":{"stream":7}}' % i for i in range(N_MANY))
    return '{"traceEvents":[' + ",\n".join(lines) + "]}"


def address_space(pid):
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def test_memory(t, room):
    """Shows the memory use of a trace; statistics without enough memory report it and can be retried."""
    def bytes_per_event(s):
        """Return the memory of the trace, and of its indexes as far as they are built."""
        memory = s["inspector"][s["inspector"].index("memory") + 1] if "memory" in s["inspector"] else ""
        return [float(size) * 2**20 / N_MANY for size in re.findall(r"([0-9.]+)\u00a0MiB", memory)]

    w = room.open(room.path("many.json", many()), size=SIZE)
    s = w.wait(lambda s: s["page"] == "workspace" and s["stats"] and s["stats"]["Devices"][1:] and not s["stats"]["busy"] and
               len(bytes_per_event(s)) == 2 and bytes_per_event(s)[1] >= 4, "the trace, its statistics and its index")
    sizes = bytes_per_event(s)
    t.check(8 <= sizes[0] <= 48 and sizes[1] <= 8, "the inspector shows the memory of the trace and of its indexes", sizes)
    used = address_space(w.process.pid)
    if used > 1 << 40:
        t.skip("statistics without memory", "its own memory is without bounds under ASan")
        room.end(t, w)
        return
    resource.prlimit(w.process.pid, resource.RLIMIT_AS, (used + 55000000, resource.RLIM_INFINITY))
    view = timeline(w)
    w.display.xdotool("keydown", "shift")
    w.drag(view["x"] + 500, view["y"] + 60, view["x"] + 700, view["y"] + 60)
    w.display.xdotool("keyup", "shift")
    w.wait(lambda s: s["stats"] is None and w.controls("Try Again", kind="GtkButton") and
           s["stats_title"].startswith(f"out of memory: statistics of {N_MANY} events"), "the error instead of the statistics")
    t.check(True, "the error is reported, and old statistics are not displayed")
    resource.prlimit(w.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    w.click_control("Try Again", kind="GtkButton")
    w.wait(lambda s: s["stats"] and not s["stats"]["busy"] and s["stats"]["title"].startswith("Range") and
           s["stats"]["Devices"][1:], "the statistics of the range")
    t.check(True, "the statistics are computed on retry")
    room.end(t, w)


run_groups([test_foreign, test_event, test_kernels, test_range, test_find, test_own, test_program_first, test_counters,
            test_memory])
