#!/usr/bin/env python3
"""test-explain.py HIRSCOPE

Tests `explain`: its path covers each repetition exactly; on modelled runs it is as long as the longest path that
longest_path.py computes; and its text and exit codes.
"""
import collections
import json
import os
import random
import re
import tempfile

from longest_path import LongestPath
from planted import Planted, random_run
from program import SOURCE, from_command_line
from tap import Tap

N_RANDOM = int(os.environ.get("HIR_RANDOM_COUNT", "24"))
OVERLAP = os.path.join(SOURCE, "screenshots", "overlap")


def explain(hirscope, *paths):
    done = hirscope("explain", *paths, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def check_cover(tap, name, explained):
    """Check that the parts of each path follow each other from start to end."""
    for i, repetition in enumerate(explained["repetitions"]):
        path = repetition["path"]
        ends = [repetition["start_ns"]] + [part["end_ns"] for part in path]
        starts = [part["start_ns"] for part in path] + [repetition["end_ns"]]
        total = sum(part["end_ns"] - part["start_ns"] for part in path)
        tap.check(ends == starts and total == repetition["total_ns"] and
                  all(part["start_ns"] < part["end_ns"] for part in path),
                  f"{name}: the parts of repetition {i} cover it without gaps", repetition["total_ns"], total)
        lost = [loss["ns"] for loss in repetition["losses"]]
        tap.check(sum(lost) == total and all(ns > 0 for ns in lost),
                  f"{name}: the causes of repetition {i} add up to its total", total, repetition["losses"])


EXPOSED = {"first_communication", "last_communication", "late_communication", "synchronization", "slowest_rank", "order",
           "transfer", "first_copy", "last_copy", "late_copy", "copy"}


def check_works(tap, name, explained, gpus=None):
    """Check that each work has as much time in the causes as on the path, and exposed at most what `stats` says."""
    for repetition in explained["repetitions"]:
        on_path, lost = collections.Counter(), collections.Counter()
        for part in repetition["path"]:
            if part["kind"] in ("work", "transfer"):
                on_path[part["name"]] += part["end_ns"] - part["start_ns"]
        for loss in repetition["losses"]:
            if loss["name"] is None:
                continue
            lost[loss["name"]] += loss["ns"]
            said = re.search(r"(\d+) % of its", loss["text"])
            share = 100 * loss["ns"] / (loss["events"] * loss["mean_ns"])
            tap.check(said is None or abs(int(said[1]) - share) < 1, f"{name}: the percentage is that of the times", loss)
        tap.check(on_path == lost, f"{name}: the causes of each work have its time on the path", on_path, lost)
        named = [loss for loss in repetition["losses"] if loss["name"]]
        ranks = {rank for loss in named for rank in loss["ranks"]}
        exposed = sum(loss["ns"] for loss in named if loss["cause"] in EXPOSED)
        for gpu in (gpus or []) if len(ranks) == 1 else []:
            most = gpu["exposed_comm_ns"] + gpu["exposed_memcpy_ns"]
            tap.check(gpu["rank"] not in ranks or exposed <= most, f"{name}: at most what is exposed in stats", exposed, gpu)


def test_beside(tap, hirscope, folder):
    """Check that time belongs to the work on the path, not to what runs beside it: modelled, and exported as a trace of a GPU."""
    path, seen = os.path.join(folder, "beside.hirs"), set()
    for example in ("allgather", "allreduce", "reduce_scatter", "matmul_AR", "matmul_RS_through_bcast", "ag_matmul"):
        for d in (2, 4):
            name = f"{example} -d {d}"
            done = hirscope("run", f"example:{example}", "-d", d, "--clock", "model", "-o", path)
            assert done.code == 0, done
            gpus = json.loads(hirscope("stats", path, "--json").out)["gpus"]
            explained = explain(hirscope, path)
            check_works(tap, name, explained, gpus)
            (repetition,) = explained["repetitions"]
            seen |= {loss["cause"] for loss in repetition["losses"]}
            if example == "allreduce":
                times = {loss["name"]: loss["ns"] for loss in repetition["losses"] if loss["name"]}
                tap.check(times == {"Allreduce T3": gpus[0]["exposed_comm_ns"], "copy for Allreduce T3": gpus[0]["exposed_memcpy_ns"]},
                          f"{name}: all is exposed, as in stats", times, gpus)
                for to in ("chrome", "nsight"):
                    other = os.path.join(folder, f"beside.{to}")
                    assert hirscope("export", path, "--to", to, "-o", other).code == 0
                    check_works(tap, f"{name}, {to}", explain(hirscope, other))
    tap.check(seen >= {"order", "communication", "copy_on_path", "compute"}, "the examples have such causes", seen)


def test_random(tap, hirscope, folder):
    rand = random.Random(20)
    seen = set()
    for i in range(N_RANDOM):
        words = random_run(rand)
        path = os.path.join(folder, f"random{i}.hirs")
        name = f"random run {i}, {' '.join(map(str, words))}"
        done = hirscope("run", *words, "--clock", "model", "--trace", "full", "--timeout", 100, "-o", path)
        if not tap.check(done.code == 0, f"{name}: runs", done):
            continue
        hirscope("export", path, "--to", "csv", "-o", path + ".csv")
        longest = LongestPath(path, path + ".csv").compute()
        explained = explain(hirscope, path)
        check_cover(tap, name, explained)
        check_works(tap, name, explained, json.loads(hirscope("stats", path, "--json").out)["gpus"])
        (repetition,) = explained["repetitions"]
        tap.check(repetition["total_ns"] == longest, f"{name}: as long as the longest path", longest, repetition["total_ns"])
        kinds = {part["kind"] for part in repetition["path"]}
        reasons = {part["reason"] for part in repetition["path"]}
        tap.check(not kinds & {"gap", "launch", "host_gap", "start"} and "assumed" not in reasons,
                  f"{name}: each part is explained", kinds, reasons)
        causes = {loss["cause"] for loss in repetition["losses"]}
        tap.check(not causes & {"unexplained", "launch", "interference", "slow_execution", "slow_rank", "start"},
                  f"{name}: nothing is unexplained or slower than the model", repetition["losses"])
        seen |= kinds | reasons
    tap.check(seen >= {"work", "transfer", "wait", "host", "stream_order", "event", "launch", "host_order"},
              "the random runs have all kinds of parts", seen)


def test_overlap(tap, hirscope, folder):
    for name in ("nccl", "nccl-high", "p2p", "copy"):
        explained = explain(hirscope, os.path.join(OVERLAP, f"{name}.hirs"))
        tap.check(len(explained["repetitions"]) == 2, f"{name}: both repetitions are explained")
        check_cover(tap, name, explained)
        path = explained["repetitions"][0]["path"]
        reasons = {(part["reason"], part["kind"]) for part in path}
        tap.check(("device", "work") in reasons or ("device", "transfer") in reasons,
                  f"{name}: work that is ready waits until the device is free", reasons)
        iterations = [part["iteration"] for part in path if "T6_matmul (nvjet" in part["name"] and part["kind"] == "work"]
        tap.check(iterations == list(range(8)), f"{name}: the path goes through all matmuls in order", iterations)


def find_loss(repetition, cause, name=""):
    return next((loss for loss in repetition["losses"]
                 if loss["cause"] == cause and (loss["name"] or "").startswith(name)), None)


def near(value, wanted):
    return abs(value - wanted) <= wanted / 10


def test_findings(tap, hirscope, folder):
    """Check that `explain` finds what screenshots/overlap/README.md says, within 10 %."""
    for name in ("nccl", "nccl-high", "p2p", "copy"):
        repetitions = explain(hirscope, os.path.join(OVERLAP, f"{name}.hirs"))["repetitions"]
        for i, repetition in enumerate(repetitions):
            unknown = find_loss(repetition, "unexplained")
            tap.check(unknown is None or unknown["share"] <= 0.05, f"{name}: at most 5 % of repetition {i} are unexplained",
                      unknown)
        repetition = repetitions[0]
        first = find_loss(repetition, "first_communication", "Allgather T5")
        tap.check(first and (first["first_iteration"], first["last_iteration"]) == (0, 0),
                  f"{name}: the first gather is not hidden", repetition["losses"])
        beside = find_loss(repetition, "interference", "T6_matmul (nvjet")
        late = find_loss(repetition, "late_communication", "Allgather T5 (ncclDevKernel_SendRecv)")
        exposed = sum(loss["ns"] for loss in repetition["losses"]
                      if loss["cause"] in ("late_communication", "order", "transfer", "slowest_rank", "synchronization"))
        if name == "nccl":
            wait = next((w for w in repetition["waits"] if w["name"].startswith("Allgather T5 (nccl")), None)
            tap.check(wait and wait["by"].startswith("T6_matmul") and "waits for multiprocessors" in wait["text"] and
                      (wait["first_iteration"], wait["last_iteration"]) == (1, 7) and wait["instruction"] and
                      near(wait["mean_ns"], 400e3) and near(wait["alone_ns"], 130e3) and 0 < wait["share"] < 1,
                      "nccl: gathers wait for multiprocessors: 0.4 ms for 0.13 ms of work",
                      repetition["waits"])
        if name.startswith("nccl"):
            tap.check(beside and beside["by"].startswith("Allgather T5") and near(beside["mean_ns"], 440e3) and
                      near(beside["alone_ns"], 340e3), f"{name}: a matmul takes 0.44 ms beside gathers, 0.34 alone", beside)
            tap.check(beside["text"].endswith(f" (means of {beside['events']} executions)") and beside["events"] > 1,
                      f"{name}: the text says of how many executions the times are means", beside)
        elif name == "p2p":
            share = late["ns"] / (late["events"] * late["mean_ns"])
            tap.check(late["by"].startswith("T6_matmul") and 0.4 <= share <= 0.6,
                      "p2p: half of the communication is exposed, because each chunk waits for the matmul before", late)
        else:
            tap.check(exposed < 0.01 * repetition["total_ns"], "copy: only the first chunk is exposed", repetition["losses"])


def test_planted(tap, hirscope, folder):
    """Check that a planted cause is the first of the losses, and its removal the first of the gains."""
    path = os.path.join(folder, "base.hirs")

    def plant(name, change, weight="64x64", sync="separate"):
        done = hirscope("run", "example:ag_matmul", "--clock", "model", "--trace", "full", "-d", 4, "--set",
                        f"StreamParallelType.initial_sync={sync}", "--input", "8x4x64x64", "--input", weight,
                        "-o", path)
        assert done.code == 0, done
        planted = Planted(hirscope, path)
        change(planted)
        length = planted.write(os.path.join(folder, f"{name}.json"))
        explained = explain(hirscope, os.path.join(folder, f"{name}.json"))
        check_cover(tap, name, explained)
        (repetition,) = explained["repetitions"]
        tap.check(repetition["total_ns"] == length, f"{name}: as long as the longest path", length, repetition["total_ns"])
        planted.write_recording(os.path.join(folder, f"{name}.hirs"))
        explained = explain(hirscope, os.path.join(folder, f"{name}.hirs"))
        (of_recording,) = explained["repetitions"]
        tap.check(of_recording["total_ns"] == length, f"{name}: so is the recording", length, of_recording["total_ns"])
        # In the simulation, waits that are no longer necessary take no time.
        tap.check(abs(explained["simulated_ns"] - length) <= 1000, f"{name}: so is the simulation, but for a few waits", length,
                  explained["simulated_ns"])
        tap.check(of_recording["losses"][0]["cause"] == repetition["losses"][0]["cause"], f"{name}: the recording has the same first loss",
                  of_recording["losses"])
        return repetition, explained["gains"]

    def scale(planted, factor, **wanted):
        events = planted.events(**wanted)
        assert events
        for e in events:
            e["ns"] = int(e["ns"] * factor)

    repetition, gains = plant("slow rank", lambda p: scale(p, 10, rank=2, name="T6_matmul", kind="kernel"))
    loss = repetition["losses"][0]
    tap.check(loss["cause"] == "slow_rank" and loss["ranks"] == [2] and loss["name"] == "T6_matmul",
              "a slowed rank is ranked first", repetition["losses"])
    tap.check((gains[0]["change"], gains[0]["rank"], gains[0]["name"]) == ("slow_rank", 2, "T6_matmul") and
              gains[0]["gain_ns"] > 0.5 * repetition["total_ns"], "so is its removal", gains)
    repetition, gains = plant("throttled", lambda p: scale(p, 20, rank=1, name="T6_matmul", kind="kernel", iteration="5"))
    loss = repetition["losses"][0]
    tap.check(loss["cause"] == "slow_execution" and loss["ranks"] == [1] and
              (loss["first_iteration"], loss["last_iteration"]) == (5, 5), "a throttled kernel is ranked first",
              repetition["losses"])
    tap.check((gains[0]["change"], gains[0]["rank"], gains[0]["name"]) == ("slow_execution", 1, "T6_matmul") and
              gains[0]["gain_ns"] > 0.5 * repetition["total_ns"], "so is its removal", gains)
    repetition, gains = plant("late host", lambda p: scale(p, 3000, rank=3, name="GetCurrentStream", kind="issue"))
    loss = repetition["losses"][0]
    tap.check(loss["cause"] == "host" and 3 in loss["ranks"], "a late host thread is ranked first", repetition["losses"])
    tap.check((gains[0]["change"], gains[0]["rank"]) == ("host", 3) and gains[0]["gain_ns"] > 0.8 * repetition["total_ns"],
              "so is its removal", gains)
    repetition, gains = plant("sync", lambda p: None, "64x256", "in_loop")
    loss = repetition["losses"][0]
    tap.check(loss["cause"] == "synchronization" and loss["by"].startswith("Synchronize") and
              loss["name"].startswith("Allgather"), "needless synchronization in the loop is ranked first",
              repetition["losses"])
    tap.check((gains[0]["change"], gains[0]["name"]) == ("option", "StreamParallelType.initial_sync=separate"),
              "the option that avoids it gains most", gains)
    broken = [gain.get("breaks", False) for gain in gains]
    tap.check(broken == sorted(broken) and broken[-1], "what would break the program is last", gains)
    path, page = os.path.join(folder, "sync.hirs"), os.path.join(folder, "sync.html")
    hirscope("export", path, "--to", "html", "-o", page)
    with open(page, encoding="utf-8") as f:
        texts = {"the text": hirscope("explain", path).out, "the report": f.read()}
    for name, text in texts.items():
        before, title, after = text.partition("Only if the work that depends on it is ordered in another way")
        tap.check(title and "but work depends on it" in after and "but work depends on it" not in before,
                  f"{name} separates what would break the program", text[:3000])
    tap.check('<td class="name" colspan="3"><b>Only if' in texts["the report"], "its title is aligned like the names", texts["the report"][-3000:])
    percentages = re.findall(r"<td>[0-9.]+(.?)%</td>", texts["the report"])
    tap.check(percentages and set(percentages) == {"\u202f"}, "percentages of the report do not break before their unit", percentages)
    cells = re.findall(r"<td>([0-9.]+)\s(ns|µs|ms)</td>", texts["the report"])
    tap.check(cells and all(float(number) < 1000 for number, unit in cells), "times in the report have the unit that fits", cells)


HOST_BOUND = """from nvfuser_direct import DataType, FusionDefinition, ParallelType

def pipeline():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        b = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        c = fd.ops.matmul(a, b)
        d = fd.ops.mul(c, c)
        e = fd.ops.add(d, c)
        fd.add_output(e)
        for tv in (c, d, e):
            tv.axis(0).parallelize(ParallelType.stream)
    return fd
"""


def test_bound(tap, hirscope, folder):
    """Check that the first loss names what limits a run whose streams overlap, as the first gain does."""
    script, path = os.path.join(folder, "host.py"), os.path.join(folder, "host.hirs")
    with open(script, "w", encoding="utf-8") as f:
        f.write(HOST_BOUND)
    done = hirscope("run", script, "--clock", "model", "--trace", "full", "--streams", 4, "--input", "16x64", "--input",
                    "64x64", "-o", path)
    assert done.code == 0, done
    explained = explain(hirscope, path)
    check_cover(tap, "host bound", explained)
    (repetition,) = explained["repetitions"]
    loss, total = repetition["losses"][0], repetition["total_ns"]
    tap.check(loss["cause"] == "host_feeds" and "cannot feed the streams" in loss["text"] and
              explained["gains"][0]["change"] == "host" and loss["ns"] > total / 2,
              "a run that the host limits: the first loss and the first gain are the host's", repetition["losses"])
    computes = {loss["name"]: loss["ns"] for loss in repetition["losses"] if loss["cause"] == "compute"}
    gains = {}
    for name in computes:
        done = hirscope("predict", path, "--kernel", f"{name}=0", "--json")
        assert done.code == 0, done
        gains[name] = json.loads(done.out)["gain_ns"]
    tap.check(len(gains) == 3 and all(gains[name] <= computes[name] for name in gains),
              "no kernel gains more than its time on the path", computes, gains)
    tap.check(any("kernels overlap" in note for note in explained["notes"]), "a note states whose overlapping time is",
              explained["notes"])
    tap.check(not any("posts" in note for note in explained["notes"]), "no note is about communication", explained["notes"])
    path = os.path.join(folder, "gather.hirs")
    done = hirscope("run", "example:ag_matmul", "--clock", "model", "--trace", "full", "-d", 4, "--set",
                    "StreamParallelType.initial_sync=separate", "--input", "8x4x256x512", "--input", "512x64", "-o", path)
    assert done.code == 0, done
    explained = explain(hirscope, path)
    (repetition,) = explained["repetitions"]
    loss = repetition["losses"][0]
    tap.check(loss["name"] and loss["name"].startswith("Allgather") and explained["gains"][0]["name"].startswith("Allgather"),
              "a run that communication limits: the first loss and the first gain are the gather", repetition["losses"],
              explained["gains"])


def test_planted_sync(tap, hirscope, folder):
    """Check that a needless Synchronize in a loop is the first of the gains, and costs what the program gains without it."""
    words = ["--clock", "model", "--trace", "full", "--input", "8x64x64", "--input", "64x256"]
    lines = hirscope("lower", "example:batched_matmul").out.splitlines()
    at = max(i for i, line in enumerate(lines) if "SetCurrentStream to Stream (" in line) + 1
    totals = []
    for name, planted in (("without", []), ("with", ["    Synchronize Stream 0"])):
        with open(os.path.join(folder, f"{name}.txt"), "w", encoding="utf-8") as f:
            f.write("\n".join(lines[:at] + planted + lines[at:]) + "\n")
        path = os.path.join(folder, f"{name}-sync.hirs")
        done = hirscope("run", os.path.join(folder, f"{name}.txt"), *words, "-o", path)
        assert done.code == 0, done
        explained = explain(hirscope, path)
        totals.append(explained["repetitions"][0]["total_ns"])
    gain = explained["gains"][0]
    tap.check(gain["change"] == "synchronization" and "breaks" not in gain and "nothing needs it" in gain["text"],
              "its removal is the first gain", explained["gains"])
    tap.check(gain["gain_ns"] == totals[1] - totals[0], "it costs what the program gains without it", gain, totals)


def test_collective(tap, hirscope, folder):
    """Check that the path passes from rank to rank at the last member of a collective."""
    path = os.path.join(folder, "ranks.hirs")
    hirscope("run", "example:matmul_AR", "-d", 4, "--clock", "model", "--trace", "full", "--repeat", 3, "-o", path)
    explained = explain(hirscope, path)
    tap.check(len(explained["repetitions"]) == 3, "a recording with --repeat 3 has three repetitions")
    check_cover(tap, "matmul_AR", explained)
    totals = {r["total_ns"] for r in explained["repetitions"]}
    tap.check(len(totals) == 1, "the repetitions of a modelled run are equally long", totals)
    plain = os.path.join(folder, "plain.hirs")
    hirscope("run", "example:ag_matmul", "-d", 2, "--clock", "model", "--trace", "kernels", "--repeat", 2, "-o", plain)
    explained = explain(hirscope, plain)
    tap.check(len(explained["repetitions"]) == 2 and any("host events" in n for n in explained["notes"]),
              "without host events, repetitions are found, and a note says what is missing", explained["notes"])
    check_cover(tap, "ag_matmul without host events", explained)


def kineto(folder, name, events):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}, f)
    return path


def event(cat, name, ts, dur, correlation, tid, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 0 if cat == "kernel" else 100, "tid": tid, "ts": ts, "dur": dur,
            "args": {"correlation": correlation, **({"device": 0, "stream": tid} if cat == "kernel" else {}), **args}}


def test_posts(tap, hirscope, folder):
    """A communication waits for the stream that posts it: the one that the host has selected, even if another one ends later."""
    path = os.path.join(folder, "posts.hirs")
    words = ["example:ag_matmul", "-d", 4, "--clock", "model", "--streams", 4, "--set", "StreamParallelType.initial_sync=in_loop", "-o", path]
    hirscope("run", *words)
    explained = explain(hirscope, path)
    parts = explained["repetitions"][0]["path"]
    posts = [(parts[i - 1], part) for i, part in enumerate(parts) if part["reason"] == "post"]
    tap.check(len(posts) > 10 and all(before["track"].split(" ")[:2] == ["Stream", str(part["iteration"] % 4)] and
                                      before["name"] == "Synchronize Default stream" for before, part in posts),
              "posts follow the stream of their iteration", posts)
    said = "because the trace states no dependency"
    tap.check(not any(said in note for note in explained["notes"]), "no dependency is assumed", explained["notes"])
    hirscope("run", *words, "--trace", "kernels")
    explained = explain(hirscope, path)
    reasons = {part["reason"] for part in explained["repetitions"][0]["path"]}
    tap.check("assumed" in reasons and "post" not in reasons and any(said in note for note in explained["notes"]) and
              any("--trace full" in note for note in explained["notes"]), "without the host, it is assumed, and notes say so", explained["notes"], reasons)


def test_foreign(tap, hirscope, folder):
    """Check the path of a trace without a program: two streams, a host that waits."""
    path = kineto(folder, "foreign.json", [
        event("cuda_runtime", "cudaLaunchKernel", 0, 5, 1, 1), event("kernel", "first", 10, 100, 1, 7),
        event("cuda_runtime", "cudaLaunchKernel", 6, 4, 2, 1), event("kernel", "second", 112, 50, 2, 9),
        event("cuda_runtime", "cudaDeviceSynchronize", 20, 150, 3, 1),
        event("cuda_runtime", "cudaLaunchKernel", 180, 5, 4, 1), event("kernel", "third", 190, 10, 4, 7)])
    done = hirscope("explain", path)
    tap.check(done.code == 0 and "no program" in done.out and "join" in done.out,
              "a trace without a program is explained, and a note says what is missing", done)
    explained = explain(hirscope, path)
    check_cover(tap, "foreign", explained)
    found = [(p["name"], p["kind"], p["reason"]) for p in explained["repetitions"][0]["path"]]
    tap.check(found == [("cudaLaunchKernel", "host", "start"), ("first", "launch", "launch"), ("first", "work", "launch"),
                        ("second", "gap", "assumed"), ("second", "work", "assumed"),
                        ("cudaDeviceSynchronize", "host", "host_wait"), ("cudaLaunchKernel", "host_gap", "host_order"),
                        ("cudaLaunchKernel", "host", "host_order"), ("third", "launch", "launch"),
                        ("third", "work", "launch")], "the path goes through launch, streams and the wait of the host", found)


def test_long_names(tap, hirscope, folder):
    """Kernels of templates, whose names differ late, can be told apart in the causes, on the path, in stats and in compare."""
    start = "void at::native::elementwise_kernel<(int)128, (int)4, void at::native::gpu_kernel_impl_nocast<at::native::detail::"
    functors = ["MulFunctor<float>", "AddFunctor<float>", "MulFunctor<c10::BFloat16>", "AddFunctor<c10::BFloat16>"]
    kernels = [f"{start}{functor}>>(int, T3)" for functor in functors]
    events = []
    for i, kernel in enumerate(kernels):
        events += [event("cuda_runtime", "cudaLaunchKernel", 100 * i, 5, i + 1, 1), event("kernel", kernel, 100 * i + 10, 80, i + 1, 7)]
    path = kineto(folder, "names.json", events)
    for words in (["explain", path], ["stats", path], ["compare", path, path]):
        text = hirscope(*words).out
        shown = re.findall(r"elementwise_kernel.*Functor.*", text)
        shown = [name for name in shown if words[0] != "explain" or name.endswith(" computes")]
        tap.check(len(shown) == len(set(shown)) == 4, f"{words[0]}: the names of four kernels differ", shown, text)


def test_exposed(tap, hirscope, folder):
    """Check the reason of exposed communication: nothing runs beside it, or it takes longer than what does."""
    def find(name, period, gather_at, cat="kernel", gather="ncclDevKernel_AllGather", last="last_communication"):
        events = []
        for i in range(4):
            at = 1000 + i * period
            events += [event("cuda_runtime", "cudaLaunchKernel", at, 8, 2 * i + 1, 1),
                       event("kernel", "gemm", at + 30, 120, 2 * i + 1, 7),
                       {**event("kernel", gather, at + 30 + gather_at, 90, 2 * i + 2, 20), "cat": cat}]
        (repetition,) = explain(hirscope, kineto(folder, name, events))["repetitions"]
        return [loss for loss in repetition["losses"] if loss["name"] == gather and loss["cause"] != last]

    (loss,) = find("serial.json", 250, 120)
    tap.check((loss["cause"], loss["by"], loss["ns"]) == ("order", "gemm", 270000) and
              "starts when gemm ends, and no kernel runs beside it: 100 % of its 270.0 µs in 3 executions are" in loss["text"] and
              "longer than" not in loss["text"], "a gather after each gemm is exposed by its order", loss)
    (loss,) = find("beside.json", 200, 90)
    tap.check((loss["cause"], loss["by"], loss["ns"]) == ("transfer", None, 180000) and
              "takes longer than the kernels beside it: 67 %" in loss["text"],
              "a gather that a gemm hides for a third of its time takes longer", loss)
    (loss,) = find("copy.json", 250, 120, "gpu_memcpy", "Memcpy HtoD", "last_copy")
    tap.check((loss["cause"], loss["by"]) == ("copy", "gemm") and "no kernel runs beside it" in loss["text"],
              "a copy after each gemm is exposed, too", loss)


COPIES = """from nvfuser_direct import DataType, FusionDefinition, ParallelType

def copies():
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        b = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        c = fd.ops.set(a)
        d = fd.ops.matmul(c, b)
        e = fd.ops.set(d)
        fd.add_output(e)
        for tv in (c, d, e):
            tv.axis(0).parallelize(ParallelType.stream)
    return fd
"""


def test_copies(tap, hirscope, folder):
    """Check that no copy of a device is called a communication."""
    script, path = os.path.join(folder, "copies.py"), os.path.join(folder, "copies.hirs")
    with open(script, "w", encoding="utf-8") as f:
        f.write(COPIES)
    for streams, shapes in ((1, ("16x8192", "8192x1")), (4, ("16x8192", "8192x4")), (4, ("16x64", "64x64"))):
        done = hirscope("run", script, "--clock", "model", "--streams", streams, "--input", shapes[0], "--input", shapes[1],
                        "-o", path)
        assert done.code == 0, done
        explained = explain(hirscope, path)
        check_cover(tap, "copies", explained)
        causes = {loss["cause"] for r in explained["repetitions"] for loss in r["losses"] if (loss["name"] or "").startswith("Set")}
        tap.check(causes and causes <= {"first_copy", "last_copy", "late_copy", "copy", "copy_on_path", "synchronization"},
                  f"{streams} streams: a Set of one device is a copy", causes)
        (gpu,) = json.loads(hirscope("stats", path, "--json").out)["gpus"]
        tap.check(gpu["total_comm_ns"] == 0 and gpu["total_memcpy_ns"] > 0 and gpu["comm_overlap_percent"] is None,
                  f"{streams} streams: so it is in the statistics", gpu)
        kinds = json.loads(hirscope("query", path, "SELECT DISTINCT kind, class FROM events WHERE name LIKE 'Set %' AND class IS NOT NULL",
                                    "--json").out)["rows"]
        tap.check(kinds == [["memcpy", "memcpy"]], f"{streams} streams: and in SQL", kinds)


def test_notes(tap, hirscope, folder):
    """Check the notes on free overlap, and on the totals, whose difference is that of their starts."""
    path = os.path.join(folder, "notes.hirs")
    free, totals = "streams do not slow each other down", "totals differ"

    def check(name, overlaps, words):
        done = hirscope("run", *words, "-o", path)
        assert done.code == 0, done
        notes = {"explain": explain(hirscope, path)["notes"], "stats": json.loads(hirscope("stats", path, "--json").out)["account"]["notes"],
                 "stats as text": hirscope("stats", path).out.splitlines(), "explain as text": hirscope("explain", path).out.splitlines()}
        for command, lines in notes.items():
            tap.check(sum(free in line for line in lines) == overlaps, f"{name}: {command} says whether overlap is free", lines)
        return notes

    AG = ["example:ag_matmul", "-d", 2]
    check("streams that overlap", True, [*AG, "--clock", "model", "--streams", 4])
    check("measured times", False, [*AG, "--streams", 4])
    notes = check("one stream", False, ["example:matmul_m", "--clock", "model", "--streams", 1])
    for command, lines in notes.items():
        tap.check(sum(totals in line for line in lines) == 1, f"{command} says how totals differ", lines)
    (repetition,) = explain(hirscope, path)["repetitions"]
    (gpu,) = json.loads(hirscope("stats", path, "--json").out)["gpus"]
    spans = [json.loads(hirscope("query", path, f"SELECT min(start_ns), max(end_ns) FROM events WHERE phase = 'program'{work}",
                                 "--json").out)["rows"][0] for work in ("", " AND class IS NOT NULL")]
    tap.check([repetition["total_ns"], gpu["total_ns"]] == [end - start for start, end in spans] and spans[0][0] < spans[1][0],
              "one total is that of all events, the other that of the work", repetition["total_ns"], gpu, spans)
    hirscope("run", "example:matmul_m", "--clock", "model", "--trace", "kernels", "-o", path)
    lines = hirscope("stats", path).out + hirscope("explain", path).out
    tap.check(totals not in lines, "without host events, they do not differ", lines)


def test_traces(tap, hirscope, folder):
    """Check that the parts of each available trace add up."""
    traces = os.path.join(SOURCE, "tests", "data", "cases", "traces")
    n_explained = 0
    for root, _, names in sorted(os.walk(traces)):
        for name in sorted(names):
            done = hirscope("explain", os.path.join(root, name), "--json")
            if done.code == 0:
                check_cover(tap, name, json.loads(done.out))
                n_explained += 1
            else:
                tap.check(done.code == 2 and done.err, f"{name}: is refused with a reason", done)
    tap.check(n_explained > 0, "there are traces to explain")


def test_usage(tap, hirscope, folder):
    done = hirscope("explain")
    tap.check(done.code == 2 and "TRACE" in done.err, "without a trace: exit status 2", done)
    done = hirscope("explain", os.path.join(folder, "none.hirs"))
    tap.check(done.code == 2 and "none.hirs" in done.err, "a file that does not exist: exit status 2", done)
    path = kineto(folder, "host.json", [event("cpu_op", "aten::add", 0, 5, 0, 1)])
    done = hirscope("explain", path)
    tap.check(done.code == 2 and "no work of a device" in done.err, "a trace without device work: exit status 2", done)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.groups([test_random, test_beside, test_overlap, test_findings, test_planted, test_bound, test_planted_sync, test_collective, test_posts, test_foreign, test_long_names, test_exposed, test_copies, test_notes, test_traces, test_usage],
                   from_command_line(), folder)
    tap.done()


main()
