#!/usr/bin/env python3
"""test-perfetto.py HIRSCOPE

Tests `export --to perfetto` with a decoder of our own: a recording has the events of its CSV export; a trace of another
profiler has its parents, arguments, flows, counters, threads and clock.
"""
import collections
import csv
import glob
import gzip
import json
import os
import tempfile
from decimal import Decimal

from perfetto_trace import PerfettoTrace
from program import SOURCE, from_command_line
from tap import Tap

CASES = os.path.join(SOURCE, "tests", "data", "cases", "traces")
SAMPLES = os.environ.get("HIR_TEST_TRACES", os.path.join(SOURCE, "..", "shared", "data", "traces"))
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync", "Kernel", "Memcpy", "Memset"}
# In words as in Python's JSON, except numbers that JSON does not have: Hirscope makes them strings.
STRICT = {"parse_constant": lambda word: {"NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity"}[word]}


def export(hirscope, tap, path, out):
    done = hirscope("export", path, "--to", "perfetto", "-o", out)
    if done.code != 0 and "protobuf-c" in done.err:
        tap.skip("export --to perfetto", "this build has no protobuf-c")
        return None
    if not tap.check(done.code == 0, f"{os.path.basename(path)}: export --to perfetto", done):
        return None
    return PerfettoTrace(out)


def test_recordings(tap, hirscope, folder):
    for name, words in (("ag_matmul", ("-d", 2, "--warmup", 1)), ("reduction", ())):
        path = os.path.join(folder, f"{name}.hirs")
        hirscope("run", f"example:{name}", "--clock", "model", "--trace", "full", "-o", path, *words)
        trace = export(hirscope, tap, path, path + ".pftrace")
        if trace is None:
            return
        hirscope("export", path, "--to", "csv", "-o", path + ".csv")
        with open(path + ".csv", encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(f))
        tap.check(not trace.problems, f"{name}: slices nest, and their tracks have descriptors", trace.problems[:3])
        wanted = sorted((r["name"], r["kind"], int(r["start_ns"]), int(r["duration_ns"]), int(r["rank"]),
                         r["instruction"], int(r["correlation"] or 0)) for r in rows)
        got = sorted((e["name"], e["args"]["kind"], e["start"], e["duration"], e["args"]["rank"],
                      e["args"].get("instruction", ""), e["args"].get("correlation", 0)) for e in trace.events)
        tap.check(got == wanted, f"{name}: the events are those of the CSV export", len(got), len(wanted))
        tap.check(len(trace.pairs) > 3, f"{name}: flows lead from launches to their work", len(trace.pairs))


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value())


class Source:
    """A Chrome trace, read by Python's parser."""

    def __init__(self, path):
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8-sig") as f:
            document = json.load(f, parse_float=Decimal, **STRICT)
        self.root = document if isinstance(document, dict) else {"traceEvents": document}
        found = [e for e in self.root["traceEvents"] if isinstance(e, dict) and "ts" in e and e.get("ph") in ("X", "C", "i", "I")]
        self.zero = min(ns(e["ts"]) for e in found)
        self.spans = [e for e in found if e["ph"] == "X" and "dur" in e and not (self.is_device(e) and ns(e["ts"]) == ns(e["dur"]) == 0)]

    @staticmethod
    def is_device(event):
        return event.get("cat") in DEVICE

    def key(self, event):
        return (event["name"], ns(event["ts"]) - self.zero, ns(event["dur"]))

    def threads(self):
        """Return the spans by thread, in the order of their starts, longer ones first."""
        found = collections.defaultdict(list)
        for event in self.spans:
            kind = event["cat"] if event.get("cat") in ("gpu_user_annotation", "overhead") else self.is_device(event)
            found[kind if kind == "overhead" else (kind, str(event["pid"]), str(event["tid"]))].append(event)
        return [sorted(events, key=lambda e: (ns(e["ts"]), -ns(e["dur"]))) for events in found.values()]

    def parents(self):
        """Count (span, parent) on threads whose spans nest; return the number of other spans, too."""
        found, n_others = collections.Counter(), 0
        for events in self.threads():
            pairs, stack, nests = [], [], True
            for event in events:
                key = self.key(event)
                while stack and stack[-1][1] + stack[-1][2] <= key[1]:
                    stack.pop()
                nests = nests and (not stack or stack[-1][1] + stack[-1][2] >= key[1] + key[2])
                pairs.append((key, stack[-1] if stack else None))
                if key[2] > 0:
                    stack.append(key)
            if nests:
                found.update(pairs)
            else:
                n_others += len(pairs)
        return found, n_others

    def flows(self):
        """Return the pairs of a launch and its work, which correlations tell, and of an operator and its backward pass."""
        launches, found = {}, collections.Counter()
        hosts = [e for e in self.spans if not self.is_device(e)]
        for event in sorted(hosts, key=lambda e: ns(e["ts"])):
            correlation = event.get("args", {}).get("correlation", 0)
            if correlation and correlation > 0:
                launches.setdefault(correlation, self.key(event))
        for event in self.spans:
            correlation = event.get("args", {}).get("correlation", 0)
            if self.is_device(event) and correlation in launches:
                found[launches[correlation], self.key(event)] += 1
        found.update(self.backward())
        return found

    def backward(self):
        """Yield the pairs of the fwdbwd flows. An end belongs to the innermost span at its time."""
        threads, ends = collections.defaultdict(list), collections.defaultdict(dict)
        for event in self.spans:
            threads[str(event["pid"]), str(event["tid"])].append(event)
        for event in self.root["traceEvents"]:
            if isinstance(event, dict) and event.get("cat") == "fwdbwd" and event["ph"] in "sf":
                at = ns(event["ts"])
                under = [e for e in threads[str(event["pid"]), str(event["tid"])] if ns(e["ts"]) <= at < ns(e["ts"]) + max(ns(e["dur"]), 1)]
                if under:
                    ends[event["id"]][event["ph"]] = self.key(max(under, key=lambda e: (ns(e["ts"]), -ns(e["dur"]))))
        for pair in ends.values():
            if len(pair) == 2:
                yield pair["s"], pair["f"]


def foreign(event):
    return {key: value for key, value in event["args"].items() if key != "hirscope"} if "hirscope" in event["args"] else {}


def plain(value):
    """Return a value that compares equal if JSON is equal."""
    if isinstance(value, (float, Decimal)):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def as_text(args):
    return json.dumps(plain(args), sort_keys=True)


def key_of(event):
    return (event["name"], event["start"], event["duration"])


def differences(got, wanted):
    return [f"missing: {row}"[:300] for row in list((wanted - got))[:2]] + [f"surplus: {row}"[:300] for row in list((got - wanted))[:2]]


def check_source(tap, hirscope, folder, path, has_flows=True):
    name, source = os.path.basename(path), Source(path)
    trace = export(hirscope, tap, path, os.path.join(folder, "out.pftrace"))
    if trace is None:
        return
    tap.check(not trace.problems, f"{name}: slices nest, flows have two ends", trace.problems[:3])
    wanted = collections.Counter((source.key(e), as_text(e.get("args", {}))) for e in source.spans)
    got = collections.Counter((key_of(e), as_text(foreign(e))) for e in trace.events)
    tap.check(not wanted - got, f"{name}: all {len(source.spans)} spans with their arguments", *differences(got, wanted))
    wanted, n_others = source.parents()
    got = collections.Counter((key_of(e), key_of(e["parent"]) if e["parent"] else None) for e in trace.events)
    tap.check(not wanted - got, f"{name}: the parents of {sum(wanted.values())} spans, {n_others} on threads that do not nest",
              *differences(got, wanted))
    if has_flows:
        wanted = source.flows()
        got = collections.Counter((key_of(a), key_of(b)) for a, b in trace.pairs)
        tap.check(got == wanted, f"{name}: {sum(wanted.values())} flows", *differences(got, wanted))


def test_cases(tap, hirscope, folder):
    """One thread track with nested slices, although the trace has no arguments."""
    path = os.path.join(CASES, "nest.json")
    trace = export(hirscope, tap, path, os.path.join(folder, "nest.pftrace"))
    if trace is None:
        return
    parents = {e["name"]: e["parent"] and e["parent"]["name"] for e in trace.events}
    tap.check(parents == {"outer": None, "mid": "outer", "inner": "mid", "mid2": "outer"}, "nest.json: parents", parents)
    tap.check(len(trace.threads) == 1 and {e["track"] for e in trace.events} == set(trace.threads), "nest.json: one thread track", trace.tracks)
    tap.check({e["category"] for e in trace.events} == {"cpu_op"}, "nest.json: categories", trace.events)
    backward = os.path.join(folder, "backward.json")
    with open(backward, "w", encoding="utf-8") as file:
        spans = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": tid, "ts": ts, "dur": dur}
                 for name, tid, ts, dur in (("outer", 1, 0, 50), ("forward", 1, 10, 20), ("backward", 2, 60, 20))]
        flows = [{"ph": ph, "cat": "fwdbwd", "name": "fwdbwd", "id": 3, "pid": 7, "tid": tid, "ts": ts, "bp": "e"}
                 for ph, tid, ts in (("s", 1, 10), ("f", 2, 60))]
        json.dump({"schemaVersion": 1, "traceEvents": spans + flows}, file)
    tap.check(list(Source(backward).backward()) == [(("forward", 10000, 20000), ("backward", 60000, 20000))], "the flow is known")
    check_source(tap, hirscope, folder, backward)
    for name in ("nest.json", "grid.json", "coll.json", "comm_names.json", "zero_mismatch.json", "bom.json"):
        check_source(tap, hirscope, folder, os.path.join(CASES, name))
    epochs = [export(hirscope, tap, os.path.join(CASES, f"abs_rank{rank}.json"), os.path.join(folder, "rank.pftrace")).clocks for rank in (0, 1)]
    tap.check(epochs[1][1] - epochs[1][6] - epochs[0][1] + epochs[0][6] == 1_000_000_000, "the clocks of two ranks are a second apart", epochs)


def span(name, start_us, duration_us, cat="cpu_op", tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 9, "tid": tid, "ts": start_us, "dur": duration_us, "args": args}


def test_kinds(tap, hirscope, folder):
    """Values of every type, one launch of two kernels, spans that overlap without nesting, counters."""
    values = {"i": -3, "big": 18446744073709551615, "huge": 10 ** 30, "x": 0.1, "t": True, "f": False, "n": None, "s": "a\"\u00e9\n", "l": [1, [2.5, "x"], {}],
              "d": {"a": {"b": [None]}}, "e": [], "z": 0}
    events = [span("a", 0, 100, **values), span("b", 10, 20), span("c", 15, 40), span("d", 50, 5), span("same", 60, 10), span("same2", 60, 10),
              span("at", 60, 0), span("launch", 70, 5, "cuda_runtime", correlation=7),
              span("k1", 80, 5, "kernel", 3, device=0, stream=3, correlation=7), span("k2", 90, 5, "kernel", 3, device=0, stream=3, correlation=7)]
    events += [{"ph": "C", "name": "memory", "pid": 9, "ts": ts, "args": {"bytes": value}} for ts, value in ((1, 2.5), (3, -4))]
    path = os.path.join(folder, "kinds.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"traceEvents": events}, f)
    check_source(tap, hirscope, folder, path)
    trace = PerfettoTrace(os.path.join(folder, "out.pftrace"))
    parents = {e["name"]: e["parent"] and e["parent"]["name"] for e in trace.events}
    tap.check(parents["b"] == "a" and parents["c"] is None and parents["d"] == "a" and parents["same2"] in ("same", "a"),
              "spans that do not nest are on a track of their own", parents)
    tap.check([value for _, _, value in sorted(trace.samples, key=lambda s: s[1])] == [2.5, -4], "counters", trace.samples)
    tap.check(sorted((a["name"], b["name"]) for a, b in trace.pairs) == [("launch", "k1"), ("launch", "k2")], "two kernels of one launch", trace.pairs)


def test_samples(tap, hirscope, folder):
    paths = sorted(p for kind in ("kineto", "oracle") for p in glob.glob(os.path.join(SAMPLES, kind, "*.json.gz")))
    if not paths:
        tap.skip("sample traces", f"{os.path.relpath(SAMPLES, SOURCE)} has none; set HIR_TEST_TRACES")
    for path in paths:
        check_source(tap, hirscope, folder, path)


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_recordings, test_cases, test_kinds, test_samples):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
