#!/usr/bin/env python3
"""test-export.py HIRSCOPE [GROUP...]

Tests exports from the window: all formats from a trace of another profiler, progress, cancellation without leftovers,
and closing the window during an export.
"""
import json
import os
import re
import time

from room import PASSES, ran, run_groups
from window import TIMEOUT_S

SIZE = (1280, 800)
N = 30_000


def events():
    """Return kernels of 8 us every 10 us on two streams, with arguments that are only in the file."""
    return [{"ph": "X", "cat": "kernel", "name": f"k{i // 1000}", "pid": 0, "tid": 7 + i % 2, "ts": 10 * i, "dur": 8,
             "args": {"stream": 7 + i % 2, "device": 0, "note": f"of block {i // 64}"}} for i in range(N)]


def open_trace(room, name="many.json", **options):
    path = room.path(name)
    if not os.path.exists(path):
        with open(path, "w") as file:
            json.dump(events(), file)
    w = room.open(path, size=SIZE, **options)
    w.wait(lambda s: f"{N:,} events of 2 tracks" in s["status"], "the trace")
    return w


def soon(w, condition, what):
    """Like wait(), but for a window that is busy writing."""
    return w.poll(condition, what, time.monotonic() + TIMEOUT_S)


def export(w, what, path, replaces=False, look=None):
    """Export @what to @path with palette and file chooser, by keyboard. @look changes the dialog of a figure."""
    is_figure = what.startswith(("Export the timeline", "Export the graph"))
    w.key("ctrl+p")
    w.wait(lambda s: s.get("palette", True), "the palette")
    w.type(what)
    w.settle()
    w.key("Return")
    w.wait(lambda s: s["dialogs"], "a dialog")
    if is_figure:
        s = w.wait(lambda s: s["dialogs"][0].get("heading"), "the dialog of the figure")
        body = s["dialogs"][0]["body"]
        said = body.startswith(("The visible ", "The selected range of "))
        if said != what.startswith("Export the timeline"):
            raise AssertionError(f"the dialog does not say which time is drawn: {body}")
        w.focus_newest()
        if look:
            look()
        w.key("alt+f")
        w.wait(lambda s: any(d["kind"] == "GtkFileChooserDialog" for d in s["dialogs"]), "the file chooser")
    w.focus_newest()
    w.key("ctrl+a")
    w.type(path)
    w.key("Return")
    if replaces:
        soon(w, lambda s: len(s["dialogs"]) == 2, "the dialog about replacing the file")
        w.focus_newest()
        w.key("alt+r")
    soon(w, lambda s: not any(d["kind"] == "GtkFileChooserDialog" for d in s["dialogs"]), "the file chooser to close")
    w.display.xdotool("windowfocus", "--sync", w.id)


def wait_written(w, path, what):
    """Wait until the file is complete and the window is idle."""
    soon(w, lambda s: os.path.exists(path) and not s["writing"], what)
    w.settle()
    w.wait(lambda s: not strip(s) and not s["dialogs"], what + ": no strip, no error")


def test_formats(t, room):
    """The window writes the same bytes as `hirscope export` for formats that only depend on the trace."""
    w = open_trace(room)
    source = room.path("many.json")
    rows = [("Save the recording", "s.hirs", None), ("Export a Chrome", "s.json.gz", "chrome"), ("Export a Perfetto", "s.pftrace", "perfetto"),
            ("Export tables", "s.sqlite", "nsight"), ("Export all events", "s.csv", "csv"), ("Export a report", "s.html", "html")]
    for what, name, form in rows:
        path = room.path(name)
        export(w, what, path)
        wait_written(w, path, what)
        if form is None:
            done = room.program("export", path, "--to", "chrome", "-o", room.path("again.json"))
            t.check(done.code == 0, f"{name}: the recording can be opened", done.err)
            with open(room.path("again.json")) as file:
                args = [e["args"] for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
            t.check(sorted(a["note"] for a in args) == sorted(e["args"]["note"] for e in events()), f"{name}: all arguments are stored")
            continue
        done = room.program("export", source, "--to", form, "-o", room.path("c" + name))
        t.check(done.code == 0, f"{name}: the command succeeds", done.err)
        if name.endswith(".sqlite"):
            continue
        with open(path, "rb") as a, open(room.path("c" + name), "rb") as b:
            t.check(a.read() == b.read(), f"{name}: the file equals that of the command")
    for ending, more in ((".txt", []), (".json", ["--json"])):
        path = room.path("explanation" + ending)
        export(w, "Export the explanation", path)
        wait_written(w, path, "the explanation")
        t.check(read(path) == room.program("explain", source, *more).out, f"explanation{ending}: equals that of the command")
    t.check(w.longest_work_ms < 1000, "the main loop is never blocked", w.longest_work_ms)
    room.end(t, w)


def test_view(t, room):
    """The picture of the timeline contains the visible range and rows."""
    late = [{**e, "ts": e["ts"] + 5_000_000} for e in events()]
    source = room.path("many.json", json.dumps(late))
    w = open_trace(room)
    timeline = w.controls(kind="HirTimelineView")[0]
    w.wheel(timeline["x"] + timeline["width"] / 4, timeline["y"], up=True, n=30, held="ctrl")
    s = w.wait(lambda s: s["shown_ns"][1] - s["shown_ns"][0] < 10_000_000, "the zoom")
    first, last = s["shown_ns"]
    path, same = room.path("part.svg"), room.path("same.svg")
    export(w, "Export the timeline", path)
    wait_written(w, path, "the picture")
    start = s["span_ns"][0]
    done = room.program("export", source, "--to", "svg", "--legend", "--range", f"{first - start}ns:{last - start}ns", "-o", same)
    t.check(done.code == 0 and read(path) == read(same), "the picture shows the visible range and equals that of the command", done.err, first, last)
    t.check("stream 7" in read(path) and "stream 8" in read(path), "the picture has both tracks")
    place = next(x for x in w.state["tracks"] if x["name"] == "stream 8")
    w.click(place["x"], place["y"], button=3)
    w.wait(lambda s: w.controls("Hide", "GtkModelButton"), "the menu")
    w.click_control("Hide", "GtkModelButton")
    w.wait(lambda s: len(s["tracks"]) == 1 and not w.controls("Hide"), "the track to be hidden")
    export(w, "Export the timeline", room.path("one.svg"))
    wait_written(w, room.path("one.svg"), "the picture")
    one = read(room.path("one.svg"))
    t.check("stream 7" in one and "stream 8" not in one and "1 hidden" in one, "the picture does not have the hidden track")
    w.key("shift+h")
    place = next(x for x in w.wait(lambda s: len(s["tracks"]) == 2, "the hidden track")["tracks"] if x["name"] == "stream 8")
    w.display.xdotool("keydown", "ctrl")
    w.click(place["x"], place["y"])
    w.display.xdotool("keyup", "ctrl")
    w.wait(lambda s: [x["name"] for x in s["tracks"] if x["selected"]] == ["stream 8"], "the selected track")
    export(w, "Export the timeline", room.path("selected.svg"))
    wait_written(w, room.path("selected.svg"), "the picture")
    done = room.program("export", source, "--to", "svg", "--legend", "--range", f"{first - start}ns:{last - start}ns",
                        "--tracks", "stream 8", "-o", same)
    t.check(done.code == 0 and read(room.path("selected.svg")) == read(same), "the picture of a selected track equals that of the command", done.err)
    room.end(t, w)


def test_path(t, room):
    """The picture has the critical path if the window shows it, like that of the command with --path."""
    source = room.path("path.hirs")
    room.program("run", "example:matmul_m", "--clock", "model", "-o", source)
    w = room.open(source)
    w.wait(lambda s: s["page"] == "workspace" and s["bars"], "the recording")
    for name, words in (("plain", ()), ("path", ("--path",))):
        path, same = room.path(name + ".svg"), room.path(name + "-same.svg")
        export(w, "Export the timeline", path)
        wait_written(w, path, "the picture")
        room.program("export", source, "--to", "svg", "--legend", *words, "-o", same)
        t.check(read(path) == read(same), f"the picture equals that of the command: {name}")
        w.key("shift+d")
        w.wait(lambda s: s["explain"]["path"] and not s["explain"]["busy"], "the critical path")
    t.check(read(room.path("plain.svg")) != read(room.path("path.svg")), "the pictures differ")
    bar = max(w.state["bars"], key=lambda b: b["end_ns"] - b["start_ns"])
    w.click(bar["x"], bar["y"])
    w.wait(lambda s: s["event"], "the selected event")
    export(w, "Export a report", room.path("selected.html"))
    wait_written(w, room.path("selected.html"), "the report")
    room.program("export", source, "--to", "html", "-o", room.path("none.html"))
    figures = [re.findall("<figure>.*?</figure>", read(room.path(name + ".html")), re.S) for name in ("selected", "none")]
    t.check(figures[0] and figures[0] == figures[1], "the figures of a report do not have the selected event")
    room.end(t, w)


def test_look(t, room):
    """The dialog of a figure sets width, font size, background, rows and legend; the command makes the same file."""
    w = open_trace(room)
    place = next(x for x in w.state["tracks"] if x["name"] == "stream 8")
    w.click(place["x"], place["y"], button=3)
    w.wait(lambda s: w.controls("Hide", "GtkModelButton"), "the menu")
    w.click_control("Hide", "GtkModelButton")
    w.wait(lambda s: len(s["tracks"]) == 1 and not w.controls("Hide"), "the track to be hidden")
    def change():
        names = [c["name"] for d in w.state["dialogs"] for c in d["controls"]]
        t.check(all(name in names for name in ("Width in mm", "Height in mm", "Font Size in pt", "Legend")), "the controls have names", names)
        for name, text in (("Width in mm", "90"), ("Height in mm", "60"), ("Font Size in pt", "7")):
            press(w, name)
            w.key("ctrl+a")
            w.type(text)
        for name in ("Background", "Rows"):
            press(w, name)
            w.settle()
            w.key(*["Down"] * (2 if name == "Background" else 1), "Return")
            w.settle()
        press(w, "Legend")
        w.settle()
        if os.environ.get("HIR_TEST_PICTURES"):
            w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "figure-dialog.png"))

    path, same = room.path("look.svg"), room.path("look-same.svg")
    export(w, "Export the timeline", path, look=change)
    wait_written(w, path, "the picture")
    done = room.program("export", room.path("many.json"), "--to", "svg", "--width", 90, "--height", 60, "--font", 7, "--background", "transparent", "-o", same)
    t.check(done.code == 0 and read(path) == read(same), "the figure equals that of the command", done.err)
    report = room.path("hidden.html")
    export(w, "Export a report", report)
    wait_written(w, report, "the report")
    figure = read(report).split("</figure>")[0]
    t.check("stream 7" in figure and "stream 8" not in figure and "1 hidden" in figure, "the report has the rows of the window")
    room.end(t, w)


def press(w, name):
    """Press the mnemonic-less control @name of the newest dialog with the pointer."""
    c = next(c for d in w.settle()["dialogs"] for c in d["controls"] if c["name"] == name)
    window = w.focus_newest()
    w.display.xdotool("mousemove", "--window", window, int(c["x"] + c["width"] / 2), int(c["y"] + c["height"] / 2))
    w.display.xdotool("click", 1)


def test_graph(t, room):
    """The picture of the graph contains what is displayed: lanes, folded loops, the neighborhood."""
    w = room.open("example:ag_matmul", "-d", "2", size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and s["graph"]["nodes"], "the fusion")
    path = room.path("fusion.svg")
    export(w, "Export the graph", path)
    wait_written(w, path, "the fusion")
    t.check(">op<" in read(path) and ">communication<" not in read(path), "the legend has only what is in the graph")
    w.key(*["j"] * (len(PASSES) - 1), "v")
    s = w.wait(lambda s: s["step"] == PASSES[-1] and s["graph"]["lanes"] and s["graph"]["groups"], "the lanes")
    s = w.settle()
    w.click(s["graph"]["groups"][-1]["fold_x"], s["graph"]["groups"][-1]["fold_y"])
    w.wait(lambda s: [n for n in s["graph"]["nodes"] if n["folded"]], "the folded loop")
    path = room.path("lanes.svg")
    export(w, "Export the graph", path)
    wait_written(w, path, "the lanes")
    t.check(">Tensors<" in read(path) and ">folded loop<" in read(path) and ">matmul<" not in read(path), "the picture has lanes and the folded loop")
    n = [n for n in w.settle()["graph"]["nodes"] if n["title"] == "T1"][0]
    w.click(n["x"], n["y"])
    w.key("v", "n")
    s = w.wait(lambda s: not s["graph"]["lanes"] and "around T1" in s["graph"]["note"], "the neighborhood")
    shown = len(w.settle()["graph"]["nodes"])
    path = room.path("near.svg")
    export(w, "Export the graph", path)
    wait_written(w, path, "the neighborhood")
    t.check(">T1<" in read(path) and ">Tensors<" not in read(path) and ">GetCurrentStream<" not in read(path),
            "the picture has the neighborhood", shown)
    room.end(t, w)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def open_held(room):
    """Open a window whose exports pause half-way while the file "hold" exists."""
    hold = room.path("hold", "")
    return open_trace(room, env={"HIRSCOPE_TEST_EXPORT_HOLD": hold}), hold


def strip(s):
    return [c for c in s["controls"] if c["name"] == "Cancel Export"]


def half_way(w):
    soon(w, strip, "the strip that shows the progress")


def program_of(path):
    """Return the part of a report below "Program": its graph and its text."""
    graph, text = read(path).split("<h2>Program</h2>")[1].split("<pre>", 1)
    return graph, text.split("</pre>")[0]


def test_folds(t, room):
    """A report folds loops as graph and text of the window do."""
    w = room.open("example:ag_matmul", "-d", "8", size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and not s["lowering"] and s["graph"]["nodes"], "the program")
    w.key("F5")
    w.wait(ran, "the run")
    open_path, folded_path = room.path("open.html"), room.path("folded.html")
    export(w, "Export a report", open_path)
    wait_written(w, open_path, "the report")
    graph, text = program_of(open_path)
    t.check("Allgather" in graph and "details" not in text, "without folds, the report has all", len(graph))
    w.key(*["j"] * (len(PASSES) - 1))
    w.key("2")
    s = w.wait(lambda s: s["step"] == PASSES[-1] and len([x for x in s["lines"] if "fold" in x]) == 2 and s["graph"]["nodes"], "the last pass")
    s = w.settle()
    # In the text the first loop, in the graph the one of the matmul.
    line = next(x for x in s["lines"] if "fold" in x)
    w.click(line["fold"]["x"], line["fold"]["y"])
    w.wait(lambda s: any(x.get("fold", {}).get("row") for x in s["lines"]), "the folded text")
    w.settle()
    group = w.state["graph"]["groups"][1]
    w.click(group["fold_x"], group["fold_y"])
    s = w.wait(lambda s: s["graph"]["nodes"] and not any(n["title"] == "Allgather" for n in s["graph"]["nodes"]), "the folded graph")
    export(w, "Export a report", folded_path)
    wait_written(w, folded_path, "the second report")
    graph, folded = program_of(folded_path)
    titles = re.findall("<text[^>]*>([^<]*)", graph)
    t.check("Wait" not in titles and any(title.startswith("Allgather, Wait, matmul") for title in titles), "the graph of the report is folded", titles)
    parts = folded.split("<details><summary>")
    head, body = parts[1].split("</summary>")
    t.check(len(parts) == 2 and head.startswith(line["text"].replace("<", "&lt;")) and "\u2026 2 lines" in head,
            "the text of the report is folded at the same loop", head)
    plain = re.sub("<span.*?</span>|</?details>|</?summary>", "", folded.replace("</summary>", "\n").replace("</details>", "\n"))
    t.check(plain == text and body.split("</details>")[0].count("\n") == 1, "and nothing else has changed", plain, text)
    room.end(t, w)


def test_cancel(t, room):
    w, hold = open_held(room)
    old = room.path("old.json", "what was there before")
    for what, path, left in (("Export a Chrome", room.path("new.json"), None), ("Export tables", room.path("new.sqlite"), None),
                             ("Save the recording", room.path("new.hirs"), None)):
        export(w, what, path)
        half_way(w)
        t.check(w.state["page"] == "workspace" and not w.state["lowering"], f"{what}: the window stays usable")
        if what.startswith("Export a C"):
            if os.environ.get("HIR_TEST_PICTURES"):
                w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "exporting.png"))
            w.click_control("Cancel Export", "GtkButton")
        else:
            w.key("shift+Escape")
        soon(w, lambda s: not strip(s), "the strip to disappear")
        t.check(not [n for n in os.listdir(room.folder.name) if n.startswith("new.")], f"{what}: no partial file is left",
                os.listdir(room.folder.name))
    export(w, "Export a Chrome", old, True)
    half_way(w)
    w.key("shift+Escape")
    soon(w, lambda s: not strip(s), "the strip to disappear")
    with open(old) as file:
        t.check(file.read() == "what was there before", "a cancelled export does not replace an existing file")
    os.unlink(hold)
    export(w, "Export a Chrome", room.path("new.json"))
    wait_written(w, room.path("new.json"), "the next export")
    t.check(w.longest_work_ms < 1000, "the main loop is never blocked", w.longest_work_ms)
    room.end(t, w)


def test_close(t, room):
    """Closing during an export asks whether to stop or to wait."""
    for answer, left in (("alt+s", False), ("alt+w", True)):
        w, hold = open_held(room)
        path = room.path("closing.json")
        export(w, "Export a Chrome", path)
        half_way(w)
        w.key("ctrl+w")
        s = soon(w, lambda s: s["dialogs"], "the dialog")
        t.check(s["dialogs"][0]["heading"] == "closing.json Is Still Being Written", "closing the window asks about the export", s["dialogs"])
        w.focus_newest()
        w.key(answer)
        if left:
            soon(w, lambda s: not s["dialogs"], "the dialog to close")
            os.unlink(hold)
        room.end(t, w, None)
        t.check(os.path.exists(path) == left, f"{answer}: the file is {'complete' if left else 'removed'}", os.listdir(room.folder.name))
        if left:
            with open(path) as file:
                t.check(len([e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]) == N, "the file has all events")


def test_errors(t, room):
    w = open_trace(room)
    export(w, "Export the timeline", room.path("a.doc"))
    s = w.wait(lambda s: s["dialogs"], "the error dialog")
    t.check(s["dialogs"][0]["heading"] == "Export Failed", "the dialog describes the error",
            s["dialogs"][0])
    w.focus_newest()
    w.key("Escape")
    w.wait(lambda s: not s["dialogs"], "the error dialog to close")
    room.end(t, w)


run_groups([test_formats, test_view, test_path, test_look, test_graph, test_folds, test_cancel, test_close, test_errors])
