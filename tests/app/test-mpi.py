#!/usr/bin/env python3
"""test-mpi.py HIRSCOPE

Tests `mpirun -n N hirscope run`: results, one recording of all ranks on one clock, ranks that do not match, a rank that
is killed or hangs. Skips if there is no launcher or the build has no MPI module.
"""
import concurrent.futures
import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import tempfile
import time

from launcher import SLACK_S, Launcher, descendants, end, has_thread, is_clean, is_ours, ours, rank_of
from program import EXAMPLES, Program, from_command_line
from tap import Tap

# Builds with sanitizers take several times as long.
FEWER = os.environ.get("HIR_TEST_FEWER") == "1"


def functions():
    """Return the functions of the example for several devices."""
    with open(os.path.join(EXAMPLES, "multi_device.py"), encoding="utf-8") as f:
        return [name for name in re.findall(r"^def (\w+)\(num_devices: int\)", f.read(), re.M)]


def meta(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return dict(db.execute("select key, value from meta"))


def rows(hirscope, recording):
    out = recording + ".csv"
    done = hirscope("export", recording, "--to", "csv", "-o", out)
    assert done.code == 0, done
    with open(out, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def test_numbers(tap, hirscope, launcher, folder):
    names = functions()
    tap.check(len(names) >= 8, "the example has its functions", names)
    sizes = ((2, "float"),) if FEWER else ((2, "float"), (4, "bfloat16"))
    cases = [(n, name, dtype) for n, dtype in sizes for name in names]

    def one(case):
        n, name, dtype = case
        return (*case, launcher.all(n, "run", f"example:{name}", "--dtype", dtype, "--check"))

    # A launch mostly waits for other processes.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for n, name, dtype, done in pool.map(one, cases):
            tap.check(done.code == 0 and "right" in done.out and f"on {n} rank" in done.out and not ours(done.err),
                      f"{name} in {dtype} on {n} ranks", done)
            tap.check(len(re.findall(r"^ran 1 time", done.out, re.M)) == 1, f"{name}: one report", done)


def without_order(row):
    """Remove the name of a grouped message: it depends on the order of threads, even in one process."""
    return {**row, "team": ""} if row.get("op") == "coalesced" else row


def test_same_as_local(tap, hirscope, launcher, folder):
    """The events on the modelled clock equal those of a single process to the nanosecond; the results are identical."""
    for name in ("AG_matmul_P2p", "matmul_AR", "reduce_scatter"):
        words = ("run", f"example:{name}", "--clock", "model", "--check", "--dtype", "bfloat16", "--repeat", "2",
                 "--warmup", "1", "--baseline")
        local, ranks = (os.path.join(folder, f"{name}-{kind}.hirs") for kind in ("local", "ranks"))
        a = hirscope(*words, "-d", 4, "-o", local)
        b = launcher.all(4, *words, "-o", ranks)
        if not tap.check(a.code == 0 and b.code == 0, f"{name}: both run", a, b):
            continue
        first, second = (sorted(map(str, map(without_order, rows(hirscope, path)))) for path in (local, ranks))
        tap.check(first == second and len(first) > 100, f"{name}: the same {len(first)} events", len(second),
                  *[x for x in zip(first, second) if x[0] != x[1]][:3])
        tap.check(a.out.splitlines()[-1] == b.out.splitlines()[-1], f"{name}: the same largest error", a, b)
        meetings, values, alone, left_out = [], [], [], False
        for path in (local, ranks):
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
                tables = {row[0] for row in db.execute("select name from sqlite_master where type = 'table'")}
                meetings.append(sorted(db.execute("select count(*) from meetings")) if "meetings" in tables else None)
                alone.append(sorted(db.execute("select instruction, iteration, rank, name, duration from baseline")))
                values.append(sorted(db.execute("select rank, tensor, summary from tensor_values")))
                left_out |= any("values of tensors" in text for text, in db.execute("select text from account"))
        tap.check(meetings[0] == meetings[1], f"{name}: the same number of matched communications", meetings)
        tap.check(alone[0] == alone[1] and alone[0], f"{name}: the same times alone", *alone)
        if left_out:  # values that a busy machine did not summarize within 2 s, as the account reports
            both = {row[:2] for row in values[0]} & {row[:2] for row in values[1]}
            values = [[row for row in v if row[:2] in both] for v in values]
        tap.check(values[0] == values[1] and values[0] and (left_out or {row[0] for row in values[0]} == {0, 1, 2, 3}),
                  f"{name}: the same values on all ranks",
                  *[[row[:2] for row in v] for v in values])


def communications(events, rank):
    return [(int(e["start_ns"]), int(e["start_ns"]) + int(e["duration_ns"])) for e in events
            if e["kind"] == "communication" and int(e["rank"]) == rank]


def test_one_clock(tap, hirscope, launcher, folder):
    path = os.path.join(folder, "one.hirs")
    done = launcher.all(2, "run", "example:allgather", "--repeat", "3", "-o", path)
    tap.check(done.code == 0 and "2 ranks on one machine: one clock, offset 0" in done.out, "one machine, one clock", done)
    keys = meta(path)
    tap.check("offset_ns=0 error_ns=0" in keys.get("clock.rank.1", ""), "the recording has the offset", keys)
    events = rows(hirscope, path)
    tap.check({int(e["rank"]) for e in events} == {0, 1}, "both ranks are in the recording", len(events))
    check_overlap(tap, events, 0, "one clock")


def check_overlap(tap, events, error_ns, name):
    """A collective cannot end on a rank before it has started on the other one."""
    a, b = communications(events, 0), communications(events, 1)
    good = len(a) == len(b) > 0 and all(x[0] <= y[1] + error_ns and y[0] <= x[1] + error_ns for x, y in zip(a, b))
    tap.check(good, f"{name}: collectives of both ranks match", a[:5], b[:5])


def test_two_clocks(tap, hirscope, launcher, folder):
    skew = 50_000_000
    path = os.path.join(folder, "two.hirs")
    words = ("run", "example:ag_matmul", "-o", path)
    done = launcher.run((1, {"HIRSCOPE_HOST": "near"}, words),
                        (1, {"HIRSCOPE_HOST": "far", "HIRSCOPE_TEST_CLOCK_SKEW_NS": skew}, words))
    if not tap.check(done.code == 0 and "clock of rank 1 against rank 0: +" in done.out, "two hosts, two clocks", done):
        return
    text = meta(path).get("clock.rank.1", "")
    numbers = {k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", text)}
    tap.check(abs(numbers.get("offset_ns", 0) - skew) <= numbers.get("error_ns", 0) + abs(numbers.get("drift_ns", 0)),
              "the offset is right within its error", text)
    tap.check(0 < numbers.get("error_ns", 0) < skew / 10, "the error is small", text)
    check_overlap(tap, rows(hirscope, path), numbers["error_ns"], "two clocks")


def test_mismatch(tap, hirscope, launcher, folder):
    done = launcher.run((1, {}, ("run", "example:allgather")), (1, {}, ("run", "example:allreduce")))
    lines = ours(done.err)
    tap.check(done.code == 2 and is_clean(done), "different collectives on two ranks: exit status 2, no crash", done)
    tap.check(len(lines) == 1 and lines[0].startswith("rank ") and "Allgather" in lines[0] and "Allreduce" in lines[0]
              and "iteration 0 on rank 0" in lines[0] and "on rank 1" in lines[0],
              "one error names both positions", done)
    done = launcher.run((1, {}, ("run", "example:ag_matmul")), (1, {}, ("run", "example:allgather_p2p")))
    lines = ours(done.err)
    tap.check(done.code == 2 and is_clean(done) and len(lines) == 1 and "which ends without" in lines[0]
              and "iteration" in lines[0], "an error reports a member that never posts", done)
    done = launcher.run((1, {}, ("run", "example:allgather", "--repeat", 2)), (1, {}, ("run", "example:allgather")))
    tap.check(done.code == 2 and is_clean(done) and "another --repeat than rank 0" in done.err, "an error reports different settings", done)


def test_refusals(tap, hirscope, launcher, folder):
    for words, text in ((("run", "example:allgather", "-d", 3), "-d 3 does not match the 2 ranks"),
                        (("run", "example:allgather", "--rank", 1), "leave --rank out"),
                        (("run", "example:nothing_such"), "there is no example"),
                        (("run", "example:matmul_m"), "no tensor of the fusion is on a mesh")):
        done = launcher.all(2, *words)
        tap.check(done.code == 2 and len(ours(done.err)) == 1 and text in done.err and "ran " not in done.out
                  and is_clean(done), f"{words[1]} {words[2:]}: rejected, once", done)


def test_check(tap, hirscope, launcher, folder):
    right = ("run", "example:matmul_AR", "--check")
    wrong = (*right, "--plant-error", "matmul:0.1")
    done = launcher.run((1, {}, right), (1, {}, wrong))
    tap.check(done.code == 1 and "WRONG" in done.out and is_clean(done), "an error on one rank is found", done)
    only_far = ("run", "example:ag_matmul", "--check")
    done = launcher.run((1, {}, only_far), (1, {}, (*only_far, "--plant-error", "matmul:0.1")))
    tap.check(done.code == 1 and re.search(r"WRONG .* on rank 1", done.out) is not None, "the output names its rank", done)
    done = launcher.run((1, {}, (*only_far, "--json")), (1, {}, (*only_far, "--json", "--plant-error", "matmul:0.1")))
    result = json.loads(next(line for line in done.out.splitlines() if line.startswith("{")))
    output = result["check"]["outputs"][0]
    tap.check(done.code == 1 and result["ranks"] == 2 and result["clocks"] and output["outcome"] == "wrong" and output["worst"]["rank"] == 1,
              "--json has the result of all ranks", done)


def begin_long(launcher, hirscope, n, *words, errors=None):
    """Start a run of several minutes; return it and {rank: pid} when all ranks are running."""
    process = launcher.begin((n, {}, ("run", "example:AG_matmul_P2p", "--repeat", 1000000, "--trace", "off", *words)),
                             errors=errors)
    until = time.monotonic() + SLACK_S
    while time.monotonic() < until:
        pids = {rank_of(pid): pid for pid in descendants(process.pid) if is_ours(pid, hirscope)}
        if len(pids) == n and None not in pids and all(has_thread(pid, "hir-stream") for pid in pids.values()):
            time.sleep(1)
            return process, pids
        time.sleep(0.05)
    return process, {}


def test_killed(tap, hirscope, launcher, folder):
    errors = os.path.join(folder, "killed")
    process, pids = begin_long(launcher, hirscope, 3, errors=errors)
    if tap.check(len(pids) == 3, "three ranks run", pids):
        os.kill(pids[1], signal.SIGKILL)
    out, _ = end(process, pids)
    tap.check(out is not None and process.returncode != 0, "a rank is killed: the others end", process.returncode)
    with open(errors, encoding="utf-8") as f:
        err = f.read()
    tap.check(re.search(r"^rank [02]: .*error: .*rank 1 died: its process \d+", err, re.M) is not None,
              "an error names the missing rank", err)


def stop_one(launcher, hirscope):
    process, pids = begin_long(launcher, hirscope, 3, "--timeout", 3)
    if len(pids) == 3:
        os.kill(pids[1], signal.SIGSTOP)
    out, err = end(process, pids)
    return pids, process.returncode if out is not None else None, err or ""


def test_stopped(tap, hirscope, launcher, folder):
    # All ranks wait in a ring with the same time limit; sometimes the first to time out names its neighbor.
    for _ in range(3):
        pids, code, err = stop_one(launcher, hirscope)
        named = any(re.search(r"(within|for) [36] s", line) for line in ours(err) if "rank 1" in line)
        if len(pids) < 3 or not code or named:
            break
    tap.check(len(pids) == 3, "three ranks run", pids)
    tap.check(bool(code), "a rank hangs: the others end", code)
    tap.check(named, "an error names the rank and the time", err)


def test_no_module(tap, hirscope, launcher, folder):
    """Without the MPI module, a launched run fails instead of starting one independent run per rank."""
    alone = Program(shutil.copy(hirscope.path, os.path.join(folder, "alone")))
    done = alone("run", "example:allgather", env={"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
    tap.check(done.code == 2 and "hirscope-mpi.so" in done.err and "-d 2" in done.err and "ran " not in done.out,
              "a launched run is rejected without the module", done)
    done = alone("run", "example:allgather", env={"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1"})
    tap.check(done.code == 2 and done.err == "", "only one rank reports the error", done)


def main():
    hirscope = from_command_line()
    launcher = Launcher(hirscope)
    tap = Tap()
    tests = (test_numbers, test_same_as_local, test_one_clock, test_two_clocks, test_mismatch, test_refusals, test_check,
             test_killed, test_stopped)
    with tempfile.TemporaryDirectory() as folder:
        tap.group(test_no_module, hirscope, launcher, folder)
        for test in tests if launcher.why_not() else ():
            tap.skip(test.__name__, launcher.why_not())
        if not launcher.why_not():
            tap.groups(tests[:-2], hirscope, launcher, folder)
            # Other tests must not delay these.
            tap.groups(tests[-2:], hirscope, launcher, folder, workers=1)
    tap.done()


main()
