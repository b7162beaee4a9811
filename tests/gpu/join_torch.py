#!/usr/bin/env python3
"""join_torch.py PROGRAMS OUT: runs the printed programs in the folder PROGRAMS with ATen ops, streams and events on a
GPU under torch.profiler; writes NAME.json.gz (the trace) and NAME.tsv (what each call and device event is) to OUT.

Requires Python and PyTorch only. A statement of the program runs within a record_function that names its line,
iteration and repetition. These annotations give the truth, and are then removed from the trace.
"""
import argparse
import gzip
import json
import os
import re

import torch
from join_program import Walker
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile, record_function

MARK = re.compile(r"^@(\d+) (-?\d+) (\d+)$")  # line, iteration, repetition
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
REPETITIONS = 3

# Name of the case: program, shapes of its inputs, dtype.
CASES = {
    "copies": ("copies", [(8, 1 << 16)], torch.float),
    "reduction": ("reduction", [(8, 256, 1024)], torch.float),
    "binary": ("binary", [(8, 1 << 16), (8, 1 << 16)], torch.float),
    "matmul": ("matmul", [(8, 512, 512), (512, 512)], torch.float),
    "matmul_half": ("matmul", [(6, 1024, 1024), (1024, 1024)], torch.bfloat16),
    "thin": ("matmul", [(8, 16, 16384), (16384, 16)], torch.bfloat16),
    "chain": ("chain", [(8, 256, 256), (8, 256, 256), (256, 256)], torch.float),
    "sums": ("sums", [(5, 256, 256), (256, 256)], torch.bfloat16),
}
# Planted defects: base case, and a change of the interpreter.
DEFECTS = {
    "no_wait": ("chain", {"skip": ("Synchronize Stream 0", 3)}),        # iteration 3 does not wait for the caller
    "one_stream": ("chain", {"stream": {2: 1}}),                        # iteration 2 uses the stream of iteration 1
    "extra": ("chain", {"extra": 4}),                                   # a copy that the program lacks, in iteration 4
}


class Runner(Walker):
    """Runs a printed program as somebody would write it in PyTorch."""

    def __init__(self, path, shapes, dtype, n_streams, change):
        with open(path, encoding="utf-8") as file:
            super().__init__(file.read(), shapes)
        self.change, self.dtype, self.repetition = change, dtype, 0
        self.streams = [torch.cuda.Stream() for _ in range(n_streams)]
        self.caller = torch.cuda.current_stream()
        self.known = {t.name: torch.randn(*s, device="cuda", dtype=dtype) for t, s in zip(self.inputs, shapes)}
        for statement in self.statements:  # once, as a program does that runs often
            if statement.kind == "allocate":
                out = statement.tensors[0]
                self.known[out.name] = torch.empty(*self.get_shape(out), device="cuda", dtype=dtype)

    def run(self):
        self.values = dict(self.known)
        self.walk()
        torch.cuda.set_stream(self.caller)
        self.repetition += 1

    def get_stream(self, statement):
        if not statement.of_index:
            return self.caller
        index = self.change.get("stream", {}).get(self.iteration, self.iteration)
        return self.streams[index % len(self.streams)]

    def do(self, statement):
        with record_function(f"@{statement.line} {self.iteration} {self.repetition}"):
            self.execute(statement)

    def execute(self, statement):
        if statement.kind == "set_stream":
            torch.cuda.set_stream(self.get_stream(statement))
        elif statement.kind == "synchronize":
            if self.change.get("skip") != (statement.text, self.iteration):
                torch.cuda.current_stream().wait_stream(self.get_stream(statement))
        elif statement.kind in ("select", "set", "matmul", "reduction", "binary"):
            self.compute(statement)

    def compute(self, statement):
        out, ins = statement.tensors[0], [self.values[t.name] for t in statement.tensors[1:]]
        into = self.values.get(out.name)
        if statement.kind == "select":
            self.values[out.name] = ins[0].select(statement.get_axis(), self.iteration)
        elif statement.kind == "set" and into is None:
            self.values[out.name] = ins[0].clone()  # nothing allocates it
        elif statement.kind == "set":
            into.copy_(ins[0])
        elif statement.kind == "matmul":
            torch.matmul(*ins, out=into)
        elif statement.kind == "reduction":
            torch.sum(ins[0], statement.get_reduced(), out=into)
        else:
            {"+": torch.add, "-": torch.sub, "*": torch.mul, "/": torch.div}[statement.op](*ins, out=into)
        if statement.op == "+" and self.change.get("extra") == self.iteration:
            with record_function("@0 -1 0"):
                torch.empty_like(into).copy_(into)


def split_truth(trace):
    """Remove the annotations from the events of @trace. Return lines "correlation line iteration repetition kind"."""
    events = trace["traceEvents"]
    marks = [e for e in events if e.get("cat") == "user_annotation" and MARK.match(e["name"])]
    marks.sort(key=lambda e: e["dur"])  # innermost first
    rows = []
    calls = {}
    for event in events:
        if event.get("cat") not in ("cuda_runtime", "cuda_driver"):
            continue
        for mark in marks:
            if mark["ts"] <= event["ts"] <= mark["ts"] + mark["dur"]:
                calls[event["args"]["correlation"]] = MARK.match(mark["name"]).groups()
                break
    for event in events:
        correlation = event.get("args", {}).get("correlation")
        is_sync = "EventRecord" in event.get("name", "") or "StreamWaitEvent" in event.get("name", "")
        if event.get("cat") in DEVICE or (event.get("cat") == "cuda_runtime" and is_sync):
            line, iteration, repetition = calls.get(correlation, ("0", "-1", "0"))
            rows.append((correlation, line, iteration, repetition, event["cat"], event["name"]))
    trace["traceEvents"] = [e for e in events if not MARK.match(str(e.get("name", "")))]
    return ["\t".join(map(str, row)) for row in rows]


def record(name, program, shapes, dtype, change, options):
    runner = Runner(os.path.join(options.programs, program + ".txt"), shapes, dtype, options.streams, change)
    runner.run()  # warm-up: libraries, plans and memory
    torch.cuda.synchronize()
    runner.repetition = 0
    config = _ExperimentalConfig(enable_cuda_sync_events=True)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                 experimental_config=config) as profiler:
        for _ in range(REPETITIONS):
            runner.run()
        torch.cuda.synchronize()
    path = os.path.join(options.out, name + ".json")
    profiler.export_chrome_trace(path)
    with open(path) as file:
        trace = json.load(file)
    os.unlink(path)
    rows = split_truth(trace)
    with gzip.GzipFile(path + ".gz", "wb", mtime=0) as file:
        file.write(json.dumps(trace, separators=(",", ":")).encode())
    with open(os.path.join(options.out, name + ".tsv"), "w") as file:
        file.write("correlation\tline\titeration\trepetition\tcategory\tname\n")
        file.write("\n".join(rows) + "\n")
    shape = " ".join("--input " + "x".join(map(str, s)) for s in shapes)
    print(f"{name}: program {program}, {len(rows)} rows, {shape} --streams {options.streams}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("out")
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--only", nargs="*", help="names of cases")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):  # the first one starts slowly
        torch.zeros(1, device="cuda").add_(1)
    for name, (program, shapes, dtype) in CASES.items():
        if not options.only or name in options.only:
            record(name, program, shapes, dtype, {}, options)
    for name, (base, change) in DEFECTS.items():
        if not options.only or name in options.only:
            record(name, *CASES[base], change, options)


if __name__ == "__main__":
    main()
