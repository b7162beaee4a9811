#!/usr/bin/env python3
"""test-join.py HIRSCOPE [all]

Tests `join`: recordings of our own without their instructions, and generated traces of PyTorch, whole and damaged, get
back what was recorded. A wrong program is refused, and planted defects are reported. With "all", only recordings
of our own, but of every scenario, whole and damaged; this takes ten minutes or more.
"""
import argparse
import collections
import gzip
import json
import os
import random
import re
import sqlite3
import stat
import sys
import tempfile

import join_traces
from join_traces import DEVICE, Recorder, get_correlation
from program import EXAMPLES, SOURCE, from_command_line
from tap import Tap

PROGRAMS = os.path.join(SOURCE, "tests", "data", "join", "programs")
# Name: program, shapes of its inputs, options of the Recorder.
CASES = {
    "copies": ("copies", [(8, 64)], {}),
    "reduction": ("reduction", [(8, 16, 64)], {"allocates": True}),
    "matmul": ("matmul", [(8, 64, 64), (64, 64)], {}),
    "fill": ("matmul", [(6, 64, 64), (64, 64)], {"matmul": "fill"}),
    "split": ("matmul", [(8, 16, 64), (64, 16)], {"matmul": "split", "allocates": True}),
    "dot": ("matmul", [(8, 1, 64), (64, 1)], {"matmul": "dot"}),
    "chain": ("chain", [(8, 64, 64), (8, 64, 64), (64, 64)], {}),
    "sums": ("sums", [(5, 64, 64), (64, 64)], {"matmul": "fill"}),
}
DAMAGES = {
    "whole": lambda events: events,
    "shuffled": lambda events: join_traces.shuffle(events, 1),
    "without calls": join_traces.without_calls,
    "without ops": join_traces.without_ops,
    "only kernels": join_traces.only_kernels,
    "cut at its end": lambda events: join_traces.cut(events, 0, 0.55),
    "cut at both ends": lambda events: join_traces.cut(events, 0.15, 0.8),
    "with 5 % lost, 1": lambda events: join_traces.drop(events, 0.05, 1),
    "with 5 % lost, 2": lambda events: join_traces.drop(events, 0.05, 2),
}


# The same, recorded by tests/gpu/join_torch.py on one H200 with 4 streams, with the truth next to each trace.
H200 = os.path.join(SOURCE, "tests", "data", "join", "h200")
RECORDED = {
    "copies": ("copies", [(8, 65536)]),
    "reduction": ("reduction", [(8, 256, 1024)]),
    "binary": ("binary", [(8, 65536), (8, 65536)]),
    "matmul": ("matmul", [(8, 512, 512), (512, 512)]),
    "matmul_half": ("matmul", [(6, 1024, 1024), (1024, 1024)]),
    "thin": ("matmul", [(8, 16, 16384), (16384, 16)]),
    "chain": ("chain", [(8, 256, 256), (8, 256, 256), (256, 256)]),
    "sums": ("sums", [(5, 256, 256), (256, 256)]),
}
# Defects that were planted in the runs of "chain": what join reports.
DEFECTS = {
    "no_wait": "line 9: the trace lacks the wait of Synchronize (rank 0, repetition 0, iteration 3",
    "one_stream": "line 18: T8_add ran on stream 33 instead of stream 37 (rank 0, repetition 0, iteration 2",
    "extra": "line 18: the program has no aten::copy_ after T8_add (rank 0, repetition 0, iteration 4",
}


class SlowHost(Recorder):
    """A host so slow that no work of the device overlaps."""

    def pass_time(self, least=1, most=8):
        super().pass_time(60, 80)


def path_of(program):
    return os.path.join(PROGRAMS, program + ".txt")


def inputs_of(shapes):
    return [word for shape in shapes for word in ("--input", "x".join(map(str, shape)))]


class Score:
    """Counts the lines of a table by what the truth says. The number of the first repetition may differ in a trace that
    lacks it, so repetitions are compared up to one difference."""

    def __init__(self, table, events, truth):
        self.tied = self.wrong = self.certain_wrong = self.untied = self.foreign_tied = self.foreign = 0
        zero = min(e["ts"] for e in events)
        known = {(e["args"]["stream"], round((e["ts"] - zero) * 1000)): e for e in events if e["cat"] in DEVICE}
        right = []
        for row in table:
            fact = truth.get(id(known[int(row[7]), int(row[8])]))
            if row[1] == "-":
                self.untied += fact is not None
                self.foreign += fact is None
            elif fact is None:
                self.foreign_tied += 1
            else:
                self.tied += 1
                if (int(row[1]), int(row[2])) == fact[:2]:
                    right.append((int(row[3]) - fact[2], row[4]))
                else:
                    self.add_wrong(row[4])
        shifts = collections.Counter(shift for shift, _ in right)
        for shift, confidence in right:
            if shift != shifts.most_common(1)[0][0]:
                self.add_wrong(confidence)

    def add_wrong(self, confidence):
        self.wrong += 1
        self.certain_wrong += confidence == "1"

    def is_good(self):
        n = self.tied + self.untied
        return (self.tied >= 0.95 * n > 0 and self.wrong <= 0.01 * self.tied and self.certain_wrong == 0 and
                self.foreign_tied <= 0.01 * max(self.foreign, 1))

    def __str__(self):
        return str(vars(self))


def read_table(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return rows[0], rows[1:]


def join(hirscope, folder, program, events, *words):
    trace, table = os.path.join(folder, "trace.json"), os.path.join(folder, "table.tsv")
    join_traces.write(events, trace)
    done = hirscope("join", path_of(program), trace, "--tsv", table, *words)
    return done, read_table(table)[1] if done.code == 0 else []


def truth_of(recorder, events, originals=None):
    """Return {id(event): (line, iteration, repetition)}; @originals has the correlations if @events have none."""
    numbers = {}
    for event in originals or events:
        if event["cat"] in DEVICE:
            numbers[event["args"]["stream"], event["ts"]] = get_correlation(event)
    facts = {id(e): recorder.truth.get(numbers[e["args"]["stream"], e["ts"]]) for e in events if e["cat"] in DEVICE}
    return {key: fact for key, fact in facts.items() if fact is not None}


def check_generated(tap, hirscope, folder):
    for name, (program, shapes, options) in CASES.items():
        recorder = Recorder(path_of(program), shapes, **options).run()
        for damage, function in DAMAGES.items():
            events = function(recorder.events)
            done, table = join(hirscope, folder, program, events, *inputs_of(shapes))
            score = Score(table, events, truth_of(recorder, events, recorder.events)) if table else "nothing is tied"
            tap.check(table and score.is_good(), f"{name} {damage}: {score}", done)
        done, table = join(hirscope, folder, program, recorder.events)
        score = Score(table, recorder.events, truth_of(recorder, recorder.events)) if table else "nothing is tied"
        tap.check(table and score.is_good(), f"{name} without sizes: {score}", done)


def read_recorded(name):
    """Return the events of a recorded trace, and the truth by correlation."""
    with gzip.open(os.path.join(H200, name + ".json.gz"), "rt", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X" and "cat" in e and "args" in e]
    zero = min(e["ts"] for e in events)
    for event in events:  # so that a number in µs has room for nanoseconds
        event["ts"] = round(event["ts"] - zero, 3)
    rows = read_table(os.path.join(H200, name + ".tsv"))[1]
    return events, {int(r[0]): tuple(map(int, r[1:4])) for r in rows if r[4] in DEVICE and r[1] != "-"}


def check_recorded(tap, hirscope, folder):
    table = os.path.join(folder, "table.tsv")
    for name, (program, shapes) in RECORDED.items():
        recorder = argparse.Namespace()
        recorder.events, recorder.truth = read_recorded(name)
        done = hirscope("join", path_of(program), os.path.join(H200, name + ".json.gz"), "--tsv", table, *inputs_of(shapes))
        rows = read_table(table)[1]
        right = sum(tuple(map(int, row[1:4])) == recorder.truth[int(row[0])] for row in rows if row[1] != "-")
        tap.check(done.code == 0 and right == len(rows) == len(recorder.truth), f"{name} on an H200: all of {len(rows)} are right", done)
        for damage, function in DAMAGES.items():
            events = function(recorder.events)
            done, rows = join(hirscope, folder, program, events, *inputs_of(shapes))
            score = Score(rows, events, truth_of(recorder, events, recorder.events)) if rows else "nothing is tied"
            tap.check(rows and score.is_good(), f"{name} on an H200, {damage}: {score}", done)
    program, shapes = RECORDED["chain"]
    for name, finding in DEFECTS.items():
        done = hirscope("join", path_of(program), os.path.join(H200, name + ".json.gz"), *inputs_of(shapes))
        tap.check(done.code == 0 and finding in done.out, f"{name} on an H200: the defect is reported", done)


def check_graphs(tap, hirscope, folder):
    """Replays of CUDA graphs: nodes tell the instruction and the iteration, branches alone only the instruction."""
    for name, (program, shapes, options) in CASES.items():
        for n_streams, has_nodes, captures in ((4, True, False), (4, True, True), (1, False, False), (4, False, True)):
            recorder = Recorder(path_of(program), shapes, n_streams=n_streams, **options).run()
            events, facts = join_traces.replay(recorder, has_nodes, captures)
            for damage, inputs in (("whole", inputs_of(shapes)), ("without calls", inputs_of(shapes)), ("whole", [])):
                changed = DAMAGES[damage](events)
                done, table = join(hirscope, folder, program, changed, *inputs)
                score = Score(table, changed, facts) if table else "nothing is tied"
                good = table and (score.is_good() and "1" not in {row[4] for row in table} if has_nodes or n_streams == 1
                                  else is_guess(table, changed, facts, inputs or program != "copies"))
                tap.check(good, f"{name}, replayed on {n_streams} streams{'' if has_nodes else ' without nodes'}, {damage}"
                                f"{' after its capture' if captures else ''}{'' if inputs else ', without sizes'}: {score}", done)
    table = os.path.join(folder, "table.tsv")
    traces = os.path.join(SOURCE, "tests", "data", "cases", "traces")
    done = hirscope("join", path_of("copies"), os.path.join(traces, "graph_only.sqlite"), "--tsv", table)
    rows = read_table(table)[1]
    tap.check(done.code == 0 and [row[1:5] for row in rows] == [["-", "-", str(i), "0.3"] for i in range(len(rows))] and
              f"{len(rows)}, because the trace has a CUDA graph as a whole" in done.out and "--cuda-graph-trace=node" in done.err,
              "graphs as a whole get their repetition only, and the account says so", done)
    done = hirscope("join", path_of("copies"), os.path.join(traces, "graph_trace.sqlite"))
    tap.check(done.code == 1, "graphs as a whole between kernels of something else are not tied", done)


GROUP_LINES = {1: 3, 2: 9, 3: 15}  # of groups.txt


def launch_ranges(repetitions, has_ranges=True):
    """Return the events of lists of (range, line of the true instruction or None), and {correlation: (line, repetition)}."""
    events, truth, now, correlation = [], {}, 1000.0, 100
    for repetition, launches in enumerate(repetitions):
        for name, line in launches:
            now, correlation = now + 20, correlation + 1
            if has_ranges:
                events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 606,
                               "tid": 606, "ts": now, "dur": 8, "args": {}})
            events.append({"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernelEx", "pid": 606, "tid": 606, "ts": now + 2,
                           "dur": 3, "args": {"correlation": correlation}})
            events.append({"ph": "X", "cat": "kernel", "name": f"nvfuser_{correlation % 7}(Tensor<float, 2, 2>)", "pid": 0,
                           "tid": 7, "ts": now + 4, "dur": 9,
                           "args": {"device": 0, "stream": 7, "correlation": correlation}})
            truth[correlation] = (line, repetition) if line else None
    return events, truth


def launch_groups(repetitions, has_ranges=True):
    """Like launch_ranges(), for lists of (number in the range, true group or None)."""
    return launch_ranges([[(f"nvfuser_none_f0_c1_r0_g{number}", GROUP_LINES.get(group)) for number, group in groups]
                          for groups in repetitions], has_ranges)


def is_right(table, truth):
    """Whether the table has the true line and repetition of each launch, and ties no other."""
    return len(table) == len(truth) and all(
        row[1] == "-" if truth[int(row[0])] is None else (int(row[1]), int(row[3])) == truth[int(row[0])] for row in table)


# Program, the ranges of its instructions and their lines, and a range of something else.
RANGES = {
    "dispatch": ([("HostIrEvaluator::dispatch MatmulOp", 4), ("HostIrEvaluator::dispatch BinaryOp", 8),
                  ("HostIrEvaluator::dispatch ReductionOp", 12)], "HostIrEvaluator::dispatch Communication"),
    "units": ([("HostUnit0", 2), ("HostUnit1", 3), ("HostUnit2", 4)], "HostUnit7"),
}


def check_anchors(tap, hirscope, folder):
    """A range of a dispatched instruction or of a HostUnit tells which launch is missing or foreign, and what contradicts."""
    for program, (plain, foreign) in RANGES.items():
        first, second, third = plain
        for text, launches in (("whole", plain), ("first lost", [second, third]), ("second lost", [first, third]),
                               ("third lost", [first, second]), ("one foreign", [first, (foreign, None), second, third])):
            events, truth = launch_ranges([plain, launches, plain, plain])
            done, table = join(hirscope, folder, program, events)
            tap.check(is_right(table, truth), f"{program}, {text}: all are right", table, done)
        events, truth = launch_ranges([plain, [first, (third[0], second[1]), (second[0], third[1])], plain])
        done, table = join(hirscope, folder, program, events)
        swapped = [row for row in table if row[0] in ("105", "106")]
        tap.check(len(swapped) == 2 and "1" not in {row[4] for row in swapped}, f"{program}: ranges that are swapped are not certain",
                  table, done)


def check_ranges(tap, hirscope, folder):
    """Ranges of nvFuser with the id of a group tell launches apart, and contradictions are reported."""
    plain = [(1, 1), (2, 2), (3, 3)]
    lost, foreign = [(1, 1), (3, 3)], [(1, 1), (9, None), (2, 2), (3, 3)]
    for text, repetitions, has_ranges in (("whole", [plain] * 4, True), ("without ranges", [plain] * 4, False),
                                          ("one lost", [plain, lost, plain, plain], True),
                                          ("one of another program", [plain, plain, foreign, plain], True)):
        events, truth = launch_groups(repetitions, has_ranges)
        done, table = join(hirscope, folder, "groups", events)
        tap.check(is_right(table, truth), f"groups, {text}: all are right", done)
    events, truth = launch_groups([plain, [(1, 1), (3, 2), (2, 3)], plain])
    done, table = join(hirscope, folder, "groups", events)
    swapped = [row for row in table if row[0] in ("105", "106")]
    tap.check(len(swapped) == 2 and "1" not in {row[4] for row in swapped}, "ranges that contradict the order are not certain",
              table, done)
    tap.check("nvfuser_none_f0_c1_r0_g" in done.out and "(rank 0, repetition 1" in done.out, "and are reported", done)


def is_guess(table, events, facts, has_lines):
    """Whether all events are guessed, with the right repetition and, if @has_lines, the right line."""
    zero = min(e["ts"] for e in events)
    known = {(e["args"]["stream"], round((e["ts"] - zero) * 1000)): facts[id(e)] for e in events if e["cat"] in DEVICE}
    rows = [(row, known[int(row[7]), int(row[8])]) for row in table]
    return all((row[3], row[4]) == (str(fact[2]), "0.3") and (not has_lines or row[1] == str(fact[0])) for row, fact in rows)


def check_foreign(tap, hirscope, folder):
    for name, (program, shapes, options) in CASES.items():
        for same in (False, True):
            recorder = Recorder(path_of(program), shapes, **options).run()
            events = join_traces.add_foreign(recorder, same, 3)
            done, table = join(hirscope, folder, program, events, *inputs_of(shapes))
            score = Score(table, events, truth_of(recorder, events)) if table else "nothing is tied"
            tap.check(table and score.is_good() and score.foreign > 0,
                      f"{name} with foreign {'ops of the same kind' if same else 'ops'}: {score}", done)


def check_wrong_program(tap, hirscope, folder):
    """A program that did not run is refused."""
    for name in ("copies", "split", "chain"):
        program, shapes, options = CASES[name]
        recorder = Recorder(path_of(program), shapes, **options).run()
        join_traces.write(recorder.events, os.path.join(folder, "trace.json"))
        for other in ("copies", "reduction", "binary", "matmul", "chain", "sums"):
            if other == program:
                continue
            done = hirscope("join", path_of(other), os.path.join(folder, "trace.json"))
            tap.check(done.code == 1 and "did not run in this trace; rank 0, at " in done.out,
                      f"{other} is refused for a trace of {name}", done)


def check_calls_alone(tap, hirscope, folder):
    """A trace that has only the calls of the program, and other work, is refused with a reason."""
    recorder = Recorder(path_of("copies"), [(8, 64)]).run()
    other = next(e for e in recorder.events if e["cat"] in DEVICE)
    other = {**other, "name": "other_kernel", "cat": "kernel", "args": {"device": 0, "stream": 99}}
    events = [e for e in recorder.events if e["cat"] not in DEVICE] + [other]
    done, _ = join(hirscope, folder, "copies", events, *inputs_of([(8, 64)]))
    tap.check(done.code == 1 and re.search("did not run in this trace; .{20}", done.out), "calls alone are no run", done)


def check_unknown_size(tap, hirscope, folder):
    recorder = Recorder(path_of("binary"), [(8, 64), (8, 64)]).run()
    events = join_traces.only_kernels(recorder.events)
    done, _ = join(hirscope, folder, "binary", events)
    tap.check(done.code == 2 and "axis 0 of input T0" in done.err and "--input" in done.err,
              "sizes that the trace does not give are named", done)
    done, table = join(hirscope, folder, "binary", events, "--input", "8x?", "--input", "8x?")
    tap.check(len(table) == 24 and "no host calls" in done.err, "without host calls, sizes that are given suffice",
              done)


def sizes_of(done):
    return json.loads(done.out)["inputs"] if done.code == 0 else done


def check_recorded_sizes(tap, hirscope, folder):
    """Sizes come from the shapes of operands, the bytes of copies and the elements of communications; the rest is named."""
    for name, (program, shapes) in RECORDED.items():
        wanted = ["x".join(map(str, shape)) for shape in shapes]
        done = hirscope("join", path_of(program), os.path.join(H200, name + ".json.gz"), "--json")
        tap.check(sizes_of(done) == wanted, f"{name} on an H200: its sizes are those of the operands", sizes_of(done))
    recorder = Recorder(path_of("copies"), [(8, 60)]).run()
    for event in recorder.events:
        event["args"].pop("Input Dims", None)
    done, _ = join(hirscope, folder, "copies", recorder.events, "--json")
    tap.check(sizes_of(done) == ["8x60"], "sizes of copies without operands", sizes_of(done))
    recorder = Recorder(path_of("chain"), [(8, 16, 32), (8, 16, 32), (32, 48)]).run()
    done, _ = join(hirscope, folder, "chain", recorder.events, "--json")
    tap.check(sizes_of(done) == ["8x16x32", "8x16x32", "32x48"], "sizes that differ in each axis", sizes_of(done))
    product = next(e for e in recorder.events if e["name"] == "aten::matmul")
    product["args"]["Input Dims"] = [[16, 32], [32, 7]]
    done, _ = join(hirscope, folder, "chain", recorder.events, "--json")
    tap.check(sizes_of(done) == ["8x16x32", "8x16x32", "32x?"] and "neither the trace nor --input gives all sizes of T4 (32x?)" in done.err,
              "a size on which the events do not agree is unknown, and named", sizes_of(done))
    done, _ = join(hirscope, folder, "chain", recorder.events, "--json", "--input", "8x?x?", "--input", "8x?x?", "--input", "?x48")
    tap.check(sizes_of(done) == ["8x16x32", "8x16x32", "32x48"] and "neither" not in done.err, "--input gives the rest", sizes_of(done))
    # Kernels alone do not tell how often the loop ran, but the views of the host do.
    recorder = Recorder(path_of("binary"), [(8, 64), (8, 64)]).run()
    views = [e for e in recorder.events if e["name"] == "aten::select"]
    events = join_traces.only_kernels(recorder.events) + views
    done, table = join(hirscope, folder, "binary", events, "--json")
    tap.check(sizes_of(done) == ["8x64", "8x64"], "the size of the loop comes from its views", done)


def check_grids(tap, hirscope, folder):
    """The grid of an elementwise kernel bounds the number of elements; if only one size fits, it is known."""
    for size, kernel, wanted in ((3, "elementwise_kernel<128, 4, ", "3"), (96, "elementwise_kernel<128, 4, ", "96"),
                                 (3, "vectorized_elementwise_kernel<4, ", "?"), (3, "elementwise_kernel<64, 4, ", "?")):
        recorder = Recorder(path_of("chain"), [(8, 1000, size), (8, 1000, size), (size, 48)]).run()
        for event in recorder.events:
            event["args"].pop("Input Dims", None)
            if "elementwise" in event["name"]:
                event["name"] = event["name"].replace("vectorized_elementwise_kernel<4, ", kernel)
                event["args"].update(grid=[-(-1000 * size // 512), 1, 1], block=[128, 1, 1])
        shapes = ("--input", "8x1000x?", "--input", "8x1000x?", "--input", "?x48")
        done, _ = join(hirscope, folder, "chain", recorder.events, "--json", *shapes)
        tap.check(sizes_of(done) == [f"8x1000x{wanted}"] * 2 + ["?x48"], f"{size} elements a row of {kernel}", sizes_of(done), done)
        shapes = ("--input", "8x?x?", "--input", "8x?x?", "--input", "?x48")
        done, _ = join(hirscope, folder, "chain", recorder.events, "--json", *shapes)
        tap.check(sizes_of(done) == ["8x?x?", "8x?x?", "?x48"], f"{kernel} alone does not tell two sizes", sizes_of(done))


def check_message_sizes(tap, hirscope, folder):
    """Sizes of communications: the elements of a message, and the devices that share an axis."""
    for function, shape in (("allgather", "16x2"), ("reduce_scatter", "16x2x2x64")):
        run, export, trace = (os.path.join(folder, name) for name in ("run.hirs", "run.json", "t.json"))
        program = lower(hirscope, folder, "multi_device.py", function, 2)
        hirscope("run", program, "-d", 2, "--repeat", "3", "--trace", "full", "--clock", "model", "--input", shape, "-o", run)
        hirscope("export", run, "--to", "chrome", "-o", export)
        strip(export, trace)
        done = hirscope("join", program, trace, "-d", 2, "--json")
        tap.check(sizes_of(done) == [shape], f"{function}: the sizes of its messages", sizes_of(done))


def check_findings(tap, hirscope, folder):
    """Planted defects are reported at their instruction, on all repetitions."""
    program, shapes, _ = CASES["chain"]
    for change, line, text, iteration in (
            ({"skip": ("Synchronize Stream 0", 3)}, 9, "lacks the wait of Synchronize", 3),
            ({"stream": {2: 1}}, 28, "T10_matmul ran on stream 17 instead of stream 21", 2),
            ({"extra": 4}, 18, "the program has no aten::copy_ after T8_add", 4)):
        recorder = Recorder(path_of(program), shapes, change=change).run()
        join_traces.write(recorder.events, os.path.join(folder, "trace.json"))
        done = hirscope("join", path_of(program), os.path.join(folder, "trace.json"), "--json", *inputs_of(shapes))
        findings = json.loads(done.out)["findings"]
        tap.check(any(f["line"] == line and text in f["text"] and f["iteration"] == iteration and f["start_ns"] > 0
                      for f in findings), f"finding: {text}", done)
        tap.check(len(findings) <= 4, f"few findings: {text}", done)
        done = hirscope("join", path_of(program), os.path.join(folder, "trace.json"), *inputs_of(shapes))
        tap.check(re.search(r"^\d+ repetitions, which differ from the program by \d\.\d\d each \(1: about one op", done.out, re.M),
                  f"the difference is in words: {text}", done)
    whole = Recorder(path_of(program), shapes).run()
    join_traces.write(whole.events, os.path.join(folder, "trace.json"))
    done = hirscope("join", path_of(program), os.path.join(folder, "trace.json"), "--json", *inputs_of(shapes))
    tap.check(json.loads(done.out)["findings"] == [], "no findings without defects", done)
    done = hirscope("join", path_of(program), os.path.join(folder, "trace.json"), *inputs_of(shapes))
    tap.check(re.search(r"^\d+ repetitions, which fit the program; \d+ streams$", done.out, re.M), "it fits the program", done)


def check_recording(tap, hirscope, folder):
    """A joined recording is like one of ours: each event has its repetition, and commands know its instructions."""
    program, shapes = RECORDED["chain"]
    truth = read_recorded("chain")[1]
    outs = {name: os.path.join(folder, name + ".hirs") for name in ("chain", "no_wait")}
    for name, out in outs.items():
        hirscope("join", path_of(program), os.path.join(H200, name + ".json.gz"), "-o", out, *inputs_of(shapes))
    export = os.path.join(folder, "joined.json")
    hirscope("export", outs["chain"], "--to", "chrome", "-o", export)
    with open(export, encoding="utf-8") as file:
        works = [e["args"] for e in json.load(file)["traceEvents"] if e.get("cat") in DEVICE]
    tap.check(len(works) == len(truth) and all(
        (w["hirscope"]["iteration"], w["repetition"], w["confidence"]) == (*truth[w["correlation"]][1:], 1) and
        "External id" in w for w in works), "a joined recording has iteration, repetition and confidence", works[:1])
    done = hirscope("stats", outs["chain"], "--by-instruction", "--json")
    rows = sorted((*row["name"].split(": "), row["count"]) for row in json.loads(done.out)["kernels"] if row["instruction"])
    # The matmul is two kernels: the product of each part, and the sum of the parts.
    tap.check([(row[0], row[-1]) for row in rows] == [("T10 = matmul(T9, T4)", 24)] * 2 + [("T8 = add(T6, T7)", 24), ("T9 = mul(T8, T8)", 24)] and
              rows[0][1] != rows[1][1], "statistics by instruction", rows)
    done = hirscope("compare", outs["chain"], outs["no_wait"], "--json")
    rows = {(row["name"], *row["count"]) if isinstance(row["count"], list) else (row["name"], row["pairs"])
            for row in json.loads(done.out)["work"] if row["instruction"]}
    tap.check(len(rows) == 4 and {row[0].split(": ")[0] for row in rows} == {"T8 = add(T6, T7)", "T9 = mul(T8, T8)", "T10 = matmul(T9, T4)"},
              "compare by instruction", done)
    done = hirscope("stats", outs["no_wait"])
    tap.check("join: " + DEFECTS["no_wait"] in done.err + done.out, "the account has the findings", done)


def check_luck(tap, hirscope, folder):
    """A race of the program that a joined recording ran in some order, with the sizes and streams of the run."""
    with open(path_of("sums"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("    T7_l_float"))
    lines.insert(first, "    SetCurrentStream to Stream 0")  # the reduction does not wait for the product
    racing, trace, out = (os.path.join(folder, name) for name in ("racing.txt", "racing.json", "racing.hirs"))
    with open(racing, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    for recorder in (Recorder, SlowHost):
        join_traces.write(recorder(racing, [(6, 64, 64), (64, 64)], n_streams=3).run().events, trace)
        done = hirscope("join", racing, trace, "-o", out)
        tap.check("3 repetitions" in done.out and "; 3 streams" in done.out, "a racing program joins its run", done)
        done = hirscope("check", out, "--json")
        found = json.loads(done.out)
        recorded = [m.get("recording", {}) for m in found["missing"]]
        tap.check(done.code == 1 and found["streams"] == 3 and any(
            r.get("seen") == 18 and r["ordered_by_luck"] == (recorder == SlowHost) for r in recorded),
                  f"check compares a race with the joined run of {recorder.__name__}", done)


def strip(source, target):
    """Remove instructions and iterations from a Chrome export. Return the events and the truth."""
    with open(source, encoding="utf-8") as file:
        trace = json.load(file)
    truth, counts = {}, collections.Counter()
    works = [e for e in trace["traceEvents"] if e.get("cat") in DEVICE]
    for event in sorted(works, key=lambda e: (e["args"]["rank"], e["args"]["correlation"])):
        args = event["args"]
        key = args["rank"], args["instruction"], args["iteration"], event["tid"] >= 1000
        truth[args["rank"], args["correlation"]] = (args["instruction"], args["iteration"], counts[key])
        counts[key] += 1
    for event in trace["traceEvents"]:
        for key in ("instruction", "iteration"):
            event.get("args", {}).pop(key, None)
    with open(target, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    return truth


def strip_nsight(path):
    with sqlite3.connect(path) as database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for column in database.execute(f"PRAGMA table_info({table})").fetchall():
                if column[1] in ("hirInstruction", "hirIteration"):
                    database.execute(f"ALTER TABLE {table} DROP COLUMN {column[1]}")


def place_of(row):
    """Rank, stream and start of a line of the table."""
    return row[5], row[7], row[8]


def lower(hirscope, folder, script, function, devices):
    """Print the program of a function into a file and return its path."""
    program = os.path.join(folder, "p.txt")
    done = hirscope("lower", f"{os.path.join(EXAMPLES, script)}::{function}", "-d", devices, "--print", "last")
    with open(program, "w", encoding="utf-8") as file:
        file.write(done.out)
    return program


def read_lines(recording):
    """Return the lines of the instructions of a recording, by id."""
    with sqlite3.connect(recording) as database:
        return dict(database.execute("SELECT id, line FROM nodes"))


def check_own(tap, hirscope, folder, script, function, devices, *options):
    """A recording without its instructions gets them back. Return the number of its device events."""
    run, export, trace, table, out = (os.path.join(folder, name) for name in (
        "run.hirs", "run.json", "t.json", "own.tsv", "joined.hirs"))
    name = f"{function} on {devices}, {' '.join(options)}"
    program = lower(hirscope, folder, script, function, devices)
    hirscope("run", program, "-d", devices, "--repeat", "3", "--trace", "full", *options, "-o", run)
    hirscope("export", run, "--to", "chrome", "-o", export)
    truth = strip(export, trace)
    done = hirscope("join", program, trace, "-d", devices, "--tsv", table, "-o", out)
    if not tap.check(done.code == 0, f"{name}: joins", done):
        return 0
    lines = read_lines(run)
    wrong = []
    for row in read_table(table)[1]:
        instruction, iteration, repetition = truth[int(row[5]), int(row[0])]
        if row[1:4] != [str(lines[instruction]), str(iteration), str(repetition)]:
            wrong.append((row, truth[int(row[5]), int(row[0])]))
    tap.check(not wrong, f"{name}: {len(truth)} events get their instruction, iteration and repetition", *wrong[:3])
    report, second = os.path.join(folder, f"{function}-{devices}.sqlite"), os.path.join(folder, "nsight.tsv")
    hirscope("export", run, "--to", "nsight", "-o", report)
    strip_nsight(report)
    done = hirscope("join", program, report, "-d", devices, "--tsv", second)
    same = done.code == 0 and ({place_of(r): r[1:4] for r in read_table(second)[1]} ==
                               {place_of(r): r[1:4] for r in read_table(table)[1]})
    tap.check(same, f"{name}: the Nsight export joins to the same", done)
    query = "SELECT count(*) FROM events WHERE instruction IS NOT NULL AND kind IN ('kernel', 'memcpy', 'memset', " \
            "'communication')"
    with sqlite3.connect(out) as database:
        n = database.execute(query).fetchone()[0]
    tap.check(n == len(truth), f"{name}: the joined recording has the instructions", n)
    done = hirscope("check", out)
    tap.check(done.code == 0, f"{name}: check reads the joined recording", done)
    return len(truth)


def check_two_ranks(tap, hirscope, folder):
    """Two ranks run one program, but only one of the traces has all events: the report gives both places."""
    program, run, export, trace = (os.path.join(folder, name) for name in ("p.txt", "r.hirs", "r.json", "t.json"))
    lower(hirscope, folder, "multi_device.py", "allreduce", 2)
    hirscope("run", program, "-d", 2, "--repeat", 3, "--trace", "full", "--clock", "model", "--streams", 4, "-o", run)
    hirscope("export", run, "--to", "chrome", "-o", export)
    lines = read_lines(run)
    with open(export, encoding="utf-8") as file:
        whole = json.load(file)
    issues = [e for e in whole["traceEvents"] if e.get("cat") == "cpu_op" and e["args"]["rank"] == 1 and
              e["name"] == "Wait Allreduce T3" and e["args"]["iteration"] == 2]
    lost = issues[1]
    strip(export, trace)
    with open(trace, encoding="utf-8") as file:
        whole = json.load(file)
    whole["traceEvents"] = [e for e in whole["traceEvents"] if e.get("args", {}).get("correlation") != lost["args"]["correlation"]
                            or e["args"]["rank"] != 1 or e["name"] != lost["name"]]
    with open(trace, "w", encoding="utf-8") as file:
        json.dump(whole, file)
    done = hirscope("join", program, trace, "-d", 2, "--json")
    found = json.loads(done.out)["findings"]
    tap.check(len(found) == 1 and (found[0]["line"], found[0]["iteration"], found[0]["rank"], found[0]["repetition"]) ==
              (lines[lost["args"]["instruction"]], 2, 1, 1) and found[0]["other_rank"] == 0 and found[0]["other_start_ns"] > 0,
              "two ranks that differ are compared, at the right instruction", found, done)


def add_foreign_launches(events, seed):
    """Add kernels of another program on its streams, a fifth of all, to the host thread of each rank."""
    chance, new = random.Random(seed), []
    works = [e for e in events if e.get("cat") in DEVICE]
    number = 1 + max(e["args"]["correlation"] for e in works)
    calls = [e for e in events if e.get("cat") == "cpu_op"]
    for call in calls:
        if chance.random() >= 0.2 * len(works) / len(calls):
            continue
        number += 1
        at = call["ts"] + call["dur"]
        rank = call["args"]["rank"]
        new.append({**call, "name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": at, "dur": 0,
                    "args": {"rank": rank, "correlation": number}})
        stream = chance.choice([e for e in works if e["args"]["rank"] == rank])
        new.append({**stream, "name": "exp_kernel", "cat": "kernel", "ts": at + 0.5, "dur": 0.1,
                    "args": {"rank": rank, "device": stream["args"]["device"], "stream": stream["args"]["stream"],
                             "correlation": number}})
    return events + new


def without_host(events):
    return [e for e in events if e.get("cat") != "cpu_op"]


def cut_half(events, first, last):
    """Keep what starts in a range of the time, given as shares of the events, because runs may pause."""
    times = sorted(e["ts"] for e in events)
    start, end = times[int(first * len(times))], times[int(last * len(times))]
    return [e for e in events if start <= e["ts"] <= end]


def lose_window(events, first, last):
    """Lose what starts in a range of the time, given as shares of the events."""
    times = sorted(e["ts"] for e in events)
    start, end = times[int(first * len(times))], times[int(last * len(times))]
    return [e for e in events if not start <= e["ts"] <= end]


def lose_repetition(events):
    """Lose all that the last rank did from its first work in the second of three repetitions to that in the third."""
    rank = max(e["args"]["rank"] for e in events if e.get("cat") in DEVICE)
    own = [e for e in events if e["args"].get("rank") == rank]
    works = sorted((e for e in own if e["cat"] in DEVICE), key=get_correlation)
    first, end = (get_correlation(works[k * len(works) // 3]) for k in (1, 2))
    lost = [e for e in own if first <= (get_correlation(e) or 0) < end]
    calls = [e["ts"] for e in lost if e["cat"] == "cpu_op"]
    return [e for e in events if e not in lost and not (e in own and e["cat"] not in DEVICE and not get_correlation(e) and
                                                        min(calls) <= e["ts"] <= max(calls))]


def keep_metadata(damage):
    """Return a damage of events that leaves the names of processes and threads alone."""
    return lambda events: [e for e in events if e["ph"] == "M"] + damage([e for e in events if e["ph"] == "X"])


OWN_DAMAGES = {
    "shuffled": keep_metadata(lambda events: join_traces.shuffle(events, 1)),
    "without host calls": keep_metadata(without_host),
    "cut in the middle": keep_metadata(lambda events: cut_half(events, 0.2, 0.7)),
    "with a hole": keep_metadata(lambda events: lose_window(events, 0.5, 0.6)),
    "without a repetition of a rank": keep_metadata(lose_repetition),
    "with 5 % lost": keep_metadata(lambda events: join_traces.drop(events, 0.05, 1)),
    "with 20 % lost": keep_metadata(lambda events: join_traces.drop(events, 0.2, 1)),
    "with foreign kernels": lambda events: add_foreign_launches(events, 1),
}


def score_own(table, truth, lines):
    """Return the share of events that are tied, right ones of these, foreign ones that are tied, and the number of wrong
    ones that are certain. Repetitions are compared up to one difference for each rank."""
    tied, right, foreign, foreign_tied, certain_wrong = [], 0, 0, 0, 0
    n = sum((int(row[5]), int(row[0])) in truth for row in table)
    for row in table:
        fact = truth.get((int(row[5]), int(row[0])))
        foreign += fact is None
        foreign_tied += fact is None and row[1] != "-"
        if fact is not None and row[1] != "-":
            tied.append((row, fact))
    shifts = {}
    for rank in {row[5] for row, _ in tied}:
        counts = collections.Counter(int(row[3]) - fact[2] for row, fact in tied if row[5] == rank)
        shifts[rank] = counts.most_common(1)[0][0]
    for row, fact in tied:
        if (int(row[1]), int(row[2]), int(row[3]) - shifts[row[5]]) == (lines[fact[0]], *fact[1:]):
            right += 1
        else:
            certain_wrong += row[4] == "1"
    return len(tied) / max(n, 1), right / max(len(tied), 1), foreign_tied / max(foreign, 1), certain_wrong


def check_own_damaged(tap, hirscope, folder, name, devices):
    """The last recording of check_own(), damaged."""
    table = os.path.join(folder, "damaged.tsv")
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        whole = json.load(file)
    done = hirscope("join", os.path.join(folder, "p.txt"), os.path.join(folder, "t.json"), "-d", devices, "--json")
    shapes = [word for shape in json.loads(done.out)["inputs"] for word in ("--input", shape)]
    lines, truth = read_lines(os.path.join(folder, "run.hirs")), strip(os.path.join(folder, "run.json"), table)
    for event in whole["traceEvents"]:
        for key in ("instruction", "iteration"):
            event.get("args", {}).pop(key, None)
    for damage, function in OWN_DAMAGES.items():
        trace = os.path.join(folder, "damaged.json")
        with open(trace, "w", encoding="utf-8") as file:
            json.dump({**whole, "traceEvents": function(whole["traceEvents"])}, file)
        done = hirscope("join", os.path.join(folder, "p.txt"), trace, "-d", devices, "--tsv", table, *shapes)
        tied, right, foreign, wrong = score_own(read_table(table)[1], truth, lines) if done.code == 0 else (0, 0, 0, 0)
        tap.check(tied >= 0.95 and right >= 0.99 and foreign < 0.01 and wrong == 0,
                  f"{name} {damage}: {tied:.1%} tied, {right:.1%} of these right, {foreign:.1%} of foreign ones tied, "
                  f"{wrong} wrong ones certain", done)


SINGLE = ("single_set_op", "single_set_op_non_outermost", "single_binary_op", "two_set_ops",
          "three_set_ops_disjoint_loops", "reduction", "matmul_over", "matmul_m", "matmul_n", "batched_matmul")
MULTI = ("allgather", "allreduce", "reduce_scatter", "ag_matmul", "allgather_p2p", "matmul_AR",
         "matmul_RS_through_bcast", "AG_matmul_P2p")
MODEL, WALL = ("--clock", "model"), ("--clock", "wall")


def list_scenarios():
    """Every scenario, on 1 to 8 devices, with 1 to 8 streams and both clocks."""
    for function in SINGLE:
        for streams, clock in ((1, WALL), (3, MODEL), (4, WALL), (8, MODEL)):
            yield "single_device.py", function, 1, *clock, "--streams", str(streams)
    for function in MULTI:
        for devices, streams, clock in ((1, 4, WALL), (2, 1, MODEL), (2, 8, WALL), (3, 4, MODEL), (4, 3, WALL),
                                        (8, 4, MODEL)):
            yield "multi_device.py", function, devices, *clock, "--streams", str(streams)


def check_every_scenario(tap, hirscope, folder):
    n = 0
    for script, function, devices, *options in list_scenarios():
        n += check_own(tap, hirscope, folder, script, function, devices, *options)
        check_own_damaged(tap, hirscope, folder, f"{function} on {devices}, {' '.join(options)}", devices)
    tap.check(n > 0, f"{n} device events of all scenarios")


def check_all_own(tap, hirscope, folder):
    for function in ("single_set_op", "three_set_ops_disjoint_loops", "reduction", "batched_matmul"):
        check_own(tap, hirscope, folder, "single_device.py", function, 1, "--clock", "model")
    check_own(tap, hirscope, folder, "single_device.py", "two_set_ops", 1, "--streams", "1")
    for function in ("allgather", "allreduce", "ag_matmul", "allgather_p2p", "matmul_AR"):
        check_own(tap, hirscope, folder, "multi_device.py", function, 2, "--clock", "model")
    check_own(tap, hirscope, folder, "multi_device.py", "ag_matmul", 4, "--streams", "8")
    check_own_damaged(tap, hirscope, folder, "ag_matmul on 4", 4)
    # All iterations look alike: only the numbers of the calls tell which of them are lost.
    for script, function, devices, streams in (("single_device.py", "single_set_op_non_outermost", 1, 1),
                                               ("multi_device.py", "AG_matmul_P2p", 2, 1),
                                               ("multi_device.py", "allgather_p2p", 8, 4)):
        check_own(tap, hirscope, folder, script, function, devices, *MODEL, "--streams", str(streams))
        check_own_damaged(tap, hirscope, folder, f"{function} on {devices} with {streams} streams", devices)


def spread_numbers(folder):
    """Use only each third correlation in the last recording of check_own(), as profilers do that leave out calls. Return
    the trace, and the truth."""
    trace = os.path.join(folder, "t.json")
    truth = {(rank, 3 * n): fact for (rank, n), fact in strip(os.path.join(folder, "run.json"), trace).items()}
    with open(trace, encoding="utf-8") as file:
        whole = json.load(file)
    for event in whole["traceEvents"]:
        if "correlation" in event.get("args", {}):
            event["args"]["correlation"] *= 3
    return whole, truth


def check_sparse_numbers(tap, hirscope, folder):
    """Gaps between correlations do not tell which iterations of a loop on one stream are lost: a repetition may be
    shifted by one, but none that is wrong is certain."""
    check_own(tap, hirscope, folder, "single_device.py", "single_set_op_non_outermost", 1, *MODEL, "--streams", "1")
    trace, table = os.path.join(folder, "t.json"), os.path.join(folder, "sparse.tsv")
    lines = read_lines(os.path.join(folder, "run.hirs"))
    whole, truth = spread_numbers(folder)
    for name, damage in (("whole", list), *((f"5 % lost, {seed}", lambda events, seed=seed: join_traces.drop(events, 0.05, seed))
                                            for seed in (1, 2, 3)), ("a repetition lost", lose_repetition)):
        events = keep_metadata(damage)(whole["traceEvents"])
        with open(trace, "w", encoding="utf-8") as file:
            json.dump({**whole, "traceEvents": events}, file)
        done = hirscope("join", os.path.join(folder, "p.txt"), trace, "--tsv", table)
        tied, right, _, wrong = score_own(read_table(table)[1], truth, lines) if done.code == 0 else (0, 0, 0, 1)
        tap.check(tied >= 0.95 and wrong == 0 and (name != "whole" or right == 1),
                  f"numbers with gaps, {name}: {tied:.1%} tied, {right:.1%} of these right, {wrong} wrong ones certain", done)
    tap.check("numbers of repetitions are not certain" in done.err, "the account says that a repetition can be missing", done)


def check_lost_repetition(tap, hirscope, folder):
    """A rank lacks a repetition. Numbers without gaps show that it ran; else, collectives do."""
    for function, is_sparse, told in (("allreduce", False, "only the numbers of calls are left"), ("allgather_p2p", False, "only the numbers of calls are left"),
                                      ("allreduce", True, "their numbers follow from the collectives"),
                                      ("allgather_p2p", True, "no number is certain")):
        check_own(tap, hirscope, folder, "multi_device.py", function, 2, *MODEL, "--streams", "4")
        lines, trace = read_lines(os.path.join(folder, "run.hirs")), os.path.join(folder, "t.json")
        table = os.path.join(folder, "lost.tsv")
        if is_sparse:
            whole, truth = spread_numbers(folder)
        else:
            truth = strip(os.path.join(folder, "run.json"), trace)
            with open(trace, encoding="utf-8") as file:
                whole = json.load(file)
        with open(trace, "w", encoding="utf-8") as file:
            json.dump({**whole, "traceEvents": keep_metadata(lose_repetition)(whole["traceEvents"])}, file)
        done = hirscope("join", os.path.join(folder, "p.txt"), trace, "-d", 2, "--tsv", table)
        tied, right, _, wrong = score_own(read_table(table)[1], truth, lines) if done.code == 0 else (0, 0, 0, 1)
        tap.check(tied >= 0.95 and wrong == 0 and (right == 1 or told == "no number is certain") and told in done.err,
                  f"{function} without a repetition of a rank, numbers {'with' if is_sparse else 'without'} gaps: {tied:.1%} tied, "
                  f"{right:.1%} of these right, {wrong} wrong ones certain", done)


def check_outputs(tap, hirscope, folder):
    """Write the table to a FIFO and through a link, which must not be replaced, and to a folder that does not exist."""
    words = ("join", path_of("matmul"), os.path.join(H200, "matmul.json.gz"), "--tsv")
    table, fifo, link = (os.path.join(folder, name) for name in ("plain.tsv", "fifo.tsv", "link.tsv"))
    done = hirscope(*words, table)
    with open(table, "rb") as file:
        wanted = file.read()
    tap.check(done.code == 0 and wanted.count(b"\n") > 1, "writes a table", done)
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)  # The table fits into the pipe, so nothing can block.
    done = hirscope(*words, fifo)
    is_fifo = stat.S_ISFIFO(os.stat(fifo).st_mode)
    tap.check(done.code == 0 and is_fifo and os.read(reader, 65536) == wanted, "writes a table to a FIFO, not over it", done)
    os.close(reader)
    os.symlink(table, link)
    os.truncate(table, 0)
    done = hirscope(*words, link)
    with open(table, "rb") as file:
        tap.check(done.code == 0 and os.path.islink(link) and file.read() == wanted, "writes a table through a link", done)
    empty = os.path.join(folder, "empty.json")
    with open(empty, "w", encoding="utf-8") as file:
        file.write("[]")
    done = hirscope("join", path_of("matmul"), empty)
    tap.check(done.code == 2 and done.err.startswith(f"error: {empty}:1:1: "), "an unreadable trace is named first", done)
    nowhere = os.path.join(folder, "nowhere", "t.tsv")
    done = hirscope(*words, nowhere)
    tap.check(done.code == 2 and f"error: {nowhere} cannot be written: its folder does not exist; create it" in done.err,
              "reports a folder that does not exist", done)


def main():
    hirscope, tap = from_command_line(), Tap()
    with tempfile.TemporaryDirectory() as folder:
        usual = (check_generated, check_recorded, check_graphs, check_ranges, check_anchors, check_foreign,
                 check_wrong_program, check_calls_alone, check_unknown_size, check_recorded_sizes,
                 check_message_sizes, check_grids, check_findings, check_two_ranks, check_recording, check_luck, check_outputs, check_all_own,
                 check_sparse_numbers, check_lost_repetition)
        for function in (check_every_scenario,) if sys.argv[2:] == ["all"] else usual:
            tap.group(function, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
