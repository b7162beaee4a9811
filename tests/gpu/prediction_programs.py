"""Programs and settings of tests/gpu/predictions, in order of importance."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
OVERLAP = os.path.join(HERE, "overlap_fusions.py")
HOSTIR = os.path.join(HERE, "..", "data", "cases", "host_ir_2026")
LARGE, SHRINK = 128, 64  # for fake GPUs, extents from LARGE on are divided by SHRINK


class Setting:
    """How a program is run. drop: number of the Synchronize that is omitted, counted from 0 in the printed program."""

    def __init__(self, streams=4, sync=None, drop=None):
        self.streams, self.sync, self.drop = streams, sync, drop

    def __str__(self):
        words = [f"{self.streams} streams"] + ([self.sync] if self.sync else [])
        return ", ".join(words + ([f"without Synchronize {self.drop}"] if self.drop is not None else []))

    def lower_words(self):
        return ["--set", f"StreamParallelType.initial_sync={self.sync}"] if self.sync else []

    def run_words(self):
        return ["--streams", str(self.streams)] + (self.lower_words() if self.drop is None else [])

    def predict_words(self, base, line):
        """Return the options of `predict` for a recording of @base; @line is that of the omitted Synchronize."""
        return ((["--streams", str(self.streams)] if self.streams != base.streams else []) +
                (self.lower_words() if self.sync != base.sync else []) + (["--drop-sync", str(line)] if self.drop is not None else []))


class Program:
    def __init__(self, source, devices, shapes, base, changes, *options):
        self.source, self.devices, self.shapes, self.base, self.changes = source, devices, shapes.split(), base, changes
        self.options = list(options)

    def __str__(self):
        return f"{os.path.basename(self.source).removeprefix('example:')} -d {self.devices} {' '.join(self.shapes)}"

    def words(self):
        return ["-d", str(self.devices), *self.options]

    def inputs(self, is_fake):
        shapes = [shrink(shape) if is_fake else shape for shape in self.shapes]
        return [word for shape in shapes for word in ("--input", shape)]


def find_synchronize(lines, number):
    """Return the line, counted from 1, of Synchronize @number of a printed program, or None."""
    found = [i for i, text in enumerate(lines, 1) if text.strip().startswith("Synchronize")]
    return found[number] if number < len(found) else None


def without_line(lines, line):
    """Return a printed program without @line, and without its loop if nothing else is in it."""
    def indent(i):
        return len(lines[i]) - len(lines[i].lstrip())

    first = line - 1
    if lines[first - 1].strip().startswith("FOR ") and indent(line) <= indent(first - 1):
        first -= 1
    return lines[:first] + lines[line:]


def shrink(shape):
    return "x".join(str(n // SHRINK if n >= LARGE else n) for n in map(int, shape.split("x")))


def example(name, *rest):
    return Program(f"example:{name}", *rest)


def fusion(name, *rest):
    return Program(f"{OVERLAP}::{name}", *rest)


def hostir(name, *rest):
    return Program(os.path.join(HOSTIR, name), *rest, "--pipeline", "hostir")


def streams(*numbers, sync=None):
    return [Setting(n, sync) for n in numbers]


def without(*numbers, sync=None):
    return [Setting(4, sync, drop) for drop in numbers]


IN_LOOP, SEPARATE = Setting(4, "in_loop"), Setting(4, "separate")

# Float matmuls take about 2 ns per 100,000 multiplications, so small inputs fill the GPU for milliseconds.
PROGRAMS = [
    example("ag_matmul", 2, "8x2x256x4096 4096x4096", SEPARATE, [IN_LOOP, *streams(1, sync="separate")]),
    example("ag_matmul", 2, "8x2x1024x4096 4096x128", IN_LOOP, [SEPARATE, *without(0, sync="in_loop")]),
    example("batched_matmul", 1, "8x1024x4096 4096x4096", Setting(1), streams(4)),
    example("batched_matmul", 1, "32x256x4096 4096x512", Setting(1), streams(2, 8)),
    example("matmul_AR", 2, "8x2x1024x2048 2x2048x2048", SEPARATE, [IN_LOOP, *streams(1, sync="separate")]),
    example("AG_matmul_P2p", 4, "4x1024x4096 4096x2048", Setting(4), streams(1, 2)),
    fusion("both", 2, "8x2x512x8192 8192x4096", SEPARATE, [IN_LOOP, *streams(1, sync="separate")]),
    example("matmul_RS_through_bcast", 2, "8x2x2x512x2048 2x2048x2048", SEPARATE, [IN_LOOP]),
    hostir("scenarios.py::two_matmuls_not_inlinable", 1, "3072x4096 4096x3072 3072x4096", Setting(4), without(1, 2)),
    example("ag_matmul", 4, "8x4x128x4096 4096x2048", IN_LOOP, [SEPARATE, *without(0, sync="in_loop")]),
    fusion("communication", 4, "8x4x1024x4096", SEPARATE, [IN_LOOP]),
    example("allreduce", 4, "8x4x2097152", SEPARATE, [IN_LOOP, *streams(1, sync="separate")]),
    example("three_set_ops_disjoint_loops", 1, "4x33554432", Setting(1), streams(4)),
    example("matmul_m", 1, "64x4096 4096x4096", Setting(1), streams(4)),
    example("matmul_n", 1, "4096x4096 4096x64", Setting(4), streams(1)),
    example("reduction", 1, "8x4096x2048", Setting(4), streams(1)),
    fusion("p2p_both", 4, "4x2048x4096 4096x4096", Setting(1), streams(4)),
    fusion("ar_both", 2, "8x2x1024x4096 2x4096x4096", IN_LOOP, [SEPARATE]),
    fusion("rs_both", 2, "8x2x2x512x4096 2x4096x4096", IN_LOOP, [SEPARATE]),
    hostir("scenarios.py::column_and_sequence_parallel_linear", 4, "4096x4096 4096x4096", Setting(4), without(0, 1)),
    hostir("scenarios.py::row_parallel_input_grad", 2, "4096x4096 4096x4096", Setting(4), without(0)),
    hostir("streams.py::two_matmuls_inlinable", 1, "3072x4096 4096x4096 4096x2048", Setting(4), without(0)),
    example("reduce_scatter", 2, "8x2x2x2097152", SEPARATE, [IN_LOOP]),
    example("allgather_p2p", 4, "4x33554432", Setting(4), streams(1)),
    fusion("both", 4, "8x4x256x8192 8192x4096", IN_LOOP, [SEPARATE, *streams(1, sync="in_loop")]),
    example("ag_matmul", 1, "16x1x512x4096 4096x2048", IN_LOOP, [SEPARATE]),
]
