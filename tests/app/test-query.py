#!/usr/bin/env python3
"""test-query.py HIRSCOPE

Tests `query`: each query of docs/query.md against a computation in Python from the Chrome export of the same trace, the
views against `stats --json`, output formats, and hostile SQL.
"""
import csv
import io
import json
import math
import os
import random
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
from decimal import Decimal

from program import SOURCE, from_command_line
from tap import Tap

WORK = ("kernel", "gpu_memcpy", "gpu_memset")
MATRIX = "aten::mm"


def kineto(path, rank, seed):
    """Write a trace of PyTorch's profiler: operators, launches, kernels on two streams, copies, NCCL, counters, flows."""
    rand = random.Random(seed)
    events, at, correlation = [], 1000.0, 100 * (rank + 1)
    ends = {7: 0.0, 20: 0.0}
    ops = ["aten::mm", "aten::add", "aten::copy_", "c10d::allreduce_", "c10d::allgather_"]

    def add(ph, cat, name, pid, tid, ts, **more):
        events.append({"ph": ph, "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(ts, 3), **more})

    for i in range(60):
        op = ops[i % len(ops)] if i < 5 else rand.choice(ops)
        n_launches = 1 if op != "aten::mm" else rand.randint(1, 3)
        start = at
        at += rand.uniform(1, 5)
        for _ in range(n_launches):
            correlation += 1
            launch, launch_us = round(at, 3), round(rand.uniform(2, 9), 3)
            stream = 20 if op.startswith("c10d") else 7
            begin = round(max(launch + launch_us + rand.uniform(-1, 6), ends[stream] + rand.choice([0.5, 3, 70])), 3)
            dur = round(rand.uniform(3, 60), 3)
            args = {"device": rank, "stream": stream, "correlation": correlation, "External id": i}
            add("X", "cuda_runtime", "cudaLaunchKernel", 1000 + rank, 1, launch, dur=launch_us,
                args={"correlation": correlation, "External id": i})
            if op == "aten::copy_":
                args["bytes"] = rand.randint(1, 1 << 20)
                add("X", "gpu_memcpy", "Memcpy DtoD (Device -> Device)", rank, stream, begin, dur=dur, args=args)
            elif op.startswith("c10d"):
                kind = "allreduce" if "reduce" in op else "_allgather_base"
                n = rand.randint(1, 1000) * 1024
                args.update({"Collective name": kind, "dtype": "Float", "In msg nelems": n,
                             "Out msg nelems": n if kind == "allreduce" else 2 * n, "Group size": 2,
                             "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Seq": i})
                add("X", "kernel", f"ncclDevKernel_{kind}", rank, stream, begin, dur=dur, args=args)
            else:
                args.update({"registers per thread": rand.choice([32, 96, 128, 168]), "grid": [rand.randint(1, 200), 1, 1]})
                add("X", "kernel", rand.choice(["gemm<a, b>", "add \"x\"", "größer"]), rank, stream, begin, dur=dur, args=args)
            ends[stream] = begin + dur
            at = launch + launch_us + rand.uniform(0.5, 2)
        add("X", "cpu_op", op, 1000 + rank, 1, start, dur=at - start, args={"External id": i})
        if i % 7 == 3:
            add("s", "fwdbwd", "fwdbwd", 1000 + rank, 1, start + 0.01, id=i)
            add("f", "fwdbwd", "fwdbwd", 1000 + rank, 1, at + 5.01, id=i, bp="e")
            add("X", "cpu_op", "MmBackward", 1000 + rank, 1, at + 5, dur=2.5)
            at += 9
        if i % 5 == 0:
            add("C", "", "memory", 1000 + rank, 0, at, args={"value": rand.randint(1, 1000)})
        at += rand.uniform(1, 12)
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}, f)


class Trace:
    """A trace as its Chrome export has it. Times are ns."""

    def __init__(self, hirscope, paths, folder):
        self.paths = paths
        out = os.path.join(folder, "export-" + os.path.basename(paths[0]) + ".json")
        done = hirscope("export", *paths, "--to", "chrome", "-o", out)
        assert done.code == 0, done
        with open(out, encoding="utf-8") as f:
            raw = json.load(f, parse_float=Decimal)["traceEvents"]
        self.events = []
        for e in raw:
            if e["ph"] == "X":
                args = e.get("args", {})
                args = {**args, **args.get("hirscope", {})}
                start = int(e["ts"] * 1000)
                self.events.append({**args, "name": e["name"], "cat": e["cat"], "start": start,
                                    "end": start + int(e["dur"] * 1000), "dur": int(e["dur"] * 1000),
                                    "track": (e["pid"], e["tid"])})
        self.samples = [e for e in raw if e["ph"] == "C"]
        self.flows = [e for e in raw if e["ph"] in "sf" and e.get("cat") != "ac2g"]
        self.work = [e for e in self.events if e["cat"] in WORK]
        self.comm = [e for e in self.work if "Collective name" in e]
        self.copies = [e for e in self.work if e["cat"] != "kernel"]
        self.kernels = [e for e in self.work if e["cat"] == "kernel" and "Collective name" not in e]
        self.host = [e for e in self.events if e["cat"] not in WORK and e["cat"] != "cuda_sync"]
        self.launches = {}
        for e in self.host:
            if e.get("correlation"):
                self.launches[e["rank"], e["correlation"]] = e

    def launch(self, e):
        return self.launches.get((e["rank"], e.get("correlation")))


def groups(events, key):
    """Return {key of the events: the events}, sorted by key."""
    found = {}
    for e in events:
        found.setdefault(key(e), []).append(e)
    return dict(sorted(found.items()))


def of_stream(e):
    return e["rank"], e["stream"]


def rank_at(values, percent):
    return sorted(values)[max(math.ceil(percent / 100 * len(values)), 1) - 1]


def nanoseconds(events):
    return {ns for e in events for ns in range(e["start"], e["end"])}


def longest_kernels(t):
    best = {key: max(of, key=lambda e: e["dur"]) for key, of in groups(t.kernels, of_stream).items()}
    return [[*key, e["name"], e["dur"]] for key, e in best.items()]


def kernels_of_op(t):
    rows = {}
    for op in t.host:
        for k in t.kernels if op["name"] == MATRIX else ():
            h = t.launch(k)
            if h and h["track"] == op["track"] and op["start"] <= h["start"] and h["end"] <= op["end"]:
                rows.setdefault(k["name"], []).append(k["dur"])
    return [[name, len(of), sum(of)] for name, of in sorted(rows.items())]


def idle_gaps(t):
    rows = []
    for key, of in groups(t.work, of_stream).items():
        last = None
        for e in sorted(of, key=lambda e: (e["start"], -e["end"])):
            if last is not None and e["start"] - last > 50000:
                rows.append([*key, last, e["start"] - last, e["name"]])
            last = max(e["end"], last if last is not None else e["end"])
    return rows


def exposed(t):
    computing = {rank: nanoseconds([e for e in of if e["cat"] != "gpu_memcpy" and "Collective name" not in e])
                 for rank, of in groups(t.work, lambda e: e["rank"]).items()}
    return [[name, len(of), sum(e["dur"] for e in of),
             sum(len(set(range(e["start"], e["end"])) - computing[e["rank"]]) for e in of)]
            for name, of in groups(t.comm, lambda e: e["name"]).items()]


def in_loop(t):
    return [e for e in t.work if e.get("iteration", -1) >= 0]


def slowest_ranks(t):
    spans = {key: max(e["end"] for e in of) - min(e["start"] for e in of)
             for key, of in groups(in_loop(t), lambda e: (e["iteration"], e["rank"])).items()}
    return [[i, max(ns for (k, _), ns in spans.items() if k == i)] for i in sorted({i for i, _ in spans})]


def overlap(t):
    first, second = (nanoseconds([e for e in t.work if e["rank"] == 0 and e["stream"] == s]) for s in (7, 20))
    return [[len(first & second)]]


def message_bytes(e):
    """Return the size as nccl-tests counts it."""
    return max(e["In msg nelems"], e["Out msg nelems"]) * 4


def bytes_by_kind(t):
    return [[op, len(of), sum(map(message_bytes, of))] for op, of in groups(t.comm, lambda e: e["Collective name"]).items()]


def launch_latency(t):
    delays = [e["start"] - t.launch(e)["start"] for e in t.kernels if t.launch(e)]
    return [[len(delays)] + [rank_at(delays, p) if delays else None for p in (50, 90, 99)]]


def queue_delays(t):
    rows = []
    for key, of in groups(t.work, of_stream).items():
        pairs = [(e, t.launch(e)) for e in of if t.launch(e)]
        delays = [max(e["start"] - h["end"], 0) for e, h in pairs if e["start"] >= h["start"]]
        if delays:
            rows.append([*key, len(delays), sum(delays), max(delays)])
    return rows


def iterations(t):
    return [[i, min(e["start"] for e in of), max(e["end"] for e in of)]
            for i, of in groups(in_loop(t), lambda e: e["iteration"]).items()]


def instructions(t):
    """Return only number and sum of each instruction; the query's labels are compared with the program elsewhere."""
    of = groups([e for e in t.work if e.get("instruction")], lambda e: e["instruction"])
    return sorted(([len(x), sum(e["dur"] for e in x)] for x in of.values()), key=lambda row: -row[1])


def bandwidths(t):
    """The ranks of a communication transfer for the shortest of their times: the last one waits for no other."""
    rows = []
    times = {key: min(e["dur"] for e in of) for key, of in groups(t.comm, lambda e: e["Seq"]).items()}
    for (op, n), of in groups(t.comm, lambda e: (e["Collective name"], e["Group size"])).items():
        factor = (2 if op == "allreduce" else 1) * (n - 1) / n
        speeds = [message_bytes(e) / times[e["Seq"]] * factor for e in of]
        rows.append([op, n, round(min(speeds), 3), round(max(speeds), 3)])
    return rows


def skews(t):
    rows = []
    for seq, of in groups(t.comm, lambda e: e["Seq"]).items():
        if len(of) > 1:
            rows.append([seq, len(of), max(e["start"] for e in of) - min(e["start"] for e in of)])
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def host_time(t):
    rows = [[name, len(of), sum(e["dur"] for e in of)] for name, of in groups(t.host, lambda e: e["name"]).items()]
    return sorted(rows, key=lambda row: (-row[2], row[0].encode()))[:10]


def short_kernels(t):
    return [[rank, sum(e["dur"] < 10000 for e in of), len(of)] for rank, of in groups(t.kernels, lambda e: e["rank"]).items()]


def copy_speed(t):
    rows = []
    for name, of in groups([e for e in t.copies if e.get("bytes")], lambda e: e["name"]).items():
        size = sum(e["bytes"] for e in of)
        rows.append([name, len(of), size, round(size / sum(e["dur"] for e in of), 3)])
    return rows


def peaks(t):
    best = {}
    for e in t.samples:
        value, key = e["args"]["value"], e["pid"]
        if key not in best or value > best[key][1]:
            best[key] = (int(e["ts"] * 1000), value)
    return sorted([list(v) for v in best.values()])


def registers(t):
    of = groups([e for e in t.kernels if e.get("registers per thread", 0) > 100], lambda e: e["name"])
    return [[name, len(x), max(e["registers per thread"] for e in x)] for name, x in of.items()]


def passes(t):
    if not t.paths[0].endswith(".hirs"):
        return []
    with sqlite3.connect(f"file:{t.paths[0]}?mode=ro", uri=True) as db:
        return [list(row) for row in db.execute(
            "SELECT id, name, n_created, n_changed, n_removed FROM passes WHERE changed AND id > 0 ORDER BY id")]


def innermost(t, point):
    at = int(point["ts"] * 1000)
    around = [e for e in t.events if e["track"] == (point["pid"], point["tid"]) and e["start"] <= at < e["end"]]
    return max(around, key=lambda e: e["start"])


def backward(t):
    rows, starts = [], {}
    for point in sorted(t.flows, key=lambda e: e["ts"]):
        key = (point["pid"], point["id"], point["cat"])
        if point["ph"] == "s":
            starts[key] = innermost(t, point)
        else:
            a, b = starts[key], innermost(t, point)
            rows.append([a["start"], b["start"], a["rank"], a["name"], b["name"], b["start"] - a["end"]])
    return [row[3:] for row in sorted(rows)]


# Of each question of docs/query.md: the computation, and what of a row is compared (None: all of it).
ANSWERS = [
    (longest_kernels, None), (kernels_of_op, None), (idle_gaps, None), (exposed, None),
    (slowest_ranks, lambda row: [row[0], row[2]]), (overlap, None), (bytes_by_kind, None), (launch_latency, None),
    (queue_delays, None), (iterations, None), (instructions, lambda row: row[3:]), (bandwidths, None),
    (skews, lambda row: row[1:]), (host_time, None), (short_kernels, None), (copy_speed, None),
    (peaks, lambda row: row[2:]), (registers, None), (passes, None), (backward, None),
]
# Questions without rows in one of the traces.
EMPTY = {"pytorch": {5, 10, 11, 19}, "ag_matmul": {2, 6, 16, 17, 18, 20}}
TIES = {"ag_matmul": {1}}  # the modelled clock gives equal durations


def cookbook():
    """Return [(title, SQL)] of docs/query.md."""
    with open(os.path.join(SOURCE, "docs", "query.md"), encoding="utf-8") as f:
        return re.findall(r"^### \d+\. (.*?)\n\n```sql\n(.*?)```", f.read(), re.M | re.S)


def rows_of(hirscope, paths, sql, *words):
    done = hirscope("query", *paths, sql, "--json", *words)
    return (json.loads(done.out)["rows"] if done.code == 0 else None), done


def same(a, b):
    """Return whether two values are equal, with six digits for real numbers."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (float, Decimal)) or isinstance(b, (float, Decimal)):
        return a is not None and b is not None and abs(float(a) - float(b)) <= 2e-5 * max(abs(float(a)), 1e-9)
    return a == b


def make_traces(hirscope, folder):
    paths = [os.path.join(folder, f"rank{rank}.json") for rank in (0, 1)]
    for rank, path in enumerate(paths):
        kineto(path, rank, 7 + rank)
    recording = os.path.join(folder, "ag.hirs")
    done = hirscope("run", "example:ag_matmul", "-d", 4, "--clock", "model", "--trace", "full", "-o", recording)
    assert done.code == 0, done
    return {"pytorch": Trace(hirscope, paths, folder), "ag_matmul": Trace(hirscope, [recording], folder)}


def test_streams(tap, hirscope, traces):
    """Check that the number of a stream of a recording is that in its name."""
    for path in (traces["ag_matmul"].paths[0], os.path.join(SOURCE, "screenshots", "overlap", "nccl.hirs")):
        rows, done = rows_of(hirscope, [path], "SELECT DISTINCT t.name, t.stream, e.stream FROM tracks AS t JOIN events AS e "
                                               "ON e.track = t.id WHERE t.name GLOB '*Stream [0-9]' OR t.name LIKE '%Default stream'")
        wanted = [999 if row[0].endswith("Default stream") else int(row[0].rsplit(" ", 1)[1]) for row in rows or []]
        tap.check(rows and 0 in wanted and 999 in wanted and all([n, n] == row[1:] for n, row in zip(wanted, rows)),
                  f"{os.path.basename(path)}: numbers of streams are those of their names", rows, done)


def test_cookbook(tap, hirscope, traces):
    questions = cookbook()
    tap.check(len(questions) == len(ANSWERS), "each question of docs/query.md has an answer", len(questions))
    for name, trace in traces.items():
        for number, ((title, sql), (compute, part)) in enumerate(zip(questions, ANSWERS), 1):
            rows, done = rows_of(hirscope, trace.paths, sql)
            wanted = compute(trace)
            got = [part(row) for row in rows] if rows is not None and part else rows
            if number in TIES.get(name, ()):
                got, wanted = ([[*row[:2], row[3]] for row in x] for x in (got, wanted))
            if number == 17:
                got = sorted(got)
            tap.check(got is not None and same(got, wanted), f"{name}: {number}. {title}", wanted[:5], got and got[:5], done)
            empty = not wanted or wanted == [[0]]
            tap.check(empty == (number in EMPTY[name]), f"{name}: {number} is answered by this trace", wanted[:3])


def test_views(tap, hirscope, traces):
    listed = hirscope("query", "--list")
    names = [line.split()[0] for line in listed.out.splitlines()]
    tap.check(names == ["gpus", "kernels", "collectives", "streams", "queue_delay"], "--list", listed)
    exchanges = os.path.join(os.path.dirname(traces["ag_matmul"].paths[0]), "exchanges.hirs")
    hirscope("run", "example:allgather_p2p", "-d", 4, "--clock", "model", "-o", exchanges)
    for trace_name, paths in (*((name, trace.paths) for name, trace in traces.items()), ("allgather_p2p", [exchanges])):
        stats = json.loads(hirscope("stats", *paths, "--json").out)
        for name in names:
            done = hirscope("query", *paths, "--view", name, "--json")
            table = json.loads(done.out)
            want = stats[name] if name != "queue_delay" else [stats[name]]
            good = [list(row) for row in want] == [table["columns"]] * len(want)
            good = good and same(table["rows"], [list(row.values()) for row in want]) and want
            tap.check(good, f"{trace_name}: --view {name} equals stats --json", want[:2], table["rows"][:2])
    shown = hirscope("query", "--view", "kernels", "--print")
    rows, _ = rows_of(hirscope, traces["pytorch"].paths, shown.out)
    viewed = json.loads(hirscope("query", *traces["pytorch"].paths, "--view", "kernels", "--json").out)["rows"]
    tap.check(shown.code == 0 and rows and rows == viewed, "--print prints SQL that returns the same rows", shown)


def test_tables(tap, hirscope, traces):
    schema = hirscope("query", "--schema")
    tables = dict(re.findall(r"^CREATE TABLE (\w+) \((.*?)^\);", schema.out, re.M | re.S))
    with open(os.path.join(SOURCE, "docs", "query.md"), encoding="utf-8") as f:
        documented = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", re.search(r"## Tables\n(.*?)\n\n-", f.read(), re.S).group(1), re.M))))
    tap.check(schema.code == 0 and set(tables) == documented, "--schema has the tables of docs/query.md", sorted(tables), sorted(documented))
    for name, body in tables.items():
        columns = re.findall(r"^ +(\w+) +(?:INTEGER|REAL|TEXT),? *-- \S", body, re.M)
        done = hirscope("query", *traces["ag_matmul"].paths, f"SELECT * FROM {name} LIMIT 1", "--json")
        tap.check(done.code == 0 and json.loads(done.out)["columns"] == columns, f"--schema describes each column of {name}", columns, done)
    for name, trace in traces.items():
        counts = {"events": len(trace.events), "kernels": len(trace.kernels), "collectives": len(trace.comm),
                  "copies": len(trace.copies), "host_ops": len(trace.host), "counters": len(trace.samples),
                  "ranks": len({e["rank"] for e in trace.events})}
        for table, n in counts.items():
            rows, done = rows_of(hirscope, trace.paths, f"SELECT count(*) FROM {table}")
            tap.check(rows == [[n]], f"{name}: {table} has all {n} rows", done)
    tap.group(test_instructions, hirscope, traces["ag_matmul"])


def test_instructions(tap, hirscope, trace):
    printed = hirscope("lower", "example:ag_matmul", "-d", 4, "--print", "last").out.splitlines()
    rows, done = rows_of(hirscope, trace.paths, "SELECT line, kind FROM instructions ORDER BY line")
    tap.check(rows and all("FOR" in printed[line - 1] for line, kind in rows if kind == "ForLoop"),
              "instructions have the lines of the printed program", rows, done)
    with sqlite3.connect(f"file:{trace.paths[0]}?mode=ro", uri=True) as db:
        nodes = db.execute("SELECT id, snapshot, kind, is_expr FROM nodes ORDER BY snapshot, id").fetchall()
    rows, done = rows_of(hirscope, trace.paths, "SELECT id, step, kind, is_expr FROM nodes ORDER BY step, id")
    tap.check(rows == [list(n) for n in nodes] and rows, "nodes has the nodes of each snapshot", done)


def test_lookups(tap, hirscope, traces):
    """Each condition that an index answers returns the rows that a search of all rows returns (+x hides the column)."""
    conditions = [
        ("id", "=", "(SELECT id FROM events LIMIT 1 OFFSET 50)"), ("id", "=", "-1"), ("id", "=", "4294967296000000"),
        ("id", "IN", "(SELECT id FROM kernels)"), ("track", "=", "1"), ("track", "=", "99999"), ("track", "IN", "(0, 2, 1)"),
        ("rank", "=", "1"), ("rank", "=", "1.5"), ("rank", "=", "NULL"), ("start_ns", ">", "100000"),
        ("start_ns", ">=", "100000.5"), ("start_ns", "<", "100000"), ("start_ns", "<=", "-5"), ("start_ns", "<", "9e99"),
        ("start_ns", ">", "-9e99"), ("start_ns", "<", "'text'"), ("start_ns", ">", "NULL"), ("start_ns", "<=", "9223372036854775807"),
        ("start_ns", "BETWEEN", "20000 AND 90000"), ("end_ns", ">", "100000"), ("end_ns", ">=", "-9223372036854775807"),
        ("name", "=", "(SELECT name FROM kernels LIMIT 1)"), ("name", "=", "'absent'"), ("name", "=", "x'00'"),
        ("name_id", "=", "(SELECT name_id FROM kernels LIMIT 1)"), ("name_id", "=", "1e30"), ("name_id", "=", "-1"),
        ("correlation", "=", "(SELECT max(correlation) FROM events)"), ("correlation", "=", "0"), ("correlation", "=", "NULL"),
        ("launch_id", "=", "(SELECT launch_id FROM events WHERE launch_id IS NOT NULL LIMIT 1)"), ("launch_id", "=", "0"),
        ("instruction", "=", "(SELECT instruction FROM events WHERE class IS NOT NULL LIMIT 1)"), ("instruction", "=", "'x'"),
    ]
    for name, trace in traces.items():
        for column, op, value in conditions:
            sql = "SELECT id FROM events WHERE {}" + f"{column} {op} {value} ORDER BY +id"
            found, done = rows_of(hirscope, trace.paths, sql.format(""))
            searched, _ = rows_of(hirscope, trace.paths, sql.format("+"))
            tap.check(found is not None and found == searched, f"{name}: {column} {op} {value}", len(searched or ()), done)
        for columns in ("name", "name_id", "name, rank", "rank, name", "rank, device", "track", "track, rank", "device", "kind",
                        "name, device", "stream", "name, track"):
            sql = f"SELECT {columns}, count(*), sum(dur_ns) FROM events GROUP BY "
            found, done = rows_of(hirscope, trace.paths, sql + columns)
            sorted_rows, _ = rows_of(hirscope, trace.paths, sql + ", ".join("+" + c for c in columns.split(", ")))
            tap.check(found and sorted(map(str, found)) == sorted(map(str, sorted_rows)), f"{name}: GROUP BY {columns}", done)
        for columns in ("name", "rank", "track"):
            for order in (f"{columns} DESC", f"{columns}", "s DESC", "s"):
                sql = f"SELECT {{}}{columns} AS c, sum(dur_ns) AS s FROM events GROUP BY {{}}{columns} ORDER BY {order}, c"
                found, done = rows_of(hirscope, trace.paths, sql.format("", "").replace(f"ORDER BY {columns}", "ORDER BY c"))
                want, _ = rows_of(hirscope, trace.paths, sql.format("+", "+").replace(f"ORDER BY {columns}", "ORDER BY c"))
                tap.check(found and found == want, f"{name}: GROUP BY {columns} ORDER BY {order}", done)
        for order in ("start_ns", "track, start_ns", "id", "name", "name DESC", "rank DESC", "track DESC", "rank, start_ns"):
            found, done = rows_of(hirscope, trace.paths, f"SELECT {order.replace(' DESC', '')} FROM events ORDER BY {order}")
            want = sorted(found, reverse="DESC" in order, key=lambda row: [x.encode() if isinstance(x, str) else x for x in row])
            tap.check(found == want, f"{name}: ORDER BY {order}", done)
        rows, done = rows_of(hirscope, trace.paths, "SELECT sum(rank = 1) - (SELECT count(*) FROM events WHERE rank = '1') FROM events")
        tap.check(rows == [[0]], f"{name}: a text is compared as a number", done)
        rows, done = rows_of(hirscope, trace.paths, "SELECT DISTINCT name FROM events")
        tap.check(sorted(r[0] for r in rows) == sorted({e["name"] for e in trace.events}), f"{name}: DISTINCT name", done)
        rows, done = rows_of(hirscope, trace.paths, "SELECT count(*) FROM tracks AS a JOIN tracks AS b ON a.id = b.id AND a.name = b.name")
        count, _ = rows_of(hirscope, trace.paths, "SELECT count(*) FROM tracks")
        tap.check(rows == count, f"{name}: rows of other tables are looked up", done)


def test_formats(tap, hirscope, traces):
    trace = traces["pytorch"].paths
    sql = "SELECT name, dur_ns, NULL AS none, x'00ff' AS bytes, 1.5 AS real FROM kernels ORDER BY dur_ns"
    as_json = json.loads(hirscope("query", *trace, sql, "--json").out)
    text = hirscope("query", *trace, sql, "--csv")
    table = list(csv.reader(io.StringIO(text.out)))
    tap.check(table[0] == as_json["columns"] and table[1:] == [["" if x is None else str(x) for x in row] for row in as_json["rows"]],
              "--csv has the rows of --json", text)
    text = hirscope("query", *trace, sql)
    lines = text.out.splitlines()
    tap.check(text.code == 0 and len(lines) == len(table) and "NULL" in lines[1] and "00ff" in lines[1], "prints a table", text)
    tap.check('add "x"' in text.out and "größer" in text.out, "names are printed as they are", text)
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i, 'x' FROM n"
    text = hirscope("query", *trace, many)
    tap.check(len(text.out.splitlines()) == 3001 and text.out.splitlines()[-1].split() == ["3000", "x"], "prints long tables", text)
    odd = json.loads(hirscope("query", *trace, "SELECT 1e999, -9223372036854775808, 0.1, 1e-300, CAST(x'ff' AS TEXT)", "--json").out)["rows"][0]
    tap.check(odd == [None, -9223372036854775808, 0.1, 1e-300, "\ufffd"], "--json has exact numbers", odd)
    path = os.path.join(os.path.dirname(trace[0]), "q.sql")
    with open(path, "w", encoding="utf-8") as f:
        f.write("-- a comment\nSELECT count(*) AS n\nFROM kernels;\n-- the end\n")
    by_file = hirscope("query", *trace, "--file", path, "--csv")
    piped = subprocess.run([hirscope.path, "query", *trace, "-", "--csv"], input=open(path, "rb").read(), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=60)
    tap.check(by_file.out == f"n\n{len(traces['pytorch'].kernels)}\n" and piped.stdout.decode() == by_file.out,
              "reads SQL from a file and from standard input", by_file, piped)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = hirscope("query", *trace, sql, stdout=full)
    tap.check(done.code == 2 and "standard output" in done.err, "reports a full disk", done)


REFUSED = [
    "ATTACH 'x.db' AS x", "DETACH main", "PRAGMA user_version", "PRAGMA journal_mode = OFF", "SELECT load_extension('x')",
    "SELECT * FROM pragma_table_info('events')", "SELECT * FROM pragma_database_list", "CREATE TABLE a (b)",
    "CREATE TEMP TABLE a AS SELECT 1", "CREATE VIEW a AS SELECT 1", "CREATE VIRTUAL TABLE a USING events", "DROP TABLE events",
    "DELETE FROM events", "INSERT INTO events (id) VALUES (1)", "UPDATE events SET name = 'x'", "BEGIN", "COMMIT", "SAVEPOINT a",
    "VACUUM", "VACUUM INTO 'x.db'", "REINDEX", "ANALYZE", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE events",
    "WITH x AS (SELECT 1) DELETE FROM events", "SELECT fts3_tokenizer('simple')", "EXPLAIN PRAGMA user_version",
    "CREATE TRIGGER a AFTER INSERT ON events BEGIN SELECT 1; END", "ALTER TABLE events RENAME TO x", "SELECT writefile('x', 'y')",
    "SELECT readfile('/etc/passwd')", "SELECT edit('x')",
]


def test_hostile(tap, hirscope, traces):
    trace = traces["ag_matmul"].paths
    folder = os.path.dirname(trace[0])
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    for sql in REFUSED:
        done = hirscope("query", *trace, sql, cwd=empty)
        tap.check(done.code == 2 and "error: " in done.err and not done.out, f"refuses {sql}", done)
    tap.check(not os.listdir(empty), "no file is written", os.listdir(empty))
    for sql, word in (("ATTACH 'x' AS y", "ATTACH is refused"), ("DELETE FROM sqlite_master", "refused"), ("PRAGMA a", "PRAGMA is refused")):
        done = hirscope("query", *trace, sql)
        tap.check(word in done.err and "only reads" in done.err or "modified" in done.err, f"says why {sql} is refused", done)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    for sql in ("SELECT count(*) FROM n", "SELECT * FROM n", "SELECT max(i) FROM n ORDER BY 1"):
        start = time.monotonic()
        done = hirscope("query", *trace, endless + sql, "--timeout", "0.5")
        tap.check(done.code == 2 and "takes longer than 0.5 s" in done.err and time.monotonic() - start < 30,
                  f"cancels endless recursion: {sql}", done.code, done.err, time.monotonic() - start)
    for sql, word in (("SELECT zeroblob(1000000000)", "16 MiB"), ("SELECT " + "(" * 5000 + "1" + ")" * 5000, "error"), ("SELECT " + "+".join("1" for _ in range(5000)), "depth"),
                      ("SELECT " + "-" * 9 + " 1", "error"), (" UNION ".join(["SELECT 1"] * 500), "compound"),
                      ("SELECT '\x01', \xff", "no such column"), ("", "no statement"), ("/* nothing */ ;", "no statement"),
                      ("SELECT percentile(1, 0)", "percent"), ("SELECT percentile(1, 101)", "percent"), ("SELECT arg(1)", "wrong number")):
        done = hirscope("query", *trace, sql)
        tap.check(done.code == 2 and word in done.err, f"reports {sql[:50]!r}", done.code, done.err[-500:])
    path = os.path.join(folder, "long.sql")
    for name, data, word in (("1 MB", b"SELECT '" + b"x" * 1000000 + b"'", "262144"), ("a NUL byte", b"SELECT 1\0;DROP", "error: "),
                             ("bytes that are not UTF-8", b"SELECT '\xff\xfe'", "UTF-8")):
        with open(path, "wb") as f:
            f.write(data)
        done = hirscope("query", *trace, "--file", path)
        piped = subprocess.run([hirscope.path, "query", *trace, "-"], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        tap.check(done.code == 2 and word in done.err and piped.returncode == 2 and word in piped.stderr.decode(),
                  f"refuses {name} of SQL", done, piped.stderr)
    rows, done = rows_of(hirscope, trace, "SELECT arg(id, 'x'), arg(NULL, 'x'), arg(id, NULL), arg(-5, 'x'), percentile(NULL, 50) FROM kernels")
    tap.check(rows == [[None] * 5], "functions return NULL for NULL", done)
    rows, done = rows_of(hirscope, trace, "SELECT percentile(9223372036854775807 - value, 100), percentile(value + 0.5, 50), "
                                          "percentile(value, 100) FROM json_each('[1, 2, 3]')")
    tap.check(rows == [[9223372036854775806, 2.5, 3]], "percentile() is exact", done)


def test_errors(tap, hirscope, traces):
    trace = traces["ag_matmul"].paths
    done = hirscope("query", *trace, "SELECT name,\n  größe\nFROM kernels")
    tap.check(done.code == 2 and "SQL:2:3: error: no such column" in done.err and "\n    ^" in done.err, "names line and column", done)
    done = hirscope("query", *trace, "SELECT 'größe', nmae FROM kernels")
    tap.check("SQL:1:17: error" in done.err, "columns count characters", done)
    path = os.path.join(os.path.dirname(trace[0]), "bad.sql")
    with open(path, "w", encoding="utf-8") as f:
        f.write("SELECT 1\nFORM kernels")
    done = hirscope("query", *trace, "--file", path)
    tap.check(f"{path}:2:" in done.err and "syntax error" in done.err, "names the file", done)
    for words in ((), trace, ("SELECT 1",), (trace[0] + ".absent", "SELECT 1"), (*trace, "--view", "absent"), (*trace, "--file", path + ".absent"),
                  (*trace, "SELECT 1", "--csv", "--json"), (*trace, "SELECT 1", "--timeout", "-1"), (*trace, "SELECT 1", "--timeout", "nan"),
                  ("--view", "gpus"), (*trace, "--view", "gpus", "--file", path), (*trace, "SELECT 1", "--nonsense")):
        done = hirscope("query", *words)
        tap.check(done.code == 2 and "error: " in done.err and not done.out, "rejects query " + " ".join(words[-3:]), done)
    child = subprocess.Popen([hirscope.path, "query", *trace, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
                              "--csv", "--timeout", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        child.stdout.read(1000)  # the query runs
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
        tap.check(child.returncode == -signal.SIGINT and b"takes longer" not in err, "Ctrl+C cancels", child.returncode, err)
    finally:
        child.kill()


def main():
    tap, hirscope = Tap(), from_command_line()
    with tempfile.TemporaryDirectory() as folder:
        traces = make_traces(hirscope, folder)
        tap.groups((test_cookbook, test_streams, test_views, test_tables, test_lookups, test_formats, test_hostile, test_errors), hirscope, traces)
    tap.done()


if __name__ == "__main__":
    main()
