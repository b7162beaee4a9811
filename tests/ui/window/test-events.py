#!/usr/bin/env python3
"""test-events.py HIRSCOPE [GROUP...]

Tests the events table in the window: filter, order, groups, SQL, its link to the timeline, copies and files. Expected
rows come from `hirscope query`. See test-window.py for the method.
"""
import csv
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import SOURCE  # noqa: E402
from room import device_bars, enter_path, focus_dialog, focus_window, opened, ran, run_groups, selected_ids  # noqa: E402

SIZE = (1366, 900)
PICTURES = os.environ.get("HIR_TEST_PICTURES")


def recording(name="nccl"):
    return os.path.join(SOURCE, "screenshots", "overlap", f"{name}.hirs")


def listed(s):
    return s["events"]["shown"] and s["events"]["n_rows"] and not s["events"]["busy"] and not any(
        "\u2026" in row["cells"] for row in s["events"]["rows"])


def open_table(room, path=None, size=SIZE, **options):
    w = room.open(path or recording(), size=size, **options)
    w.wait(lambda s: s["page"] == "workspace" and " events of " in s["status"], "the recording")
    w.key("ctrl+e")
    w.wait(listed, "the table")
    return w


def query(room, sql, path=None):
    return json.loads(room.program("query", path or recording(), sql, "--json").out)["rows"]


def body(s):
    return s["events"]["rows"][1:]


def column(s, name):
    at = [head.split(" ")[0] for head in s["events"]["rows"][0]["cells"]].index(name)
    return [row["cells"][at] for row in body(s)]


def click_head(w, name):
    head = w.state["events"]["rows"][0]
    w.click(head["xs"][[cell.split(" ")[0] for cell in head["cells"]].index(name)], head["y"])


def choose(w, item, button="View"):
    """Choose an item of a menu of the table."""
    w.click_control(button, "GtkMenuButton")
    w.wait(lambda s: w.controls(item, "GtkModelButton"), f"the item {item}")
    w.click_control(item, "GtkModelButton")


def filter_by(w, text):
    w.key("ctrl+e", "ctrl+a", "Delete")
    w.type(text)


def wait_title(w, part):
    """Wait for a title that contains @part. Fails with the title."""
    try:
        return w.wait(lambda s: listed(s) and part in s["events"]["title"], f"the title {part}", timeout=30)
    except AssertionError as error:
        raise AssertionError(f"the title is {w.state['events']['title']!r}; {error}") from error


def shows(s, title):
    return listed(s) and s["events"]["title"] == title


def test_list(t, room):
    w = open_table(room)
    s = w.settle()
    total = query(room, "SELECT count(*) FROM events")[0][0]
    t.check(s["events"]["title"] == f"{total:,} of {total:,} events", "all events are counted", s["events"]["title"], total)
    first = query(room, f"SELECT name, rank, stream, track_name FROM events ORDER BY start_ns LIMIT {len(body(s))}")
    shown = list(zip(column(s, "name"), column(s, "rank"), column(s, "stream")))
    t.check(shown == [(name, str(rank), track.split(" = ")[-1] if stream >= 0 else "host") for name, rank, stream, track in first],
            "the first rows are the first events",
            shown[:3], first[:3])
    filter_by(w, "matmul rank=1 dur>10us")
    n = query(room, "SELECT count(*) FROM events WHERE name LIKE '%matmul%' AND rank = 1 AND dur_ns > 10000")[0][0]
    s = w.wait(lambda s: shows(s, f"{n:,} of {total:,} events"), f"{n} filtered events")
    t.check(0 < n < total and all("matmul" in name for name in column(s, "name")) and set(column(s, "rank")) == {"1"},
            "typing filters by words and comparisons", s["events"]["title"])
    click_head(w, "dur")
    s = w.wait(lambda s: listed(s) and "dur \u25be" in s["events"]["rows"][0]["cells"], "the order by duration")
    w.click(body(s)[0]["x"], body(s)[0]["y"])
    s = w.wait(lambda s: s["event"] and s["events"]["current"] == 0, "the first row")
    longest = query(room, "SELECT start_ns FROM events WHERE name LIKE '%matmul%' AND rank = 1 AND dur_ns > 10000 "
                          "ORDER BY dur_ns DESC LIMIT 1")[0][0]
    t.check(s["event_start_ns"] == longest, "a click on a head sorts; a click on a row selects the longest event",
            s["event_start_ns"], longest)
    w.key("Down")
    s = w.wait(lambda s: s["events"]["current"] == 1 and s["event_start_ns"] != longest, "the next row")
    second = s["event_start_ns"]
    w.key("Return")
    s = w.wait(lambda s: not s["events"]["focused"] and s["shown_ns"][0] <= second <= s["shown_ns"][1] and
               s["shown_ns"][1] - s["shown_ns"][0] < 20_000_000, "the event in the timeline")
    t.check(True, "Down moves the selection, Return shows it in the timeline")
    filter_by(w, "rank=two")
    s = w.wait(lambda s: "is not a number" in s["events"]["title"], "the error of the filter")
    t.check("column rank" in s["events"]["title"], "an incorrect filter says what is expected", s["events"]["title"])
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")
    w.key("ctrl+a")
    w.type("SELECT name FROM kernels LIMIT 3")
    w.key("ctrl+Return")
    s = wait_title(w, "3 rows")
    t.check(s["events"]["n_rows"] == 3, "SQL is counted without the error of the filter", s["events"]["title"])
    w.click_control("SQL", "GtkToggleButton")
    wait_title(w, "is not a number")
    room.end(t, w)


def widths(s):
    """Return half the width of each column, from the centers."""
    found, left = [], s["events"]["rows"][0]["x"] - 20
    for x in s["events"]["rows"][0]["xs"]:
        found.append(x - left)
        left = x + found[-1]
    return found


def test_widths(t, room):
    """The first rows have shorter durations and names than the last one."""
    times = [7] * 100 + [111_111]
    events = [{"name": "k" if us == 7 else "a long name " * 20, "ph": "X", "cat": "kernel", "ts": 1000 * i, "dur": us,
               "pid": 0, "tid": 7, "args": {"device": 0, "stream": 7}} for i, us in enumerate(times)]
    path = room.path("widths.json", json.dumps({"traceEvents": events}))
    w = open_table(room, path)
    before = widths(w.settle())
    filter_by(w, "dur>1ms")
    s = w.wait(lambda s: shows(s, "1 of 101 events"), "the longest event")
    t.check(column(s, "dur") == ["111.1 ms"] and widths(s) == before,
            "columns are as wide as for the last row alone", before, widths(s))
    room.end(t, w)


def test_follow(t, room):
    w = open_table(room)
    w.click_control("Show the whole trace (0)")
    s = w.settle()
    bar = next(b for b in s["bars"] if s["header_width"] + 20 < b["x"] < SIZE[0] - 40 and b["y"] < SIZE[1] - 10)
    w.click(bar["x"], bar["y"])
    s = w.wait(lambda s: s["event"] and s["events"]["current"] >= 0 and listed(s), "the row of the bar")
    start = s["event_start_ns"]
    row = next(r for r in body(s) if r["row"] == s["events"]["current"])
    before = query(room, f"SELECT count(*) FROM events WHERE start_ns < {start}")[0][0]
    t.check(row["selected"] and row["row"] >= before, "the row of a bar that is clicked is visible and selected", row, before)
    w.key("Right")
    s = w.wait(lambda s: s["event_start_ns"] != start and s["events"]["current"] != row["row"], "the row of the next bar")
    t.check(True, "the row follows the keys of the timeline")
    w.key("Escape")
    s = w.wait(lambda s: not s["event"] and s["events"]["current"] == -1, "no row")
    t.check(True, "Escape deselects the row")
    w.key("F12")
    s = w.wait(lambda s: listed(s) and len(body(s)) > 20, "more rows without the timeline")
    w.click(body(s)[0]["x"], body(s)[0]["y"])
    w.wait(lambda s: s["event"], "the event of the row")
    w.key("Return")
    t.check(w.settle()["events"]["focused"], "Return keeps the keys if the timeline is hidden", w.focus())
    room.end(t, w)


def test_groups(t, room):
    w = open_table(room)
    for item, by, key in (("By Name", "name", "name"), ("By Rank", "rank", "rank"), ("By Stream", "track", "track")):
        button = "View" if by == "name" else {"rank": "By Name", "track": "By Rank"}[by]
        choose(w, item, button)
        expected = query(room, f"SELECT {by}, count(*) FROM events GROUP BY {by} ORDER BY sum(dur_ns) DESC, {by}")
        total = sum(n for _, n in expected)
        title = f"{len(expected):,} groups, {total:,} of {total:,} events"
        s = w.wait(lambda s: shows(s, title), title)
        shown = list(zip(column(s, key), column(s, "n")))
        t.check(shown == [(str(a), str(b)) for a, b in expected][:len(shown)], f"{item}: counts in the order of the sums",
                shown[:3], expected[:3])
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, f"events-{by}.png"))
    w.click(body(s)[1]["x"], body(s)[1]["y"])
    w.key("Return")
    n = expected[1][1]
    s = w.wait(lambda s: shows(s, f"{n:,} of {total:,} events"), "the events of the group")
    t.check(w.controls(f"track={expected[1][0]}") and w.controls("View"), "Return lists the events of a group by a filter",
            s["events"]["title"])

    # Events without an instruction are a group, too.
    w.key("ctrl+f", "ctrl+a", "Delete")
    s = w.wait(lambda s: shows(s, f"{total:,} of {total:,} events"), "all events")
    choose(w, "By Instruction")
    s = w.wait(lambda s: listed(s) and "label" in s["events"]["rows"][0]["cells"], "the instructions")
    row = next(r for r in body(s) if r["cells"][0] == "(no instruction)")
    w.click(row["x"], row["y"])
    w.wait(lambda s: s["events"]["current"] == row["row"], "the row")
    w.key("Return")
    n = query(room, "SELECT count(*) FROM events WHERE instruction IS NULL")[0][0]
    s = w.wait(lambda s: shows(s, f"{n:,} of {total:,} events"), "the events without an instruction")
    t.check(n > 0 and w.controls("instruction=none"), "Return lists the events without an instruction", s["events"]["title"])
    t.check("host" in column(s, "stream") and "-1" not in column(s, "stream"), "the stream of the host's events is named host", column(s, "stream")[:5])
    room.end(t, w)


def test_columns(t, room):
    w = open_table(room)
    choose(w, "Collectives")
    n = query(room, "SELECT count(*) FROM collectives")[0][0]
    s = w.wait(lambda s: shows(s, f"{n:,} of {n:,} events"), "the collectives")
    t.check("op" in s["events"]["rows"][0]["cells"], "collectives have other columns", s["events"]["rows"][0])
    choose(w, "queue_ns", "Columns")
    s = w.wait(lambda s: listed(s) and "queue" in s["events"]["rows"][0]["cells"], "the new column")
    w.key("Escape")
    s = w.wait(lambda s: not w.controls(kind="GtkModelButton"), "the menu to close")
    t.check(s["events"]["title"] == f"{n:,} of {n:,} events", "columns can be chosen", s["events"]["rows"][0])
    room.end(t, w)


class Inputs:
    """Counts keys, clicks and typed texts."""

    def __init__(self, w):
        self.w, self.n = w, 0

    def key(self, key):
        self.n += 1
        self.w.key(key)

    def type(self, text):
        self.n += 1
        self.w.type(text)

    def choose(self, item, button="View"):
        self.n += 2
        choose(self.w, item, button)


def cookbook(number):
    """Return the SQL of a question of docs/query.md."""
    with open(os.path.join(SOURCE, "docs", "query.md"), encoding="utf-8") as file:
        return re.search(rf"^### {number}\. .*?```sql\n(.*?)```", file.read(), re.M | re.S).group(1)


def to_ns(text):
    value, unit = text.replace(",", "").split(" ")
    return float(value) * {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}[unit]


def start_question(room):
    w = room.open(recording(), size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and " events of " in s["status"], "the recording")
    return w, Inputs(w)


def test_questions(t, room):
    """Questions of the cookbook are answered in the window by at most five inputs."""
    w, inputs = start_question(room)
    inputs.key("ctrl+e")
    w.wait(listed, "the table")
    inputs.choose("Kernels")
    w.wait(listed, "the kernels")
    inputs.choose("By Stream")
    s = w.wait(lambda s: listed(s) and " groups" in s["events"]["title"], "the streams")
    got = {(int(rank), int(stream)): to_ns(longest) for rank, stream, longest in zip(column(s, "rank"), column(s, "stream"), column(s, "max"))}
    expected = {(rank, stream): ns for rank, stream, name, ns in query(room, cookbook(1))}
    t.check(inputs.n <= 5 and got.keys() == expected.keys() and all(abs(got[k] - expected[k]) <= 0.006 * expected[k] for k in got),
            "1: the longest kernel of each stream", inputs.n, got, expected)
    room.end(t, w)

    w, inputs = start_question(room)
    inputs.key("ctrl+e")
    w.wait(listed, "the table")
    inputs.choose("Host Events")
    w.wait(listed, "the host events")
    inputs.choose("By Name")
    s = w.wait(lambda s: listed(s) and " groups" in s["events"]["title"], "the names")
    expected = query(room, cookbook(14))
    got = list(zip(column(s, "name"), map(int, column(s, "n"))))[:len(expected)]
    t.check(inputs.n <= 5 and got == [(name, n) for name, n, _ in expected], "14: where the host spends its time", inputs.n, got, expected)
    room.end(t, w)

    w, inputs = start_question(room)
    inputs.key("ctrl+e")
    w.wait(listed, "the table")
    inputs.choose("Kernels")
    w.wait(listed, "the kernels")
    inputs.type("dur<400us")
    rows = query(room, cookbook(15).replace("10000", "400000"))
    title = f"{sum(n for _, n, _ in rows):,} of {sum(n for _, _, n in rows):,} events"
    s = w.wait(lambda s: s["events"]["title"] == title, title)
    t.check(inputs.n <= 5 and 0 < rows[0][1] < rows[0][2], "15: how many kernels are short", inputs.n, rows)
    room.end(t, w)

    w, inputs = start_question(room)
    inputs.key("shift+i")
    inputs.key("shift+j")
    start, end = w.wait(lambda s: s["range_ns"][1] > s["range_ns"][0], "the first gap")["range_ns"]
    busy = query(room, "SELECT count(*) FILTER (WHERE class IS NOT NULL AND start_ns < {} AND end_ns > {}), max(start_ns = {}) "
                       "FROM events GROUP BY rank".format(end, start, end))
    t.check(inputs.n <= 5 and [0, 1] in busy, "3: where a device is idle", start, end, busy)
    room.end(t, w)


def heads(s):
    return [cell.split(" ")[0] for cell in s["events"]["rows"][0]["cells"]]


def edge(s, name):
    """Return the right side of a head."""
    xs, i = s["events"]["rows"][0]["xs"], heads(s).index(name)
    return xs[i] + widths(s)[i]


def test_kept_columns(t, room):
    """Order and widths of the columns, by drags and by keys; they are kept for the next window."""
    home = room.path("home")
    os.makedirs(home)
    w = open_table(room, home=home)
    s = w.state
    t.check(heads(s)[:5] == ["name", "start", "dur", "rank", "stream"], "the default order", heads(s))
    head = s["events"]["rows"][0]
    w.drag(head["xs"][4], head["y"], head["xs"][1] - 20, head["y"])
    s = w.wait(lambda s: listed(s) and heads(s)[:3] == ["name", "stream", "start"], "the order after a drag")
    t.check(" \u25b4" not in " ".join(s["events"]["rows"][0]["cells"]), "a drag does not sort")
    before = widths(s)[0]
    y = s["events"]["rows"][0]["y"]
    w.drag(edge(s, "name"), y, edge(s, "name") - 60, y)
    s = w.wait(lambda s: abs(widths(s)[0] - before + 30) <= 2, "a narrower column")
    t.check(True, "drags move a column and change its width")
    click_head(w, "rank")
    s = w.wait(lambda s: listed(s) and "rank \u25be" in s["events"]["rows"][0]["cells"] or
               "rank \u25b4" in s["events"]["rows"][0]["cells"], "the order by rank")
    at, width = heads(s).index("rank"), widths(s)[heads(s).index("rank")]
    w.key("shift+Left", "plus")
    s = w.wait(lambda s: listed(s) and heads(s).index("rank") == at - 1 and widths(s)[at - 1] > width + 5,
               "the sorted column to move and widen")
    t.check(True, "keys move and widen the column that sorts")
    kept, name_width = heads(s), widths(s)[0]
    room.end(t, w)

    # A busy machine may take longer than GTK's 400 ms to handle both clicks.
    w = open_table(room, home=home, more_settings="gtk-double-click-time=4000\n")
    s = w.state
    t.check(heads(s) == kept and abs(widths(s)[0] - name_width) <= 1, "the next window has the same columns", heads(s), kept)
    w.click(edge(s, "name"), s["events"]["rows"][0]["y"])
    w.display.xdotool("click", 1)
    s = w.wait(lambda s: widths(s)[0] > name_width + 15, "the width of the texts")
    t.check("name \u25b4" not in s["events"]["rows"][0]["cells"], "a double click on an edge fits the width, and does not sort")
    choose(w, "Reset Columns", "Columns")
    s = w.wait(lambda s: listed(s) and heads(s)[:5] == ["name", "start", "dur", "rank", "stream"], "the default columns")
    t.check(True, "the columns can be reset")
    room.end(t, w)


def test_sql(t, room):
    w = open_table(room)
    w.key("ctrl+shift+e")
    s = w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")
    t.check(s["events"]["sql"].startswith("SELECT name, start_ns"), "the editor starts with the SQL of the table",
            s["events"]["sql"])
    w.key("ctrl+a")
    w.type("SELECT name, absnt FROM kernels")
    w.key("ctrl+Return")
    s = w.wait(lambda s: "absnt" in s["events"]["title"], "the error")
    t.check("1:14" in s["events"]["title"] and s["events"]["marked"] == "absnt", "an error is marked at its place",
            s["events"]["title"], s["events"]["marked"])
    t.check(s["events"]["n_rows"] == 0 and not s["events"]["rows"], "the rows of an earlier query are not shown with an error",
            s["events"]["n_rows"])
    sql = "SELECT id, name, dur_ns FROM kernels ORDER BY dur_ns DESC LIMIT 7"
    w.key("ctrl+a")
    w.type(sql)
    w.key("ctrl+Return")
    s = w.wait(lambda s: shows(s, "7 rows"), "the rows")
    expected = query(room, sql)
    t.check([row["cells"] for row in body(s)] == [[str(v) for v in row] for row in expected] and not s["events"]["marked"],
            "the rows are those of the command", body(s)[:2], expected[:2])
    if PICTURES:
        w.screenshot(os.path.join(PICTURES, "events-sql.png"))
    w.click(body(s)[2]["x"], body(s)[2]["y"])
    s = w.wait(lambda s: s["event"], "the event of the row")
    start = query(room, f"SELECT start_ns FROM events WHERE id = {expected[2][0]}")[0][0]
    t.check(s["event_start_ns"] == start, "a column id links rows to events", s["event_start_ns"], start)
    click_head(w, "name")
    s = w.wait(lambda s: listed(s) and "name \u25b4" in s["events"]["rows"][0]["cells"], "the order by name")
    t.check(column(s, "name") == sorted(row[1] for row in expected), "a click on a head sorts rows of SQL", column(s, "name"))
    w.click_control("SQL", "GtkToggleButton")
    s = w.wait(lambda s: listed(s) and " of " in s["events"]["title"], "the events again")
    t.check(not w.controls("Run SQL"), "without SQL, all events are listed again")
    choose(w, "By Name")
    w.wait(lambda s: listed(s) and " groups" in s["events"]["title"], "the groups")
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor again")
    w.key("ctrl+Return")
    s = w.wait(lambda s: shows(s, "7 rows"), "the rows again")
    t.check(w.controls("View", "GtkMenuButton") and not w.controls("By Name", "GtkMenuButton"), "rows of SQL are not called a group")
    choose(w, "By Name")
    s = w.wait(lambda s: listed(s) and " groups" in s["events"]["title"] and w.controls("By Name", "GtkMenuButton"), "the same groups")
    t.check(True, "the group of before can be chosen again")
    room.end(t, w)


def test_sql_links(t, room):
    """Rows without ids of events select what they name; otherwise the title says what is missing."""
    w = open_table(room)
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")

    def click_first(sql, done, what):
        w.key("ctrl+shift+e", "ctrl+a")
        w.type(sql)
        w.key("ctrl+Return")
        s = w.wait(lambda s: listed(s) and s["events"]["n_rows"] == 2 and s["events"]["current"] == -1 and
                   s["events"]["sql"] == sql, "two rows")
        w.click(body(s)[0]["x"], body(s)[0]["y"])
        return w.wait(lambda s: s["events"]["current"] == 0 and done(s), what)

    start, rank = query(room, "SELECT start_ns, rank FROM kernels ORDER BY dur_ns DESC LIMIT 1")[0]
    s = click_first("SELECT name, rank, start_ns, dur_ns FROM kernels ORDER BY dur_ns DESC LIMIT 2", lambda s: s["event"], "the event")
    t.check(s["event_start_ns"] == start and s["events"]["title"] == "2 rows", "name, start and rank link rows to events",
            s["event_start_ns"], start)
    sql = "SELECT label, id FROM instructions WHERE label LIKE 'T_ = %' ORDER BY label DESC LIMIT 2"
    s = click_first(sql, lambda s: s["selected"], "the instruction")
    t.check(query(room, sql)[0][1] in selected_ids(s), "an id of an instruction links rows to it", s["selected"])
    s = click_first("SELECT rank, count(*) AS n FROM kernels GROUP BY rank", lambda s: "add the column" in s["events"]["title"], "the hint")
    t.check(s["events"]["title"].startswith("2 rows; ") and "instruction" in s["events"]["title"], "other rows say what they lack",
            s["events"]["title"])
    room.end(t, w)


def test_refused_and_cancel(t, room):
    hold = room.path("hold")
    w = open_table(room, env={"HIRSCOPE_TEST_QUERY_HOLD": hold})
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")
    w.key("ctrl+a")
    w.type("ATTACH 'x' AS y")
    w.key("ctrl+Return")
    s = w.wait(lambda s: "refused" in s["events"]["title"], "the error")
    t.check(s["events"]["n_rows"] == 0, "the previous rows are dropped", s["events"]["title"])
    # The key of the filter leaves the query.
    w.key("ctrl+e")
    w.wait(lambda s: listed(s) and not w.controls("Run SQL", "GtkButton") and w.focus() and w.focus()["kind"] == "GtkText", "the filter")
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor again")
    w.key("ctrl+a")
    w.type("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT max(i) FROM n")
    w.rest_s = 0.3
    w.key("ctrl+Return")
    w.wait(lambda s: s["events"]["busy"] and w.controls("Cancel", "GtkButton"), "the endless query")
    w.click_control("Cancel", "GtkButton")
    s = w.wait(lambda s: not s["events"]["busy"], "the end of the query")
    t.check(s["events"]["title"] == "Cancelled" and not w.controls("Cancel", "GtkButton"), "an endless query is cancelled",
            s["events"]["title"])
    room.path("hold", "")
    w.click_control("SQL", "GtkToggleButton")
    w.wait(lambda s: s["events"]["busy"], "the held query")
    w.key("Escape")
    s = w.wait(lambda s: not s["events"]["busy"], "the end of the held query")
    t.check(s["events"]["title"] == "Cancelled", "Escape cancels", s["events"]["title"])
    os.unlink(hold)
    w.rest_s = 2
    choose(w, "Kernels")
    w.wait(listed, "the table after the cancelled query")
    t.check(True, "the table works after it")
    room.end(t, w)


def test_copy_and_save(t, room):
    w = open_table(room)
    choose(w, "Kernels")
    n = query(room, "SELECT count(*) FROM kernels")[0][0]
    s = w.wait(lambda s: shows(s, f"{n:,} of {n:,} events"), "the kernels")
    w.click(body(s)[1]["x"], body(s)[1]["y"])
    w.wait(lambda s: s["events"]["current"] == 1, "the row")
    w.key("shift+Down", "shift+Down")
    s = w.wait(lambda s: [r["row"] for r in body(s) if r["selected"]] == [1, 2, 3], "three selected rows")
    w.key("ctrl+c")
    w.wait(lambda s: "text/plain" in s["clipboard"], "the copied rows")
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")
    w.key("ctrl+a", "ctrl+v")
    rows = query(room, "SELECT name, start_ns, dur_ns, rank, stream FROM kernels ORDER BY start_ns LIMIT 3 OFFSET 1")
    lines = ["name\tstart_ns\tdur_ns\trank\tstream"] + ["\t".join(str(v) for v in row) for row in rows]
    s = w.wait(lambda s: s["events"]["sql"].startswith("name\t"), "the pasted rows")
    t.check(s["events"]["sql"].strip().split("\n") == lines, "rows are copied as lines with tabs, with a head",
            s["events"]["sql"], lines)
    w.click_control("SQL", "GtkToggleButton")
    path = room.path("rows.csv")
    choose(w, "Save Rows as CSV\u2026")
    w.wait(lambda s: s["dialogs"], "the file chooser")
    focus_dialog(w)
    w.key("Escape")
    focus_window(w)
    s = w.wait(lambda s: not s["dialogs"] and s["events"]["focused"], "the focus in the table")
    t.check(True, "a cancelled dialog returns the focus to the table")
    choose(w, "Save Rows as CSV\u2026")
    w.wait(lambda s: s["dialogs"], "the file chooser")
    enter_path(w, path, "ctrl+l")
    focus_window(w)
    w.wait(lambda s: os.path.exists(path) and not s["events"]["busy"], "the file")
    with open(path, newline="") as file:
        saved = list(csv.reader(file))
    expected = query(room, "SELECT name, start_ns, dur_ns, rank, stream FROM kernels ORDER BY start_ns")
    t.check(saved[0] == lines[0].split("\t") and saved[1:] == [[str(v) for v in row] for row in expected],
            "all rows are saved as CSV", saved[:2], len(saved), len(expected))
    room.end(t, w)


def test_same_and_history(t, room):
    w = open_table(room)
    filter_by(w, "matmul kind=kernel")
    s = w.wait(lambda s: listed(s) and all("matmul" in name for name in column(s, "name")), "the kernels")
    w.click(body(s)[0]["x"], body(s)[0]["y"])
    s = w.wait(lambda s: s["event"], "the first kernel")
    name = column(s, "name")[0]
    quoted = name.replace("'", "''")
    starts = [row[0] for row in query(room, f"SELECT start_ns FROM events WHERE name = '{quoted}' ORDER BY start_ns, track")]
    t.check(s["event_start_ns"] == starts[0] and len(starts) > 3, "the first kernel is selected", starts[:3])
    w.click_control("Graph")
    for i, key in ((1, "greater"), (2, "greater"), (1, "less")):
        w.key(key)
        w.wait(lambda s: s["event_start_ns"] == starts[i], f"the event {i} of the same name")
    t.check(True, "> and < go to the next and the previous event of the same name")
    w.key("less", "less")
    w.wait(lambda s: s["event_start_ns"] == starts[-1], "the last event of the same name")
    t.check(True, "before the first event comes the last one")
    # The selections so far: 0, 1, 2, 1, 0, -1.
    for i in (0, 1, 2, 1, 0):
        w.key("alt+Left")
        w.wait(lambda s: s["event_start_ns"] == starts[i], f"the earlier selection {i}")
    w.key("alt+Left")
    w.wait(lambda s: "No earlier selection" in s["toasts"], "the end of the history")
    w.key("Escape")
    s = w.wait(lambda s: not s["toasts"], "the message to be closed")
    t.check(s["event"], "Escape closes a message first", s["event"])
    for i in (1, 2):
        w.key("alt+Right")
        w.wait(lambda s: s["event_start_ns"] == starts[i], f"the later selection {i}")
    t.check(True, "Alt+Left and Alt+Right go through the selections")
    w.key("Escape")
    w.wait(lambda s: not s["event"], "no selection")
    w.key("alt+Left")
    w.wait(lambda s: s["event_start_ns"] == starts[2], "the last selection")
    t.check(True, "Alt+Left restores a selection that was cleared")
    w.key("greater")
    w.wait(lambda s: s["event_start_ns"] == starts[3], "another event")
    w.key("alt+Right")
    s = w.settle()
    t.check(s["event_start_ns"] == starts[3], "a new selection ends the history", s["event_start_ns"])
    room.end(t, w)


def test_bar_menu(t, room):
    w = open_table(room)
    w.click_control("Graph")
    w.click_control("Show the whole trace (0)")
    s = w.settle()
    bar = next(b for b in s["bars"] if s["header_width"] + 20 < b["x"] < SIZE[0] - 40 and b["y"] < SIZE[1] - 10)
    w.click(bar["x"], bar["y"], button=3)
    s = w.wait(lambda s: s["event"] and w.controls("Copy as JSON", "GtkModelButton") and w.controls("Hide", "GtkModelButton"),
               "the menu of the bar and its track")
    start = s["event_start_ns"]
    name, n = query(room, f"SELECT name, (SELECT count(*) FROM events WHERE name = e.name) FROM events AS e "
                          f"WHERE start_ns = {start}")[0]
    if PICTURES:
        w.settle()
        w.screenshot(os.path.join(PICTURES, "bar-menu.png"))
    w.click_control("Copy as JSON", "GtkModelButton")
    w.wait(lambda s: "text/plain" in s["clipboard"] and not w.controls("Hide"), "the copied event")
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")
    w.key("ctrl+a", "ctrl+v")
    s = w.wait(lambda s: s["events"]["sql"].startswith("{"), "the pasted event")
    copied = json.loads(s["events"]["sql"])
    columns = ", ".join(copied)
    t.check(list(copied.values()) == query(room, f"SELECT {columns} FROM events WHERE id = {copied['id']}")[0] and
            copied["start_ns"] == start, "the copied JSON is the event, as the command queries it", copied)
    w.click_control("SQL", "GtkToggleButton")
    w.click_control("Graph")
    s = w.settle()
    w.click(bar["x"], bar["y"], button=3)
    w.wait(lambda s: w.controls("List All of the Same Name", "GtkModelButton"), "the menu")
    w.click_control("List All of the Same Name", "GtkModelButton")
    total = query(room, "SELECT count(*) FROM events")[0][0]
    s = w.wait(lambda s: shows(s, f"{n:,} of {total:,} events"), "the events of the same name")
    t.check(set(column(s, "name")) == {name} and s["events"]["current"] >= 0, "the table lists all of the same name",
            s["events"]["title"])
    w.click(bar["x"], bar["y"], button=3)
    w.wait(lambda s: w.controls("Find All of the Same Name", "GtkModelButton"), "the menu")
    w.click_control("Find All of the Same Name", "GtkModelButton")
    s = w.wait(lambda s: s["events_found"], "the found events")
    t.check(s["events_found"].endswith(f" {n}"), "the search finds all of the same name", s["events_found"], n)
    w.key("Escape")
    # As in the inspector, the launch is the issue by the program.
    launched = query(room, "SELECT k.id, max(i.start_ns) FROM kernels AS k JOIN host_ops AS i ON i.correlation = k.correlation "
                           "AND i.rank = k.rank AND i.kind = 'issue' AND i.start_ns <= k.start_ns "
                           "GROUP BY k.id ORDER BY k.start_ns LIMIT 1")[0]
    filter_by(w, f"id={launched[0]}")
    s = w.wait(lambda s: shows(s, f"1 of {total:,} events"), "the kernel")
    w.click(body(s)[0]["x"], body(s)[0]["y"])
    w.wait(lambda s: s["event_start_ns"] != start, "the kernel to be selected")
    w.key("ctrl+p")
    focus_dialog(w)
    w.type("Select the launch")
    w.wait(lambda s: any(c["kind"] == "GtkListBoxRow" for c in s["dialogs"][0]["controls"]), "the action")
    w.key("Return")
    focus_window(w)
    w.wait(lambda s: s["event_start_ns"] == launched[1], "the launch of the kernel")
    t.check(True, "the launch of a kernel can be selected")
    room.end(t, w)


def test_empty_and_run(t, room):
    w = room.open("example:ag_matmul", size=SIZE)
    w.wait(opened, "the program")
    w.click_control("Events")
    s = w.wait(lambda s: s["events"]["shown"], "the tab")
    t.check("No recording" in s["events"]["title"] and not s["events"]["rows"], "without a recording, the page says so",
            s["events"])
    w.key("F5")
    s = w.wait(lambda s: ran(s) and listed(s), "the events of the run")
    n = s["events"]["n_rows"]
    t.check(s["events"]["title"] == f"{n:,} of {n:,} events" and n >= len(device_bars(s)), "the table fills with the run",
            s["events"]["title"], len(device_bars(s)))
    room.end(t, w)


def test_many(t, room):
    n = 50_000
    events = [{"ph": "X", "cat": "kernel", "name": f"kernel_{i % 7}", "pid": 0, "tid": 7, "ts": 10 * i, "dur": 1 + i % 9,
               "args": {"device": 0, "stream": 7, "correlation": i}} for i in range(n)]
    path = room.path("many.json", json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}))
    w = open_table(room, path)
    t.check(w.state["events"]["title"] == "50,000 of 50,000 events", "counts have thousands separators", w.state["events"]["title"])
    w.key("Tab", "End")
    s = w.wait(lambda s: listed(s) and s["events"]["current"] == n - 1, "the last row")
    t.check(body(s)[-1]["row"] == n - 1 and column(s, "name")[-1] == f"kernel_{(n - 1) % 7}" and
            s["event_start_ns"] == 10_000 * (n - 1), "End shows the last of many events", body(s)[-1])
    view = w.controls(kind="HirEventsCanvas")[0]
    w.wheel(view["x"] + 50, view["y"] + 60, n=40)
    s = w.wait(lambda s: listed(s) and body(s)[0]["row"] < n - 100, "earlier rows")
    t.check(all(row["cells"][0] == f"kernel_{row['row'] % 7}" for row in body(s)), "rows are read as they are scrolled",
            body(s)[:2])
    room.end(t, w)


def test_small(t, room):
    for dark in (True, False):
        w = open_table(room, size=(1024, 700), dark=dark)
        w.key("ctrl+shift+e")
        w.wait(lambda s: w.controls("Run SQL", "GtkButton") and listed(s), "the editor")
        s = w.settle()
        views = w.controls(kind="HirEventsCanvas")
        t.check(views and views[0]["width"] > 150 and views[0]["height"] > 60 and views[0]["x"] + views[0]["width"] <= 1024,
                "the table fits in a small window", views)
        t.check(all(c["x"] >= 0 and c["x"] + c["width"] <= 1024 and c["y"] + c["height"] <= 700
                    for c in s["controls"] if c["width"]), "all controls are inside the window",
                [c for c in s["controls"] if c["width"] and (c["x"] + c["width"] > 1024 or c["y"] + c["height"] > 700)])
        if PICTURES:
            w.screenshot(os.path.join(PICTURES, f"events-small-{'dark' if dark else 'light'}.png"))
        room.end(t, w)


if __name__ == "__main__":
    run_groups([test_list, test_widths, test_follow, test_groups, test_columns, test_questions, test_kept_columns, test_sql, test_sql_links,
                test_refused_and_cancel, test_copy_and_save,
                test_same_and_history, test_bar_menu,
                test_empty_and_run, test_many, test_small])
