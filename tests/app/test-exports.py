#!/usr/bin/env python3
"""test-exports.py HIRSCOPE

Tests exports with other readers: Chrome JSON with Python's json and Kineto's conventions, CSV with Python's csv, Nsight
tables with SQL. All formats have the same events. Importing and exporting again gives the same bytes.
"""
import collections
import concurrent.futures
import csv
import glob
import gzip
import json
import os
import re
import sqlite3
import tempfile
from decimal import Decimal

from program import SOURCE, from_command_line
from tap import Tap

SAMPLES = os.environ.get("HIR_TEST_TRACES", os.path.join(SOURCE, "..", "shared", "data", "traces"))
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync"}
LINKS = 100000
HOST = {"cpu_op", "cuda_runtime", "cuda_driver", "user_annotation", "python_function", "overhead", "Trace", "cpu_instant_event"}


def ns(us):
    """Return nanoseconds; @us has exactly three decimals, as Kineto writes them."""
    if len(us) < 5 or us[-4] != "." or not us[-5].isdigit() or not us.isascii() or not us.replace(".", "", 1).removeprefix("-").isdigit():
        raise ValueError(f"{us} does not have three decimals")
    return int(us.replace(".", ""))


def read_json(path):
    """Read JSON. Numbers with a fraction stay strings; a duplicate key is an error."""
    def unique(pairs):
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError(f"duplicate key: {pairs}")
        return found
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        return json.load(f, parse_float=str, object_pairs_hook=unique)


def own(event):
    """Return Hirscope's arguments of an event; in an imported trace they are in addition to its own."""
    return event["args"].get("hirscope", event["args"])


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def duration_ns(event):
    """Return the duration of a span, 0 for an instant, and -1 for anything else."""
    return 0 if event["ph"] == "i" and "dur" not in event else ns(event["dur"]) if event["ph"] == "X" else -1


def kineto_problems(document):
    """Return violations of the conventions that Kineto's readers (Perfetto, the TensorBoard plug-in, HTA) need."""
    problems, named, flows = [], set(), collections.defaultdict(list)

    def complain(what, event):
        problems.append(f"{what}: {json.dumps(event)}")

    for key in ("schemaVersion", "deviceProperties", "displayTimeUnit", "traceEvents", "distributedInfo"):
        if key not in document:
            problems.append(f"no {key}")
    if any(set(d) < {"id", "name"} for d in document["deviceProperties"]):
        problems.append("a device without id and name")
    spans, devices = collections.defaultdict(set), {e["pid"] for e in document["traceEvents"] if e.get("cat") in DEVICE}
    for event in document["traceEvents"]:
        if event["ph"] in "Xi":
            spans[event["pid"], event["tid"]].add(ns(event["ts"]))
    for event in document["traceEvents"]:
        if type(event["pid"]) not in (int, str) or type(event["tid"]) not in (int, str):
            complain("pid or tid is neither a number nor a text", event)
        if event["ph"] == "M":
            named.add((event["name"], event["pid"], event["tid"]))
            continue
        if event["ph"] in "sf":
            flows[event["cat"], event["id"]].append(event)
            if event["cat"] not in ("ac2g", "fwdbwd") or (event["ph"] == "f" and event.get("bp") != "e"):
                complain("not a flow of Kineto", event)
            if ns(event["ts"]) not in spans[event["pid"], event["tid"]]:
                complain("a flow ends where no event starts", event)
            continue
        args, category = own(event), event["cat"]
        if duration_ns(event) < 0 or (event["ph"] == "i" and event["s"] not in ("t", "p", "g")):
            complain("neither a span, an instant nor a flow", event)
        if category not in DEVICE | HOST:
            complain("a category that Kineto does not have", event)
        # Links and teams are not streams: no stream uses their numbers.
        if category in DEVICE and (args["device"] != event["pid"] % 1000 or event["tid"] not in (args["stream"], max(event["tid"], LINKS))):
            complain("pid is not the device, or tid not the stream", event)
        # PyTorch gives Python frames of some threads the process 0.
        if category in HOST - {"python_function"} and event["pid"] in devices:
            complain("host work in the process of a device", event)
        if "Collective name" in args and not {"In msg nelems", "Out msg nelems", "dtype"} <= set(args):
            complain("a collective without its message", event)
        if "correlation" in args and args.get("External id") != args["correlation"]:
            complain("not linked to its op", event)
    for event in document["traceEvents"]:
        if event["ph"] in "Xi" and not {("process_name", event["pid"], 0), ("thread_name", event["pid"], event["tid"])} <= named:
            complain("its process or thread has no name", event)
    for key, ends in flows.items():
        if [e["ph"] for e in ends].count("s") != 1 or len(ends) < 2:
            problems.append(f"a flow without exactly one start and at least one end: {key}")
    return problems


def spans_of(document):
    """Count spans and instants by (rank, name, start, duration, correlation), which all formats have."""
    found = collections.Counter()
    for event in document["traceEvents"]:
        if event["ph"] in "Xi":
            args = own(event)
            found[args["rank"], event["name"], ns(event["ts"]), duration_ns(event), args.get("correlation", 0)] += 1
    return found


def spans_of_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    return collections.Counter((int(r["rank"]), r["name"], int(r["start_ns"]), int(r["duration_ns"]), int(r["correlation"] or 0))
                               for r in rows), rows


def kernels_of_nsight(path):
    with sqlite3.connect(path) as db:
        return collections.Counter(db.execute(
            "SELECT s.value, k.start, k.end - k.start, k.correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL k"
            " JOIN StringIds s ON s.id = k.demangledName"))


def export(hirscope, path, form, out):
    done = hirscope("export", path, "--to", form, "-o", out)
    return done.code == 0, done


def check_exports(tap, hirscope, folder, path, what):
    """All formats of a trace have the same content."""
    chrome, table, nsight = (os.path.join(folder, f"out.{end}") for end in ("json", "csv", "sqlite"))
    forms = (("chrome", chrome), ("csv", table), ("nsight", nsight))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda pair: export(hirscope, path, *pair), forms))
    for (form, _), (good, done) in zip(forms, results):
        if not good:
            return tap.check(False, f"{what}: --to {form}", done)
    document = read_json(chrome)
    problems = kineto_problems(document)
    tap.check(not problems, f"{what}: follows Kineto's conventions", *problems[:5], f"{len(problems)} in total")
    spans, (rows, lines) = spans_of(document), spans_of_csv(table)
    tap.check(spans == rows and sum(spans.values()) > 0, f"{what}: CSV has the events that Chrome JSON has",
              list((spans - rows).items())[:3], list((rows - spans).items())[:3])
    wanted = collections.Counter((e["name"], ns(e["ts"]), ns(e["dur"]), own(e).get("correlation", 0))
                                 for e in document["traceEvents"] if e["ph"] == "X" and e["cat"] == "kernel")
    if min((start for _, start, _, _ in wanted), default=0) >= 0:
        got = kernels_of_nsight(nsight)
        tap.check(got == wanted, f"{what}: the Nsight tables have the kernels that Chrome JSON has",
                  list((wanted - got).items())[:3], list((got - wanted).items())[:3])
    # A re-imported export is exported as the same bytes.
    again, other = os.path.join(folder, "again.json"), os.path.join(folder, "other.json")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        (good, done), from_nsight = pool.map(lambda pair: export(hirscope, pair[0], "chrome", pair[1]), ((chrome, other), (nsight, again)))
    tap.check(good and read_bytes(other) == read_bytes(chrome), f"{what}: --to chrome is imported unchanged", done)
    good, done = from_nsight
    tap.check(good and read_bytes(again) == read_bytes(chrome), f"{what}: --to nsight is imported unchanged", done)
    return True


def test_recordings(tap, hirscope, folder):
    for name, words in (("ag_matmul", ("-d", 2)), ("matmul_m", ("--input", "16x32", "--input", "32x8"))):
        path = os.path.join(folder, f"{name}.hirs")
        done = hirscope("run", f"example:{name}", "--clock", "model", "--trace", "full", "--warmup", 1, "-o", path, *words)
        tap.check(done.code == 0, f"{name} is recorded", done)
        check_exports(tap, hirscope, folder, path, name)
    document = read_json(os.path.join(folder, "out.json"))
    events = [e for e in document["traceEvents"] if e["ph"] == "X" and "instruction" in e["args"]]
    tap.check(events and all(re.fullmatch("[0-9a-f]{16}", e["args"]["instruction"]) and type(e["args"]["iteration"]) is int
                             for e in events), "instructions are 16 hex digits, iterations numbers")
    tap.check({e["cat"] for e in events} <= {"cpu_op", "kernel", "gpu_memcpy", "gpu_memset", "cuda_sync", "cuda_runtime"} and
              any(e["cat"] == "cpu_op" for e in events), "issue spans have the category cpu_op", {e["cat"] for e in events})
    without = [e for e in document["traceEvents"] if e["ph"] == "X" and "instruction" not in e["args"]]
    tap.check(all(e["args"].get("phase") in ("setup", "check", "warmup") for e in without),
              "work without an instruction has a phase", without[:3])


def test_messages(tap, hirscope, folder):
    """Groups of messages keep their data type, sizes and pairs of ranks."""
    for name in ("allgather_p2p", "AG_matmul_P2p"):
        path, chrome = (os.path.join(folder, f"{name}.{end}") for end in ("hirs", "json"))
        done = hirscope("run", f"example:{name}", "-d", 4, "--clock", "model", "-o", path)
        tap.check(done.code == 0, f"{name} is recorded", done)
        check_exports(tap, hirscope, folder, path, name)
        good, done = export(hirscope, path, "chrome", chrome)
        groups = [e["args"] for e in read_json(chrome)["traceEvents"] if "Coalesced messages" in e.get("args", {})]
        tap.check(good and len(groups) == 12 and all(
            group["dtype"] == "Float" and 4 * group["In msg nelems"] == group["bytes"] and
            {(m["Collective name"], m["Src Rank"], m["Dst Rank"]) for m in group["Coalesced messages"]} ==
            {("send", group["rank"], peer(group)), ("recv", peer(group), group["rank"])} for group in groups),
            f"{name}: each exchange of the Chrome export has its send and its receive", *groups[:2])
        wanted, got = (hirscope("stats", file) for file in (path, chrome))
        tap.check("coalesced, 0>1" in wanted.out and "others wait" in wanted.out and got.out == wanted.out,
                  f"{name}: stats of the Chrome export are those of the recording", got, wanted)
        # Rows of equal times can have another order.
        wanted, got = (sorted(hirscope("explain", file).out.split("\n\n")[0].splitlines()) for file in (path, chrome))
        tap.check(any("on the path" in line for line in wanted) and got == wanted, f"{name}: the path of the Chrome export is that of the recording", got, wanted)


def peer(group):
    message = group["Coalesced messages"][0]
    return message["Src Rank"] + message["Dst Rank"] - group["rank"]


def test_packed(tap, hirscope, folder):
    path, plain, packed = (os.path.join(folder, name) for name in ("matmul_m.hirs", "out.json", "out.json.gz"))
    export(hirscope, path, "chrome", plain)
    good, done = export(hirscope, path, "chrome", packed)
    with open(plain, "rb") as f, gzip.open(packed, "rb") as g:
        tap.check(good and f.read() == g.read(), "a file with the suffix .gz is compressed", done)
    tap.check(os.path.getsize(packed) * 4 < os.path.getsize(plain), "the compressed file is less than a quarter of the size", os.path.getsize(packed))


def kineto_text(events):
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": events})


def test_categories(tap, hirscope, folder):
    """Each category is exported as it was imported from Kineto."""
    names = [("cpu_op", "aten::mm"), ("user_annotation", "ProfilerStep#3"), ("cuda_runtime", "cudaLaunchKernel"), ("cuda_driver", "cuLaunchKernel"),
             ("python_function", "train.py(12): step"), ("user_annotation", "custom step"), ("cuda_runtime", "hipLaunchKernel")]
    events = [{"ph": "X", "cat": cat, "name": name, "pid": 9, "tid": 9, "ts": 10 * i, "dur": 5, "args": {"correlation": i + 1}}
              for i, (cat, name) in enumerate(names)]
    events += [{"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": 100 + 10 * i, "dur": 5, "args": {"device": 0, "stream": 7}}
               for i, (cat, name) in enumerate([("kernel", "gemm"), ("gpu_memcpy", "Memcpy DtoD"), ("gpu_user_annotation", "ProfilerStep#3")])]
    path, out = os.path.join(folder, "in.json"), os.path.join(folder, "out.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(kineto_text(events))
    good, done = export(hirscope, path, "chrome", out)
    got = sorted((e["cat"], e["name"]) for e in read_json(out)["traceEvents"] if e["ph"] == "X")
    wanted = sorted((e["cat"], e["name"]) for e in events)
    tap.check(good and got == wanted, "Kineto's categories are unchanged", done, wanted, got)


def test_instants(tap, hirscope, folder):
    """Instants stay instants, with their scope; readers of spans such as HTA would count a span of no length. The
    formats in between have no instants."""
    events = [{"ph": "i", "s": "p", "cat": "cpu_instant_event", "name": "[memory]", "pid": 9, "tid": 9, "ts": 10, "args": {"Bytes": 512}},
              {"ph": "I", "name": "no scope", "pid": 9, "tid": 9, "ts": 11},
              {"ph": "i", "s": "g", "cat": "cpu_op", "name": "everywhere", "pid": 9, "tid": 9, "ts": 12, "args": {}},
              {"ph": "X", "cat": "cpu_op", "name": "no length", "pid": 9, "tid": 9, "ts": 13, "dur": 0},
              {"ph": "X", "cat": "cpu_op", "name": "a span", "pid": 9, "tid": 9, "ts": 14, "dur": 2}]
    wanted = [("[memory]", "i", "p"), ("everywhere", "i", "g"), ("no length", "X", None), ("no scope", "i", "t"), ("a span", "X", None)]
    path, first = os.path.join(folder, "in.json"), os.path.join(folder, "first.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(kineto_text(events))
    good, done = export(hirscope, path, "chrome", first)
    document = read_json(first)
    got = [(e["name"], e["ph"], e.get("s")) for e in document["traceEvents"] if e["ph"] in "Xi"]
    tap.check(good and sorted(got) == sorted(wanted), "instants are exported as instants with their scope", done, got)
    tap.check(not kineto_problems(document), "they follow Kineto's conventions", *kineto_problems(document)[:3])
    memory = [e["args"] for e in document["traceEvents"] if e["name"] == "[memory]"]
    tap.check(len(memory) == 1 and memory[0]["Bytes"] == 512, "and keep their arguments", memory)
    for form, end in (("chrome", "json"), ("hirs", "hirs"), ("nsight", "sqlite")):
        between, again = os.path.join(folder, f"between.{end}"), os.path.join(folder, "again.json")
        good, done = export(hirscope, first, form, between)
        good, done = export(hirscope, between, "chrome", again) if good else (good, done)
        tap.check(good and read_bytes(again) == read_bytes(first), f"instants survive --to {form}", done)
    with sqlite3.connect(between) as db:
        marks = db.execute("SELECT s.value, n.start, n.end FROM NVTX_EVENTS n JOIN StringIds s ON s.id = textId WHERE eventType = 34"
                           " ORDER BY n.start").fetchall()
    tap.check(marks == [("[memory]", 0, None), ("no scope", 1000, None), ("everywhere", 2000, None)], "in Nsight's tables they are marks", marks)


def test_flows(tap, hirscope, folder):
    """Flows of other programs survive each format; an export to Nsight tells where they are."""
    spans = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 9, "tid": tid, "ts": ts, "dur": 5}
             for name, tid, ts in (("forward", 1, 10), ("middle", 1, 20), ("backward", 2, 30))]
    points = [{"ph": ph, "cat": cat, "name": name, "id": key, "pid": 9, "tid": tid, "ts": ts, **more}
              for ph, cat, name, key, tid, ts, more in (("s", "fwdbwd", "fwdbwd", 7, 1, 10, {}), ("f", "fwdbwd", "fwdbwd", 7, 2, 30, {"bp": "e"}),
                                                        ("s", "data", "tensor", 1, 1, 11, {}), ("t", "data", "tensor", 1, 1, 21, {}),
                                                        ("f", "data", "tensor", 1, 2, 29, {}))]
    path, first = os.path.join(folder, "in.json"), os.path.join(folder, "first.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(kineto_text(spans + points))
    good, done = export(hirscope, path, "chrome", first)
    got = [(e["ph"], e["cat"], e["name"], e["id"], ns(e["ts"]) + 10000, e.get("bp")) for e in read_json(first)["traceEvents"] if e["ph"] in "stf"]
    wanted = [(e["ph"], e["cat"], e["name"], e["id"], e["ts"] * 1000, e.get("bp")) for e in points]
    tap.check(good and sorted(got, key=str) == sorted(wanted, key=str), "flows are exported as they were", done, got)
    for form, end in (("hirs", "hirs"), ("nsight", "sqlite")):
        between, again = os.path.join(folder, f"between.{end}"), os.path.join(folder, "again.json")
        good, done = export(hirscope, first, form, between)
        tap.check(form != "nsight" or "5 points of flows are in the table HIRSCOPE_FLOWS" in done.err, "the note names the table of flows", done)
        good, done = export(hirscope, between, "chrome", again) if good else (good, done)
        tap.check(good and read_bytes(again) == read_bytes(first), f"flows survive --to {form}", done)


def test_samples(tap, hirscope, folder):
    """Every sample trace has the same content after export to and import from each format."""
    paths = sorted(p for kind in ("kineto", "oracle", "nsys") for end in ("json.gz", "sqlite")
                   for p in glob.glob(os.path.join(SAMPLES, kind, f"*.{end}")))
    if not paths:
        tap.skip("sample traces", f"{os.path.relpath(SAMPLES, SOURCE)} has none")
    for path in paths:
        name = os.path.basename(path)
        with tempfile.TemporaryDirectory() as own:
            check_exports(tap, hirscope, own, path, name)


def main():
    tap = Tap()
    hirscope = from_command_line()
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_recordings, test_messages, test_packed, test_categories, test_instants, test_flows, test_samples):
            tap.group(test, hirscope, folder)
    tap.done()


main()
