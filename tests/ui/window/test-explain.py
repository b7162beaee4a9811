#!/usr/bin/env python3
"""test-explain.py HIRSCOPE [GROUP...]

Tests the explanation in the window: the list of causes, its rows that go to their interval, the critical path and the
lost time in the timeline, and their keys. Expected results come from `hirscope explain` and `hirscope stats`. See test-window.py for the
method.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import SOURCE  # noqa: E402
from room import focus_dialog, focus_window, opened, run_groups  # noqa: E402

SIZE = (1366, 900)
EXPOSED, IDLE, WAITING = 1, 2, 4
PICTURES = os.environ.get("HIR_TEST_PICTURES")


def recording(name):
    return os.path.join(SOURCE, "screenshots", "overlap", f"{name}.hirs")


def open_recording(room, name="nccl", size=SIZE, **options):
    w = room.open(recording(name), size=size, **options)
    w.wait(lambda s: s["page"] == "workspace" and " events of " in s["status"], "the recording")
    return w


def explained(s):
    return s["explain"]["shown"] and s["explain"]["computed"] and s["explain"]["rows"]


def repetitions(room, path):
    return json.loads(room.program("explain", path, "--json").out)["repetitions"]


def test_list(t, room):
    w = open_recording(room)
    t.check(not w.state["explain"]["computed"], "nothing is computed before it is displayed", w.state["explain"])
    w.key("shift+e")
    s = w.wait(explained, "the explanation")
    expected = repetitions(room, recording("nccl"))
    shown = [row["text"] for row in s["explain"]["rows"]]
    texts = [loss["text"] for r in expected for loss in r["losses"] + r["waits"]]
    t.check([text for text in shown if text in texts] == texts, "all causes are listed in the order of the command",
            shown, texts)
    t.check(any("waits for multiprocessors" in text for text in shown), "waits for multiprocessors are listed", shown)
    first = expected[0]["losses"][0]
    row = next(row for row in s["explain"]["rows"] if row["text"] == first["text"])
    w.click(row["x"], row["y"])
    s = w.wait(lambda s: s["event"] and s["range_ns"][0] < s["range_ns"][1], "the interval of the first cause")
    start, end = s["range_ns"]
    parts = [p for p in expected[0]["path"] if p["name"] == first["name"]]
    t.check(first["name"].startswith("T6_matmul") and any(p["start_ns"] <= start < p["end_ns"] for p in parts) and
            any(p["start_ns"] < end <= p["end_ns"] for p in parts),
            "a click on a cause selects its longest interval on the path", s["range_ns"], first)
    t.check(s["shown_ns"][0] <= start and end <= s["shown_ns"][1], "the timeline shows it", s["shown_ns"])
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "explain-row.png"))
    w.key("Down", "Return")
    s = w.wait(lambda s: s["range_ns"] != [start, end], "the next cause")
    t.check(s["range_ns"][0] < s["range_ns"][1], "Down and Return go to the next cause", s["range_ns"])
    room.end(t, w)


def test_pieces(t, room):
    """A cause has pieces: the row says which one is selected, and keys step through them."""
    w = room.open("example:ag_matmul", "-d", "4")
    w.wait(lambda s: s["page"] == "workspace" and not s["lowering"] and s["graph"]["nodes"], "the workspace")
    w.key("F5")
    w.wait(lambda s: not s["running"] and s["bars"], "the run")
    w.key("shift+e")
    s = w.wait(lambda s: explained(s) and simulated(s), "the explanation")
    t.check(any("streams do not slow each other down" in r["text"] for r in s["explain"]["rows"][:3]),
            "the head says that overlap is free on the modelled clock", s["explain"]["rows"][:3])
    row = next(r for r in s["explain"]["rows"] if "Allgather" in r["text"] and r["time"])
    t.check(row["pieces"] > 3 and not any(r["piece"] for r in s["explain"]["rows"]), "the row has pieces, none of which is selected", row)

    def piece(s):
        return next(([r["piece"], r["pieces"]] for r in s["explain"]["rows"] if r["piece"]), None)
    w.click(row["x"], row["y"])
    s = w.wait(piece, "the piece that is selected")
    number, n = piece(s)
    t.check(n == row["pieces"] and 1 <= number <= n, "a click selects the longest piece, with its number", number, n)
    ranges = [s["range_ns"]]
    keys = ["shift+k"] * (number - 1) + ["shift+j"] * (n - 1)
    wanted = list(range(number - 1, 0, -1)) + list(range(2, n + 1))
    for key, number in zip(keys, wanted):
        w.key(key)
        s = w.wait(lambda s: piece(s) == [number, n], f"piece {number}")
        ranges.append(s["range_ns"])
    starts = [start for start, _ in ranges[-n:]]
    t.check(starts == sorted(set(starts)), "the keys go through all pieces in the order of time", ranges)
    w.key("shift+j")
    t.check(piece(w.settle()) == [n, n], "they stop at the last one", w.state["explain"]["rows"])
    w.key("shift+x", "shift+j")
    s = w.wait(lambda s: not piece(s), "an exposed time instead of a piece")
    t.check(True, "shades are gone through instead if they are switched on")
    room.end(t, w)


def find_gains(s):
    """Return the rows below the title of the gains, without the notes."""
    rows = s["explain"]["rows"]
    titles = [i for i, row in enumerate(rows) if row["text"].startswith("What would help")]
    return [row for row in rows[titles[0] + 1:] if row["text"].startswith("if ")] if titles else []


def simulated(s):
    return explained(s) and not s["explain"]["simulating"] and find_gains(s)


def scroll_to_gains(w):
    canvas = w.controls(kind="HirExplainCanvas")[0]
    w.wheel(canvas["x"] + 50, canvas["y"] + 50, up=False, n=60)
    w.settle()
    return find_gains(w.state), canvas["y"] + canvas["height"]


def test_gains(t, room):
    expected = json.loads(room.program("explain", recording("nccl"), "--json").out)
    gains = expected["gains"]
    events = json.loads(room.program("query", recording("nccl"), "SELECT start_ns, name FROM events", "--json").out)["rows"]
    wanted = {"communication": "Allgather T5", "synchronization": "Synchronize", "interference": "T6_matmul (nvjet"}
    for dark in (True, False) if PICTURES else (True,):
        w = open_recording(room, dark=dark)
        w.key("shift+e")
        s = w.wait(simulated, "the gains")
        t.check([row["text"] for row in find_gains(s)] == [f"if {gain['text']}" for gain in gains],
                "the gains are those of the command, in its order", find_gains(s), gains)
        rows, bottom = scroll_to_gains(w)
        t.check(len(rows) == len(gains) and all(row["y"] < bottom for row in rows), "all can be scrolled to", rows, bottom)
        for row, gain in zip(rows, gains):
            w.click(row["x"], row["y"])
            s = w.settle()
            start, end = s["range_ns"]
            t.check(s["event"] and start < end and
                    expected["repetitions"][0]["start_ns"] <= start <= end <= expected["repetitions"][0]["end_ns"],
                    f"a click on {gain['text']} selects a time of the first repetition", s["range_ns"], gain)
            names = [name for start, name in events if start == s["event_start_ns"]]
            if gain["change"] in wanted:
                t.check(any(name.startswith(wanted[gain["change"]]) for name in names), f"{gain['change']}: the event is about it",
                        gain, names)
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, f"explain-gains-{'dark' if dark else 'light'}.png"))
        w.key("Up", "Return")
        s = w.settle()
        t.check(s["event"], "Up and Return go to the row before", s["range_ns"])
        room.end(t, w)


def test_run(t, room):
    """The settings of a run in the window count: the gains are those of its recording."""
    w = room.open("example:ag_matmul", "-d", "2", size=SIZE)
    w.wait(opened, "the program")
    w.key("space")
    w.wait(lambda s: s["status"].startswith("Ran on the CPU"), "the run")
    w.key("shift+e")
    s = w.wait(lambda s: simulated(s) and not s["running"], "the gains of the run")
    t.check(all(row["time"] for row in find_gains(s)) and not any("not simulated" in row["text"] for row in s["explain"]["rows"]),
            "a run in the window has gains", s["explain"]["rows"])
    t.check(not any("Baseline" in row["text"] for row in s["explain"]["rows"]), "no instruction ran alone", s["explain"]["rows"])
    w.click_control("Baseline")
    w.key("F5")
    s = w.wait(lambda s: explained(s) and not s["running"] and any("measured by Baseline" in row["text"] for row in s["explain"]["rows"]),
               "the times alone")
    t.check(True, "a run with Baseline has times alone, and the explanation says so")
    room.end(t, w)


def find_what_if(s):
    return next((d for d in s["dialogs"] if d["kind"] == "HirPredictWindow"), None)


def result_of(w, what):
    """Wait for a result of the window "What If", and return its times in ns: predicted, simulated and measured."""
    s = w.wait(lambda s: find_what_if(s) and find_what_if(s)["result"].startswith("Predicted: "), what)
    units = {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}
    times = re.findall(r": ([0-9.]+) (ns|\u00b5s|ms|s)\b", find_what_if(s)["result"])
    return [float(number) * units[unit] for number, unit in times]


def close_prediction(w):
    """Close the comparison, then the window "What If"."""
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the end of the comparison")
    w.focus_newest()
    w.key("ctrl+w")
    focus_window(w)


def test_predict(t, room):
    """The window "What If" predicts like the command, and compares the predicted run with the measured one."""
    def check_times(found, words):
        expected = json.loads(room.program("predict", recording("nccl"), "--json", *words).out)
        wanted = [expected[f"{name}_ns"] for name in ("predicted", "simulated", "measured")]
        t.check(len(found) == 3 and all(abs(a - b) <= 0.006 * b for a, b in zip(found, wanted)), f"{words}: the times are those of the command",
                found, wanted)

    w = open_recording(room)
    w.key("ctrl+shift+p")
    focus_dialog(w)
    w.type("2")
    w.key("Return")
    check_times(result_of(w, "the prediction"), ["--streams", "2"])
    s = w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison")
    t.check(s["compare"]["name"] == "predicted: 2 streams instead of 8", "the comparison names the predicted run", s["compare"]["name"])
    out = room.path("predicted.hirs")
    room.program("predict", recording("nccl"), "--streams", "2", "-o", out)
    text = room.program("compare", recording("nccl"), out).out
    t.check(len(s["compare"]["rows"]) > 1 and s["compare"]["bars"], "the comparison has both runs", s["compare"]["rows"])
    matmul = next(row for row in s["compare"]["rows"] if row[0].startswith("T6_matmul"))
    t.check(matmul[1] == matmul[2] == "16" and matmul[4] in text, "it has one repetition of each, with the times of the command", matmul, text)
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "predict.png"))
    close_prediction(w)
    w.key("shift+e")
    w.wait(simulated, "the gains")
    rows, _ = scroll_to_gains(w)
    gains = json.loads(room.program("explain", recording("nccl"), "--json").out)["gains"]
    at = next(i for i, gain in enumerate(gains) if gain["change"] == "interference")
    canvas = w.controls(kind="HirExplainCanvas")[0]
    w.click(canvas["x"] + canvas["width"] - 30, rows[at]["y"] + 16)
    focus_dialog(w)
    w.key("space")
    check_times(result_of(w, "the prediction of a gain"), ["--no-interference"])
    w.wait(lambda s: s["compare"] and s["compare"]["ready"], "its comparison")
    close_prediction(w)
    room.end(t, w)


def test_predict_messages(t, room):
    """The gain of messages fills in their name, which has a comma. More work can follow it. A click on the row selects a message."""
    path = room.path("messages.hirs")
    room.program("run", "example:allgather_p2p", "-d", "4", "--clock", "model", "--trace", "full", "-o", path)
    gain = json.loads(room.program("explain", path, "--json").out)["gains"][0]
    t.check(gain["name"] == "recv T3, send T0", "the first gain is that of all messages", gain)
    w = room.open(path, size=SIZE)
    w.wait(opened, "the recording")
    w.key("shift+e")
    w.wait(simulated, "the gains")
    rows, _ = scroll_to_gains(w)
    w.click(rows[0]["x"], rows[0]["y"])
    s = w.wait(lambda s: s["event"], "the event of the gain")
    starts = [row[0] for row in json.loads(room.program("query", path, "SELECT start_ns FROM events WHERE name LIKE 'recv T3 from %'", "--json").out)["rows"]]
    t.check(s["range_ns"][0] in starts, "its row selects one of them", s["range_ns"], starts)
    w.key("ctrl+shift+p")
    focus_dialog(w)
    for i, words in enumerate(([f"{gain['name']}=0"], [f"{gain['name']}=0", "Set T3=0.5"])):
        if i > 0:
            w.key(*["shift+Tab"] * 4, "End")
            w.type(", Set T3=0.5")
        w.key("Return")
        options = [word for kernel in words for word in ("--kernel", kernel)]
        wanted = json.loads(room.program("predict", path, "--json", *options).out)["predicted_ns"]
        w.wait(lambda s: s["compare"] and s["compare"]["ready"], f"the comparison {i}")
        found = result_of(w, f"prediction {i}")
        t.check(found and abs(found[0] - wanted) <= 0.006 * wanted, f"{words}: the time is that of the command", found, wanted)
        w.focus_newest()
        w.key("ctrl+w")
        w.wait(lambda s: not s["compare"], f"the end of the comparison {i}")
        focus_dialog(w)
    w.key("ctrl+w")
    focus_window(w)
    room.end(t, w)


def test_predict_errors(t, room):
    def places():
        return [(c["kind"], c["x"], c["y"]) for c in find_what_if(w.state)["controls"] if c["kind"] in ("GtkEntry", "GtkDropDown", "GtkSwitch")]

    hold = room.path("hold", "")
    w = open_recording(room, env={"HIRSCOPE_TEST_PREDICT_HOLD": hold})
    w.key("ctrl+shift+p")
    focus_dialog(w)
    before = places()
    w.type("100")
    w.key("Tab")
    w.type("x")
    w.key("Tab")
    w.type("nothing")
    w.key("Return")
    s = w.wait(lambda s: find_what_if(s) and find_what_if(s)["errors"].count("\n") == 2, "the errors")
    t.check([line.split(":")[0] for line in find_what_if(s)["errors"].splitlines()] == ["Streams", "Communication", "Kernels"],
            "errors name their fields", find_what_if(s)["errors"])
    t.check(len(before) > 4 and places() == before, "errors do not move the fields", before, places())
    w.key("ctrl+a")
    w.type("nothing=2")
    w.key("shift+Tab", "ctrl+a", "Delete", "shift+Tab", "ctrl+a", "Delete", "Return")
    w.wait(lambda s: [c for c in find_what_if(s)["controls"] if c["name"] == "Cancel"], "the running prediction")
    w.key(*["Tab"] * 7, "space")
    s = w.wait(lambda s: find_what_if(s)["result"] == "Cancelled", "the end of the prediction")
    t.check(not find_what_if(s)["errors"], "a prediction can be cancelled", find_what_if(s))
    os.unlink(hold)
    w.key("space")
    s = w.wait(lambda s: "no work is named 'nothing'" in find_what_if(s)["errors"], "the error of the prediction")
    t.check(find_what_if(s)["errors"].startswith("Kernels: ") and "T6_matmul" in find_what_if(s)["errors"],
            "an error of the prediction is at its field, and lists the names", find_what_if(s)["errors"])
    w.key("ctrl+w")
    focus_window(w)
    room.end(t, w)


def test_timeline(t, room):
    w = open_recording(room)
    w.key("shift+d")
    s = w.wait(lambda s: s["explain"]["path"] and s["explain"]["computed"], "the critical path")
    t.check(w.controls("Draw the critical path (Shift+D)") or w.controls("Path"), "the toggle of the path is in the strip")
    for keys, bit in (("shift+x", EXPOSED), ("shift+i", IDLE), ("shift+w", WAITING)):
        w.key(keys)
        w.wait(lambda s: s["explain"]["shades"] & bit, f"the shades of {keys}")
    if PICTURES:
        w.settle()
        w.screenshot(os.path.join(PICTURES, "explain-shades.png"))
    w.key("shift+i", "shift+w")
    w.wait(lambda s: s["explain"]["shades"] == EXPOSED, "only exposed communication")
    seen = []
    for _ in range(3):
        before = w.state["range_ns"]
        w.key("shift+j")
        s = w.wait(lambda s: s["range_ns"] != before and s["range_ns"][1] > s["range_ns"][0], "the next exposed time")
        seen.append(s["range_ns"])
    t.check(seen == sorted(seen), "Shift+J goes forward in time", seen)
    w.key("shift+k")
    s = w.wait(lambda s: s["range_ns"] == seen[1], "the exposed time before")
    t.check(True, "Shift+K goes back")
    stats = json.loads(room.program("stats", recording("nccl"), "--json").out)["gpus"]
    ends = [end - start for start, end in seen]
    t.check(all(0 < length <= max(g["exposed_comm_ns"] for g in stats) for length in ends),
            "no exposed time is longer than that of its device", ends)
    w.key("shift+d", "shift+x")
    w.wait(lambda s: not s["explain"]["path"] and s["explain"]["shades"] == 0, "nothing of it in the timeline")
    t.check(True, "the same keys hide path and shades")
    room.end(t, w)


def test_empty_and_cancel(t, room):
    w = room.open("example:ag_matmul", size=SIZE)
    w.wait(opened, "the program")
    w.click_control("Explain")
    s = w.wait(lambda s: s["explain"]["shown"], "the tab")
    t.check("No recording" in s["explain"]["title"] and not s["explain"]["rows"], "without a recording, the page says so",
            s["explain"])
    room.end(t, w)
    hold = room.path("hold", "")
    w = open_recording(room, env={"HIRSCOPE_TEST_EXPLAIN_HOLD": hold})
    w.rest_s = 0.3
    w.key("shift+e")
    s = w.wait(lambda s: s["explain"]["busy"] and w.controls("Cancel", "GtkButton"), "the running computation")
    w.key("Escape")
    s = w.wait(lambda s: not s["explain"]["busy"], "the end of the computation")
    t.check(s["explain"]["title"] == "Cancelled" and not s["explain"]["computed"], "Escape cancels it", s["explain"])
    os.unlink(hold)
    w.wait(lambda s: w.controls("Compute", "GtkButton"), "the button")
    w.click_control("Compute")
    s = w.wait(explained, "the explanation")
    t.check(True, "the button computes it again")
    room.end(t, w)


def test_foreign(t, room):
    events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur,
               "args": {"device": 0, "stream": 7, "correlation": i}}
              for i, (name, ts, dur) in enumerate((("first", 10, 100), ("second", 112, 50), ("third", 300, 10)))]
    path = room.path("foreign.json", json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}))
    w = room.open(path, size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and s["stats"] and not s["stats"]["busy"], "the trace")
    t.check(w.controls("Statistics") and w.controls("Explain") and not w.controls("Graph"),
            "a trace without a program has the tabs for traces")
    w.click_control("Explain")
    s = w.wait(explained, "the explanation of a trace without a program")
    t.check(any("no program" in row["text"] for row in s["explain"]["rows"]), "the notes say what is missing",
            s["explain"]["rows"])
    w.key("shift+i", "shift+j")
    s = w.wait(lambda s: s["range_ns"][1] > s["range_ns"][0], "the first gap")
    t.check(s["range_ns"][1] - s["range_ns"][0] == 2000, "the first idle gap is selected, to the nanosecond", s["range_ns"])
    w.key("shift+j")
    s = w.wait(lambda s: s["range_ns"][1] - s["range_ns"][0] == 138000, "the second gap")
    t.check(True, "the next idle gap is selected")
    room.end(t, w)


def test_stragglers(t, room):
    w = open_recording(room)
    w.click_control("Statistics")
    s = w.wait(lambda s: s["stats"] and not s["stats"]["busy"] and s["stats"]["Devices"][1:], "the statistics")
    expected = json.loads(room.program("stats", recording("nccl"), "--json").out)
    table = s["stats"]["Ranks that others wait for"]
    t.check([row[:3] for row in table[1:]] == [[f"rank {r['rank']}", str(r["last"]), str(r["communications"])]
                                               for r in expected["ranks"]], "the ranks are listed as by the command", table)
    t.check([row[0] for row in s["stats"]["Delay by rank and iteration"][1:]] == ["rank 0", "rank 1"],
            "each rank has a strip", s["stats"]["Delay by rank and iteration"])
    view = w.controls(kind="HirStatsCanvas")[0]
    # The title, the head and the rows of the sections above, from the top; then the title of the strips.
    above = ("Devices", "Communication", "Ranks that others wait for")
    y = sum(60 + 20 * (len(s["stats"][name]) - 1) for name in above) + 30 + 10
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "stragglers.png"))
    w.click(view["x"] + 82, view["y"] + y)
    s = w.wait(lambda s: s["event"], "an event of the first iteration")
    first = expected["iterations"][0]
    t.check(s["event_start_ns"] == first["start_ns"] + first["start_skew_ns"],
            "a click on the first column selects the event of the rank that started last", s["event_start_ns"], first)
    room.end(t, w)


def test_small(t, room):
    for dark in (True, False):
        w = open_recording(room, size=(1024, 700), dark=dark)
        w.key("shift+d", "shift+e")
        s = w.wait(explained, "the explanation")
        s = w.settle()
        views = w.controls(kind="HirExplainCanvas")
        t.check(views and views[0]["width"] > 150 and views[0]["x"] + views[0]["width"] <= 1024,
                "the list fits in a small window", views, sorted({c["kind"] for c in s["controls"]}))
        t.check(w.controls("Path"), "the toggles are there")
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, f"explain-small-{'dark' if dark else 'light'}.png"))
        room.end(t, w)


if __name__ == "__main__":
    run_groups([test_list, test_pieces, test_gains, test_predict, test_predict_messages, test_predict_errors, test_run, test_timeline, test_empty_and_cancel, test_foreign, test_stragglers, test_small])
