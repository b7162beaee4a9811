#!/usr/bin/env python3
"""test-run-dump.py HIRSCOPE

Tests runs of printed host programs and pass logs: results, recordings, and errors of faulty programs.
"""
import atexit
import functools
import os
import re
import tempfile
import time

from program import GOLDEN, SOURCE, from_command_line
from tap import Tap

DEVICES = {
    "ag_matmul": 8, "allgather": 8, "allgather_p2p": 8, "allreduce": 8, "reduce_scatter": 8,
    "overlap_linear_bf16.select.in_loop": 2, "overlap_linear_bf16.select.separate": 2, "row_parallel_linear.2026": 2,
    "reduction.select.in_loop": 1, "single_set_op.in_loop": 1, "three_set_ops_disjoint_loops.in_loop": 1,
    "two_set_ops.in_loop": 1,
}

# Name of the fault: golden, lines to remove, texts to replace, line of the error, parts of its message.
FAULTS = {
    "a missing Wait": ("allgather", "Wait Communication", None, 14,
                       ["Allgather T3 in iteration 1 on rank", "in iteration 0", "was not waited for; insert a Wait"]),
    "a missing Wait before a read of the buffer": ("ag_matmul", "Wait Communication", None, 18,
                                            ["T6_matmul in iteration 0 on rank", "reads memory that Allgather T5"]),
    "a recv without a send": ("allgather_p2p", "type=send", None, 19,
                              ["recv T3 from", "in iteration", "on rank", "ends without sending it"]),
    "a send without a recv": ("allgather_p2p", "type=recv", None, 19,
                              ["send T0 to", "in iteration", "on rank", "ends without receiving it"]),
    "a team without one of the ranks": ("allreduce", None, ("team=(0 1 2 3 4 5 6 7)", "team=(0 1 2 3 5 6 7)"), 14,
                                  ["Allreduce of T3 misses rank 4", "its input, T2", "(0 1 2 3 5 6 7)"]),
    "a team with an additional rank": ("allreduce", None, ("6 7), input", "6 7 8), input"), 14,
                                    ["has rank 8 in its team", "not on the mesh"]),
    "contradictory sizes": ("single_set_op.in_loop", None,
                                         ("iS1{i2}", "iS1{6}", "iS4{i2}", "iS4{5}"), 7,
                                         ["an axis of 6 to one of 5", "must be equal"]),
}


@functools.lru_cache(maxsize=None)
def path_of(name):
    path = os.path.join(GOLDEN, name + ".txt")
    if name != "row_parallel_linear.2026":
        return path
    # Its iterations share T3, and race for it (nvFuser #6000); the other form of Allocate gives each its own.
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return write(folder.name, "row_parallel_linear.txt", re.sub(
        r"^(    T3.*= ALLOCATE)\(buffer=.*$", r"\1(mem_type=global, zero_init=false)", read(path), flags=re.MULTILINE))


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def test_goldens(tap, hirscope):
    for name, n in DEVICES.items():
        done = hirscope("run", path_of(name), "--check")
        tap.check(done.code == 0 and "right" in done.out and "WRONG" not in done.out, f"{name} runs with correct results", done)
        tap.check("T0 " in done.out, f"{name}: the sizes of its inputs are printed", done)
        wrong = hirscope("run", path_of(name), "-d", n + 1)
        tap.check(wrong.code == 2 and f"for {n} device" in wrong.err, f"{name} is rejected for {n + 1} devices", wrong)
    for name, words in (("allgather", ["--clock", "model"]), ("ag_matmul", ["--streams", "1"]),
                        ("allgather_p2p", ["--streams", "3", "--repeat", "2"]), ("allreduce", ["--input", "3x8x5"]),
                        ("row_parallel_linear.2026", ["--input", "9x8", "--streams", "2"])):
        done = hirscope("run", path_of(name), "--check", *words)
        tap.check(done.code == 0 and "right" in done.out, f"{name} {' '.join(words)}", done)
    done = hirscope("run", path_of("ag_matmul"), "--check", "--plant-error", "matmul:0.1")
    tap.check(done.code == 1 and "WRONG" in done.out and "in sequence" in done.err, "an injected error is found", done)
    done = hirscope("run", path_of("row_parallel_linear.2026"), "--input", "7x8")
    tap.check(done.code == 2 and "cannot be split into 3" in done.err, "rejects 7 rows over 3 streams", done)
    done = hirscope("run", path_of("allgather"), "--input", "4x7")
    tap.check(done.code == 2 and "the size of its mesh" in done.err, "rejects an axis of size 7 over 8 devices", done)


def test_recording(tap, hirscope, folder):
    path = os.path.join(folder, "a.hirs")
    done = hirscope("run", path_of("ag_matmul"), "-o", path, "--clock", "model", "--check")
    tap.check(done.code == 0 and os.path.exists(path), "a printed program is recorded", done)
    again = hirscope("lower", path, "--print", "last")
    tap.check(again.code == 0 and "Communication 59" in again.out, "the recording has the printed program", again)
    rerun = hirscope("run", path, "--check")
    tap.check(rerun.code == 0 and "right" in rerun.out, "the recording's program runs again", rerun)
    out = os.path.join(folder, "a.json")
    done = hirscope("export", path, "--to", "chrome", "-o", out)
    tap.check(done.code == 0 and read(out).count('"Allgather') > 0, "its events name the instructions", done)


def test_logs(tap, hirscope, folder):
    log = write(folder, "log.txt", "start\nFusion after pass: A\n" + read(path_of("allgather")) +
                "=====\nFusion after pass: B\n" + read(path_of("two_set_ops.in_loop")) + "end\n")
    done = hirscope("run", log, "-d", "1", "--check")
    tap.check(done.code == 0 and "T2: right" in done.out, "the last host program of a log is run", done)
    tagged = "".join(f"[1,{rank}]<stdout>:{line}\n" for rank in range(2)
                     for line in read(path_of("row_parallel_linear.2026")).splitlines())
    done = hirscope("run", write(folder, "tagged.txt", tagged), "--check")
    tap.check(done.code == 0 and "right" in done.out, "a log of all ranks runs", done)
    note = "the log has dumps of 2 processes; only the 1 with the line prefix '[1,0]<stdout>:' are shown; 1 of the others have equal"
    tap.check(note in done.err, "a log of all ranks: the equal program is reported", done)
    lines = [f"{line}\n" for line in read(path_of("row_parallel_linear.2026")).splitlines()]
    messages = ["host:12:34 [0] NCCL INFO Channel 00/02 : 0 1\n", "a.py:12: UserWarning: deprecated\n", "  warnings.warn(\n",
                "[W403 10:00:00.123 ProcessGroupNCCL.cpp:33] no device id\n", "\x1b[33mWARNING: slow\x1b[0m\n"]
    mixed = "".join(f"\x1b[2m{line[:-1]}\x1b[0m\n{messages[i % len(messages)]}" for i, line in enumerate(lines))
    for name, text in (("messages of other libraries", mixed), ("no-break spaces", "".join(lines).replace("  ", "\u00a0 ")),
                       ("times behind tags", "".join(f"0: 2026-04-03T10:00:00.123Z {line}" for line in lines))):
        done = hirscope("run", write(folder, "mixed.txt", text), "--check")
        tap.check(done.code == 0 and "right" in done.out, f"a log with {name} runs", done)
    twice = "%HostIrContainer { (T0_g_float[iS1{i0}, iS1{i2}]) -> (T1_g_float[iStreamIdx2{i0}, iS3{i2}]) :\n} // %HostIrContainer\n"
    done = hirscope("lower", write(folder, "twice.txt", twice))
    tap.check(done.code == 2 and "has the number of another axis" in done.err, "two axes with one number are an error", done)
    test_ranks(tap, hirscope, folder)
    test_one_rank(tap, hirscope, folder)
    printed = hirscope("lower", "example:ag_matmul", "-d", "4", "--print", "all")
    done = hirscope("run", write(folder, "all.txt", printed.out), "--check")
    tap.check(done.code == 0 and "right" in done.out, "the output of lower --print all runs", done)
    fusion = hirscope("lower", "example:ag_matmul", "-d", "4", "--print", "Fusion")
    done = hirscope("run", write(folder, "fusion.txt", fusion.out))
    tap.check(done.code == 2 and "fusion" in done.err, "a printed fusion is not run", done)


def test_ranks(tap, hirscope, folder):
    """Two ranks whose programs differ in the peers; lines interleaved, each with a time."""
    ring = os.path.join(SOURCE, "tests", "data", "cases", "scripts", "swizzle1d.py::ring")
    ranks = [hirscope("lower", ring, "-d", "2", "--pipeline", "hostir", "--rank", rank, "--print", "all").out.splitlines()
             for rank in (0, 1)]
    lines = [f"Fri Apr  3 12:00:{row % 60:02} 2026[1,{rank}]<stdout>:{ranks[rank][row]}\n"
             for row in range(len(ranks[0])) for rank in (0, 1)]
    path = write(folder, "ranks.txt", "".join(lines))
    done = hirscope("run", path, "--check")
    tap.check(done.code == 0 and "right" in done.out, "a log of two ranks with times runs", done)
    words = "the program after LowerSegmentedFusionToHostIr of the process '[1,{}]<stdout>:' differs from that of '[1,{}]<stdout>:': "
    tap.check(words.format(1, 0) + "`i15 = 1 - i7;` instead of `i15 = 0 - i7;`" in done.err, "the ranks are compared", done)
    done = hirscope("lower", path, "--rank", "1")
    tap.check(done.code == 0 and "send_peer=( ( 2 + ( 1 - i7 ) ) % 2 )" in done.out and words.format(0, 1) in done.err,
              "--rank selects the program that a rank printed", done)
    cut = write(folder, "cut.txt", "".join(lines[:len(lines) // 2]) +
                "".join(line for line in lines[len(lines) // 2:] if "[1,0]" in line))
    done = hirscope("lower", cut)
    tap.check(done.code == 0 and "the log has fewer programs of it" in done.err, "a rank with fewer programs is reported", done)


EXCHANGE = """\
%HostIrContainer { (T0_g_float[ideviceIdx.x0{2}, iS1{4}] (DeviceMesh{0 1})) -> (T1_g_float[ideviceIdx.x2{2}, iS3{4}] (DeviceMesh{0 1})) :
  T1_g_float[ideviceIdx.x2{2}, iS3{4}] (DeviceMesh{0 1}) = ALLOCATE(buffer=T1_g_float[ideviceIdx.x2{2}, iS3{4}] (DeviceMesh{0 1}), mem_type=global, size=4, zero_init=false, resets_to_zero=false)
  StartCoalescing
PEERS  EndCoalescing 32
  Wait Communication 32
} // %HostIrContainer
"""


def exchange(*peers):
    """Return a program that sends to, and receives from, each of @peers."""
    ends = (("recv", "T1_g_float[ideviceIdx.x2{2}, iS3{4}]"), ("send", "T0_g_float[ideviceIdx.x0{2}, iS1{4}]"))
    return EXCHANGE.replace("PEERS", "".join(
        f"  P2PCommunication {33 + 2 * i + k} (type={kind}, buffer={buffer} (DeviceMesh{{0 1}}), peer={peer}, backend=NCCL)\n"
        for i, peer in enumerate(peers) for k, (kind, buffer) in enumerate(ends)))


def test_one_rank(tap, hirscope, folder):
    """The programs of other ranks follow from the peers, or are missing; this is no deadlock."""
    ring = os.path.join(SOURCE, "tests", "data", "cases", "scripts", "swizzle1d.py::ring")
    sign = "warning: this is the program of one of {} ranks: the peers of "
    for n, rank in ((4, 0), (4, 2), (2, 1)):
        printed = hirscope("lower", ring, "-d", n, "--pipeline", "hostir", "--rank", rank).out
        path = write(folder, "one.txt", printed)
        line = 1 + next(i for i, row in enumerate(printed.splitlines()) if "CollectivePermute" in row)
        note = f"one.txt:{line}:5: note: this is the program of rank {rank}: "
        for words in (("check",), ("run", "--check"), ("run", "--check", "--against", ring, "-d", n), ("bisect", "--against", ring, "-d", n)):
            done = hirscope(words[0], path, *words[1:])
            tap.check(done.code == 0 and note in done.err, f"{' '.join(map(str, words))} of the program of rank {rank} of {n}", done)
        path = write(folder, "one.txt", re.sub(r"( recv_peer=\( \( i\d+) \+ \d", r"\1 + 3", printed))
        for words in (("check",), ("run",), ("run", "--check"), ("bisect", "--program"), ("debug", "-e", "run")):
            done = hirscope(words[0], path, *words[1:])
            tap.check(done.code == 2 and f"one.txt:{line}:" in done.err and sign.format(n) in done.err and
                      "error: the programs of the other ranks are missing" in done.err and "give a log of all ranks" in done.err and
                      "deadlock" not in done.out + done.err, f"{' '.join(words)} of a program of rank {rank} of {n} with other peers", done)
        done = hirscope("lower", path)
        tap.check(done.code == 0 and sign.format(n) in done.err, f"lower warns about the program of rank {rank} of {n}", done)
    ranks = [hirscope("lower", ring, "-d", "4", "--pipeline", "hostir", "--rank", rank).out for rank in range(4)]
    log = "".join(f"[1,{rank}]<stdout>:{row}\n" for rank in range(4) for row in ranks[rank].splitlines())
    for words in (("check",), ("run", "--check"), ("run", "--check", "--against", ring, "-d", 4)):
        done = hirscope(words[0], write(folder, "all.txt", log), *words[1:])
        tap.check(done.code == 0 and "this is the program of" not in done.err, f"{' '.join(map(str, words))} of a log of all ranks", done)
    one = hirscope("check", write(folder, "one.txt", exchange(1)))
    tap.check(one.code == 2 and "one.txt:4:" in one.err and sign.format(2) + "all sends and receives are constants" in one.err,
              "sends and receives with one constant peer", one)
    both = hirscope("check", write(folder, "both.txt", exchange(0, 1)))
    tap.check("of one of" not in both.err and "other ranks are missing" not in both.err, "sends and receives with all ranks as peers", both)


def test_faults(tap, hirscope, folder):
    for name, (golden, without, replaced, line, words) in FAULTS.items():
        text = "".join(row for row in read(path_of(golden)).splitlines(keepends=True)
                       if without is None or without not in row)
        if replaced is not None:
            for old, new in zip(replaced[::2], replaced[1::2]):
                assert old in text
                text = text.replace(old, new)
        path = write(folder, "fault.txt", text)
        start = time.monotonic()
        done = hirscope("run", path, "--timeout", "100")
        tap.check(done.code == 2 and f"fault.txt:{line}:" in done.err and all(word in done.err for word in words), name, done)
        tap.check(time.monotonic() - start < 50, f"{name}: reported before the timeout")


def test_refusals(tap, hirscope, folder):
    text = read(path_of("allgather"))
    for what, old, new in (("resets_to_zero", "resets_to_zero=false", "resets_to_zero=true"),
                           ("MPI", "backend=NCCL", "backend=MPI")):
        done = hirscope("run", write(folder, "refused.txt", text.replace(old, new)))
        tap.check(done.code == 2 and what in done.err and "refused.txt:" in done.err, f"{what} is rejected by name", done)


def main():
    hirscope, tap = from_command_line(), Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.group(test_goldens, hirscope)
        tap.group(test_recording, hirscope, folder)
        tap.group(test_logs, hirscope, folder)
        tap.group(test_faults, hirscope, folder)
        tap.group(test_refusals, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
