#!/usr/bin/env python3
"""test-schedule.py HIRSCOPE

Tests that schedules do not change results: each script below runs without and with its schedule, on devices and streams.
It also tests that the options of October 2025 do not change the results of the examples.
"""
import os
import re
import tempfile

from program import EXAMPLES, from_command_line
from tap import Tap

HEAD = """\
import nvfuser_direct as nvfuser
from nvfuser_direct import CacheOp, DataType, FusionDefinition, LoadStoreOpType, MemoryType, ParallelType
S = ParallelType.stream
X = ParallelType.mesh_x
"""

# name: (devices, definition, schedule, pattern that the program must contain, or None)
PLAIN = """
x = fd.define_tensor([8, 12], True)
y = fd.ops.relu(x)
z = fd.ops.add(y, x)
fd.add_output(z)
"""
FORKED = """
x = fd.define_tensor([8, 12], True)
y = fd.ops.add(x, x)
z = fd.ops.mul(y, x)
fd.add_output(y)
fd.add_output(z)
"""
SUMMED = """
x = fd.define_tensor([4, 8, 6], True)
y = fd.ops.sum(x, [1, 2])
z = fd.ops.relu(y)
fd.add_output(z)
"""
SHARDED = """
mesh = nvfuser.multidevice.DeviceMesh(range(4))
x = fd.define_tensor([4, 8], True)
y = fd.ops.sum(x, [0])
z = fd.ops.mul(y, y)
fd.add_output(z)
for t in [x, y, z]: t.set_device_mesh(mesh)
x.axis(0).parallelize(X)
"""
CASES = {
    "cache_after of an input": (1, PLAIN, "c = x.cache_after()\nc.axis(0).parallelize(S)", r"FOR StreamIdx"),
    "cache_after of a cast": (1, PLAIN, "c = y.cache_after(cache_op=CacheOp.streaming)", r"cache_op=Streaming"),
    "cache_after in fd.sched": (1, PLAIN, "c = fd.sched.cache_after(x, op_type=LoadStoreOpType.set)", r"= Set\("),
    "cache_before of an output": (1, PLAIN, "o = z.cache_before()\nz.axis(1).parallelize(S)", r"FOR StreamIdx"),
    "cache_before in fd.sched": (1, SUMMED, "o = fd.sched.cache_before(y)", r"= Set\("),
    "cache_before of a select":
        (1, "x = fd.define_tensor([8, 12], True)\ny = fd.ops.set(x)\nz = fd.ops.select(y, 3, 1)\nfd.add_output(z)\n",
         "o = y.cache_before()\nc = y.cache_after()", r"= Set\("),
    "cache_fork": (1, FORKED, "f = y.cache_fork()\nf.axis(1).parallelize(S)", r"FOR StreamIdx"),
    "rfactor of the inner axis of a split": (1, SUMMED, "y.split(1, 4)\nw = y.rfactor([2, 3])\nw.axis(0).parallelize(S)", r"iS\d+\{2\}rf"),
    "rfactor of the outer axis of a split": (1, SUMMED, "y.outer_split(2, 3)\nw = fd.sched.rfactor(y, [1, 2])", r"rf"),
    "rfactor of a whole axis": (1, SUMMED, "w = y.rfactor([2])", r"reduction\("),
    "rfactor of merged axes": (1, SUMMED, "y.merge(1)\ny.split(1, 16)\nw = y.rfactor([1])", r"reduction\("),
    "rfactor of the inner axis of an uneven split": (1, SUMMED, "y.split(1, 3)\nw = y.rfactor([2, 3])", r"iS\d+\{3\}rf"),
    "rfactor of the outer axis of an uneven split": (1, SUMMED, "y.split(1, 3)\nw = y.rfactor([1])", r"iS\d+\{3\}rf"),
    "rfactor of an uneven outer split": (1, SUMMED, "y.outer_split(2, 4)\nw = y.rfactor([2])", r"iS\d+\{2\}rf"),
    "rfactor of uneven splits of merged axes":
        (1, SUMMED, "y.merge(1)\ny.split(1, 7)\ny.split(2, 3)\nw = y.rfactor([2])", r"iS\d+\{7\}rf"),
    "rfactor of an uneven split of a maximum":
        (1, SUMMED.replace("ops.sum", "ops.max"), "y.split(1, 3)\nw = y.rfactor([1, 3])", r"iS\d+\{3\}rf"),
    "rfactor of an uneven split of integers":
        (1, "x = fd.define_tensor([9, 5], True, DataType.Int)\nz = fd.ops.min(x, [0])\nfd.add_output(z)\n",
         "z.split(0, 4)\nw = z.rfactor([1])", r"iS\d+\{3\}rf"),
    "rfactor of an uneven split of unknown size":
        (1, "x = fd.define_tensor([-1], True)\nz = fd.ops.sum(x, [0])\nfd.add_output(z)\n",
         "z.split(0, 4)\nw = z.rfactor([1])", r"ceilDiv"),
    "set_allocation_domain of a permutation":
        (1, PLAIN, "z.set_allocation_domain([z.axis(1), z.axis(0)], [True, True])\nz.cache_before()", None),
    "set_allocation_domain of a split axis":
        (1, PLAIN, "z.split(0, 2)\nz.set_allocation_domain(z.get_loop_domain(), True)\nz.reorder({0: 2})", None),
    "set_allocation_as_loop": (1, PLAIN, "z.reorder({0: 1})\nfd.sched.set_allocation_as_loop(z)", None),
    "transform_like and parallelize_like":
        (1, PLAIN, "z.merge(0)\nz.split(0, 4)\nz.axis(0).parallelize(ParallelType.block_x)\n"
                   "fd.sched.transform_like(z, [y])\nfd.sched.parallelize_like(z)", None),
    "parallelize_like over streams":
        (1, FORKED, "z.axis(0).parallelize(S)\nfd.sched.parallelize_like(z, selected_parallel_types={S})",
         r"FOR StreamIdx(.|\n)*= T\d+\S* *\n.*\+(.|\n)*\*"),
    "set_memory_type": (1, PLAIN, "y.set_memory_type(MemoryType.shared)", None),
    "caches of a reduction over devices": (4, SHARDED, "c = x.cache_after()\no = z.cache_before()", r"Allreduce"),
    "caches of a reduce-scatter":
        (4, SHARDED, "for t in [y, z]:\n    t.outer_split(-1, 4)\n    t.axis(-2).parallelize(X)\n"
                     "o = z.cache_before()", r"ReduceScatter"),
}

# Cases that nvFuser gets wrong and Hirscope handles (docs/host-ir.md#segmentfusion, docs/host-ir.md#slices). Rejected
# cases are in tests/passes.
QUIRKS = {
    "linear streamed on N, on devices": (2, """
mesh = nvfuser.multidevice.DeviceMesh(range(2))
x = fd.define_tensor([4, 8], True)
w = fd.define_tensor([3, 8], True)
y = fd.ops.linear(x, w)
fd.add_output(y)
for t in [x, w, y]: t.set_device_mesh(mesh)
y.axis(1).parallelize(S)
"""),
    "an up-cast with one consumer": (1, """
x = fd.define_tensor([4, 8], True, DataType.BFloat16)
y = fd.ops.cast(fd.ops.set(x), DataType.Float)
z = fd.ops.mul(y, y)
fd.add_output(fd.ops.set(z))
"""),
}


def script(folder, name, definition, schedule):
    path = os.path.join(folder, re.sub(r"\W+", "_", name) + ("_plain" if not schedule else "") + ".py")
    body = "".join("        " + line + "\n" for line in (definition + schedule).strip().splitlines())
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEAD + "def f():\n    with FusionDefinition() as fd:\n" + body)
    return path + "::f"


def schedules(tap, hirscope, folder):
    for name, (n_devices, definition, schedule, expected) in CASES.items():
        sources = script(folder, name, definition, ""), script(folder, name, definition, "\n" + schedule)
        plain, scheduled = (hirscope("run", source, "-d", n_devices, "--check") for source in sources)
        tap.check(plain.code == 0, f"{name}: correct without the schedule", plain)
        tap.check(scheduled.code == 0, f"{name}: correct with the schedule", scheduled)
        programs = [hirscope("lower", source, "-d", n_devices, "--print", "all").out for source in sources]
        tap.check(programs[0] != programs[1], f"{name}: the schedule changes the program", programs[1])
        if expected:
            tap.check(re.search(expected, programs[1]), f"{name}: the program has the expected lines", programs[1])


def quirks(tap, hirscope, folder):
    for name, (n_devices, definition) in QUIRKS.items():
        done = hirscope("run", script(folder, name, definition, ""), "-d", n_devices, "--check")
        tap.check(done.code == 0 and "right" in done.out, f"{name}: correct", done)


def notes(tap, hirscope, folder):
    """Calls that affect only kernels are accepted and reported once, with their position."""
    source = script(folder, "kernels", PLAIN,
                    "fd.sched.inline_most()\nfd.sched.inline_most()\nfd.sched.inline_at(z, 1)\n"
                    "c = x.cache_after(LoadStoreOpType.cp_async)\nh = fd.sched.compute_pointwise_heuristics()")
    done = hirscope("run", source, "--check")
    tap.check(done.code == 0, "kernel schedules are accepted", done)
    for what, line in (("inline_most", 11), ("inline_at", 13), ("cp_async", 14), ("compute_pointwise", 15)):
        found = re.findall(r":(\d+):\d+: note: .*" + what + ".*no effect", done.err + done.out)
        tap.check(found == [str(line)], f"{what} is reported once as having no effect", found, done)


def october(tap, hirscope):
    """With the options, each example is rejected or has correct results."""
    options = ("--set", "FinalizeMultideviceDomains.stream_allocation=on")
    n_right = 0
    for file in ("single_device.py", "multi_device.py", "as_people_write_tests.py"):
        path = os.path.join(EXAMPLES, file)
        with open(path, encoding="utf-8") as text:
            functions = re.findall(r"^def (\w+)", text.read(), re.M)
        for function in functions:
            before = hirscope("run", f"{path}::{function}", "-d", 4, "--check")
            after = hirscope("run", f"{path}::{function}", "-d", 4, "--check", *options)
            n_right += after.code == 0
            tap.check(before.code == after.code, f"{function} has the same exit status with stream_allocation=on", before, after)
            both = hirscope("run", f"{path}::{function}", "-d", 4, "--check", *options, "--set",
                            "PropagateShardings.streams=on")
            tap.check(both.code in (0, 2), f"{function} with streams=on: correct or rejected", both)
    tap.check(n_right >= 15, "many examples are correct with stream_allocation=on", n_right)


def main():
    tap, hirscope = Tap(), from_command_line()
    with tempfile.TemporaryDirectory() as folder:
        tap.group(schedules, hirscope, folder)
        tap.group(quirks, hirscope, folder)
        tap.group(notes, hirscope, folder)
    tap.group(october, hirscope)
    tap.done()


if __name__ == "__main__":
    main()
