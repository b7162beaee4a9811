#!/usr/bin/env python3
"""test-programs-2026.py HIRSCOPE

Reads, draws, checks and runs one printed program per construct of 2026.
"""
import os
import tempfile

from program import SOURCE, from_command_line
from tap import Tap

FOLDER = os.path.join(SOURCE, "tests", "data", "cases", "programs")

# Name: text that `run --check` prints (it must succeed), or the error that it must end with.
RUNS = {
    "broadcast_ag": "T3: right", "p2p_by_rank": "T1: right", "alltoall": "T1: right", "symmetric": "T1: right",
    "chunks_of_3": "T0 float[18, 64] (chosen)", "sharemem_indices": "T1: right", "permute_statements": "T1: right",
}
REFUSED = {
    "launch_kernel": ":7:3: error: the text does not contain the math of the kernel of group 1",
    "p2p_by_rank_noindex": "the value of i21 is not known",
    "sharemem": "the value of i9 is not known",
    "moe": "Dispatch is opaque",
    "symmetric_view": "maps the memory of other devices",
}
# Programs that `check` cannot follow, because nothing defines a name that they use.
UNDEFINED = ["p2p_by_rank_noindex", "sharemem"]


def path_of(name):
    return os.path.join(FOLDER, name + "_2026.txt")


def lines_of(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


hirscope = from_command_line()
tap = Tap()
for name in sorted([*RUNS, *REFUSED]):
    with open(path_of(name), encoding="utf-8") as file:
        text = file.read()
    done = hirscope("lower", path_of(name))
    body = text.partition("\nIndex definitions:")[0]
    tap.check(done.code == 0 and lines_of(done.out)[:len(lines_of(body))] == lines_of(body),
           f"{name} prints as it was read", done.out + done.err)
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again.txt")
        with open(again, "w", encoding="utf-8") as file:
            file.write(done.out)
        tap.check(hirscope("lower", again).out == done.out, f"the printed {name} prints the same")
        drawn = hirscope("lower", path_of(name), "--svg", folder)
        images = [file for file in os.listdir(folder) if file.endswith(".svg")]
        tap.check(drawn.code == 0 and len(images) == 1, f"{name} is drawn", drawn.err)
    if name not in UNDEFINED:
        checked = hirscope("check", path_of(name))
        tap.check(checked.code == 0 and "0 missing" in checked.out, f"{name} is checked",
               checked.out + checked.err)
    ran = hirscope("run", "--check", path_of(name))
    if name in RUNS:
        tap.check(ran.code == 0 and RUNS[name] in ran.out, f"{name} runs", ran.out + ran.err)
    else:
        tap.check(ran.code != 0 and REFUSED[name] in ran.err, f"{name} is refused with a reason",
               ran.out + ran.err)
# The kernel of this log is computed by the fusion before the program.
log = hirscope("run", "--check", path_of("launch_kernel_log"))
tap.check(log.code == 0 and "T3: right" in log.out, "a kernel runs if the log contains its fusion", log)
# Dumps of 2024 lack element types and back ends.
old = hirscope("run", "--check", os.path.join(FOLDER, "allgather_2024.txt"))
tap.check(old.code == 0 and "T1: right" in old.out, "a program of 2024 runs", old)
# A person has left out the ops of the units.
abridged = os.path.join(FOLDER, "abridged_2024.txt")
lowered = hirscope("lower", abridged)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "program.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(lowered.out)
    again = hirscope("lower", path)
tap.check(lowered.code == 0 and "= HostUnit3(T0_g" in lowered.out and again.out == lowered.out,
          "units without ops are read, and read back", lowered.out + lowered.err + again.err)
checked = hirscope("check", abridged)
tap.check(checked.code == 0, "check takes units without ops", checked.out + checked.err)
ran = hirscope("run", abridged)
tap.check(ran.code == 2 and "HostUnit3 is opaque" in ran.err and "abridged_2024.txt:2:" in ran.err,
          "run names the unit without ops, with its line", ran.out + ran.err)
tap.done()
