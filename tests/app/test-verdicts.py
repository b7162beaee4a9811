#!/usr/bin/env python3
"""test-verdicts.py HIRSCOPE

Tests `check` and `run --check` on small programs: unwritten and freed memory, deadlocks, communications that do not match,
Waits in the wrong place, and correct programs that resemble these.
"""
import concurrent.futures
import os
import tempfile

from program import from_command_line
from tap import Tap


def local(number, axis):
    return f"T{number}_g_float[iS{axis}{{4}}, iS{axis + 1}{{4}}]"


def sharded(number, axis, devices="0 1", width=4):
    return f"T{number}_g_float[ideviceIdx.x{axis}{{{len(devices.split())}}}, iS{axis + 1}{{{width}}}] (DeviceMesh{{{devices}}})"


def allocate(tensor, zero_init="false"):
    return f"  {tensor} = ALLOCATE(mem_type=global, zero_init={zero_init})\n"


def copy(out, of):
    return f"  {out}\n     = Set( {of}, cache_op=Streaming )\n"


def double(out, of):
    return f"  {out}\n     = {of}\n     + {of};\n"


def free(tensor):
    return f"  Deallocate {{\n    {tensor}\n  }}\n"


def select(out, of, axis, index):
    return f"  {out}\n     = HirAliasSelect( {of}, axis = {axis}, index = {index} )\n"


def message(number, kind, buffer, peer):
    return f"  P2PCommunication {number} (type={kind}, buffer={buffer}, peer={peer}, backend=NCCL)\n"


def send(number, buffer, peer):
    return message(number, "send", buffer, peer)


def recv(number, buffer, peer):
    return message(number, "recv", buffer, peer)


def group(number, body):
    return f"  StartCoalescing\n{body}  EndCoalescing {number}\n{wait(number)}"


def broadcast(number, of, out, team="0 1", root=0):
    return f"  Communication {number} (type=Broadcast, team=({team}), root={root}, input={of}, output={out}, backend=NCCL)\n"


def wait(number):
    return f"  Wait(Communication {number})\n"


def inner(body):
    return "".join(f"  {line}\n" for line in body.splitlines())


def branch(condition, body, orelse=""):
    return f"  IF Manual ( {condition} ):\n{inner(body)}" + (f"  ELSE:\n{inner(orelse)}" if orelse else "")


def by_rank(*bodies):
    """Return a program with a body for each rank."""
    rank, orelse = len(bodies) - 2, bodies[-1]
    for body in reversed(bodies[:-1]):
        orelse = branch(f"rank == {rank}", body, orelse)
        rank -= 1
    return orelse


def loop(stop, body, start=0):
    return f"  FOR i20 from {start} to {stop}:\n{inner(body)}"


def loop_2025(stop, body, index="i20"):
    return f"  FOR {index} in iStreamIdx3{index[1:]}{{{stop}}}:\n{inner(body)}"


def on_stream_1(body):
    return ("  Stream 0x0 = GetCurrentStream()\n  SetCurrentStream(Stream 1)\n  Synchronize(Stream 0x0)\n" + body +
            "  SetCurrentStream(Stream 0x0)\n  Synchronize(Stream 1)\n")


def program(inputs, outputs, body):
    return f"%HostIrContainer {{ ({', '.join(inputs)}) -> ({', '.join(outputs)}) :\n{body}}} // %HostIrContainer\n"


T0, T1, T2, T3 = (local(n, 2 * n) for n in range(4))
M0, M1, M2 = (sharded(n, 2 * n) for n in range(3))
N0, N1 = (sharded(n, 2 * n, "0 1 2") for n in range(2))
WIDE = sharded(2, 4, width=8)
ROW0, ROW1 = "T6_l_float[iS16{4}]", "T7_l_float[iS17{4}]"
COPY_ROW = select(ROW0, T0, "iS0{4}", "i20") + select(ROW1, T1, "iS2{4}", "i20") + copy(ROW1, ROW0)
# Tensors of three pairs of ranks.
PAIRS = {team: (sharded(10 + i, 100 + 10 * i, team), sharded(20 + i, 105 + 10 * i, team)) for i, team in enumerate(("0 1", "1 2", "0 2"))}


def one(body):
    return program([T0], [T1], body)


def two(body, *more):
    return program([M0], [M1, *more], allocate(M1, "true") + body)


def three(body):
    return program([N0], [N1], allocate(N1, "true") + body)


def pair(number, team):
    return broadcast(number, *PAIRS[team], team=team)


def three_pairs(*bodies):
    return three("".join(allocate(tensor, "true") for tensors in PAIRS.values() for tensor in tensors) + by_rank(*bodies))


RACE = None  # of run --check: right only in some runs
# Name -> program, exit code of `check` and what it says, exit code of `run --check`.
CASES = {
    # Unwritten memory
    "a slice is skipped": (one(allocate(T1) + loop_2025(4, branch("i20 < 2", COPY_ROW) + branch("i20 == 3", COPY_ROW))), 1, "T1, [2:3, 0:4]", 1),
    "the first slice is skipped": (one(allocate(T1) + loop(4, COPY_ROW, 1)), 1, "T1, [0:1, 0:4]", 1),
    "a loop without iterations writes": (one(allocate(T1) + loop(0, double(T1, T0))), 1, "output T1 has 16 elements that nothing writes", 1),
    "a loop without iterations computes": (one(loop(0, double(T1, T0))), 1, "nothing computes output T1", 1),
    "an empty program": (one(""), 1, "nothing computes output T1", 1),
    "one of two ranks writes": (program([M0], [M1], allocate(M1) + branch("rank == 0", double(M1, M0))), 1, "has 4 elements that nothing writes", 1),
    "an output is allocated again": (one(allocate(T1) + double(T1, T0) + allocate(T1)), 1, "has 16 elements that nothing writes", 1),
    "an output is allocated in each iteration": (one(loop_2025(2, allocate(T1) + branch("i20 == 0", double(T1, T0)))), 1, "has 16 elements that nothing writes", 1),
    "an operand is unwritten": (one(allocate(T2) + double(T1, T2) + free(T2)), 1, "reads elements of T2 that nothing has written", 1),
    # Freed memory
    "an input is freed": (one(double(T1, T0) + free(T0)), 0, "the Deallocate of T0 releases no memory", 0),
    "an input is freed before its use": (one(free(T0) + double(T1, T0)), 1, "after the Deallocate of T0 in line 2", 2),
    "a view of an input is freed": (one(copy(T2, T0) + free(T2) + double(T1, T0)), 0, "the Deallocate of T2 releases no memory", 0),
    "a view of an output is freed": (one(allocate(T1) + select(ROW1, T1, "iS2{4}", "0") + copy(T1, T0) + free(ROW1)), 0, "the Deallocate of T7 releases no memory", 0),
    "an output is a view of freed memory": (one(allocate(T2, "true") + copy(T1, T2) + free(T2)), 0, "the Deallocate of T2 releases no memory", 0),
    "a view outlives its source": (one(allocate(T2, "true") + copy(T3, T2) + free(T2) + double(T1, T3)), 0, "the memory of T2 is held until the end by T3", 0),
    "a freed view is read": (one(allocate(T2, "true") + copy(T3, T2) + free(T2) + free(T3) + double(T1, T3)), 1, "after the Deallocate of T3", 2),
    "freed memory is sliced": (one(allocate(T1, "true") + allocate(T2, "true") + free(T2) + select(ROW0, T2, "iS4{4}", "1")), 1, "after the Deallocate of T2", 2),
    "a loop frees twice": (one(allocate(T1, "true") + allocate(T2, "true") + loop(2, free(T2))), 1, "in iteration 1 on rank 0, after the Deallocate of T2", 2),
    "a loop frees an output": (one(loop(2, double(T1, T0) + free(T1))), 1, "T1 is an output, but is freed here", 2),
    "a freed output is computed again": (one(double(T1, T0) + free(T1) + double(T1, T0)), 0, "0 missing", 0),
    "a rank frees twice": (two(allocate(M2, "true") + branch("rank == 0", free(M2)) + free(M2)), 1, "Deallocate on rank 0, after the Deallocate of T2", 2),
    "one of two ranks frees": (two(allocate(M2, "true") + branch("rank == 0", free(M2)) + double(M1, M0)), 0, "rank 1, line 3: ALLOCATE T2 8 holds 16 bytes", 0),
    "memory is freed while a stream reads it": (one(allocate(T2, "true") + allocate(T1) + on_stream_1(copy(T1, T2) + free(T2))), 1, "may be reused while T1 = Set(T2) still reads it", RACE),
    "memory is freed after its stream": (one(allocate(T2, "true") + allocate(T1) + on_stream_1(copy(T1, T2)) + free(T2)), 0, "0 missing", 0),
    "a communication reads freed memory": (two(allocate(M2, "true") + broadcast(3, M2, M1) + free(M2) + allocate(M2, "true") + wait(3) + free(M2)), 0, "0 missing", 0),
    # Deadlocks
    "three ranks send first": (three(by_rank(*(send(3 + 2 * r, N0, (r + 1) % 3) + wait(3 + 2 * r) + recv(4 + 2 * r, N1, (r + 2) % 3) + wait(4 + 2 * r)
                                               for r in range(3)))), 1, "deadlock: ", 2),
    "one of three ranks receives first": (three(by_rank(recv(3, N1, 2) + wait(3) + send(4, N0, 1) + wait(4), *(
        send(3 + 2 * r, N0, (r + 1) % 3) + wait(3 + 2 * r) + recv(4 + 2 * r, N1, r - 1) + wait(4 + 2 * r) for r in (1, 2)))), 0, "0 missing", 0),
    "three ranks send in groups": (three(by_rank(*(group(9 + r, send(3 + 2 * r, N0, (r + 1) % 3) + recv(4 + 2 * r, N1, (r + 2) % 3)) for r in range(3)))), 0, "0 missing", 0),
    "a cycle of three communicators": (three_pairs(pair(3, "0 1") + wait(3) + pair(4, "0 2") + wait(4), pair(5, "1 2") + wait(5) + pair(6, "0 1") + wait(6),
                                                   pair(7, "0 2") + wait(7) + pair(8, "1 2") + wait(8)), 1, "deadlock: ", 2),
    "three communicators, all posted first": (three_pairs(pair(3, "0 1") + pair(4, "0 2") + wait(3) + wait(4), pair(5, "1 2") + pair(6, "0 1") + wait(5) + wait(6),
                                                          pair(7, "0 2") + pair(8, "1 2") + wait(7) + wait(8)), 0, "0 missing", 0),
    "ranks send to themselves": (two(group(9, send(3, M0, "rank") + recv(4, M1, "rank"))), 0, "0 missing", 0),
    # Communications that do not match
    "other kinds": (two(by_rank(broadcast(3, M0, M1) + wait(3), broadcast(5, M0, M1).replace("Broadcast", "Allreduce").replace(" root=0,", "") + wait(5))), 1,
                    "they are different collectives", 2),
    "other sizes": (two(allocate(WIDE, "true") + by_rank(send(3, M0, 1) + wait(3), recv(4, WIDE, 0) + wait(4)), WIDE), 1, "receives it into float[1, 8]", 2),
    "each rank is the root": (two(broadcast(3, M0, M1, root="rank") + wait(3)), 1, "have different roots", 2),
    "a rank posts nothing": (three(branch("rank < 2", broadcast(3, N0, N1, "0 1 2") + wait(3))), 1, "ends without posting it", 2),
    "a smaller team": (three(by_rank(broadcast(3, N0, N1, "0 1 2") + wait(3), broadcast(4, N0, N1) + wait(4))), 1, "is not in the team (0 1)", 2),
    "a team in another order": (two(by_rank(broadcast(3, M0, M1) + wait(3), broadcast(4, M0, M1, "1 0", 1) + wait(4))), 1, "ends without posting it", 2),
    "two sends, one receive": (two(by_rank(send(3, M0, 1) + wait(3) + send(5, M0, 1) + wait(5), recv(4, M1, 0) + wait(4))), 1, "without receiving it", 2),
    # Waits
    "a loop waits before it posts": (two(loop(2, wait(3) + broadcast(3, M0, M1))), 1, "was not posted", 2),
    "an iteration waits for the one before": (two(loop_2025(3, branch("i20 > 0", wait(3)) + branch("i20 < 2", broadcast(3, M0, M1)))), 0, "0 missing", 0),
    "an inner loop waits twice": (two(broadcast(3, M0, M1) + loop_2025(2, loop_2025(2, wait(3)), "i21")), 1, "was waited for already", 2),
    "Waits in another order": (two(allocate(M2) + broadcast(3, M0, M1) + broadcast(4, M0, M2, root=1) + wait(4) + wait(3), M2), 0, "0 missing", 0),
    "a loop posts again without a Wait": (two(loop(2, broadcast(3, M0, M1)) + wait(3)), 1, "not waited for", 2),
    "a read before the Wait": (two(allocate(M2) + broadcast(3, M0, M1) + double(M2, M1) + wait(3), M2), 1, "may read T1 before Broadcast T1 has written it", 2),
}


def main():
    tap, hirscope = Tap(), from_command_line()
    with tempfile.TemporaryDirectory() as folder:
        def try_one(number, text):
            path = os.path.join(folder, f"{number}.txt")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            return hirscope("check", "--no-suggestions", path), hirscope("run", "--check", path)

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            done = list(pool.map(lambda row: try_one(row[0], row[1][0]), enumerate(CASES.values())))
    for (name, (_, code, words, ran_code)), (checked, ran) in zip(CASES.items(), done):
        tap.check(checked.code == code and words in checked.out, f"check: {name}", checked)
        tap.check(ran_code is RACE or ran.code == ran_code, f"run --check: {name}", ran)
    twice = done[list(CASES).index("an operand is unwritten")][0]
    tap.check(twice.out.count("16 of 16 elements of T2") == 1, "an operand that occurs twice is reported once", twice)
    tap.done()


if __name__ == "__main__":
    main()
