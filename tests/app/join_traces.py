"""Makes the traces that PyTorch's profiler records of a printed program, and damages them. The truth is kept apart: for
each device event its line, iteration and repetition."""
import copy
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from join_program import Walker  # noqa: E402

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
PID, CALLER, POOL = 606, 7, [13 + 4 * k for k in range(32)]
FUNCTORS = {"+": "at::native::CUDAFunctor_add<float>", "-": "at::native::CUDAFunctor_add<float>",
            "*": "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >",
            "/": "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::DivFunctor<float> >"}
NAMES = {"+": "aten::add", "-": "aten::sub", "*": "aten::mul", "/": "aten::div"}


class Recorder(Walker):
    """Records what a PyTorch program of the shape of a printed one does. matmul: the form of the matrix product (plain,
    split, fill or dot); allocates: whether buffers are allocated in each repetition; change: planted defects."""

    def __init__(self, path, shapes, n_streams=4, matmul="plain", allocates=False, seed=0, change=None):
        with open(path, encoding="utf-8") as file:
            super().__init__(file.read(), shapes)
        self.matmul, self.allocates, self.change = matmul, allocates, change or {}
        self.random = random.Random(seed)
        self.streams, self.current = POOL[:n_streams], CALLER
        self.events, self.truth, self.known = [], {}, {}
        self.now, self.correlation, self.external, self.ops = 1e9, 280000, 20480, []
        self.busy, self.used, self.recorded = {}, set(), 0
        self.repetition, self.mark = 0, None
        self.allocated = {s.tensors[0].name for s in self.statements if s.kind == "allocate"}

    def add(self, category, name, ts, dur, tid, **args):
        pid = 0 if category in DEVICE or category == "cuda_sync" else PID
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
                            "ts": round(ts, 3), "dur": round(dur, 3), "args": args})
        return self.events[-1]

    def pass_time(self, least=1, most=8):
        self.now += self.random.uniform(least, most)

    def call(self, name, category="cuda_runtime"):
        """Add a call of the CUDA API and return its correlation."""
        self.pass_time()
        self.correlation += self.random.choice([1, 1, 1, 2, 3])
        args = {"correlation": self.correlation, "cbid": 211}
        if self.ops:
            args["External id"] = self.ops[-1]
        start = self.now
        self.pass_time()
        self.add(category, name, start, self.now - start, PID, **args)
        return self.correlation

    def launch(self, call, kernel, kind="kernel", duration=10, **args):
        correlation = self.call(call, "cuda_driver" if call.startswith("cuL") else "cuda_runtime")
        start = max(self.now + 2, self.busy.get(self.current, 0))
        end = start + duration * self.random.uniform(0.9, 1.1)
        self.busy[self.current] = end
        self.used.add(self.current)
        if self.ops:
            args["External id"] = self.ops[-1]
        self.add(kind, kernel, start, end - start, self.current, device=0, context=1, stream=self.current,
                 correlation=correlation, **args)
        self.truth[correlation] = self.mark

    def op(self, *names, work=None, dims=()):
        """Add nested ATen ops; work() runs in the innermost one."""
        self.pass_time()
        start = self.now
        self.external += 1
        external = self.external
        self.ops.append(external)
        if names[1:]:
            self.op(*names[1:], work=work, dims=dims)
        elif work:
            work()
        self.pass_time()
        self.ops.pop()
        args = {"External id": external, "Record function id": 0, "Input Dims": [list(d) for d in dims]}
        self.add("cpu_op", names[0], start, self.now - start, PID, **args)

    def wait_stream(self, stream):
        self.call("cudaStreamIsCapturing")
        self.truth[self.call("cudaEventRecordWithFlags")] = self.mark
        self.call("cudaStreamIsCapturing")
        correlation = self.call("cudaStreamWaitEvent")
        self.truth[correlation] = self.mark
        if self.current in self.used:
            self.add("cuda_sync", "Stream Wait Event", self.now, 2, self.current, **{
                "cuda_sync_kind": "Stream Wait Event", "wait_on_stream": -1, "stream": self.current, "device": 0,
                "correlation": correlation, "External id": correlation})
        self.busy[self.current] = max(self.busy.get(self.current, 0), self.busy.get(stream, 0))

    def get_stream(self, statement):
        if not statement.of_index:
            return CALLER
        index = self.change.get("stream", {}).get(self.iteration, self.iteration)
        return self.streams[index % len(self.streams)]

    def do(self, statement):
        self.mark = (statement.line, self.iteration, self.repetition)
        if statement.kind == "set_stream":
            self.current = self.get_stream(statement)
        elif statement.kind == "synchronize":
            if self.change.get("skip") != (statement.text, self.iteration):
                self.wait_stream(self.get_stream(statement))
        elif statement.kind == "allocate":
            if self.allocates or self.repetition == 0:
                self.op("aten::empty")
        elif statement.kind != "other":
            self.compute(statement)

    def multiply(self):
        kernel = "nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_NNN"
        if self.matmul == "fill":
            self.launch("cudaMemsetAsync", "Memset (Device)", "gpu_memset", 1, bytes=4)
        if self.matmul == "dot":
            self.launch("cudaLaunchKernel", "void dot_kernel<float, 128, 0, cublasDotParams<...> >(cublasDotParams)")
            self.launch("cudaLaunchKernel", "void reduce_1Block_kernel<float, 128, 7, cublasGemvTensor<...> >(float)")
            return
        if self.matmul == "split":
            self.launch("cuLaunchKernelEx", "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT")
            self.launch("cudaLaunchKernel", "void cublasLt::splitKreduce_kernel<32, 16, int, float>(...)")
            return
        self.launch("cuLaunchKernelEx", kernel, duration=40)

    def compute(self, statement):
        kind, out = statement.kind, statement.tensors[0]
        shapes = [self.get_shape(t) for t in statement.tensors[1:]]
        size = 4
        for n in shapes[0]:
            size *= n
        if kind == "select":
            self.op("aten::select", "aten::as_strided", dims=shapes)
        elif kind == "set":
            clones = out.name not in self.allocated and self.iteration < 0
            self.op(*(["aten::clone"] if clones else []), "aten::copy_", dims=shapes, work=lambda: self.launch(
                "cudaMemcpyAsync", "Memcpy DtoD (Device -> Device)", "gpu_memcpy", 5, bytes=size))
        elif kind == "matmul":
            self.op("aten::matmul", "aten::mm", dims=shapes, work=self.multiply)
        elif kind == "reduction":
            self.op("aten::sum", dims=shapes, work=lambda: self.launch(
                "cudaLaunchKernel", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(...)"))
        else:
            kernel = f"void at::native::vectorized_elementwise_kernel<4, {FUNCTORS[statement.op]}>(int)"
            self.op(NAMES[statement.op], dims=shapes, work=lambda: self.launch("cudaLaunchKernel", kernel))
        if self.change.get("extra") == self.iteration and kind == "binary":
            self.mark = None
            self.op("aten::copy_", work=lambda: self.launch(
                "cudaMemcpyAsync", "Memcpy DtoD (Device -> Device)", "gpu_memcpy", 5, bytes=12))

    def run(self, repetitions=3):
        for self.repetition in range(repetitions):
            self.walk()
            self.current = CALLER
            self.pass_time(20, 60)
        self.mark = None
        self.call("cudaDeviceSynchronize")
        self.events.sort(key=lambda e: e["ts"])
        return self


def write(events, path, rank=0):
    names = [{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "python"}}]
    trace = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 1, "backend": "nccl"},
             "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": names + events}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)


def get_correlation(event):
    return event["args"].get("correlation")


def drop(events, share, seed):
    """Lose events at random."""
    chance = random.Random(seed)
    return [e for e in events if chance.random() >= share]


def shuffle(events, seed):
    events = list(events)
    random.Random(seed).shuffle(events)
    return events


def cut(events, first, last):
    """Keep what starts within a range of the time, given as shares."""
    start, end = min(e["ts"] for e in events), max(e["ts"] for e in events)
    return [e for e in events if first * (end - start) <= e["ts"] - start <= last * (end - start)]


def without_calls(events):
    return [e for e in events if e["cat"] not in CALLS and e["cat"] != "cuda_sync"]


def without_ops(events):
    kept = copy.deepcopy([e for e in events if e["cat"] != "cpu_op"])
    for event in kept:
        if event["cat"] in DEVICE:
            event["args"].pop("External id", None)
    return kept


def only_kernels(events, ids=False):
    kept = copy.deepcopy([e for e in events if e["cat"] in DEVICE])
    for event in kept:
        event["args"].pop("External id", None)
        if not ids:
            event["args"].pop("correlation", None)
    return kept


def replay(recorder, has_nodes, captures=False):
    """Turn each repetition into one launch of a CUDA graph, whose branches run on the launch stream and on streams of the
    graph. @captures: the host captures the first repetition before. Return the events and {id(event): fact}."""
    events, facts = [], {}
    facts_of = {k: v for k, v in recorder.truth.items() if v}
    works = [e for e in recorder.events if e["cat"] in DEVICE]
    works.sort(key=get_correlation)
    branches = {stream: CALLER if k == 0 else 142 + k for k, stream in enumerate(recorder.streams)}
    first = min(e["ts"] for e in recorder.events)
    if captures:
        last = max(e["ts"] + e["dur"] for e in recorder.events) - first + 1000
        calls = [e for e in recorder.events if e["cat"] not in DEVICE and e["cat"] != "cuda_sync" and
                 e["ts"] < min(w["ts"] for w in works if facts_of[get_correlation(w)][2] == 1)]
        events += [{**e, "ts": round(e["ts"] - last, 3)} for e in calls]
        for name, at in (("cudaStreamBeginCapture", first - last - 5), ("cudaStreamEndCapture", first - 10)):
            events.append({"ph": "X", "cat": "cuda_runtime", "name": name, "pid": PID, "tid": PID, "ts": round(at, 3),
                           "dur": 1, "args": {"correlation": 100 + int(name.endswith("End"))}})
    nodes = {}
    for work in works:
        line, iteration, repetition = facts_of[get_correlation(work)]
        launch = 900000 + repetition
        stream = work["args"]["stream"]
        args = {k: v for k, v in work["args"].items() if k != "External id"}
        args.update(stream=branches.get(stream, CALLER), correlation=launch)
        if repetition not in nodes:
            nodes[repetition] = 0
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": PID, "tid": PID,
                           "ts": round(work["ts"] - 2, 3), "dur": 1, "args": {"correlation": launch}})
        nodes[repetition] += 1
        if has_nodes:
            args["graph node id"] = (5 << 32) + nodes[repetition]
        events.append({**work, "tid": args["stream"], "args": args})
        facts[id(events[-1])] = (line, iteration, repetition)
    events.sort(key=lambda e: e["ts"])
    return events, facts


def add_foreign(recorder, same, seed, every=5):
    """Add launches that the program does not have, between its ops: another op, or an op of the program on another stream.
    Correlations are doubled to make room. Return the events; the truth of @recorder changes with them."""
    chance = random.Random(seed)
    events = copy.deepcopy(recorder.events)
    for event in events:
        if "correlation" in event["args"]:
            event["args"]["correlation"] *= 2
        if event["cat"] == "cuda_sync":
            event["args"]["External id"] *= 2
    recorder.truth = {2 * k: v for k, v in recorder.truth.items()}
    ops = [e for e in events if e["cat"] == "cpu_op" and not any(
        o is not e and o["cat"] == "cpu_op" and o["ts"] <= e["ts"] and e["ts"] + e["dur"] <= o["ts"] + o["dur"] for o in
        events[max(0, events.index(e) - 6):events.index(e)])]
    external = 1000000
    for op in ops:
        if chance.random() >= 1 / every:
            continue
        inside = [e for e in events if e["cat"] in CALLS and op["ts"] <= e["ts"] <= op["ts"] + op["dur"]]
        launched = {get_correlation(e) for e in inside[-1:]}
        works = [e for e in events if e["cat"] in DEVICE and get_correlation(e) in launched]
        if not works:
            continue
        external += 1
        at, correlation = op["ts"] + op["dur"] + 0.1, get_correlation(inside[-1]) + 1
        name = op["name"] if same else "aten::exp"
        kernel = works[0]["name"] if same else "void at::native::vectorized_elementwise_kernel<4, exp_kernel_cuda>()"
        stream = 137 if same else works[0]["args"]["stream"]
        new = [{"cat": "cpu_op", "name": name, "pid": PID, "tid": PID, "ts": at, "dur": 0.6,
                "args": {"External id": external}},
               {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": PID, "tid": PID, "ts": at + 0.1, "dur": 0.3,
                "args": {"External id": external, "correlation": correlation}},
               {"cat": works[0]["cat"] if same else "kernel", "name": kernel, "pid": 0, "tid": stream,
                "ts": works[0]["ts"] + works[0]["dur"] + 0.011, "dur": 0.2,
                "args": {"External id": external, "correlation": correlation, "stream": stream, "device": 0}}]
        events += [{"ph": "X", **e} for e in new]
    events.sort(key=lambda e: e["ts"])
    return events
