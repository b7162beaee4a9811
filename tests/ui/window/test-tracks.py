#!/usr/bin/env python3
"""test-tracks.py HIRSCOPE [GROUP...]

Tests the arrangement of tracks: pinning, hiding, folding and moving by keyboard and menu, and its storage; the strip
above the timeline; the account of an import. See test-window.py for the method.
"""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import enter_path, run_groups  # noqa: E402

SIZE = (1280, 800)


def kernel(name, rank_pid, start_us, length_us, stream):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": rank_pid, "tid": stream, "ts": start_us, "dur": length_us,
            "args": {"device": rank_pid, "stream": stream}}


def trace(n_streams=6):
    """Return a trace: streams of ten kernels, a host thread with nested spans, and an event that ends before it starts."""
    events = [kernel(f"k{stream}", 0, 100 * i + stream * 10, 8, stream) for i in range(10) for stream in range(1, n_streams + 1)]
    for i in range(10):
        for depth in range(3):
            events.append({"ph": "X", "cat": "cpu_op", "name": f"op{depth}", "pid": 9, "tid": 9, "ts": 100 * i + depth * 10,
                           "dur": 80 - 20 * depth})
    events.append({"ph": "E", "name": "never began", "pid": 9, "tid": 9, "ts": 500})
    return json.dumps({"traceEvents": events})


def open_trace(room, home=None, path=None):
    paths = path if isinstance(path, list) else [path or room.path("tracks.json", trace())]
    w = room.open(*paths, size=SIZE, home=home)
    w.wait(lambda s: s["page"] == "workspace" and s["tracks"] and s["minimap"] and s["minimap"]["ready"], "the trace")
    w.settle()
    w.read()
    return w


def names(s):
    return [t["name"] for t in s["tracks"]]


def track(s, name):
    return next(t for t in s["tracks"] if t["name"] == name)


def cursor(s):
    return next((t["name"] for t in s["tracks"] if t["cursor"]), None)


def put_cursor(w, name):
    t = track(w.state, name)
    w.click(t["x"] + 10, t["y"])
    w.wait(lambda s: cursor(s) == name, f"the cursor on {name}")


def test_keys(t, room):
    w = open_trace(room)
    first = names(w.state)
    host = first[-1]
    t.check(len(first) == 7 and first[:-1] == [f"stream {i}" for i in range(1, 7)], "six streams are above a host thread", first)
    put_cursor(w, "stream 2")
    w.key("Down")
    w.wait(lambda s: cursor(s) == "stream 3", "the cursor on the track below")
    w.key("Up", "Up")
    w.wait(lambda s: cursor(s) == "stream 1", "the cursor on the track above")
    t.check(True, "Up and Down move the cursor")
    w.key("alt+Down")
    w.wait(lambda s: names(s)[:3] == ["stream 2", "stream 1", "stream 3"], "stream 1 to move down")
    w.key("alt+Up")
    w.wait(lambda s: names(s) == first, "stream 1 to move up")
    w.key("alt+Up")
    w.settle()
    t.check(names(w.read()) == first, "a track stays within its rank")
    w.key("alt+Home")
    s = w.wait(lambda s: track(s, "stream 1")["pinned"], "the track to be pinned")
    put_cursor(w, "stream 5")
    w.key("alt+Home")
    s = w.wait(lambda s: names(s)[:2] == ["stream 1", "stream 5"] and track(s, "stream 5")["pinned"], "both pinned tracks at the top")
    t.check(track(s, "stream 5")["y"] < track(s, "stream 2")["y"], "pinned tracks are above all others")
    put_cursor(w, "stream 3")
    w.key("h")
    s = w.wait(lambda s: "stream 3" not in names(s), "the track to be hidden")
    t.check(cursor(s) == "stream 4", "the next track gets the cursor", cursor(s))
    w.key("shift+h")
    w.wait(lambda s: "stream 3" in names(s), "the track to be visible again")
    t.check(track(w.state, host)["lanes"] == 3, "nested spans have lanes", track(w.state, host))
    put_cursor(w, host)
    w.key("z")
    w.wait(lambda s: track(s, host)["folded"] and track(s, host)["lanes"] == 1, "a single lane")
    w.click(track(w.read(), host)["x"] - 40, track(w.state, host)["y"])
    t.check(True, "z folds the lanes of a track")
    room.end(t, w)


def chosen(s):
    return [t["name"] for t in s["tracks"] if t["selected"]]


def hold(w, key, act):
    w.display.xdotool("keydown", key)
    act()
    w.display.xdotool("keyup", key)


def test_selected(t, room):
    """Selected tracks: a rectangle, clicks and keys; statistics and table count these only, as the command does."""
    path = room.path("tracks.json", trace())
    w = open_trace(room, path=path)
    host = names(w.state)[-1]
    place = {x["name"]: x for x in w.state["tracks"]}
    hold(w, "ctrl", lambda: [w.click(place[name]["x"], place[name]["y"]) for name in ("stream 2", "stream 4", "stream 5")])
    w.wait(lambda s: chosen(s) == ["stream 2", "stream 4", "stream 5"], "three selected tracks")
    hold(w, "ctrl", lambda: w.click(place["stream 4"]["x"], place["stream 4"]["y"]))
    s = w.wait(lambda s: chosen(s) == ["stream 2", "stream 5"] and s["stats"]["title"].endswith("; 2 tracks: stream 2, stream 5") and
               not s["stats"]["busy"], "the statistics of two tracks")
    t.check([row[0] for row in s["stats"]["Kernels by name"][1:]] == ["k2", "k5"], "the statistics count two tracks", s["stats"])
    hold(w, "shift", lambda: w.click(place["stream 3"]["x"], place["stream 3"]["y"]))
    w.wait(lambda s: chosen(s) == ["stream 2", "stream 3", "stream 4", "stream 5"], "those from the cursor to the click")
    t.check(True, "Ctrl+click selects and deselects a track, Shift+click all to it")
    w.key("Escape")
    w.wait(lambda s: not chosen(s) and ";" not in s["stats"]["title"], "Escape to clear them")

    put_cursor(w, "stream 3")
    w.key("S")
    w.wait(lambda s: chosen(s) == ["stream 3"], "Shift+S to select the track of the cursor")
    w.key("shift+Down", "shift+Down")
    w.wait(lambda s: chosen(s) == ["stream 3", "stream 4", "stream 5"] and cursor(s) == "stream 5", "Shift+Down to select more")
    w.key("S")
    w.wait(lambda s: chosen(s) == ["stream 3", "stream 4"], "Shift+S to deselect it")
    w.key("shift+F10")
    w.wait(lambda s: w.controls("Add to Selected Tracks", "GtkModelButton"), "the item of the menu")
    w.key("Escape")
    w.wait(lambda s: not w.controls("Add to Selected Tracks"), "the menu to close")

    # A rectangle from the host thread up to stream 5, and what the command says of it.
    w.settle()
    w.read()
    view = w.controls(kind="HirTimelineView")[0]
    left = view["x"] + w.state["header_width"]
    half = (view["width"] - w.state["header_width"]) / 2
    hold(w, "shift", lambda: w.drag(left + half * 0.2, place[host]["y"], left + half, place["stream 5"]["y"]))
    s = w.wait(lambda s: chosen(s) == ["stream 5", "stream 6", host] and s["range_ns"][1] > s["range_ns"][0] and
               s["stats"]["title"].startswith("Range") and not s["stats"]["busy"], "the rectangle")
    t.check("; 3 tracks: " in s["stats"]["title"], "the title names the tracks", s["stats"]["title"])
    zero = s["span_ns"][0]
    part = "{}ns:{}ns".format(*(x - zero for x in s["range_ns"]))
    words = ("--range", part, "--tracks", host, "--tracks", "stream 5", "--tracks", "stream 6")
    same = json.loads(room.program("stats", path, "--json", *words).out)
    counts = {row[0]: int(row[1]) for row in s["stats"]["Kernels by name"][1:]}
    t.check(counts and counts == {k["name"]: k["count"] for k in same["kernels"]}, "the counts are those of the command", counts, same)

    w.key("ctrl+e")
    sql = (f"SELECT count(*) FROM events WHERE track IN (SELECT id FROM tracks WHERE name IN ('{host}', 'stream 5', 'stream 6')) "
           f"AND start_ns < {s['range_ns'][1]} AND end_ns > {s['range_ns'][0]}")
    n = json.loads(room.program("query", path, sql, "--json").out)["rows"][0][0]
    s = w.wait(lambda s: s["events"] and "those in the range on 3 tracks" in s["events"]["title"], "the events of the range")
    t.check(s["events"]["title"].startswith(f"{n} of "), "the table has the events of these tracks", s["events"]["title"], n)
    w.key("Escape", "Escape")
    s = w.wait(lambda s: not chosen(s) and "those" not in s["events"]["title"], "Escape to list all events again")
    room.end(t, w)


def test_menu(t, room):
    w = open_trace(room)
    place = track(w.state, "stream 4")
    w.click(place["x"], place["y"], button=3)
    s = w.wait(lambda s: w.controls("Hide") and w.controls("Pin Above All"), "the menu")
    w.settle()
    w.read()
    w.click_control("Pin Above All", "GtkModelButton")
    w.wait(lambda s: names(s)[0] == "stream 4" and track(s, "stream 4")["pinned"], "the track to be pinned")
    w.wait(lambda s: not w.controls("Hide"), "the menu to close")
    w.settle()
    w.read()
    # Not over the menu that opens, because an item under the pointer would get the focus.
    w.move(700, 300)
    w.key("shift+F10")
    w.wait(lambda s: w.controls("Unpin", "GtkModelButton"), "the menu by keyboard")
    w.settle()
    for _ in range(8):
        w.read()
        if w.control("Unpin", "GtkModelButton")["focus"]:
            break
        w.key("Down")
        w.settle()
    w.key("Return")
    w.wait(lambda s: not track(s, "stream 4")["pinned"], "the track to be unpinned")
    t.check(True, "the menu pins by pointer and unpins by keyboard")
    room.end(t, w)


def place(w, name):
    """Return the position of the label of a track when the window is idle."""
    return track(w.wait(lambda s: name in names(s), f"the track {name}"), name)


def test_pointer(t, room):
    """Uses the buttons of a label and drags a track, with the pointer only."""
    w = open_trace(room)
    host = names(w.state)[-1]
    right = w.state["header_width"]
    view = w.controls(kind="HirTimelineView")[0]
    w.click(view["x"] + right - 33, place(w, "stream 4")["y"])
    w.wait(lambda s: names(s)[0] == "stream 4" and track(s, "stream 4")["pinned"], "the track to be pinned")
    t.check(True, "the pin button of a label pins its track")
    w.click(view["x"] + right - 33, place(w, "stream 4")["y"])
    w.wait(lambda s: not track(s, "stream 4")["pinned"], "the track to be unpinned")
    w.click(view["x"] + right - 13, place(w, "stream 2")["y"])
    s = w.wait(lambda s: w.controls("Hide", "GtkModelButton"), "the menu")
    t.check(w.controls("stream 2") and not w.controls("Fold"), "the menu names its track and has only applicable items",
            [c["name"] for c in s["controls"] if c["kind"] == "GtkModelButton"])
    w.click_control("Hide", "GtkModelButton")
    s = w.wait(lambda s: "stream 2" not in names(s) and not w.controls("Hide"), "the track to be hidden and the menu to close")
    before = names(s)
    w.drag(place(w, "stream 6")["x"], place(w, "stream 6")["y"], place(w, "stream 3")["x"], place(w, "stream 3")["y"] - 4)
    s = w.wait(lambda s: names(s) != before, "stream 6 to move")
    t.check(names(s) == ["stream 1", "stream 6", "stream 3", "stream 4", "stream 5", host], "a label is dragged to a new position",
            names(s))
    w.drag(place(w, "stream 5")["x"], place(w, "stream 5")["y"], place(w, host)["x"], place(w, host)["y"] + 20)
    s = w.wait(lambda s: names(s)[-1] == "stream 5", "stream 5 to pass a taller track")
    t.check(cursor(s) == "stream 5", "the moved track has the cursor", cursor(s))
    room.end(t, w)


def test_ranks(t, room):
    """Two files are opened as two ranks of one trace; the label of the rank stays visible while scrolling."""
    def of_rank(rank):
        return json.dumps({"distributedInfo": {"rank": rank, "world_size": 2},
                           "traceEvents": [kernel(f"k{s}", 0, 100 * i, 8, s) for i in range(4) for s in range(12)]})

    w = open_trace(room, path=[room.path("r0.json", of_rank(0)), room.path("r1.json", of_rank(1))])
    # A tooltip is a window, too; it closes when the pointer has left.
    w.display.xdotool("mousemove", 5, 5)
    for _ in range(50):
        windows = w.display.xdotool("search", "--onlyvisible", "--all", "--pid", w.process.pid, "--name", "Hirscope").split()
        if len(windows) == 1:
            break
        time.sleep(0.1)
    t.check(len(w.state["tracks"]) == 24 and len(windows) == 1, "one window shows both ranks", names(w.state), windows)
    t.check("2 ranks" in w.state["subtitle"], "the subtitle shows the number of ranks", w.state["subtitle"])
    put = w.state["tracks"][1]
    w.wheel(put["x"], put["y"], up=False, n=4)
    s = w.wait(lambda s: s["scroll_y"] > 30, "the rows to scroll")
    view = w.controls(kind="HirTimelineView")[0]
    # The row of the rank is below the ruler and can be folded.
    w.click(view["x"] + 40, view["y"] + 26 + 10)
    w.wait(lambda s: len(s["tracks"]) == 12, "rank 0 to fold")
    t.check(True, "the label of the rank stays visible and folds it")
    room.end(t, w)


def test_remembered(t, room):
    home = os.path.join(room.folder.name, "home")
    os.makedirs(home)
    path = room.path("remembered.json", trace())
    w = open_trace(room, home, path)
    put_cursor(w, "stream 6")
    w.key("alt+Home")
    w.wait(lambda s: names(s)[0] == "stream 6", "the track to be pinned")
    put_cursor(w, "stream 2")
    w.key("h")
    w.wait(lambda s: "stream 2" not in names(s), "the track to be hidden")
    put_cursor(w, "stream 4")
    w.key("alt+Up")
    wanted = names(w.wait(lambda s: names(s).index("stream 4") < names(s).index("stream 3"), "the track to move"))
    room.end(t, w)
    w = open_trace(room, home, path)
    t.check(names(w.state) == wanted and track(w.state, "stream 6")["pinned"], "a new window restores the arrangement",
            names(w.state), wanted)
    room.end(t, w)
    w = open_trace(room, home)
    t.check(names(w.state)[:-1] == [f"stream {i}" for i in range(1, 7)], "another trace has a separate arrangement", names(w.state))
    room.end(t, w)


def test_stack(t, room):
    """All levels of a deep host stack are drawn; its track can be dragged smaller, enlarged and folded."""
    depth = 40
    calls = [{"ph": "X", "cat": "cpu_op", "name": f"autograd::engine::evaluate_function: Backward{i}", "pid": 7, "tid": 7,
              "ts": i, "dur": 1000 - 2 * i} for i in range(depth)]
    w = open_trace(room, path=room.path("deep.json", json.dumps({"traceEvents": calls + [kernel("k", 0, 500, 10, 7)]})))

    def deep(s):
        return next(x for x in s["tracks"] if x["lanes"] == depth or x["folded"])

    place = deep(w.read())
    t.check(place["lanes"] == depth and place["height"] == 24 * 14 + 6, "each level has a lane, in a limited height", place)
    bars = {b["name"]: b["y"] for b in w.state["bars"]}
    ys = [bars[f"autograd::engine::evaluate_function: Backward{i}"] for i in range(depth)]
    t.check(all(a < b for a, b in zip(ys, ys[1:])), "each level is below the one before", ys)
    w.click(place["x"], place["y"])
    w.key("T")
    w.wait(lambda s: deep(s)["height"] == depth * 14 + 6, "the full height")
    w.key("T")
    place = deep(w.wait(lambda s: deep(s)["height"] == 60, "the small height"))
    w.drag(place["x"], place["bottom"], place["x"], place["bottom"] + 100)
    w.wait(lambda s: deep(s)["height"] == 160, "the dragged edge")
    w.key("z")
    w.wait(lambda s: deep(s)["folded"], "the track to fold")
    t.check(True, "the track is dragged, enlarged and folded")
    room.end(t, w)


def test_minimap(t, room):
    w = open_trace(room)
    m = w.state["minimap"]
    all_ns = w.state["shown_ns"]
    middle = (m["x0"] + m["x1"]) / 2
    w.drag(m["x1"] - 2, m["y"], middle, m["y"])
    s = w.wait(lambda s: abs(s["minimap"]["x1"] - middle) < 12, "the end of the visible range to be moved")
    t.check(abs(s["shown_ns"][0] - all_ns[0]) < 0.05 * (all_ns[1] - all_ns[0]), "the start of the visible range is unchanged", s["shown_ns"], all_ns)
    length = s["shown_ns"][1] - s["shown_ns"][0]
    m = s["minimap"]
    w.drag((m["x0"] + m["x1"]) / 2, m["y"], (m["x0"] + m["x1"]) / 2 + 200, m["y"])
    s = w.wait(lambda s: s["minimap"]["x0"] > m["x0"] + 194, "the visible range to be dragged")
    t.check(abs(s["shown_ns"][1] - s["shown_ns"][0] - length) <= 2, "dragging keeps the length of the range", s["shown_ns"])
    m = s["minimap"]
    w.drag(m["x0"] - 120, m["y"], m["x0"] - 60, m["y"])
    s = w.wait(lambda s: abs(s["minimap"]["x1"] - s["minimap"]["x0"] - 60) < 12, "a new visible range from a drag outside the old one")
    w.key("0")
    w.wait(lambda s: s["shown_ns"] == all_ns, "the whole trace")
    t.check(True, "0 shows the whole trace")
    room.end(t, w)


def test_scroll(t, room):
    w = open_trace(room, path=room.path("many.json", trace(40)))
    s = w.read()
    last, first = s["tracks"][-1], s["shown_ns"]
    put = w.state["tracks"][1]
    w.wheel(put["x"], put["y"], up=False, n=30)
    s = w.wait(lambda s: s["scroll_y"] > 0, "the rows to scroll")
    t.check(s["tracks"][-1]["y"] < last["y"], "the wheel over the labels scrolls the rows", s["scroll_y"])
    w.wheel(put["x"] + 400, put["y"], up=True, n=30)
    s = w.wait(lambda s: s["scroll_y"] == 0, "the rows to scroll back")
    t.check(s["shown_ns"] == first, "so does the wheel over the bars, without zooming", s["shown_ns"], first)
    room.end(t, w)


def test_wheel_zooms(t, room):
    """With the preference, the wheel zooms, and scrolls with Shift."""
    w = room.open(room.path("many.json", trace(40)), size=SIZE, remembered="[tour]\nseen=true\n[look]\nwheel-zooms=true\n")
    w.wait(lambda s: s["page"] == "workspace" and s["tracks"] and s["minimap"] and s["minimap"]["ready"], "the trace")
    put, first = w.state["tracks"][1], w.state["shown_ns"]
    w.wheel(put["x"] + 400, put["y"], up=True, n=3)
    s = w.wait(lambda s: s["shown_ns"][1] - s["shown_ns"][0] < (first[1] - first[0]) * 0.7, "the wheel to zoom in")
    t.check(s["scroll_y"] == 0, "the wheel zooms and does not scroll", s["scroll_y"])
    zoomed = s["shown_ns"]
    w.wheel(put["x"] + 400, put["y"], up=False, n=9, held="shift")
    s = w.wait(lambda s: s["scroll_y"] > 0, "Shift and the wheel to scroll")
    t.check(s["shown_ns"] == zoomed, "Shift and the wheel scroll and do not move in time", s["shown_ns"], zoomed)
    room.end(t, w)


def test_marks(t, room):
    """A mark is set at the pointer, named, drawn on the ruler, listed, stored with the document, and deleted."""
    home = os.path.join(room.folder.name, "marks")
    os.makedirs(home)
    path = room.path("marked.json", trace())
    w = open_trace(room, home, path)
    bar = next(b for b in w.state["bars"] if b["name"] == "k2")
    w.move(bar["x"], bar["y"])
    w.key("ctrl+d")
    s = w.wait(lambda s: s["marks"] and w.focus() and w.focus()["kind"] == "GtkText", "the mark and the entry of its name")
    t.check(s["marks"][0]["time_ns"] in (bar["start_ns"], bar["end_ns"]), "the mark is at the edge of the event", s["marks"], bar)
    w.wait(lambda s: any(text.startswith("Mark 1 at the pointer: ") for text in s["toasts"]), "where it is")
    w.key("ctrl+a")
    w.type("slow here")
    w.key("Return")
    s = w.wait(lambda s: s["marks"][0]["name"] == "slow here" and not w.controls("Delete the mark"), "the name")
    time_ns = s["marks"][0]["time_ns"]
    w.settle()
    t.check("x" in w.state["marks"][0], "the mark is drawn on the ruler", w.state["marks"])
    view = w.controls(kind="HirTimelineView")[0]
    right = view["x"] + view["width"]
    w.move(right - 4, bar["y"])
    w.key("ctrl+d")
    s = w.wait(lambda s: len(s["marks"]) == 2 and w.controls("Delete the mark"), "a mark at the right end")
    buttons = w.controls("Delete the mark")
    t.check(all(c["x"] + c["width"] <= SIZE[0] for c in buttons), "the list is inside the window", buttons)
    w.key("Escape")
    w.wait(lambda s: not w.controls("Delete the mark"), "the list to close")
    flag = w.settle()["marks"][1]
    t.check(flag["x"] < right - 4, "its flag is on the left of its time", flag, right)
    w.click(flag["x"], flag["y"])
    w.wait(lambda s: len(w.controls("Delete the mark")) == 2, "a click on the flag to open the list")
    w.click(*[(c["x"] + 8, c["y"] + 8) for c in w.controls("Delete the mark")][1])
    w.wait(lambda s: len(s["marks"]) == 1, "the mark to be deleted")
    w.key("Escape")
    w.wait(lambda s: not w.controls("Delete the mark"), "the list to close")
    room.end(t, w)
    w = open_trace(room, home, path)
    s = w.wait(lambda s: s["marks"], "the mark of the document")
    t.check([(m["name"], m["time_ns"]) for m in s["marks"]] == [("slow here", time_ns)], "the mark stays with the document", s["marks"])
    w.wheel(bar["x"] + 300, bar["y"], up=True, n=25, held="ctrl")
    w.wait(lambda s: "x" not in s["marks"][0], "the mark to leave the view")
    w.key("ctrl+shift+d")
    w.wait(lambda s: w.controls("Delete the mark"), "the list")
    w.settle()
    go = next(c for c in w.state["controls"] if c["kind"] == "GtkButton" and "\u00b5s" in c["name"])
    w.click(go["x"] + go["width"] / 2, go["y"] + go["height"] / 2)
    s = w.wait(lambda s: s["shown_ns"][0] <= s["span_ns"][0] + time_ns <= s["shown_ns"][1], "the time of the mark")
    t.check(True, "the list goes to a mark")
    w.wait(lambda s: not w.controls("Delete the mark"), "the list to close")
    w.key("0")
    s = w.wait(lambda s: "x" in s["marks"][0], "the flag")
    w.settle()
    w.click(w.state["marks"][0]["x"], w.state["marks"][0]["y"])
    w.wait(lambda s: w.controls("Delete the mark"), "the list, from the flag")
    w.settle()
    w.click_control("Delete the mark")
    w.wait(lambda s: not s["marks"] and not w.controls("Delete the mark"), "the mark to be deleted and the empty list to close")
    t.check("Deletion of the mark slow here" in w.state["status"], "the status names the deletion", w.state["status"])
    w.key("ctrl+z")
    s = w.wait(lambda s: s["marks"], "the mark again")
    t.check([(m["name"], m["time_ns"]) for m in s["marks"]] == [("slow here", time_ns)] and s["status"] == "Undone: Deletion of the mark slow here",
            "undo restores the mark", s["marks"], s["status"])
    w.key("ctrl+y")
    w.wait(lambda s: not s["marks"], "redo")
    # In the open list, too.
    w.key("ctrl+z")
    w.wait(lambda s: s["marks"], "undo again")
    add_mark(w, "other")
    w.key("ctrl+shift+d")
    w.wait(lambda s: len(w.controls("Delete the mark")) == 2, "the list")
    w.settle()
    w.click_control("Delete the mark")
    w.wait(lambda s: len(s["marks"]) == 1 and len(w.controls("Delete the mark")) == 1, "the deletion")
    w.key("ctrl+z")
    w.wait(lambda s: len(s["marks"]) == 2 and len(w.controls("Delete the mark")) == 2, "undo in the list")
    t.check(w.focus() and w.focus()["name"] == "Delete the mark", "the focus stays in the list", w.focus())
    for n in (1, 0):
        w.settle()
        w.click_control("Delete the mark")
        w.wait(lambda s: len(s["marks"]) == n, "the deletion")
    w.wait(lambda s: not w.controls("Delete the mark"), "the empty list to close")
    room.end(t, w)
    w = open_trace(room, home, path)
    t.check(w.state["marks"] == [], "a deleted mark does not come back", w.state["marks"])
    room.end(t, w)


def add_mark(w, name):
    """Set a mark in the middle of the timeline and name it."""
    n = len(w.state["marks"])
    w.key("ctrl+d")
    w.wait(lambda s: len(s["marks"]) == n + 1 and w.focus() and w.focus()["kind"] == "GtkText", "the mark and the entry of its name")
    w.key("ctrl+a")
    w.type(name)
    w.key("Return")
    w.wait(lambda s: any(m["name"] == name for m in s["marks"]) and not w.controls("Delete the mark"), "the name")


def test_marks_of_runs(t, room):
    """Marks of a recording survive edits and runs; those of a run are not written to the recording."""
    home = os.path.join(room.folder.name, "marks-of-runs")
    os.makedirs(home)
    path = room.path("marked.hirs")
    done = room.program("run", "example:two_set_ops", "--clock", "model", "-o", path)
    t.check(done.code == 0, "a recording", done.err)
    def names_of(s):
        return sorted(m["name"] for m in s["marks"])

    def open_recording():
        w = room.open(path, size=SIZE, home=home)
        w.wait(lambda s: s["page"] == "workspace" and s["tracks"] and s["bars"], "the recording")
        w.move(10, 10)
        w.settle()
        return w

    w = open_recording()
    add_mark(w, "first")
    w.key(*["j"] * 5)
    w.wait(lambda s: s["step"] == "StreamParallelType", "the pass")
    w.key("x")
    w.wait(lambda s: not s["lowering"] and not s["bars"], "the program without the pass")
    w.key("ctrl+z")
    w.wait(lambda s: not s["lowering"] and s["bars"] and names_of(s) == ["first"], "the recording and its mark")
    add_mark(w, "second")
    n = len(w.state["runs"])
    w.key("space")
    w.wait(lambda s: not s["running"] and len(s["runs"]) == n + 1 and s["bars"] and not s["marks"], "a run without marks")
    add_mark(w, "of the run")
    room.end(t, w)
    w = open_recording()
    s = w.wait(lambda s: names_of(s) == ["first", "second"], "the marks of the recording")
    t.check(True, "the recording has its marks after an edit, an undo and a run")
    room.end(t, w)


def test_account(t, room):
    w = open_trace(room)
    t.check("1" in w.state["account"] and w.state["account"].count("\n") < 5, "the account is available and short", w.state["account"])
    w.click_control("1 note")
    w.wait(lambda s: w.controls(kind="GtkLabel") and any(w.state["account"].split("\n")[0] in c["name"]
                                                         for c in w.controls()), "the lines of the account")
    t.check(True, "a click shows the lines of the account")
    w.key("Escape")
    w.settle()
    room.end(t, w)


def test_mark_places(t, room):
    """Without a pointer over the tracks, a mark is at the selected event, at the range, or in the middle."""
    w = open_trace(room, path=room.path("places.json", trace()))
    view = w.controls(kind="HirTimelineView")[0]

    def mark(n, where):
        w.key("ctrl+d")
        s = w.wait(lambda s: len(s["marks"]) == n and any(text.startswith(f"Mark {n} at {where}: ") for text in s["toasts"]), where)
        w.key("Escape")
        w.wait(lambda s: not w.controls("Delete the mark"), "the list to close")
        w.settle()
        return {m["time_ns"] for m in s["marks"]}

    def away():
        w.move(view["x"] + 300, view["y"] - 120)
        w.settle()

    bar = next(b for b in w.state["bars"] if b["name"] == "k2")
    away()
    start, end = w.state["shown_ns"]
    t.check(any(abs(time - (start + end) // 2) < 2 for time in mark(1, "the middle of the view")), "without a selection, it is in the middle", w.state["marks"])
    w.click(bar["x"], bar["y"])
    w.wait(lambda s: s["event_start_ns"] == bar["start_ns"], "the event")
    t.check(bar["start_ns"] in mark(2, "the start of the selected event"), "over the selected event, it is at its start", w.state["marks"])
    away()
    t.check(bar["start_ns"] in mark(3, "the start of the selected event"), "with the pointer elsewhere, too", w.state["marks"])
    # The list has covered the pointer, which has not moved since.
    w.move(view["x"] + view["width"] - 60, view["y"] + view["height"] - 10)
    mark(4, "the pointer")
    mark(5, "the pointer")
    t.check(True, "the pointer stays where it is while the list is open")
    room.end(t, w)


# --- two traces ----------------------------------------------------------------------------------------


def work(*lengths_us):
    return json.dumps({"traceEvents": [kernel("same", 0, 100 * i, 10, 7) for i in range(4)] +
                       [kernel("slower", 0, 100 * i + 20, length, 7) for i, length in enumerate(lengths_us)]})


def test_compare(t, room):
    a, b = room.path("before.json", work(10, 10, 10, 10)), room.path("after.json", work(30, 20, 50, 20))
    w = open_trace(room, path=a)
    enter_path(w, b, "ctrl+shift+o")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"] and s["compare"]["bars"], "the comparison")
    rows = {r[0]: r for r in s["compare"]["rows"]}
    expected = json.loads(room.program("compare", a, b, "--json").out)
    t.check(len(rows) == len(expected["work"]), "the number of rows equals that of the command", expected.keys())
    t.check(s["compare"]["rows"][0][0] == "slower", "the largest difference is first", s["compare"]["rows"])
    t.check(rows["slower"][1:7] == ["4", "4", "40.00 \u00b5s", "120.0 \u00b5s", "+80.00 \u00b5s", "3.000"], "the cells show counts, totals, difference and ratio",
            rows["slower"])
    t.check(rows["same"][5] == "0 ns", "an unchanged kernel has a difference of 0", rows["same"])
    bars = s["compare"]["bars"]
    pairs = {}
    for bar in bars:
        pairs.setdefault((bar["name"], bar["start_ns"]), []).append(bar)
    first = pairs[("same", 0)]
    t.check(len(first) == 2 and first[0]["x"] == first[1]["x"] and first[0]["y"] < first[1]["y"],
            "both traces share one scale, A above B", first)
    w.focus_newest()
    w.settle()
    # From the column headers to the rows.
    w.key("Tab", "Home", "Return")
    s = w.wait(lambda s: s["compare"]["event_start_ns"] == 20000, "Enter on the first row to select its first event")
    t.check(True, "a row selects its events")
    # The third pair of the kernel has the largest slowdown.
    w.key("shift+Return")
    s = w.wait(lambda s: s["compare"]["event_start_ns"] == 220000, "the link of the slowdown to select the event of B")
    w.key("Return")
    w.wait(lambda s: s["compare"]["event_start_ns"] != 220000, "another event")
    link = next(c for c in w.read()["dialogs"][0]["controls"] if c["name"] == "+40.00 \u00b5s")
    w.click(link["x"] + link["width"] - 8, link["y"] + link["height"] / 2)
    w.wait(lambda s: s["compare"]["event_start_ns"] == 220000, "a click on it to select it again")
    t.check(rows["slower"][7] == "+40.00 \u00b5s", "the largest slowdown is that of one pair", rows["slower"])
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    enter_path(w, room.path("nonsense.json", "{\"no\": 1"), "ctrl+shift+o")
    s = w.wait(lambda s: s["compare"] and s["compare"]["failure"], "the error of the comparison")
    t.check("nonsense.json" in s["compare"]["failure"], "the error contains the name of the invalid trace", s["compare"]["failure"])
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["dialogs"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


def test_compare_more(t, room):
    """Sorts improvements above small regressions; host-only traces have nothing to compare."""
    slow = [kernel("quicker", 0, 100 * i, 50, 7) for i in range(4)] + [kernel("a", 0, 100 * i + 60, 10, 7) for i in range(4)]
    quick = [kernel("quicker", 0, 100 * i, 10, 7) for i in range(4)] + [kernel("a", 0, 100 * i + 60, 15, 7) for i in range(4)]
    w = open_trace(room, path=room.path("slow.json", json.dumps({"traceEvents": slow})))
    enter_path(w, room.path("quick.json", json.dumps({"traceEvents": quick})), "ctrl+shift+o")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"] and s["compare"]["rows"], "the comparison")
    t.check(not s["compare"]["empty"], "the comparison is not empty")
    t.check([(r[0], r[5]) for r in s["compare"]["rows"]] == [("quicker", "\u2212160.0 \u00b5s"), ("a", "+20.00 \u00b5s")],
            "rows are sorted by the absolute difference", s["compare"]["rows"])
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    room.end(t, w)
    host = json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5, "dur": 7}]})
    w = room.open(room.path("host.json", host), size=SIZE)
    w.wait(lambda s: "1 event of 1 track" in s["status"], "the trace")
    enter_path(w, room.path("host2.json", host), "ctrl+shift+o")
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison")
    t.check(s["compare"]["empty"] and not s["compare"]["rows"], "an empty comparison is reported", s["compare"])
    if os.environ.get("HIR_TEST_PICTURES"):
        w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], "compare-empty.png"))
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


run_groups([test_keys, test_selected, test_menu, test_pointer, test_ranks, test_remembered, test_stack, test_minimap, test_scroll, test_wheel_zooms, test_marks, test_mark_places, test_marks_of_runs, test_account, test_compare, test_compare_more])
