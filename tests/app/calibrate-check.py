#!/usr/bin/env python3
"""Prints, as Markdown tables, the smallest error that `hirscope run --check` finds in each op.

    tests/app/calibrate-check.py build/app/hirscope [--backend cuda] [--largest N]

An error is injected into all results of one op: x becomes x + e (x + 1) for positive x and
x + e (x - 1) for others. A cell has the smallest e of 1, 0.1 and 0.01 % that is found together with
all larger ones, `-` if even 1 % is not, and `(0.1 %)` if smaller errors cannot be seen in principle:
the injected error is less than half a unit in the last place of the result's type. An op that
fails its check without an injected error is a false alarm, marked `FALSE ALARM`.
"""
import argparse
import os
import subprocess
import tempfile

HEAD = """
from nvfuser_direct import DataType, FusionDefinition

def f():
    with FusionDefinition() as fd:
"""
DTYPES = {"double": "Double", "float": "Float", "half": "Half", "bfloat16": "BFloat16"}
# Half a unit in the last place of 1.
UNITS = {"double": 2.0**-53, "float": 2.0**-24, "half": 2.0**-11, "bfloat16": 2.0**-8}
ERRORS = (0.01, 0.001, 0.0001)
SIZES = (16, 256, 4096, 65536, 1 << 20, 1 << 22)

# Op name, input shapes with K, and the expression of t0, t1, t2.
SUMS = (
    ("matmul", ("4x{K}", "{K}x4"), "fd.ops.matmul(t0, t1)"),
    ("linear", ("4x{K}", "4x{K}", "4"), "fd.ops.linear(t0, t1, t2)"),
    ("sum", ("4x{K}",), "fd.ops.sum(t0, dims=[1])"),
)
POINTWISE = ("add", "sub", "mul", "div", "exp", "sin", "sigmoid", "gelu", "sqrt", "reciprocal")
BINARY = ("add", "sub", "mul", "div")


def cases():
    yield from SUMS
    for op in POINTWISE:
        shapes = ("{K}", "{K}") if op in BINARY else ("{K}",)
        yield op, shapes, f"fd.ops.{op}({', '.join(f't{i}' for i in range(len(shapes)))})"


def write_script(path, shapes, expression, dtype):
    lines = [HEAD]
    for i, shape in enumerate(shapes):
        dims = ", ".join(["-1"] * (shape.count("x") + 1))
        lines.append(f"        t{i} = fd.define_tensor(shape=[{dims}], contiguity=True, dtype=DataType.{dtype})\n")
    lines.append(f"        t9 = {expression}\n        fd.add_output(t9)\n    return fd\n")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def check(args, path, shapes, op, error):
    command = [args.hirscope, "run", f"{path}::f", "--check", "--backend", args.backend, "--timeout", "120"]
    for shape in shapes:
        command += ["--input", shape]
    if error:
        command += ["--plant-error", f"{op}:{error}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def judge(args, path, op, shapes, dtype):
    clean = check(args, path, shapes, op, 0)
    if clean.returncode == 1:
        return "FALSE ALARM"
    if clean.returncode == 3:
        return "undecided"
    if clean.returncode != 0:
        return "not run"
    smallest = None
    for error in ERRORS:
        if check(args, path, shapes, op, error).returncode != 1:
            break
        smallest = error
    text = f"{100 * smallest:g} %" if smallest else "-"
    missed = next((e for e in ERRORS if smallest is None or e < smallest), None)
    return f"({text})" if missed is not None and missed < UNITS[dtype] else text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hirscope")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--dtype", action="append")
    args = parser.parse_args()
    sizes = [size for size in SIZES if size <= args.largest]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.py")
        for dtype in args.dtype or DTYPES:
            print(f"\n{dtype}:\n\n| op | " + " | ".join(f"K = {size}" for size in sizes) + " |")
            print("|---|" + "---|" * len(sizes), flush=True)
            for op, shapes, expression in cases():
                write_script(path, shapes, expression, DTYPES[dtype])
                cells = [judge(args, path, op, [s.format(K=size) for s in shapes], dtype) for size in sizes]
                print(f"| {op} | " + " | ".join(cells) + " |", flush=True)


main()
