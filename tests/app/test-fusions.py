#!/usr/bin/env python3
"""test-fusions.py HIRSCOPE

Tests the scripts in tests/data/fusions from the command line: each function of lower_communication.py runs with correct
results, or is rejected with its position in the script.
"""
import os
import re

from program import SOURCE, from_command_line
from tap import Tap

SCRIPT = os.path.join(SOURCE, "tests", "data", "fusions", "lower_communication.py")
REFUSED = {"ReduceScatterNoncontig", "AllreduceNoncontig", "Allgather_NonCompliantAllocation",
           "Allgather_NoncontiguousOutput"}


def functions():
    with open(SCRIPT, encoding="utf-8") as f:
        return re.findall(r"^def ([A-Z]\w*)\(", f.read(), re.MULTILINE)


def check_function(tap, hirscope, name, devices):
    done = hirscope("run", f"{SCRIPT}::{name}", "-d", devices, "--check", "--timeout", 60)
    if name in REFUSED:
        tap.check(done.code == 2 and re.search(r"lower_communication\.py:\d+:\d+: error: ", done.err),
                  f"{name} on {devices} devices is rejected with its position", done)
    else:
        tap.check(done.code == 0 and re.search(r": right; ", done.out) and "WRONG" not in done.out,
                  f"{name} on {devices} devices has correct results", done)


tap = Tap()
hirscope = from_command_line()
names = functions()
tap.check(len(names) >= 30, "the script has all functions", len(names))
for name in names:
    for devices in (4,) if name in REFUSED or "_to_" in name or name == "Allgather2d" else (3, 4):
        tap.group(lambda tap: check_function(tap, hirscope, name, devices))
tap.done()
