#!/usr/bin/env python3
"""test-stats.py HIRSCOPE

Tests `stats` and readable exports against numbers computed from the Chrome export of the same recording, exact to the
nanosecond.
"""
import json
import os
import re
import sqlite3
import tempfile
from decimal import Decimal
from html.parser import HTMLParser

from planted import Planted
from program import from_command_line
from tap import Tap


def record(hirscope, folder, name, *words):
    path = os.path.join(folder, f"{name}.hirs")
    done = hirscope("run", f"example:{name}", "--clock", "model", "-o", path, *words)
    return path, done


def device_work(hirscope, path):
    """Return {rank: [(start, end, class)]} of the Chrome export, in ns from its first event."""
    out = path + ".json"
    hirscope("export", path, "--to", "chrome", "-o", out)
    with open(out, encoding="utf-8") as f:
        events = json.load(f, parse_float=Decimal)["traceEvents"]
    work = {}
    for event in events:
        if event.get("ph") != "X" or event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        args = event["args"]
        start = int(event["ts"] * 1000)
        if "Collective name" in args or "nccl" in event["name"].lower() or event["name"].startswith("Allgather"):
            kind = "comm"
        else:
            kind = "memcpy" if event["cat"] == "gpu_memcpy" else "compute"
        work.setdefault(args["rank"], []).append((start, start + int(event["dur"] * 1000), kind))
    return work


def nanoseconds(events, kind):
    return {ns for start, end, k in events if k == kind for ns in range(start, end)}


def expected(events):
    compute, comm, copy = (nanoseconds(events, kind) for kind in ("compute", "comm", "memcpy"))
    busy = compute | comm | copy
    total = max(e for _, e, _ in events) - min(s for s, _, _ in events)
    return {
        "total_ns": total, "busy_ns": len(busy), "idle_ns": total - len(busy), "computation_ns": len(compute),
        "exposed_comm_ns": len(comm - compute), "exposed_memcpy_ns": len(copy - comm - compute),
        "total_comm_ns": len(comm), "total_memcpy_ns": len(copy),
    }


def expected_ranks(path):
    """Return {rank: numbers} of the communications in a Chrome trace, and {iteration: [delay of each rank]}, in ns."""
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    meetings = {}
    for event in events:
        args = event.get("args", {})
        if event.get("ph") == "X" and "Collective name" in args and args.get("phase", "program") == "program":
            start = round(event["ts"] * 1000)
            meetings.setdefault((args["Process Group Name"], args["Seq"]), []).append(
                (start, start + round(event["dur"] * 1000), args["rank"], args.get("iteration", -1)))
    ranks, iterations = {}, {}
    for members in meetings.values():
        starts, ends = [m[0] for m in members], [m[1] for m in members]
        last = max(members, key=lambda m: (m[0], m[2]))
        for start, end, rank, iteration in members:
            row = ranks.setdefault(rank, {"communications": 0, "last": 0, "waited_for_ns": 0, "waiting_ns": 0,
                                          "starts": 0, "ends": 0})
            row["communications"] += 1
            row["waiting_ns"] += max(starts) - start
            row["starts"] += start - min(starts)
            row["ends"] += end - min(ends)
            iterations.setdefault(int(iteration), {}).setdefault(rank, 0)
            iterations[int(iteration)][rank] += start - min(starts)
        if max(starts) > min(starts):
            ranks[last[2]]["last"] += 1
            ranks[last[2]]["waited_for_ns"] += sum(max(starts) - start for start in starts)
    return ranks, {i: [late[rank] for rank in sorted(late)] for i, late in iterations.items()}


def test_stragglers(tap, hirscope, folder):
    """Check which ranks the others wait for, with a rank whose kernels are slowed."""
    recording, _ = record(hirscope, folder, "ag_matmul", "--trace", "full", "-d", 4, "--set",
                          "StreamParallelType.initial_sync=in_loop", "--input", "8x4x64x64", "--input", "64x64")
    planted = Planted(hirscope, recording)
    for event in planted.events(rank=2, name="T6_matmul", kind="kernel"):
        event["ns"] *= 4
    path = os.path.join(folder, "straggler.json")
    planted.write(path)
    stats = json.loads(hirscope("stats", path, "--json").out)
    ranks, iterations = expected_ranks(path)
    for row in stats["ranks"]:
        wanted = ranks[row["rank"]]
        n = wanted["communications"]
        tap.check(all(row[key] == wanted[key] for key in ("communications", "last", "waited_for_ns", "waiting_ns")) and
                  abs(row["late_start_mean_ns"] - wanted["starts"] / n) < 1e-3 * (1 + wanted["starts"] / n) and
                  abs(row["late_end_mean_ns"] - wanted["ends"] / n) < 1e-3 * (1 + wanted["ends"] / n),
                  f"how late rank {row['rank']} is", row, wanted)
    tap.check(len(stats["ranks"]) == len(ranks) == 4, "all ranks are listed", stats["ranks"])
    slowest = max(stats["ranks"], key=lambda row: row["waited_for_ns"])
    tap.check(slowest["rank"] == 2 and slowest["last"] >= 7, "the others wait for the slowed rank", stats["ranks"])
    got = {row["iteration"]: row["late_ns"] for row in stats["iterations"]}
    tap.check(got == iterations and len(got) == 8, "how late each rank is in each iteration", got, iterations)
    longest = stats["longest_waits"][0]
    tap.check(longest["last_rank"] == 2 and longest["waited_ns"] == max(w["waited_ns"] for w in stats["longest_waits"]) and
              sum(w["waited_ns"] for w in stats["longest_waits"]) == sum(r["waited_for_ns"] for r in ranks.values()),
              "the longest wait is listed first", stats["longest_waits"])
    text = hirscope("stats", path).out
    tap.check(re.search(r"others wait .*clock error", text) and re.search(r" rank 2\n", text) and "longest waits" in text,
              "the text lists ranks and longest waits", text)
    one, _ = record(hirscope, folder, "matmul_m", "--input", "16x32", "--input", "32x8")
    none = json.loads(hirscope("stats", one, "--json").out)
    tap.check(none["ranks"] == [] and none["iterations"] == [] and "others wait" not in hirscope("stats", one).out,
              "without other ranks, there is no such table", none["ranks"])


def test_exchanges(tap, hirscope, folder):
    """Check that a send and a receive in one event are one wait."""
    for name, has_exchanges in (("allgather_p2p", True), ("AG_matmul_P2p", True), ("ag_matmul", False)):
        path, _ = record(hirscope, folder, name, "-d", 4)
        stats = json.loads(hirscope("stats", path, "--json").out)
        rows = json.loads(hirscope("query", path, "--json", "SELECT rank, count(*), sum(dur_ns - transfer_ns), sum(dur_ns) "
                                   "FROM collectives GROUP BY rank ORDER BY rank").out)["rows"]
        got = [[row["rank"], row["communications"], row["waiting_ns"]] for row in stats["ranks"]]
        tap.check(len(got) == 4 and got == [row[:3] for row in rows] and all(wait <= ns for _, _, wait, ns in rows) and
                  any(wait > 0 for _, _, wait, _ in rows) == has_exchanges, f"{name}: the waits of each rank are those of its events", got, rows)
        waited = [row["waited_ns"] for row in stats["longest_waits"]]
        tap.check(sum(waited) == sum(row["waited_for_ns"] for row in stats["ranks"]) == sum(row[2] for row in got),
                  f"{name}: each wait is listed once", waited, got)
        if has_exchanges:
            tap.check(len(waited) == sum(row["communications"] for row in stats["iterations"]) == 6,
                      f"{name}: the exchanges of each two ranks are counted", waited, stats["iterations"])


def test_numbers(tap, hirscope, folder):
    for name, words in (("ag_matmul", ("-d", 2)), ("matmul_m", ("--input", "16x32", "--input", "32x8"))):
        path, done = record(hirscope, folder, name, "--trace", "full", *words)
        tap.check(done.code == 0, f"{name} is recorded", done)
        done = hirscope("stats", path, "--json")
        stats = json.loads(done.out)
        for rank, events in sorted(device_work(hirscope, path).items()):
            gpu = next(g for g in stats["gpus"] if g["rank"] == rank)
            wanted = expected(events)
            tap.check({key: gpu[key] for key in wanted} == wanted, f"{name}: times of rank {rank}", wanted, gpu)
            share = 100 * (1 - wanted["exposed_comm_ns"] / wanted["total_comm_ns"]) if wanted["total_comm_ns"] else None
            got = gpu["comm_overlap_percent"]
            tap.check(got is None if share is None else abs(got - share) < 1e-3, f"{name}: overlap of rank {rank}", share, got)
        launched = json.loads(hirscope("stats", path, "--json", "--launched-only").out)
        tap.check(launched["gpus"] == stats["gpus"], f"{name}: --trace full has every launch", launched["account"])
        text = hirscope("stats", path)
        tap.check(text.code == 0 and "matmul" in text.out, f"{name}: prints text", text)
        plain, _ = record(hirscope, folder, name, "--trace", "kernels", *words)
        none = json.loads(hirscope("stats", plain, "--json", "--launched-only").out)
        tap.check(none["account"]["counted"] == 0 and none["account"]["left_out_not_launched"] > 0,
                  f"{name}: without host spans, nothing counts as launched, and the account reports it", none["account"])


class Page(HTMLParser):
    """Parses a page: open elements, elements closed in the wrong order, texts by element, rectangles with a title."""

    EMPTY = ("meta", "rect", "line", "path", "circle", "polygon", "stop")

    def __init__(self, text):
        super().__init__()
        self.stack, self.problems, self.texts, self.elements = [], [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.EMPTY or (tag == "rect" and not self.get_starttag_text().endswith("/>")):
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.problems.append((tag, self.getpos()))

    def handle_data(self, data):
        if self.stack:
            self.texts.setdefault(self.stack[-1], []).append(data)


def test_html(tap, hirscope, folder):
    path, _ = record(hirscope, folder, "ag_matmul", "-d", 2)
    out = os.path.join(folder, "report.html")
    done = hirscope("export", path, "--to", "html", "-o", out)
    if done.code == 2 and "has no figures" in done.err:
        tap.skip("export --to html", "this build has no figures")
        return
    with open(out, encoding="utf-8") as f:
        text = f.read()
    page = Page(text)
    tap.check(done.code == 0 and not page.problems and not page.stack, "export --to html: elements nest", page.problems, page.stack)
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", text, re.S | re.I)
    tap.check(len(scripts) == 1 and scripts[0][0] == "" and "http" not in re.sub(r"http://www\.w3\.org/\S*", "", text),
              "the page loads nothing else", scripts)
    tap.check("pointermove" in scripts[0][1] and not re.search(r"fetch|eval|innerHTML|import|XMLHttp|cookie|localStorage", scripts[0][1]),
              "the only script shows the text of the bar under the pointer", scripts)
    cells = page.texts["td"]
    tap.check("StreamParallelType" in cells and "rank 1, device 1" in cells and "_allgather_base" in cells,
              "the page lists passes, devices and collectives", cells[:20])
    tap.check(any("SetCurrentStream" in t for t in page.texts["pre"]), "the page has the program")
    titles = [t for t in page.texts["title"] if "T6_matmul" in t]
    tap.check(len(titles) == 64 and "iteration" in titles[0], "each bar has a title", titles[:2])
    found = json.loads(hirscope("explain", path, "--json").out)
    losses = [loss["text"] for loss in found["repetitions"][0]["losses"]]
    gains = [gain["text"] for gain in found["gains"]]
    tap.check(losses and gains and [cell for cell in cells if cell in losses + gains] == losses + gains,
              "the page lists where the time went and what would help, as explain does", losses, gains, cells[:30])
    headings = page.texts["h2"]
    tap.check(any("repetition 1 of 1" in h for h in headings) and any("What would help" in h for h in headings) and
              "critical path" in " ".join(page.texts["text"]), "the figure has the critical path and its legend", headings)
    svgs = []
    for more in ([], ["--path"]):
        done = hirscope("export", path, "--to", "svg", "-o", out + ".svg", *more)
        with open(out + ".svg", encoding="utf-8") as f:
            svgs.append(f.read())
        tap.check(done.code == 0, f"export --to svg {more}", done)
    count = [len(re.findall("<(?:polyline|path)", svg)) for svg in svgs]
    tap.check(count[1] > count[0], "export --path draws the path", count)
    done = hirscope("export", path, "--to", "csv", "--path", "-o", out + ".csv")
    tap.check(done.code == 2 and "--path" in done.err, "--path applies only to figures", done)
    twice, _ = record(hirscope, folder, "ag_matmul", "-d", 2, "--repeat", 3)
    hirscope("export", twice, "--to", "html", "-o", out)
    with open(out, encoding="utf-8") as f:
        text = f.read()
    tap.check(text.count("<figure>") == 3 and "Critical path of repetition 1" in text and not Page(text).problems,
              "of several repetitions, the first one has a figure", text.count("<figure>"))
    again = os.path.join(folder, "foreign.html")
    hirscope("export", path, "--to", "chrome", "-o", path + ".json")
    done = hirscope("export", path + ".json", "--to", "html", "-o", again)
    tap.check(done.code == 0 and os.path.getsize(again) > 1000, "exports a trace without a program, too", done)


def test_nsight(tap, hirscope, folder):
    path, _ = record(hirscope, folder, "allgather_p2p", "-d", 3, "--warmup", 1)
    out, direct, back = (os.path.join(folder, name) for name in ("x.sqlite", "direct.json", "back.json"))
    done = hirscope("export", path, "--to", "nsight", "-o", out)
    tap.check(done.code == 0 and os.listdir(folder).count("x.sqlite.partial") == 0, "export --to nsight", done)
    hirscope("export", path, "--to", "chrome", "-o", direct)
    hirscope("export", out, "--to", "chrome", "-o", back)
    with open(direct, "rb") as a, open(back, "rb") as b:
        tap.check(a.read() == b.read(), "an Nsight export is imported unchanged")
    with sqlite3.connect(f"file:{out}?mode=ro", uri=True) as db:
        rows = db.execute("SELECT s.value, count(*), min(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                          "JOIN StringIds s ON s.id = k.shortName GROUP BY 1").fetchall()
        launched = db.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
                              "r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24").fetchone()[0]
    tap.check(rows and all(row[2] > 0 for row in rows), "a typical query works", rows)
    tap.check(launched > 0, "kernels join their launches by correlation and process", launched)
    for words in (("-o", os.path.join(folder, "absent", "x.sqlite")), ("-o", path)):
        done = hirscope("export", path, "--to", "nsight", *words)
        tap.check(done.code == 2 and "error: " in done.err, f"rejects export --to nsight -o {words[1]}", done)


def test_compare(tap, hirscope, folder):
    a, _ = record(hirscope, folder, "ag_matmul", "-d", 2, "--set", "StreamParallelType.initial_sync=in_loop")
    os.rename(a, a + ".in_loop")
    b, _ = record(hirscope, folder, "ag_matmul", "-d", 2)
    done = hirscope("compare", a + ".in_loop", b, "--json")
    devices = json.loads(done.out)["devices"]
    gpus = [json.loads(hirscope("stats", path, "--json").out)["gpus"] for path in (a + ".in_loop", b)]
    tap.check([row["rank"] for row in devices] == [gpu["rank"] for gpu in gpus[0]] and all(
        row[key] == [gpus[0][i][key], gpus[1][i][key]] for i, row in enumerate(devices)
        for key in ("total_ns", "busy_ns", "computation_ns", "total_comm_ns", "exposed_comm_ns", "exposed_memcpy_ns")),
        "compare --json has the table of devices", devices)
    table = json.loads(done.out)
    rows = {row["name"]: row for row in table["work"]}
    tap.check(done.code == 0 and table["span_ns"][0] > table["span_ns"][1], "compare: synchronization in the loop takes longer", done)
    tap.check(table["options"] == ["StreamParallelType.initial_sync=in_loop", "StreamParallelType.initial_sync default"],
              "compare: says which options differ", table["options"])
    tap.check(rows["T6_matmul"]["pairs"] == 32 and rows["T6_matmul"]["sum_ns"][0] == rows["T6_matmul"]["sum_ns"][1] and
              rows["T6_matmul"]["instruction"], "compare: matmuls are paired by instruction", rows)
    text = hirscope("compare", a + ".in_loop", b, "-o", os.path.join(folder, "both.svg"))
    tap.check(text.code == 0 and "exposed communication" in text.out and text.out.startswith(
        "A: StreamParallelType.initial_sync=in_loop\nB: StreamParallelType.initial_sync default\n"), "compare: prints text", text)
    units = {"ns": 1, "µs": 1e3, "ms": 1e6}
    ns = {name: [float(row[i]) * units[row[i + 1]] for row in re.findall(rf"^  {name} +([\d.]+) (\S+) +([\d.]+) (\S+)", text.out, re.M) for i in (0, 2)]
          for name in ("first to last work", "busy", "idle between")}
    tap.check(len(ns["busy"]) == 4 and all(abs(total - busy - idle) < 0.01 * total for total, busy, idle in zip(*ns.values())),
              "compare: busy and idle time add up to the time above them", ns, text.out)
    small, large = os.path.join(folder, "small.hirs"), os.path.join(folder, "large.hirs")
    for path, size in ((small, 64), (large, 128)):
        hirscope("run", "example:two_set_ops", "--input", f"{size}x{size}", "--clock", "model", "-o", path)
    text = hirscope("compare", small, large)
    tap.check(text.out.startswith("A: inputs 64x64\nB: inputs 128x128\n"), "compare: says that the inputs differ", text)
    paths = [os.path.join(folder, name) for name in ("four.hirs", "two.hirs", "three.hirs")]
    for path, words in zip(paths, ((), ("--streams", 2), ("--repeat", 3))):
        hirscope("run", "example:allreduce", "-d", 4, "--clock", "model", *words, "-o", path)
    by_name = {(row["name"], row["class"], row["count"], row["sum_ns"]) for row in json.loads(hirscope("stats", paths[0], "--json").out)["kernels"]}
    rows = json.loads(hirscope("compare", *paths[:2], "--json").out)["work"]
    tap.check(len(by_name) == 2 and by_name == {(row["name"], row["class"], row["count"][0], row["sum_ns"][0]) for row in rows} and
              all(row["max_slower_ns"] == row["max_faster_ns"] == 0 and row["instruction"] for row in rows),
              "compare: a collective and its copies have a row each", by_name, rows)
    by_instruction = json.loads(hirscope("stats", paths[0], "--by-instruction", "--json").out)["kernels"]
    tap.check({(row["name"].split(": ")[1], row["class"], row["count"], row["sum_ns"]) for row in by_instruction} == by_name and
              len({row["instruction"] for row in by_instruction}) == 1, "so do statistics by instruction", by_instruction)
    text = hirscope("compare", paths[0], paths[2])
    table, same = (json.loads(hirscope("compare", *pair, "--json").out) for pair in ((paths[0], paths[2]), (paths[2], paths[2])))
    times = [[table["span_ns"]] + [gpu[key] for gpu in table["devices"] for key in gpu if key.endswith("_ns")] +
             [x for row in table["work"] for x in (row["sum_ns"], row["count"])] for table in (table, same)]
    note = "A has 1 repetition, B has 3: times and counts are means of one repetition"
    tap.check(text.out.startswith(note + "\n") and "\none repetition " in text.out and table["note"] == note and
              table["repetitions"] == [1, 3] and times[0] == times[1] and all(a == b for a, b in times[0]),
              "compare: a run has the same numbers, whatever its partner and its number of repetitions", text, table, same)
    gpus = json.loads(hirscope("stats", paths[0], "--json").out)["gpus"]
    length = json.loads(hirscope("explain", paths[0], "--json").out)["repetitions"][0]["total_ns"]
    alone = json.loads(hirscope("compare", paths[0], paths[0], "--json").out)
    tap.check([gpu["total_ns"][1] for gpu in table["devices"]] == [gpu["total_ns"] for gpu in gpus] and
              table["span_ns"] == [length, length] and alone["note"] is None,
              "compare: the times are those of statistics and explanation", table, gpus, length, alone)
    warm = os.path.join(folder, "warm.hirs")
    hirscope("run", "example:allreduce", "-d", 4, "--clock", "model", "--warmup", 2, "-o", warm)
    table = json.loads(hirscope("compare", warm, paths[0], "--json").out)
    tap.check(table["only"] == [0, 0] and all(row["count"][0] == row["count"][1] for row in table["work"]),
              "compare: leaves out warm-up runs and setup", table)
    for words in (("compare",), ("compare", b), ("compare", b, b + ".absent"), ("compare", b, b, "-o", "x.gif")):
        done = hirscope(*words)
        tap.check(done.code == 2 and "error: " in done.err and not done.out, "rejects " + " ".join(words), done)


def test_large_groups(tap, hirscope, folder):
    """PyTorch lists only 30 ranks of a larger group. The bandwidth refers to all ranks, or is missing."""
    def collective(i, size):
        args = {"stream": 7, "correlation": i + 1, "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000000,
                "Out msg nelems": 1000000, "Process Group Ranks": "[" + ", ".join(map(str, range(30))) + ", ...]", "Seq": i}
        args.update({"Group size": size} if size else {})
        return {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "ts": 2000 * i, "dur": 1000,
                "args": args}

    for size in (128, 0):
        path, again = os.path.join(folder, f"group{size}.json"), os.path.join(folder, f"again{size}.hirs")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"traceEvents": [collective(0, size), collective(1, size)]}, f)
        done = hirscope("stats", path, "--json")
        told = json.loads(done.out)
        row = told["collectives"][0]
        # 4 MB in 1 ms are 4 GB/s, times 2 (n - 1) / n.
        good = row["busbw_gbps"] is None if size == 0 else abs(row["busbw_gbps"] - 4 * 2 * 127 / 128) < 1e-4
        tap.check(row["group_size"] == size and good, f"allreduce of a group of {size or 'unknown size'}", row)
        tap.check(size or "unknown group size" in json.dumps(told["account"]) + done.err, "the account reports an unknown group size", told["account"])
        hirscope("export", path, "--to", "hirs", "-o", again)
        same = json.loads(hirscope("stats", again, "--json").out)["collectives"]
        tap.check(same == told["collectives"], "a recording gives the same values", same)


def test_refusals(tap, hirscope, folder):
    path, _ = record(hirscope, folder, "matmul_m")
    half = json.loads(hirscope("stats", path, "--json", "--range", "1us:2us").out)
    tap.check(half["gpus"][0]["total_ns"] == 1000 and half["account"]["left_out_range"] > 0, "--range", half)
    tap.check(any("overlap the range" in note for note in half["account"]["notes"]), "the account has the rule of ranges", half["account"])
    some = json.loads(hirscope("stats", path, "--json", "--tracks", "Stream 1", "--tracks", "0/Stream 0").out)
    tap.check([x["name"] for x in some["streams"]] == ["Stream 0", "Stream 1"] and some["account"]["left_out_tracks"] > 0 and
              some["account"]["counted"] == sum(x["events"] for x in some["streams"]), "--tracks", some["streams"], some["account"])
    exported = os.path.join(folder, "again.json")
    hirscope("export", path, "--to", "chrome", "-o", exported)
    twice = os.path.join(folder, "twice.json")
    hirscope("export", exported, "--to", "chrome", "-o", twice)
    with open(exported, "rb") as a, open(twice, "rb") as b:
        tap.check(a.read() == b.read(), "a Chrome export is imported unchanged")
    other, own = (json.loads(hirscope("stats", t, "--json").out)["gpus"] for t in (exported, path))
    tap.check(other == own, "a Chrome export has the same statistics", other, own)
    for words in (("stats",), ("stats", path, path), ("stats", path, "--range", "2us:1us"),
                  ("stats", path, "--tracks", "no such track"),
                  ("stats", path + ".absent"), ("stats", __file__)):
        done = hirscope(*words)
        tap.check(done.code == 2 and "error: " in done.err and not done.out, "rejects " + " ".join(map(str, words)), done)


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_numbers, test_stragglers, test_exchanges, test_compare, test_html, test_nsight, test_large_groups, test_refusals):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
