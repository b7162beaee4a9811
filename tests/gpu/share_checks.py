"""Tests of devices that share one GPU: steps of tests/gpu/run."""
import concurrent.futures
import os
import re
import shutil
import sqlite3
import tempfile

import debug_checks
import debug_scripts
import trace_checks

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "data", "cases", "host_ir_2026")
FUSIONS = os.path.join(HERE, "..", "app", "comm_fusions.py")
SHARE = ["--backend", "cuda", "--gpus", "0", "--share-gpus"]
RANKS = (8, 2, 4, 1)


def functions(path):
    """Return the functions of a script that need no argument except the number of devices."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^def (\w+)\((?:num_devices: int)?\):", file.read(), re.M)


def shape_of(name, n):
    """Return the input of a function of comm_fusions.py: at least 256 KiB of floats for some of the reductions."""
    rows = n - 1 if "other" in name and "to_others" not in name else n
    if name == "all_to_all":
        return []
    if "reduce" in name:
        return ["--input", f"{rows}x{n}x20000" if name == "reduce_scatter" else f"{rows}x700x100"]
    return ["--input", f"{rows}x64" if name not in ("broadcast", "broadcast_to_others", "send_recv") else "33x65"]


def programs(args, find_examples, example_args):
    """Yield (name, words): the scenarios of hostir, programs that only communicate, and the examples."""
    for file in ("collectives", "layers", "overlap", "streams", "scenarios"):
        path = os.path.join(CASES, f"{file}.py")
        for name in functions(path):
            yield f"{file}::{name}", [f"{path}::{name}", "--pipeline", "hostir"]
    for name in functions(FUSIONS):
        yield f"comm_fusions::{name}", [f"{FUSIONS}::{name}", *(["--pipeline", "hostir"] if name == "all_to_all" else [])]
    for name in find_examples(args.hirscope):
        yield f"example:{name}", [f"example:{name}", *example_args.get(name, [])]


def step_numbers(args, say, call, find_examples, example_args):
    """Run all programs with 8, 2, 4 and 1 ranks on one GPU. A program that the CPU refuses or cannot decide is skipped."""
    def check(job):
        name, words, n, dtype = job
        words = [args.hirscope, "run", *words, "-d", str(n), "--dtype", dtype, "--check", "--trace", "off", "--timeout", "30",
                 *(shape_of(name.split("::")[1], n) if name.startswith("comm_fusions") else [])]
        code, text = call(words + SHARE)
        on_cpu = call(words) if code in (2, 3) else (code, "")
        return f"share {name} -d {n} --dtype {dtype}", code, text, on_cpu[0]

    all_programs = list(programs(args, find_examples, example_args))
    if args.gpus is not None:  # fake GPUs multiply slowly
        all_programs = [program for program in all_programs if "row_parallel_linear" not in program[0]]
    jobs = [(*program, n, dtype) for n in RANKS for dtype in args.dtypes for program in all_programs]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for what, code, text, on_cpu in pool.map(check, jobs):
            skipped = code in (2, 3) and on_cpu == code
            say("ok" if code == 0 else "SKIP" if skipped else f"FAIL {code}", what, "" if code == 0 else text)


def step_debug(args, say, call):
    """Debugger scripts print the same as on the CPU: breakpoints, values, steps back; a held rank is named in time."""
    debug_checks.check_scripts(args, say, call, "share debug", debug_scripts.ON_GPUS, ("copy",), debug_scripts.clean_of_ways,
                               SHARE[2:])
    words = ["-e", "break Wait", "-e", "run", "-e", "step", "-e", "back", "-e", "delete", "-e", "continue"]
    for n in (2, 4, 8):
        common = [args.hirscope, "debug", "example:ag_matmul", "-d", str(n), "--check", "--input", f"2x{n}x3x4", "--input", "4x5", *words]
        cpu, gpu = call(common, timeout=60), call(common + SHARE, timeout=90)
        stops = [[line for line in text.splitlines() if re.match(r"Breakpoint|\d+:|The program", line)] for _, text in (cpu, gpu)]
        good = cpu[0] == gpu[0] == 0 and stops[0] == stops[1] != [] and "right" in gpu[1]
        say("ok" if good else f"FAIL {gpu[0]}", f"share debug -d {n}: breakpoint, step and back", "" if good else gpu[1] or cpu[1])
    debug_checks.held_rank(args, say, "copy", SHARE[2:])


def step_trace(args, say, call):
    """Each event of the device has an instruction and a rank, and those in loops an iteration."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.hirs")
        for name, n, shapes in (("ag_matmul", 8, ("8x8x16x32", "32x16")), ("ag_matmul", 2, ("8x2x16x32", "32x16")),
                                ("allgather_p2p", 4, ("4x1000",)), ("matmul_RS_through_bcast", 4, ("4x4x4x8x32", "4x32x16"))):
            shapes = [word for shape in shapes for word in ("--input", shape)]
            for level in ("kernels", "full"):
                what = f"share trace {name} -d {n} --trace {level}"
                code, text = call([args.hirscope, "run", f"example:{name}", "-d", str(n), "--trace", level, "--repeat", "3", "--warmup",
                                   "1", "--check", "-o", path, *shapes, *SHARE])
                wrong, counts = trace_checks.look(path) if code == 0 else ([text], "")
                wrong = [line for line in wrong if "they compete for it" not in line]
                if code == 0:
                    with sqlite3.connect(path) as db:
                        ranks = {rank for rank, in db.execute("SELECT DISTINCT tracks.rank FROM events JOIN tracks ON tracks.id=track "
                                                              "WHERE tracks.kind<>1 AND phase='program'")}
                        iterations = {i for i, in db.execute("SELECT DISTINCT iteration FROM events WHERE kind='communication'")}
                    wrong += [f"ranks {ranks}"] if ranks != set(range(n)) else []
                    wrong += [f"iterations {iterations}"] if not iterations or min(iterations) < 0 else []
                say("ok" if not wrong else "FAIL", what, "\n".join(wrong) or counts)


def step_memory(args, say, call, pool_of):
    """1,000 runs of 8 ranks neither hang nor use more memory than 20 runs."""
    words = [args.hirscope, "run", f"{FUSIONS}::allreduce", "-d", "8", "--input", "8x64x64", "--trace", "off", *SHARE]
    before = call(words + ["--repeat", "20"], G_MESSAGES_DEBUG="all")
    after = call(words + ["--repeat", "1000"], timeout=200, G_MESSAGES_DEBUG="all")
    same = pool_of(before[1]) == pool_of(after[1]) != []
    say("ok" if before[0] == after[0] == 0 and same else "FAIL", "share memory of 1,000 runs of an allreduce -d 8",
        f"{pool_of(before[1])[:1]} {pool_of(after[1])[:1]}" + ("" if after[0] == 0 else after[1][-500:]))


def step_sanitizer(args, say, call):
    """Run the kernels of reductions, and of layers, under compute-sanitizer's memcheck and racecheck."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(tool):
        say("SKIP", "share sanitizer", "compute-sanitizer not found")
        return
    sources = [[f"{FUSIONS}::allreduce", "--input", "4x700x100"], [f"{FUSIONS}::reduce_scatter", "--input", "4x4x300"],
               [f"{FUSIONS}::reduce_to_other", "--input", "3x700x100", "--dtype", "half"],
               [os.path.join(CASES, "layers.py::pointwise"), "--pipeline", "hostir"],
               [os.path.join(CASES, "scenarios.py::mlp"), "--pipeline", "hostir"]]
    jobs = [(kind, source) for kind in ("memcheck", "racecheck") for source in sources]

    def check(job):
        kind, source = job
        return job, call([tool, "--tool", kind, "--error-exitcode", "9", args.hirscope, "run", *source, "-d", "4", "--check", "--trace",
                          "off", "--timeout", "100", *SHARE], timeout=150)

    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        for (kind, source), (code, text) in pool.map(check, jobs):
            say("ok" if code == 0 else f"FAIL {code}", f"share {kind} {source[0].split('::')[1]}", "" if code == 0 else text[-800:])


def step_evaluator(args, say, call):
    """Host time per iteration against a C loop, with 1 and 8 ranks on one GPU; also with the loop body issued step by step."""
    loop = shutil.which("loop-ag-matmul", path=args.path)
    if loop is None:
        say("SKIP", "share evaluator", "loop-ag-matmul not found")
        return
    script = os.path.join(HERE, "..", "..", "app", "examples", "multi_device.py")
    for n in (8, 1, 2) if args.gpus is None else (2, 1):
        for body in ("prepared", "steps"):
            code, text = call([loop, script, str(n), "64", "8", "60" if args.gpus is None else "2", "1", body], timeout=60)
            ratio = re.search(r"ratio ([\d.]+)", text)
            good = code == 0 and ratio and float(ratio.group(1)) <= 1.10
            say("ok" if good else "MISS" if code == 0 and ratio else f"FAIL {code}", f"share evaluator on {n} ranks, body: {body}", text)
