#!/usr/bin/env python3
"""test-export-pairs.py HIRSCOPE

Exports traces to each format that can be read again and from there to Chrome's JSON, and compares the result with the
source, read by Python: events, arguments, flows, counters, instants, ids and names of processes and threads, the
members of the root and the zero of time.
"""
import collections
import glob
import gzip
import json
import os
import tempfile
from decimal import Decimal

from program import SOURCE, from_command_line
from tap import Tap

SAMPLES = os.environ.get("HIR_TEST_TRACES", os.path.join(SOURCE, "..", "shared", "data", "traces"))
WAYS = (("chrome",), ("hirs",), ("nsight",), ("hirs", "nsight"), ("nsight", "hirs"), ("chrome", "nsight"))
SUFFIX = {"chrome": "json", "hirs": "hirs", "nsight": "sqlite"}
OLD_NAMES = {"Operator": "cpu_op", "Kernel": "kernel", "Memcpy": "gpu_memcpy", "Memset": "gpu_memset", "Runtime": "cuda_runtime"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync"}
LAUNCH_FLOWS = {"ac2g", "async_gpu", "async_cpu_to_gpu"}
OWN_MEMBERS = {"schemaVersion", "displayTimeUnit", "baseTimeNanoseconds", "traceEvents", "hirscope", "deviceProperties", "distributedInfo"}


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8-sig", errors="replace") as f:
        root = json.load(f, parse_float=Decimal)
    return root if isinstance(root, dict) else {"traceEvents": root}


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value())


def number(value):
    return int(value) if isinstance(value, str) and value.isdigit() else value


def plain(args):
    return json.dumps(args, sort_keys=True, default=float)


class Content:
    """What a trace says, with times of the clock of the file."""

    def __init__(self, root, is_own=False):
        self.root, self.base = root, int(root.get("baseTimeNanoseconds", 0))
        self.events, self.counters, self.flows = collections.Counter(), collections.Counter(), collections.Counter()
        self.names, self.places = collections.Counter(), set()
        for event in root["traceEvents"]:
            if isinstance(event, dict) and "ph" in event:
                self.take(event, is_own)
        self.names = {key: name for key, name in self.names.items() if key[:2] in {p[:len(key) - 1] for p in self.places} or key[1:] in self.places}

    def time(self, event):
        return ns(event["ts"]) + self.base

    def take(self, event, is_own):
        ph, place = event["ph"], (number(event.get("pid")), number(event.get("tid")))
        args = dict(event.get("args") or {})
        if is_own and ph in "Xi":
            args = {key: value for key, value in args.items() if key != "hirscope"} if "hirscope" in args else {}
        if ph in ("X", "i", "I"):
            if ph == "X" and ("dur" not in event or (event.get("cat") in DEVICE and ns(event["ts"]) == ns(event["dur"]) == 0)):
                return
            cat = OLD_NAMES.get(event.get("cat"), event.get("cat"))
            # Device work has the category of its kind.
            cat = "device" if cat in DEVICE else cat
            self.events["X" if ph == "X" else "i", cat if event.get("cat") else None, event["name"], self.time(event), ns(event.get("dur", 0)),
                        event.get("s", "t") if ph != "X" else None, plain(args), place] += 1
            self.places.add(place)
        elif ph == "C":
            for series, value in args.items():
                if series != "hirscope" and isinstance(value, (int, Decimal)):
                    self.counters[event["name"], series, self.time(event), float(value), place[0]] += 1
        elif ph in "stf" and event.get("cat") not in LAUNCH_FLOWS:
            self.flows[ph, event.get("cat"), event["name"], event["id"], self.time(event), event.get("bp"), place] += 1
        elif ph == "M" and event["name"] in ("process_name", "thread_name"):
            key = (event["name"], place[0]) if event["name"] == "process_name" else (event["name"], *place)
            self.names[key] = str(args["name"]).strip()


def rows(counter, n=2):
    return [str(row)[:400] for row in list(counter)[:n]]


def without_category(events):
    """Categories that the source does not state are derived."""
    found = collections.Counter()
    for (ph, _, *rest), n in events.items():
        found[(ph, *rest)] += n
    return found


def check_way(tap, hirscope, folder, path, source, way):
    what, at = f"{os.path.basename(path)} -> {' -> '.join(way)}", path
    for i, form in enumerate((*way, "chrome")):
        out = os.path.join(folder, f"{i}.{SUFFIX[form]}")
        done = hirscope("export", at, "--to", form, "-o", out)
        if done.code != 0:
            return tap.check(False, f"{what}: --to {form}", done)
        at = out
    got = Content(read(at), True)
    stated = collections.Counter({key: n for key, n in source.events.items() if key[1] is not None})
    unstated = source.events - stated
    lost = (stated - got.events) + (without_category(unstated) - without_category(got.events))
    tap.check(not lost and sum(got.events.values()) == sum(source.events.values()), f"{what}: all {sum(source.events.values())} events, "
              "with ids, arguments and times", sum(got.events.values()), *rows(lost), "instead of", *rows(got.events - source.events))
    for name in ("counters", "flows"):
        wanted, found = getattr(source, name), getattr(got, name)
        tap.check(wanted == found, f"{what}: {sum(wanted.values())} {name}", *rows(wanted - found), "instead of", *rows(found - wanted))
    tap.check(source.names.items() <= got.names.items(), f"{what}: {len(source.names)} names of processes and threads",
              *rows(source.names.items() - got.names.items()), *rows(got.names.items() - source.names.items()))
    wanted, found = ({key: plain(value) for key, value in content.root.items() if key not in OWN_MEMBERS} for content in (source, got))
    tap.check(wanted == found, f"{what}: {len(wanted)} members of the root", wanted, found)
    return True


def own_trace():
    """Return a trace with all kinds of events, as several programs write them."""
    def span(name, cat, pid, tid, ts, dur, **args):
        return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
    events = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}} for pid, name in ((4321, "python"), (0, "python"), ("Spans", "Spans"))]
    events += [{"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}
               for pid, tid, name in ((4321, 4321, "thread 4321 (python)"), (4321, 4400, "loader"), (0, 7, "stream 7 "), (0, 20, "stream 20 "))]
    events += [span("aten::mm", "cpu_op", 4321, 4321, 10, 30, **{"External id": 5, "Input Dims": [[4, 5], [5, 6]], "x": {"y": [None, True]}}),
               span("cudaLaunchKernel", "cuda_runtime", 4321, 4321, 12, 3, correlation=5, cbid=211),
               span("next", "python_function", 4321, 4400, 20, 8),
               span("gemm", "kernel", 0, 7, 20, 10, device=0, stream=7, correlation=5, grid=[1, 2, 3], block=[128, 1, 1]),
               span("Memcpy DtoD (Device -> Device)", "gpu_memcpy", 0, 20, 31, 4, device=0, stream=20, bytes=512),
               span("step", "gpu_user_annotation", 0, 7, 20, 11, **{"External id": 5}),
               span("PyTorch Profiler (0)", "Trace", "Spans", "PyTorch Profiler", 0, 60, **{"Op count": 3}),
               span("Record Window End", "overhead", 4321, 0, 58, 1),
               {"ph": "i", "s": "p", "cat": "cpu_instant_event", "name": "[memory]", "pid": 4321, "tid": 4321, "ts": 15, "args": {"Bytes": 512}}]
    events += [{"ph": "C", "name": "memory", "pid": 4321, "ts": ts, "args": {"used": value, "free": 9}} for ts, value in ((11, 2.5), (33, -4))]
    events += [{"ph": ph, "cat": "fwdbwd", "name": "fwdbwd", "id": 3, "pid": 4321, "tid": tid, "ts": ts, **more}
               for ph, tid, ts, more in (("s", 4321, 10, {}), ("f", 4400, 20, {"bp": "e"}))]
    events += [{"ph": ph, "cat": "ac2g", "name": "ac2g", "id": 5, "pid": pid, "tid": tid, "ts": ts, **more}
               for ph, pid, tid, ts, more in (("s", 4321, 4321, 12, {}), ("f", 0, 7, 20, {"bp": "e"}))]
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "distributedInfo": {"rank": 3, "world_size": 8},
            "trace_id": "A1B2", "baseTimeNanoseconds": 1700000000000000000, "traceEvents": events}


def check_trace(tap, hirscope, path, ways=WAYS):
    source = Content(read(path))
    with tempfile.TemporaryDirectory() as folder:
        for way in ways:
            check_way(tap, hirscope, folder, path, source, way)


def test_own(tap, hirscope, folder):
    path = os.path.join(folder, "own.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(own_trace(), f)
    check_trace(tap, hirscope, path)


def test_ranks(tap, hirscope, folder):
    """Ranks of several machines may have the same process id; the first one keeps it."""
    paths = []
    for rank, pid in ((0, 11), (1, 11), (2, 12)):
        paths.append(os.path.join(folder, f"rank{rank}.json"))
        with open(paths[-1], "w", encoding="utf-8") as f:
            json.dump({"distributedInfo": {"rank": rank, "world_size": 3}, "traceEvents": [
                {"ph": "X", "cat": "cpu_op", "name": f"op{rank}", "pid": pid, "tid": 70 + rank, "ts": 10, "dur": 5},
                {"ph": "X", "cat": "kernel", "name": f"kernel{rank}", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": {"device": 0, "stream": 7}}]}, f)
    for form in ("chrome", "hirs", "nsight"):
        between, out = os.path.join(folder, f"all.{SUFFIX[form]}"), os.path.join(folder, "out.json")
        done = hirscope("export", *paths, "--to", form, "-o", between)
        done = hirscope("export", between, "--to", "chrome", "-o", out) if done.code == 0 else done
        places = {e["name"]: (e["pid"], e["tid"]) for e in read(out)["traceEvents"] if e["ph"] == "X"} if done.code == 0 else {}
        tap.check(places == {"op0": (11, 70), "kernel0": (0, 7), "op1": (100001, 71), "kernel1": (1000, 7), "op2": (12, 72), "kernel2": (2000, 7)},
                  f"ids of three ranks through {form}", places, done)


def test_samples(tap, hirscope, folder):
    paths = sorted(glob.glob(os.path.join(SAMPLES, "kineto", "*.json.gz")) + glob.glob(os.path.join(SAMPLES, "oracle", "*.json.gz")))
    if not paths:
        tap.skip("sample traces", f"{os.path.relpath(SAMPLES, SOURCE)} has none")
    for path in paths:
        check_trace(tap, hirscope, path, WAYS[:3])


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_own, test_ranks, test_samples):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
