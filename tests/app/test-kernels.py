#!/usr/bin/env python3
"""test-kernels.py HIRSCOPE

Tests `lower --print cuda`, and that the GPU back end compiles the printed kernels.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from program import GOLDEN, SOURCE, from_command_line
from tap import Tap

LIBRARIES = os.path.join(os.environ.get("HIR_TEST_BUILDDIR", os.path.join(SOURCE, "build")), "tests", "tracer", "cuda")
CASES = os.path.join(SOURCE, "tests", "data", "cases", "programs")

# The part of CUDA that kernels use, for a C++ compiler.
SHIM = """
#include <math.h>
#define __global__
#define __device__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __shared__ static
#define __align__(n) __attribute__ ((aligned (n)))
extern struct Place { int x; } threadIdx, blockIdx, gridDim;
void __syncthreads (); float __int_as_float (int); float __uint_as_float (unsigned);
unsigned __float_as_uint (float); int __float_as_int (float); long long __double_as_longlong (double);
double rsqrt (double); float rsqrtf (float);
double erfinv (double); double erfcinv (double); float erfinvf (float); float erfcinvf (float);
"""


def launches(text):
    """Return the comments and the source of each launch."""
    return re.findall(r"^// launch \d+ of \d+: (.*)\n((?://.*\n)*)(?:namespace launch\d+\n\{\n((?:.*\n)*?)\}\n(?=\n|\Z))?", text,
                      re.MULTILINE)


def check_configuration(t, hirscope):
    got = hirscope("lower", "example:reduction", "--print", "cuda")
    found = launches(got.out)
    t.check(got.code == 0 and len(found) == 1, "a reduction is one launch", got)
    name, comments, source = found[0]
    t.check(name == "T3_sum" and "\nT3_sum (const float" in source, "the kernel has the name of its instruction", got)
    t.check("grid 16, block 256, shared memory 1024 bytes\n" in comments and "HIR_SHARED float sm_f32[256];" in source,
            "grid, block and shared memory are printed", comments)
    t.check("p0: T2 float[64, 64]\n// p1: T3 float[64]\n" in comments, "the arguments are printed in order", comments)
    t.check("// T3_sum on rank 0, 16 times, iterations 0 to 15\n" in got.out, "the executions are printed", got)

    smaller = hirscope("lower", "example:reduction", "--print", "cuda", "--input", "16x8x32")
    t.check("p0: T2 float[8, 32]" in smaller.out and "shared memory 1024" in smaller.out,
            "shapes are those of --input", smaller)


def check_matmul(t, hirscope):
    got = hirscope("lower", "example:ag_matmul", "-d", 2, "--print", "cuda")
    name, comments, source = launches(got.out)[-1]
    t.check(name == "cublasLtMatmul, T6_matmul" and source == "", "a product is a call of cuBLASLt", got)
    for line in ("m 64, n 128, k 64, batch 1", "types: float, computed in float, without TF32",
                 "A: input 1, 64 x 64 column-major, ld 64", "B: input 0, 64 x 128 column-major, ld 64",
                 "C: output, transposed product, 64 x 128 column-major, ld 64", "output: T6 float[2, 64, 64]"):
        t.check(f"// {line}\n" in comments, f"the product: {line}", comments)
    batched = hirscope("lower", "example:batched_matmul", "--print", "cuda", "--dtype", "double")
    t.check("types: double, computed in double" in batched.out, "the type of a product is that of its output", batched)


def check_ranks(t, hirscope):
    first = hirscope("lower", "example:allgather_p2p", "-d", 2, "--print", "cuda")
    second = hirscope("lower", "example:allgather_p2p", "-d", 2, "--rank", 1, "--print", "cuda")
    t.check("on rank 0" in first.out and "on rank 1" not in first.out and "on rank 1" in second.out,
            "--rank selects the rank", first, second)
    idle = hirscope("lower", "example:two_set_ops", "-d", 2, "--rank", 1, "--print", "cuda")
    t.check(idle.code == 0 and idle.out.endswith("// no instruction launches a kernel on this rank\n"),
            "a rank without work has no kernel", idle)


def check_sources(t, hirscope):
    printed = hirscope("lower", os.path.join(GOLDEN, "ag_matmul.txt"), "--print", "cuda")
    t.check(printed.code == 0 and "cublasLtMatmul, T6_matmul" in printed.out, "code of a printed program", printed)
    kernel = hirscope("lower", os.path.join(CASES, "launch_kernel_2026.txt"), "--print", "cuda")
    t.check(kernel.code == 0 and "// the printed program has no source of nvFuser's kernel of group 1;\n// open a log with its "
            "fusion" in kernel.out and len(launches(kernel.out)) == 1, "a LaunchKernel without its fusion has no source", kernel)
    log = hirscope("lower", os.path.join(CASES, "launch_kernel_log_2026.txt"), "--print", "cuda")
    t.check(log.code == 0 and any(source for _, _, source in launches(log.out)), "a LaunchKernel with its fusion has source", log)
    wrong = hirscope("lower", "example:two_set_ops", "--print", "cude")
    t.check(wrong.code == 2 and "last, all or cuda" in wrong.err, "an unknown value of --print lists cuda", wrong)
    failing = hirscope("lower", "example:two_set_ops", "--pipeline", "hostir", "--print", "cuda")
    t.check(failing.code == 2 and failing.out == "" and "single_device.py:" in failing.err, "a failing pass is reported", failing)


def check_compiled(t, hirscope, folder):
    """The fake NVRTC compiles nothing, so that the cache of kernels contains the sources."""
    for args in (["example:two_set_ops"], ["example:reduction"], ["example:reduction", "--input", "2x4x100000"],
                 ["example:matmul_RS_through_bcast", "-d", "2"]):
        cache = os.path.join(folder, "cache" + str(len(os.listdir(folder))))
        os.mkdir(cache)
        n = args[args.index("-d") + 1] if "-d" in args else "1"
        ran = hirscope("run", *args, "--backend", "cuda", env={
            "HIRSCOPE_CUDA_LIBRARY_PATH": LIBRARIES, "FAKE_CUDA_DEVICES": n, "XDG_CACHE_HOME": cache})
        compiled = [p.read_text() for p in pathlib.Path(cache, "hirscope", "kernels").glob("*.cubin")]
        sources = {s for rank in range(int(n)) for _, _, s in
                   launches(hirscope("lower", *args, "--rank", rank, "--print", "cuda").out) if s}
        t.check(ran.code == 0 and len(compiled) == len(sources) and
                all(any(s in text for text in compiled) for s in sources),
                f"a run compiles the printed kernels: {' '.join(args)}", ran, compiled, *sources)


def check_file(t, hirscope, folder):
    compiler = shutil.which("c++")
    for args in (["example:two_set_ops"], ["example:reduction", "--input", "2x4x100000", "--dtype", "bfloat16"],
                 ["example:matmul_RS_through_bcast", "-d", "2"]):
        name = f"the file is C++: {' '.join(args)}"
        if compiler is None:
            t.skip(name, "no C++ compiler")
            continue
        path = os.path.join(folder, "kernels.cu")
        with open(path, "w") as f:
            f.write(SHIM + hirscope("lower", *args, "--print", "cuda").out)
        done = subprocess.run([compiler, "-fsyntax-only", "-x", "c++", path],
                              capture_output=True, text=True, timeout=120)
        t.check(done.returncode == 0 and done.stderr == "", name, done.stderr)


def main():
    hirscope, t = from_command_line(), Tap()
    with tempfile.TemporaryDirectory() as folder:
        t.group(check_configuration, hirscope)
        t.group(check_matmul, hirscope)
        t.group(check_ranks, hirscope)
        t.group(check_sources, hirscope)
        t.group(check_compiled, hirscope, folder)
        t.group(check_file, hirscope, folder)
    t.done()


sys.exit(main())
