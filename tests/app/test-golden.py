#!/usr/bin/env python3
"""test-golden.py HIRSCOPE

Tests lowering against programs printed by nvFuser, and the required structure of every example. Never skips.
"""
import os
import re

import canon
from program import EXAMPLES, GOLDEN, from_command_line
from tap import Tap

GOLDEN_EXAMPLES = ("single_set_op", "two_set_ops", "three_set_ops_disjoint_loops")

# Top level and loop body of the last snapshot by kind of instruction (docs/host-ir.md#table-41), with the initial
# synchronization in a separate loop.
LOOP = ["GetCurrentStream", "FOR", "FOR"]
TOP_LEVEL = {
    "single_set_op": ["ALLOCATE", *LOOP],
    "single_set_op_non_outermost": ["ALLOCATE", *LOOP],
    "single_binary_op": ["ALLOCATE", *LOOP],
    "two_set_ops": ["ALLOCATE", "ALLOCATE", *LOOP],
    "three_set_ops_disjoint_loops": ["ALLOCATE", *LOOP, "Set", "ALLOCATE", *LOOP],
    "reduction": ["ALLOCATE", *LOOP],
    "matmul_m": ["ALLOCATE", *LOOP],
    "matmul_n": ["ALLOCATE", *LOOP],
    "batched_matmul": ["ALLOCATE", *LOOP],
}
KINDS = re.compile(r"\b(ALLOCATE|GetCurrentStream|SetCurrentStream|Synchronize|HirAliasSelect|PostOnStream|FOR|IF|ELSE|"
                   r"Set|matmul|linear|reduction|ALLREDUCE|Wait|Communication)\b")

# Programs for eight devices, printed by nvFuser.
MULTI_DEVICE = ("allgather", "allreduce", "reduce_scatter", "ag_matmul", "allgather_p2p")

# Top level, main loop body and the collective of every example for several devices
# (docs/host-ir.md#program-structures).
SELECT = "HirAliasSelect"
COLLECTIVE = ["ALLOCATE", "Communication", "Wait"]
MULTI_DEVICE_PROGRAMS = {
    "allgather": (["ALLOCATE", *LOOP], [SELECT, SELECT, *COLLECTIVE], "Allgather"),
    "allreduce": (["ALLOCATE", *LOOP], [SELECT, SELECT, *COLLECTIVE], "Allreduce"),
    "reduce_scatter": (["ALLOCATE", *LOOP], [SELECT, SELECT, *COLLECTIVE], "ReduceScatter"),
    "ag_matmul": (["ALLOCATE", "ALLOCATE", *LOOP], [SELECT, SELECT, *COLLECTIVE, SELECT, "matmul"], "Allgather"),
    "allgather_p2p": (["ALLOCATE", *LOOP], [SELECT, "IF", "ELSE"], None),
    "matmul_AR": (["ALLOCATE", "ALLOCATE", *LOOP], [SELECT, SELECT, "matmul", SELECT, *COLLECTIVE], "Allreduce"),
    "matmul_RS_through_bcast": (["PostOnStream", "ALLOCATE", "ALLOCATE", *LOOP],
                                [SELECT, SELECT, SELECT, "matmul", SELECT, *COLLECTIVE], "ReduceScatter"),
    "AG_matmul_P2p": (["ALLOCATE", "ALLOCATE", *LOOP], [SELECT, "IF", "ELSE", SELECT, "matmul"], None),
}


def instructions(text, indent):
    """Return the kinds of the instructions indented by @indent spaces. A continued instruction counts once."""
    kinds = []
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        at_depth, continued = depth == indent, depth == indent + 3 and line.lstrip().startswith("=")
        if not (at_depth or continued) or line.startswith(("%", "}")):
            continue
        found = KINDS.search(line)
        if found:
            kinds.append(found.group(1))
    return kinds


def test_dumps(tap, hirscope):
    for name in GOLDEN_EXAMPLES:
        src = os.path.join(EXAMPLES, "single_device.py") + "::" + name
        printed = hirscope("lower", src, "--set", "StreamParallelType.initial_sync=in_loop", "--print", "last")
        with open(os.path.join(GOLDEN, name + ".in_loop.txt"), encoding="utf-8") as f:
            lines = canon.diff(f.read(), printed.out)
        tap.check(printed.code == 0 and not lines, f"{name} equals the output of nvFuser", printed.err, *lines)
        separate = hirscope("lower", src)
        with open(os.path.join(GOLDEN, name + ".in_loop.txt"), encoding="utf-8") as f:
            lines = canon.diff(f.read(), separate.out)
        tap.check(separate.code == 0 and lines, f"{name}: the other initial_sync gives another program")


def test_structures(tap, hirscope):
    for name, wanted in TOP_LEVEL.items():
        printed = hirscope("lower", f"example:{name}")
        kinds = instructions(printed.out, 2)
        tap.check(printed.code == 0 and kinds == wanted, f"{name}: the top level is {' '.join(wanted)}", kinds, printed)
        body = instructions(printed.out, 4)
        tap.check(body[:2] == ["SetCurrentStream", "Synchronize"], f"{name}: the first loop synchronizes", body)
        tap.check(body[-2:] == ["SetCurrentStream", "Synchronize"], f"{name}: the second loop joins the streams", body)


def test_multi_device_dumps(tap, hirscope):
    for name in MULTI_DEVICE:
        src = os.path.join(EXAMPLES, "multi_device.py") + "::" + name
        with open(os.path.join(GOLDEN, name + ".txt"), encoding="utf-8") as f:
            golden = f.read()
        printed = hirscope("lower", src, "-d", "8", "--print", "last")
        lines = canon.diff(golden, printed.out)
        tap.check(printed.code == 0 and not lines, f"{name} for 8 devices equals the output of nvFuser", printed.err, *lines)
        # Numbers are equal, too, except for communications: nvFuser also numbers temporary ones.
        numbers = [re.sub(r"(Communication|Coalescing) \d+", r"\1", text).split() for text in (golden, printed.out)]
        tap.check(numbers[0] == numbers[1], f"{name}: tensors, axes, sizes and streams have nvFuser's numbers")
        other = hirscope("lower", src, "-d", "8", "--rank", "5")
        tap.check(other.code == 0 and other.out == printed.out, f"{name}: all devices have the same program", other)
        fewer = hirscope("lower", src, "-d", "4")
        tap.check(fewer.code == 0 and canon.diff(golden, fewer.out), f"{name}: the program for 4 devices differs", fewer)


def test_multi_device_structures(tap, hirscope):
    for name, (top, body, collective) in MULTI_DEVICE_PROGRAMS.items():
        printed = hirscope("lower", f"example:{name}", "-d", "8")
        kinds = instructions(printed.out, 2)
        tap.check(printed.code == 0 and kinds == top, f"{name}: the top level is {' '.join(top)}", kinds, printed)
        kinds = instructions(printed.out, 4)[2:]  # skip the two of the first loop
        wanted = ["SetCurrentStream", *body, "SetCurrentStream", "Synchronize"]
        tap.check(kinds == wanted, f"{name}: the loop is {' '.join(wanted)}", kinds, printed.out)
        types = re.findall(r"Communication \d+ \(type=(\w+), team=\(([\d ]+)\)", printed.out)
        expected = [] if collective is None else [(collective, "0 1 2 3 4 5 6 7")]
        tap.check(types == expected, f"{name}: communicates with {collective or 'sends and receives'}", types)
        if collective is None:
            inner = [line.split()[0] for line in printed.out.splitlines() if line.startswith(6 * " ")]
            inner = [word for word in inner if word.isalnum()]
            tap.check(inner == ["StartCoalescing", "P2PCommunication", "P2PCommunication", "EndCoalescing", "Wait"],
                      f"{name}: one group of a receive and a send", inner)


def test_canon_can_fail(tap):
    with open(os.path.join(GOLDEN, "two_set_ops.in_loop.txt"), encoding="utf-8") as f:
        text = f.read()
    tap.check(not canon.diff(text, re.sub(r"\bT(\d)", lambda m: f"T{int(m[1]) + 10}", text)), "ignores the numbers of tensors")
    tap.check(canon.diff(text, text.replace("T4_l_float[iS7{i2}]\n       = Set( T3", "T4_l_float[iS7{i2}]\n       = Set( T4")),
              "detects another operand")
    tap.check(canon.diff(text, text.replace("    Synchronize Stream 0\n", "")), "detects a missing line")
    tap.check(canon.diff(text, text.replace("    SetCurrent", "  SetCurrent")), "detects another indentation")


def main():
    tap, hirscope = Tap(), from_command_line()
    tap.group(test_canon_can_fail)
    tap.group(test_dumps, hirscope)
    tap.group(test_structures, hirscope)
    tap.group(test_multi_device_dumps, hirscope)
    tap.group(test_multi_device_structures, hirscope)
    tap.done()


if __name__ == "__main__":
    main()
