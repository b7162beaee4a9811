#!/usr/bin/env python3
"""test-classify.py HIRSCOPE

Tests how device work is classified: the cases in tests/data/cases/traces, names that people meet, users' patterns, and
device tracks that are recognized by the names of processes and threads. Also tests the bandwidth of collectives and
the damaged and foreign files of that folder.
"""
import json
import os
import tempfile

from program import from_command_line
from tap import Tap

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "cases", "traces")
# One name per line, each 50 µs; the class that stats must report.
NAMES = {
    "communication": [
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclKernel_AllGather_RING_LL_Sum_int8_t",
        "void deep_ep::internode::combine<__nv_bfloat16>(int4*)", "void aiter::cross_device_reduce_2stage<half, 8>(x)",
        "void vllm::quickreduce::allreduce_prototype_twoshot<x>(y)", "two_shot_all_reduce_kernel", "mscclpp::allgather_kernel",
        "void c10d::symmetric_memory::(anonymous namespace)::barrier_kernel(unsigned int**)", "mori::moe::EpDispatchIntraNodeKernel",
        "nvshmemi_barrier_kernel", "oneccl_reduce_scatter", "userbuffers_fp16_sum_inplace_gpu_rr", "hcom_broadcast__1_0",
        "void tensorrt_llm::kernels::moe_a2a_dispatch(x)",
    ],
    "kernel": [
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)", "sm90_xmma_gemm_bf16bf16",
        "void layerNormBlockAllReduce<float>(float*)", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN", "accumulate_kernel",
        "void split_with_sizes_copy_out_contiguous_no_cast_kernel(x)", "Cijk_Alik_Bljk_HHS_BH_MT128x128x32",
    ],
    "fused": ["void gemm_all_reduce_kernel<bf16>(x)", "void flux::ag_gemm<128>(x)", "gemm_rs", "fused_matmul_reduce_scatter"],
    "memcpy": ["__amd_rocclr_copyBufferRect", "MEMORY_COPY_DEVICE_TO_HOST", "Memcpy DtoH (Device -> Pinned)", "CopyDeviceToHost"],
    "memset": ["__amd_rocclr_fillBufferAligned", "MEMORY_SET"],
}


def kernel(name, start_us, **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start_us, "dur": 50,
            "args": {"device": 0, "stream": 7, "correlation": start_us, **args}}


# Per case, (rank, device, computation, communication, copies, fused computation in ns, events) of each device.
CASE_DEVICES = {
    # One device per class: communication, computation, fused, copies, fills, waits, which are no work.
    "names_by_class.json": [(0, 0, 0, 2_300_000, 0, 0, 46), (0, 1, 1_100_000, 0, 0, 0, 22), (0, 2, 500_000, 0, 0, 500_000, 10),
                            (0, 3, 0, 0, 950_000, 0, 19), (0, 4, 400_000, 0, 0, 0, 8), (0, 5, 0, 0, 0, 0, 0)],
    "tpu_sparsecore.json": [(0, 3, 20_000, 20_000, 10_000, 0, 5)],
    "xla_gpu_named.json": [(0, 0, 10_000, 0, 0, 0, 1), (0, 1, 0, 0, 10_000, 0, 1)],
    "tensorflow_timeline.json": [(0, 0, 10_000, 0, 0, 0, 1)],
    "ascend_old.json": [(0, 0, 10_000, 10_000, 0, 0, 2)],
    "ascend_waits.json": [(0, 0, 10_000, 20_000, 10_000, 0, 4)],
    "rocprofv3.json": [(0, 2, 10_000, 0, 10_000, 0, 2)],
    "unitrace.json": [(0, 0, 10_000, 0, 10_000, 0, 2), (0, 1, 0, 10_000, 0, 0, 1)],
    "xpu_kineto.json": [(0, 0, 10_000, 0, 10_000, 0, 2)],
    "mlu_kineto.json": [(0, 0, 20_000, 10_000, 10_000, 0, 4)],
    "kernel_v3.sqlite": [(0, 0, 500, 100, 50, 0, 4)],
    "no_start.sqlite": [(0, 0, 100, 0, 0, 0, 1)],
    "two_machines.sqlite": [(0, 0, 100, 0, 0, 0, 1), (1, 0, 100, 0, 0, 0, 1), (2, 0, 0, 100, 0, 0, 1)],
    "bom.json.gz": [(0, 0, 100_000, 0, 0, 0, 10)],
    "broken_backslash.json": [(0, 0, 90_000, 0, 0, 0, 9)],
    "broken_brace.json": [(0, 0, 100_000, 0, 0, 0, 10)],
    "broken_comma.json": [(0, 0, 100_000, 0, 0, 0, 10)],
    "broken_comment.json": [(0, 0, 100_000, 0, 0, 0, 10)],
    "broken_control.json": [(0, 0, 100_000, 0, 0, 0, 10)],
    "broken_missing.json": [(0, 0, 90_000, 0, 0, 0, 9)],
    "broken_nan.json": [(0, 0, 100_000, 0, 0, 0, 10)],
    "broken_path.json": [(0, 0, 100_000, 0, 0, 0, 10)],
    "broken_word.json": [(0, 0, 100_000, 0, 0, 0, 10)],
}
CASE_NOTES = {
    "kernel_v3.sqlite": "tables that are not read: GPU_METRICS (2 rows)", "no_start.sqlite": "1 event without a time, left out",
    "broken_brace.json": "3 bytes, 0 events lost", "broken_backslash.json": "160 bytes, 1 event lost",
    "names_by_class.json": "classified by name: waits: 1 by ROCm wait, 6 by wait of the runtime",
}
CASE_REFUSALS = {"broken_lines.json": "one per line; convert it with: jq -s .", "nvprof.nvvp": "a database of nvprof"}


class Traces:
    def __init__(self, hirscope, folder):
        self.hirscope, self.folder = hirscope, folder

    def write(self, name, events):
        path = os.path.join(self.folder, name + ".json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"traceEvents": events}, out)
        return path

    def stats(self, path, *words):
        done = self.hirscope("stats", path, "--json", *words)
        return json.loads(done.out) if done.code == 0 else done


def device(stats):
    return {key: stats["gpus"][0][key] for key in ("computation_ns", "total_comm_ns", "total_memcpy_ns", "fused_ns")}


def test_cases(tap, traces):
    got = device(traces.stats(os.path.join(CASES, "comm_names.json")))
    tap.check(got["total_comm_ns"] == 13 * 50_000 and got["computation_ns"] == 100_000, "comm_names: every kernel but gemm", got)
    got = device(traces.stats(os.path.join(CASES, "rocclr.json")))
    tap.check((got["total_memcpy_ns"], got["total_comm_ns"], got["computation_ns"]) == (90_000, 140_000, 110_000), "rocclr", got)
    got = traces.stats(os.path.join(CASES, "xla.json"))
    tap.check(len(got["gpus"]) == 1 and device(got)["total_comm_ns"] == 30_000 and device(got)["computation_ns"] == 20_250,
              "xla: the streams of the device, each event once", got["gpus"])
    got = traces.stats(os.path.join(CASES, "npu_strings.json"))
    tap.check(len(got["gpus"]) == 1 and device(got)["total_comm_ns"] == 20_000 and device(got)["computation_ns"] == 24_940,
              "npu_strings: times in strings, a communication in another process", got["gpus"])


def reject_constant(word):
    raise ValueError(word)


def test_more_cases(tap, traces):
    """Each case has its numbers, before and after an export, which is strict JSON."""
    out = os.path.join(traces.folder, "out.json")
    keys = ("rank", "device", "computation_ns", "total_comm_ns", "total_memcpy_ns", "fused_ns", "events")
    for name, wanted in CASE_DEVICES.items():
        path = os.path.join(CASES, name)
        got = traces.stats(path)
        rows = [tuple(gpu[key] for key in keys) for gpu in got["gpus"]]
        tap.check(rows == wanted, f"{name}: its devices", rows)
        notes = got["account"]["notes"]
        tap.check(CASE_NOTES.get(name, "") in "\n".join(notes), f"{name}: its account", notes)
        done = traces.hirscope("export", path, "--to", "chrome", "-o", out)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        json.loads(text, parse_constant=reject_constant)
        again = [tuple(gpu[key] for key in keys) for gpu in traces.stats(out)["gpus"]]
        tap.check(done.code == 0 and again == wanted, f"{name}: exported as strict JSON, with the same devices", again)
    for name, words in CASE_REFUSALS.items():
        done = traces.hirscope("stats", os.path.join(CASES, name))
        tap.check(done.code == 2 and words in done.err, f"{name}: {words}", done)


def test_collectives(tap, traces):
    """The argument "wanted busbw" of each collective is its bandwidth for 1 MiB in 100 µs, by nccl-tests."""
    for name in ("coll_names.json", "coll_groups.json", "coll_dtypes.json"):
        with open(os.path.join(CASES, name), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        for event in events:
            got = [row["busbw_gbps"] for row in traces.stats(traces.write("one", [event]))["collectives"]]
            args = event["args"]
            wanted = args["wanted busbw"]
            tap.check(len(got) == 1 and (got[0] is wanted or abs(got[0] - wanted) < 0.01),
                      f"{args['Collective name']} {args.get('Process Group Ranks')} {args['dtype']}: {wanted} GB/s", got)


def test_hta(tap, traces):
    """HolisticTraceAnalysis counts impossible times, too."""
    path = os.path.join(CASES, "overflow.json")
    ours, hta = (traces.stats(path, *words)["gpus"][0] for words in ((), ("--classify", "hta")))
    tap.check(ours["busy_ns"] == 190_000 and hta["busy_ns"] > 1_000_000_000 and hta["events"] == ours["events"] + 1,
              "hta leaves no event out", ours, hta)


def test_names(tap, traces):
    for kind, names in NAMES.items():
        for name in names:
            stats = traces.stats(traces.write("name", [kernel(name, 100)]))
            got = device(stats)
            wanted = {"computation_ns": 50_000 if kind in ("kernel", "fused", "memset") else 0, "fused_ns": 50_000 if kind == "fused" else 0,
                      "total_comm_ns": 50_000 if kind == "communication" else 0, "total_memcpy_ns": 50_000 if kind == "memcpy" else 0}
            tap.check(got == wanted, f"{name}: {kind}", got)


def test_patterns(tap, traces):
    path = traces.write("patterns", [kernel("my_ring_step", 100), kernel("my_mover", 200), kernel("gemm", 300), kernel("nccl_x", 400)])
    got = traces.stats(path, "--comm-pattern", "ring_[a-z]+$", "--copy-pattern", "^my_mover")
    tap.check((device(got)["total_comm_ns"], device(got)["total_memcpy_ns"]) == (100_000, 50_000), "patterns add to the rules", got["gpus"])
    notes = json.dumps(got["account"])
    tap.check("1 by the pattern ring_[a-z]+$" in notes and "1 by NCCL" in notes, "the account names each rule", notes)
    # The patterns apply to a recording that was made of the trace, and the account has no line twice.
    recording = os.path.join(traces.folder, "patterns.hirs")
    done = traces.hirscope("export", path, "--to", "hirs", "-o", recording)
    got = traces.stats(recording, "--comm-pattern", "ring")
    tap.check(done.code == 0 and device(got)["total_comm_ns"] == 100_000, "patterns apply to a recording", done, got)
    tap.check(json.dumps(got["account"]).count("classified by name: communication") == 1, "the account is not repeated", got["account"])
    got = traces.stats(path, "--classify", "hta")
    tap.check(device(got)["total_comm_ns"] == 50_000, "hta: names with nccl alone", got["gpus"])
    path = traces.write("args", [kernel("custom", 100, **{"Collective name": "allreduce"}), kernel("multimem_x", 200)])
    tap.check(device(traces.stats(path))["total_comm_ns"] == 100_000, "a collective by its arguments", path)
    tap.check(device(traces.stats(path, "--classify", "hta"))["total_comm_ns"] == 0, "hta: not by arguments", path)
    for words in (["--comm-pattern", "("], ["--copy-pattern", "[a"], ["--classify", "mine"]):
        for command in (["stats", path], ["export", path, "--to", "csv", "-o", os.path.join(traces.folder, "x.csv")], ["compare", path, path]):
            done = traces.hirscope(*command, *words)
            tap.check(done.code == 2 and words[-1] in done.err, f"{command[0]} {' '.join(words)} is refused", done)


def metadata(pid, name, tid=None):
    if tid is None:
        return {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}
    return {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}}


def work(pid, tid, name, start_us, duration_us=10):
    return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": start_us, "dur": duration_us}


def test_devices(tap, traces):
    tpu = [work(1, 2, "fusion.1", 0), work(1, 3, "step", 0, 90), work(9, 1, "python", 0), work(1, 2, "all-reduce.3", 20),
           metadata(1, "/device:TPU:3"), metadata(1, "XLA Ops", 2), metadata(1, "Steps", 3), metadata(9, "/host:CPU")]
    got = traces.stats(traces.write("tpu", tpu))
    tap.check([(g["device"], g["computation_ns"], g["total_comm_ns"]) for g in got["gpus"]] == [(3, 10_000, 10_000)],
              "a TPU, named after its events", got["gpus"])
    rocprof = [metadata(6, "GPU1"), work(6, 0, "gemm", 0), metadata(1, "COPY"), work(1, 0, "CopyHostToDevice", 20), metadata(2, "CPU HIP API"),
               work(2, 5, "hipLaunchKernel", 0)]
    got = traces.stats(traces.write("rocprof", rocprof))
    tap.check(sum(g["computation_ns"] for g in got["gpus"]) == 10_000 and sum(g["total_memcpy_ns"] for g in got["gpus"]) == 10_000,
              "rocprof's processes", got["gpus"])
    ascend = [metadata(5, "Ascend Hardware"), metadata(5, "Stream 4", 4), work(5, 4, "MatMulV2", 0), metadata(7, "Communication"),
              metadata(7, "Group 0 Communication", 1), metadata(7, "Plane 0", 2), work(7, 1, "hcom_allGather__1", 5), work(7, 2, "Notify_Wait", 5),
              metadata(8, "Python"), work(8, 1, "aten::mm", 0)]
    got = traces.stats(traces.write("ascend", ascend))
    tap.check(len(got["gpus"]) == 1 and device(got)["computation_ns"] == 10_000 and device(got)["total_comm_ns"] == 10_000,
              "Ascend: operators, without the planes of a communication", got["gpus"])
    intel = [metadata(5, "Intel(R) Data Center GPU Max 1550"), work(5, 4, "gemm_kernel", 0), work(8, 1, "host", 0)]
    got = traces.stats(traces.write("intel", intel))
    tap.check(len(got["gpus"]) == 1 and device(got)["computation_ns"] == 10_000, "a device of Intel", got["gpus"])


def test_own_copies(tap, traces):
    """The local copy of a collective stays a copy in a recording and in its exports."""
    recording, exported = (os.path.join(traces.folder, name) for name in ("own.hirs", "own.json"))
    done = traces.hirscope("run", "example:allreduce", "-d", 2, "--clock", "model", "-o", recording)
    traces.hirscope("export", recording, "--to", "chrome", "-o", exported)
    sql = ("SELECT class, name, count(*) FROM events WHERE instruction IS NOT NULL AND kind IN ('memcpy', 'communication') "
           "GROUP BY class, name ORDER BY class, name")
    for path in (recording, exported):
        rows = json.loads(traces.hirscope("query", path, sql, "--json").out)["rows"]
        tap.check(done.code == 0 and [row[0] for row in rows] == ["communication", "memcpy"] and rows[1][1] == f"copy for {rows[0][1]}" and
                  rows[0][2] == rows[1][2] > 0, f"{os.path.basename(path)}: one copy per collective", rows)


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_cases, test_more_cases, test_collectives, test_hta, test_names, test_patterns, test_devices, test_own_copies):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, Traces(hirscope, folder))
    tap.done()


if __name__ == "__main__":
    main()
