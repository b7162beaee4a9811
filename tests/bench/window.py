#!/usr/bin/env python3
"""window.py HIRSCOPE [--sizes 10,100,1000,10000] [--repeat N] [--events N] [-o RESULTS.tsv]
window.py HIRSCOPE --before OTHER_BUILD [--repeat N] [--events N] [-o RESULTS.tsv]

Measures the response times of the window: from a key press to the displayed graph, for graphs of given numbers of boxes
(first without a layout, then with it); the longest time without a response, also while a graph is laid out and a trace
is loaded at the same time; and the startup time. The window is real, on a separate display, driven by keys; it reports
the times itself (ui/testing/report.h). With fewer than 100 samples, p99 is the maximum.
All steps share one layout, created when the program is opened ("opening": until its first step is displayed; `boxes` is
the number of the step measured by the other rows; stalls count from the creation of the window). If the steps are too
large for this, each is laid out on the first visit. `layout` is the method: Graphviz, or rows (ui/graph/layouts.h).
Other load of the machine (`load`: mean of the minute before the end of the row, including this benchmark) increases all
numbers except stall_cpu_ms, the longest CPU time of the main thread between two event checks. If Graphviz takes long,
simple rows are displayed first ("rows; N ms later Graphviz", in the last repetition). Checks nothing, except that the
number of boxes is the requested one and that layout and loading overlapped.
With --before, times instead four uses of the window alternately in two builds (drawn.py).
"""
import argparse
import json
import os
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("app", "ui/window"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))

import display  # noqa: E402
import drawn  # noqa: E402
from window import Window  # noqa: E402

COLUMNS = ("what", "boxes", "times", "p50_ms", "p99_ms", "stall_ms", "stall_cpu_ms", "load", "layout")
SCRIPT = '''from nvfuser_direct import FusionDefinition, DataType, ParallelType


def chain():
    with FusionDefinition() as fd:
        made = [fd.define_tensor(shape=[64, 64], contiguity=True, dtype=DataType.Float) for _ in range({n_inputs})][:2] * 2
        for i in range({n_ops}):
            made.append(fd.ops.add(made[-1], made[-3]))
        fd.add_output(made[-1])
        for tv in made[4:{end}]:
            tv.axis(0).parallelize(ParallelType.stream)
    return fd
'''


def make_script(folder, size):
    """Return a program that one pass turns into a graph of exactly @size boxes. Small ones have no loop."""
    if size < 20:
        n_inputs, n_ops, end = 2, size - 3, 4
    else:
        # An operation is three boxes in the loop over streams; an unused input is one box.
        n_inputs = 2 + (size - 11) % 3
        n_ops, end = (size - 9 - n_inputs) // 3, ""
    path = os.path.join(folder, f"chain{size}.py")
    with open(path, "w") as file:
        file.write(SCRIPT.format(n_inputs=n_inputs, n_ops=n_ops, end=end))
    return path


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def make_row(what, boxes, times, stall, work, note):
    row = (what, str(boxes), str(len(times)), f"{percentile(times, 0.5):.1f}", f"{percentile(times, 0.99):.1f}",
           f"{stall:.1f}", f"{work:.1f}", f"{os.getloadavg()[0]:.1f}", note)
    print("\t".join(row), flush=True)
    return row


def get_note(s):
    return s["graph"]["note"] or "Graphviz"


def has_picture(s):
    return s["page"] == "workspace" and not s["lowering"] and s["graph"]["picture_ms"] > 0


def step(w, key):
    """Step to another pass with one key; return the milliseconds until it is painted. Does not wait until idle."""
    before = w.read()["step"]
    w.key(key)
    s = w.poll(lambda s: s["step"] != before and has_picture(s), "the next picture", time.monotonic() + 120)
    return s["graph"]["picture_ms"]


def open_before(shown, program, path, size):
    """Open a window one step before the first graph of @size boxes, which has no layout yet."""
    w = Window(shown, program, path)
    s = w.poll(has_picture, "the workspace", time.monotonic() + 300)
    w.opening_ms = s["graph"]["picture_ms"]
    begin = time.monotonic()
    is_preview = s["graph"]["preview"]
    s = w.poll(lambda s: not s["graph"]["preview"], "the last layout", begin + 60)
    w.opening_note = f"rows; {(time.monotonic() - begin) * 1000:.0f} ms later {get_note(s)}" if is_preview else get_note(s)
    w.take_focus((1600, 1000))
    w.settle()
    w.opening_stalls = w.longest_stall_ms, w.longest_work_ms
    for _ in range(3 if size < 20 else 4):
        step(w, "j")
    w.settle()
    return w


def expect(n_boxes, size):
    if n_boxes != size:
        sys.exit(f"{size} boxes were asked for, {n_boxes} are shown: the passes make other programs now; mend make_script()")


def measure_first(shown, program, path, size, n):
    times, stalls, works, openings, notes = [], [], [], [], set()
    for i in range(n):
        w = open_before(shown, program, path, size)
        try:
            openings.append((w.opening_ms, *w.opening_stalls, w.opening_note))
            w.longest_stall_ms = w.longest_work_ms = 0
            times.append(step(w, "j"))
            w.settle()
            expect(w.state["graph"]["n_all"], size)
            notes.add(get_note(w.state))
            stalls.append(w.longest_stall_ms)
            works.append(w.longest_work_ms)
        finally:
            w.kill()
    opened, opened_stalls, opened_works, opened_notes = zip(*openings)
    return [make_row("opening", size, opened, max(opened_stalls), max(opened_works),
                     opened_notes[-1]),
            make_row("first picture", size, times, max(stalls), max(works), " / ".join(sorted(notes)))]


def measure_again(shown, program, path, size, n, diff):
    """Alternate between two graphs; only steps to the graph of @size boxes count."""
    w = open_before(shown, program, path, size)
    try:
        step(w, "j")
        w.settle()
        expect(w.state["graph"]["n_all"], size)
        if diff:
            w.key("3")
            w.wait(lambda s: s["text_page"] == "diff", "the diff")
            w.settle()
        w.longest_stall_ms = w.longest_work_ms = 0
        times = []
        for i in range(n):
            step(w, "k")
            times.append(step(w, "j"))
        # Zoom and move, too.
        w.wheel(1000, 400, True, 3)
        w.drag(1000, 400, 900, 300)
        w.settle()
        return make_row("again, with the diff" if diff else "again", size, times, w.longest_stall_ms, w.longest_work_ms,
                        get_note(w.state))
    finally:
        w.kill()


def write_trace(path, n_events, n_spaces):
    """Write kernels on eight streams in a profiler's format, preceded by white space."""
    separators = "", ",\n"
    with open(path, "w") as file:
        file.write("[" + " " * n_spaces)
        file.writelines(
            f'{separators[i > 0]}{{"ph": "X", "cat": "kernel", "name": "kernel_{i % 97}", "pid": 0, "tid": {7 + i % 8}, '
            f'"ts": {10 * (i // 8)}, "dur": 8, "args": {{"device": 0, "stream": {7 + i % 8}, "correlation": {i}, "grid": [64, 1, 1]}}}}'
            for i in range(n_events))
        file.write("]")


class Pair(Window):
    """Open two windows of one process, which share a main loop; each line of the report refers to one of them. Both
    measure a stall while the other one writes its report; only stalls measured by both count."""

    def __init__(self, *words, **more):
        self.seen = {}
        self.loaded_at = None
        self.forget()
        super().__init__(*words, **more)

    def forget(self):
        self.stalls = {"program": [0], "trace": [0]}
        self.works = {"program": [0], "trace": [0]}

    def reset(self):
        state = self.read()
        self.forget()
        return state

    def read(self):
        with open(self.report_path, "rb") as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.offset += len(line)
                state = json.loads(line)
                # A window without a title yet is the trace's.
                name = "program" if state["title"] == "chain" else "trace"
                self.seen[name] = state
                self.stalls[name].append(state["stall_ms"])
                self.works[name].append(state["stall_cpu_ms"])
        self.state = self.seen.get("program", {})
        return self.state

    def note_loaded(self, n_events):
        """Return whether all events are loaded; store the time of the first report of it."""
        s = self.seen["trace"]
        found = re.search(r"([\d,]+) events of", s["status"])
        if self.loaded_at is None and found and not s["lowering"] and int(found.group(1).replace(",", "")) == n_events:
            self.loaded_at = time.monotonic()
        return self.loaded_at is not None


def run_both(w, hold, size, n_events):
    """Return the milliseconds until the graph is displayed and until loading has finished."""
    w.poll(has_picture, "the program", time.monotonic() + 120)
    # The first window belongs to the first file.
    w.id = min(w.display.xdotool("search", "--sync", "--onlyvisible", "--pid", w.process.pid).split(), key=int)
    w.resize(1600, 1000)
    w.display.xdotool("windowfocus", "--sync", w.id)
    for _ in range(4):
        step(w, "j")
    w.poll(lambda s: "trace" in w.seen and w.seen["trace"]["lowering"], "the loading", time.monotonic() + 60)
    time.sleep(1)  # The window is never idle while it loads; after this time the animation has ended.
    before = w.reset()["step"]
    begin = time.monotonic()
    os.unlink(hold)
    w.key("j")
    pressed = time.monotonic()
    w.poll(lambda s: w.note_loaded(n_events) or s["step"] != before and has_picture(s), "one", begin + 120)
    w.poll(lambda s: s["step"] != before and has_picture(s) and w.note_loaded(n_events), "both", begin + 120)
    expect(w.state["graph"]["n_all"], size)
    # The last stall is reported with the next change.
    time.sleep(0.5)
    w.read()
    if w.loaded_at <= pressed:
        sys.exit("the trace was read before the layout began: give more --events")
    return w.state["graph"]["picture_ms"], (w.loaded_at - begin) * 1000


def measure_both(shown, program, folder, size, n_events, n):
    """Measure the layout of @size boxes while a trace loads: a key and the release of the hold start both at once."""
    path, trace = make_script(folder, size), os.path.join(folder, "many.json")
    hold = trace + ".hold"
    # A load that is held half-way has read no kernel.
    write_trace(trace, n_events, 200 * n_events)
    pictures, loads, stalls, works, notes = [], [], [], [], set()
    for i in range(n):
        open(hold, "w").close()
        w = Pair(shown, program, path, trace, env={"HIRSCOPE_TEST_LOAD_HOLD": hold})
        try:
            picture_ms, load_ms = run_both(w, hold, size, n_events)
            notes.add(get_note(w.state))
            pictures.append(picture_ms)
            loads.append(load_ms)
            stalls.append(min(max(values) for values in w.stalls.values()))
            works.append(min(max(values) for values in w.works.values()))
        finally:
            w.kill()
    os.unlink(trace)
    return [make_row(f"first picture, {n_events} events being read", size, pictures, max(stalls), max(works),
                     " / ".join(sorted(notes))),
            make_row(f"{n_events} events read, graph being laid out", size, loads, max(stalls), max(works), "")]


def measure_start(shown, program):
    times = []
    for i in range(3):
        begin = time.monotonic()
        w = Window(shown, program, "example:two_set_ops")
        try:
            w.poll(lambda s: has_picture(s) and s["graph"]["nodes"], "the workspace", begin + 60)
            times.append((time.monotonic() - begin) * 1000)
        finally:
            w.kill()
    return times


def measure_all(shown, program, folder, options):
    times = measure_start(shown, program)
    rows = [("start to a window that can be used", "", str(len(times)), f"{percentile(times, 0.5):.0f}",
             f"{percentile(times, 0.99):.0f}", "", "", f"{os.getloadavg()[0]:.1f}", "")]
    print("\t".join(rows[0]), flush=True)
    sizes = [int(size) for size in options.sizes.split(",")]
    for size in sizes:
        path = make_script(folder, size)
        n_again = options.repeat if size <= 100 else max(options.repeat * 3 // 10, 1) if size <= 1000 else \
            max(options.repeat // 10, 1)
        rows += measure_first(shown, program, path, size, 5 if size <= 1000 else 2)
        rows.append(measure_again(shown, program, path, size, n_again, False))
        if size >= 1000:
            rows.append(measure_again(shown, program, path, size, max(n_again // 3, 1), True))
    return rows + measure_both(shown, program, folder, max(sizes), options.events, 3)


def measure_both_builds(shown, programs, folder, options):
    rows = drawn.make_rows(drawn.measure_actions(shown, programs, folder, options.repeat), percentile)
    path = drawn.write_events(folder, programs[0], write_trace, options.events)
    return rows + drawn.make_rows(drawn.measure_frames(shown, programs, path, options.events, 2), percentile)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--sizes", default="10,100,1000,10000")
    parser.add_argument("--repeat", type=int, help="for the small graphs (100); a third for 1000, a tenth above; with "
                        "--before, for each build (7)")
    parser.add_argument("--events", type=int, help="1,000,000; with --before, 10,000,000")
    parser.add_argument("--before", metavar="OTHER_BUILD")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    reason = display.what_is_missing()
    if reason:
        sys.exit(reason)
    begin, load, program = time.monotonic(), os.getloadavg()[0], os.path.abspath(options.program)
    options.repeat = options.repeat or (7 if options.before else 100)
    options.events = options.events or (10_000_000 if options.before else 1_000_000)
    shown = display.Display(*drawn.FULL) if options.before else display.Display()
    try:
        with tempfile.TemporaryDirectory() as folder:
            if options.before:
                rows = measure_both_builds(shown, [os.path.abspath(options.before), program], folder, options)
            else:
                rows = measure_all(shown, program, folder, options)
    finally:
        shown.close()
    print(f"{time.monotonic() - begin:.0f} s; load {load:.2f} when it began", flush=True)
    if options.output:
        with open(options.output, "w") as file:
            file.write(f"# {os.cpu_count()} processors; others at work: load {load:.2f} when it began\n" +
                       "\t".join(drawn.COLUMNS if options.before else COLUMNS) + "\n" + "".join("\t".join(row) + "\n" for row in rows))


main()
