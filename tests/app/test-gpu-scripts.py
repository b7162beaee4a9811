#!/usr/bin/env python3
"""test-gpu-scripts.py HIRSCOPE: tests the commands of the scripts in tests/gpu on the CPU.

Time on machines with GPUs is limited, so mistakes such as invalid shapes must be found here.
"""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import types

from tap import Tap

GPU = pathlib.Path(__file__).resolve().parents[1] / "gpu"
sys.path[:0] = [str(GPU), str(GPU.parent / "app")]
import debug_scripts  # noqa: E402
import overlap  # noqa: E402
import prediction_programs  # noqa: E402

FOR_GPUS = {"--backend": 2, "--comm": 2, "--comm-priority": 2, "--trace": 2, "--warmup": 2, "--repeat": 2, "--pace": 1}


def on_the_cpu(command):
    """Return @command without GPU-only options, plus --check."""
    words, kept = list(command), []
    while words:
        n = FOR_GPUS.get(words[0], 0)
        kept += words[:1] if n == 0 else []
        words = words[max(n, 1):]
    return kept + ["--check"]


def check_forms(tap, hirscope):
    for program in overlap.TITLES:
        for devices in (2, 4, 8):
            args = types.SimpleNamespace(program=program, devices=devices, m=128, k=32, n=16, chunks=4, hirscope=hirscope)
            for function in ("both", "compute", "communication"):
                form = overlap.hirscope_form(args, "a form", function, 2, "separate", "nccl", "normal")
                done = subprocess.run(on_the_cpu(form.command), capture_output=True, text=True, timeout=60)
                right = done.returncode == 0 and "right; " in done.stdout
                tap.check(right, f"overlap.py --program {program} --devices {devices}: {function}", done.stdout, done.stderr)


def check_table(tap, _):
    args = types.SimpleNamespace(program="rs", devices=4, m=128, k=32, n=16, chunks=4, rounds=3)
    row = {"name": "nccl normal separate 2", "way": "nccl", "priority": "normal", "sync": "separate", "streams": 2,
           "error": None, "ratio": 1.25, "p10": 1.2, "p90": 1.3, "ms": 5.0, "compute_ms": 4.0, "gather_ms": 2.0}
    text = overlap.table([row, {**row, "streams": 8, "error": "lost"}], args, "4 x A GPU")
    tap.check("| nccl | normal | separate | 1.25 [1.20-1.30] | failed |" in text, "one row per transport, one column per number of streams",
              text)
    tap.check("Matmul and reduce-scatter, M=128, K=32, N=16 in 4 pieces" in text, "the table names the measurement", text)
    tap.check("matmuls 4.00 ms, communication nccl 2.00 ms" in text, "the table has the times of computation and communication alone", text)


def check_scale(tap, hirscope):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, GPU / "scale.py", hirscope, folder, "--backend", "cpu", "--devices", "1,2",
                               "--chunks", "4", "--repeat", "2", "--no-mpi"], capture_output=True, text=True, timeout=60)
        rows = json.loads((pathlib.Path(folder) / "scale.json").read_text())
    events = [row.get("events", 0) for row in rows]
    tap.check(done.returncode == 0 and len(events) == 2 and 0 < events[0] < events[1], "scale.py counts more events on more devices",
              done.stdout, done.stderr)


def run_all(steps, seconds, folder, *words, **environment):
    """Run tests/gpu/run with fake libraries that compute nothing; return one [step, state, what, detail] per line."""
    build = pathlib.Path(os.environ["HIR_TEST_BUILDDIR"])
    env = {**os.environ, "HIRSCOPE_CUDA_LIBRARY_PATH": str(build / "tests/tracer/cuda"), "FAKE_CUDA_DEVICES": "2",
           "XDG_CACHE_HOME": folder, **environment,
           # Open MPI and stopped runs leak memory; the tests of each component check for leaks.
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    path = pathlib.Path(folder) / "run.tsv"
    done = subprocess.run([sys.executable, GPU / "run", "--gpus", "2", "--steps", steps, "--seconds", str(seconds), "--tsv", path,
                           "--bin", f"{build / 'app'}:{build / 'tests/gpu'}", *words], capture_output=True, text=True, timeout=110,
                          env=env)
    return done, [line.split("\t") for line in path.read_text().splitlines()]


def check_run(tap, _):
    """Each step prints a result, and steps that need no results of kernels pass."""
    with tempfile.TemporaryDirectory() as folder:
        done, lines = run_all("trace,overlap", 600, folder)
        timed, timed_lines = run_all("evaluator,debug-cost", 1650, folder, FAKE_CUDA_IDLE="1")
    lines, done.stdout = timed_lines + lines, timed.stdout + done.stdout
    tap.check(all(len(line) == 4 for line in lines) and [line[0] for line in lines] == sorted(
        (line[0] for line in lines), key=["evaluator", "debug-cost", "trace", "overlap"].index),
              "a line has four columns, and steps are in order", lines)
    tap.check({line[0] for line in lines} == {"evaluator", "debug-cost", "trace", "overlap"}, "each step prints a result",
              lines, done.stdout)
    tap.check("Traceback" not in done.stderr + done.stdout and not any("to its end" in line[2] for line in lines),
              "each step finishes", lines, done.stderr)
    passed = {line[2].split(" (")[0] for line in lines if line[1] in ("ok", "MISS")}
    tap.check({"evaluator on 1 GPUs", "evaluator on 2 GPUs"} <= passed, "steps that need no results of kernels pass", passed, done.stdout)
    tap.check(len([what for what in passed if what.startswith("debug-cost on ")]) == 4, "the debugger's cost is printed", passed)
    with tempfile.TemporaryDirectory() as folder:
        done, lines = run_all("trace,debug,numbers", 0.01, folder)
    tap.check(done.returncode == 0 and {line[1] for line in lines} == {"SKIP"} and {line[0] for line in lines} == {
        "trace", "debug", "numbers"}, "steps without time left are reported as skipped", lines, done.stdout)


def check_steps(tap, _):
    """Steps that need only matrix products, such as the debugger's, pass with streams as threads and shared memory."""
    with tempfile.TemporaryDirectory() as folder:
        done, lines = run_all("overhead,hang,debug,comm-repeat,comm-fail", 1650, folder, FAKE_CUDA_QUEUED="1", FAKE_CUDA_SHARED="1",
                              HIR_LONG_RUN_S="0.2")
    mpi = shutil.which("mpirun") is not None and os.path.exists(os.path.join(os.environ["HIR_TEST_BUILDDIR"], "app", "hirscope-mpi.so"))
    n = {name: [line[0] for line in lines].count(name) for name in ("overhead", "hang", "debug", "comm-repeat", "comm-fail")}
    wanted = [3, 8, 2 * len(debug_scripts.ON_GPUS) + 2, 5, 4]
    tap.check(list(n.values()) == wanted or not mpi, "all results of the steps are printed", wanted, n, done.stdout)
    wrong = [line for line in lines if line[1] not in ("ok", "SKIP") and (line[0], line[1]) != ("overhead", "MISS")]
    tap.check(not wrong, "overhead, hang, debug, comm-repeat and comm-fail pass", wrong, done.stdout)
    skipped = [line for line in lines if line[1] == "SKIP"]
    tap.check(not skipped or not mpi, "no step is skipped", skipped)


def check_share(tap, _):
    """Devices that share one fake GPU, whose kernels run as C, pass all steps for one GPU; what has no time left is skipped."""
    if shutil.which("cc") is None:
        tap.skip("steps for devices that share a GPU", "no C compiler")
        return
    with tempfile.TemporaryDirectory() as folder:
        env = {"FAKE_CUDA_DEVICES": "1", "FAKE_CUDA_QUEUED": "1", "FAKE_CUDA_KERNELS": "1", "FAKE_CUDA_MEMORY": str(64 << 30)}
        done, lines = run_all("share-debug,share-trace,share-memory,share-numbers", 45, folder, "--dtypes", "float", "--jobs", "2", **env)
        timed, timed_lines = run_all("share-evaluator", 60, folder, **{**env, "FAKE_CUDA_IDLE": "1"})
    lines, text = lines + timed_lines, done.stdout + timed.stdout + done.stderr + timed.stderr
    wrong = [line for line in lines if line[1] not in ("ok", "SKIP", "MISS")]
    tap.check(not wrong and "Traceback" not in text, "no step fails", wrong, text)
    passed = {name: [line[2] for line in lines if line[0] == name and line[1] in ("ok", "MISS")] for name in
              ("share-debug", "share-trace", "share-memory", "share-numbers", "share-evaluator")}
    tap.check(len(passed["share-debug"]) > 1 and len(passed["share-numbers"]) > 1 and len(passed["share-evaluator"]) == 4,
              "each step prints results", passed, text)


def check_long(tap, hirscope):
    """check_long.py counts outcomes: on the CPU fusions are right, on a fake GPU wrong, and what has no time is left."""
    with tempfile.TemporaryDirectory() as folder:
        failures = pathlib.Path(folder) / "failures.txt"
        env = {**os.environ, "HIRSCOPE_CUDA_LIBRARY_PATH": os.path.join(os.environ["HIR_TEST_BUILDDIR"], "tests/tracer/cuda"),
               "FAKE_CUDA_DEVICES": "1", "XDG_CACHE_HOME": folder}
        words = [sys.executable, GPU / "check_long.py", hirscope, "--jobs", "2", "--failures", failures]
        done = subprocess.run([*words, "--cpu", "1-6,9", "--cuda", "1-2", "--seconds", "100"], capture_output=True, text=True,
                              timeout=110, env=env)
        tap.check(done.returncode == 1 and "cuda: 2 fusions: 2 run, 0 right, 0 undecided, 2 false alarms" in done.stdout and
                  "cpu: 7 fusions: 7 run, " in done.stdout and done.stdout.endswith("all done\n"), "check_long.py counts fusions",
                  done.stdout, done.stderr)
        tap.check(failures.read_text().count("==== cuda ") == 2, "it keeps those that fail", failures.read_text())
        done = subprocess.run([*words, "--mutants", "4", "--cpu", "1-3,7", "--seconds", "0"], capture_output=True, text=True, timeout=60)
        tap.check(done.returncode == 0 and done.stdout.endswith("left: --mutants 4 --cpu 1-3,7\n"), "it prints what is left", done.stdout)


def predictions(hirscope, folder, *words):
    env = {**os.environ, "HIRSCOPE_CUDA_LIBRARY_PATH": os.path.join(os.environ["HIR_TEST_BUILDDIR"], "tests/tracer/cuda"),
           "FAKE_CUDA_DEVICES": "1", "FAKE_CUDA_QUEUED": "1", "XDG_CACHE_HOME": folder}
    return subprocess.run([sys.executable, GPU / "predictions", "--bin", os.path.dirname(hirscope), "--gpus", "1", "--repeat", "3",
                           "--warmup", "1", "--tsv", os.path.join(folder, "p.tsv"), *map(str, words)], capture_output=True, text=True,
                          timeout=110, env=env)


def check_predictions(tap, hirscope):
    """predictions predicts, measures and keeps the pairs of the first programs; without time it says so."""
    with tempfile.TemporaryDirectory() as folder:
        keep = pathlib.Path(folder) / "keep"
        done = predictions(hirscope, folder, "--programs", 2, "--rounds", 2, "--seconds", 100, "--keep", keep)
        rows = [line.split("\t") for line in (pathlib.Path(folder) / "p.tsv").read_text().splitlines()]
        tap.check(done.returncode == 0 and len(rows) == 5 and all(len(row) == 10 and float(row[5]) > 0 and float(row[6]) > 0 and
                                                                  row[9] == "6" for row in rows[1:]), "predictions prints four pairs of two rounds",
                  done.stdout, done.stderr)
        tap.check("4 pairs; error: median" in done.stdout and "2 complete rounds, 12 runs" in done.stdout, "it ends with a summary", done.stdout)
        names = []
        for archive in keep.iterdir():
            with tarfile.open(archive) as tar:
                names += tar.getnames()
        tap.check(sorted(names) == sorted(f"{program:02}-{run}-{n}.hirs" for program in (0, 1) for run in ("base", "0", "1") for n in (0, 1)),
                  "it keeps all recordings", names)
        done = predictions(hirscope, folder, "--seconds", 0)
        tap.check(done.returncode == 1 and "no pair has a result; 0 complete rounds, 0 runs" in done.stdout, "without time it measures nothing",
                  done.stdout, done.stderr)


def check_shared(tap, hirscope):
    """Kernels of ranks that share a GPU are predicted one after the other; a copy that one rank issues releases the others."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "measured.hirs"), os.path.join(folder, "predicted.hirs")
        env = {**os.environ, "HIRSCOPE_CUDA_LIBRARY_PATH": os.path.join(os.environ["HIR_TEST_BUILDDIR"], "tests/tracer/cuda"),
               "FAKE_CUDA_DEVICES": "1", "FAKE_CUDA_QUEUED": "1", "XDG_CACHE_HOME": folder}
        cases = str(GPU.parent / "data" / "cases" / "host_ir_2026" / "scenarios.py")
        for source, devices, words in ((f"{GPU / 'overlap_fusions.py'}::both", 2, ["--input", "8x2x64x64", "--input", "64x64"]),
                                       (f"{cases}::column_and_sequence_parallel_linear", 4, ["--pipeline", "hostir"])):
            done = [subprocess.run([hirscope, *command], capture_output=True, text=True, timeout=100, env=env) for command in (
                ["run", source, "-d", str(devices), "--backend", "cuda", "--gpus", "0", "--share-gpus", "--warmup", "1", "-o", path, *words],
                ["predict", path, "-o", out])]
            name = source.split("::")[1]
            if not tap.check([d.returncode for d in done] == [0, 0], f"a run of {name} on a shared GPU is predicted", done):
                continue
            tap.check("missing in the trace" not in done[1].stdout, f"{name}: all communications are known", done[1].stdout)
            with sqlite3.connect(out) as db:
                kernels = db.execute("SELECT start_ns, end_ns, rank FROM events WHERE kind = 'kernel' ORDER BY start_ns, end_ns").fetchall()
            tap.check({rank for _, _, rank in kernels} == set(range(devices)), f"{name}: all ranks have kernels", kernels)
            # A kernel may start in the last wave of others, their last quarter. Kernels of two and four ranks that ran at the
            # same time would overlap in half and in three quarters of their time.
            work, covered, until = sum(end - start for start, end, _ in kernels), 0, 0
            for start, end, _ in kernels:
                covered += max(end - max(start, until), 0)
                until = max(until, end)
            tap.check(work - covered < 0.4 * work, f"{name}: kernels of different ranks overlap only in their last wave", work, covered, kernels)


def check_prediction_programs(tap, hirscope):
    """All programs of predictions run, and so do those without a Synchronize, with the inputs for fake GPUs."""
    def run(what, source, words, *more):
        done = subprocess.run([hirscope, "run", source, *words, *more, "--clock", "model"], capture_output=True, text=True, timeout=60)
        tap.check(done.returncode == 0, f"predictions: {what} runs", done.stderr)

    with tempfile.TemporaryDirectory() as folder:
        for program in prediction_programs.PROGRAMS:
            inputs = program.inputs(True)
            run(program, program.source, program.words(), *program.base.run_words(), *inputs)
            for setting in [setting for setting in program.changes if setting.drop is not None]:
                lines = subprocess.run([hirscope, "lower", program.source, *program.words(), *program.base.lower_words()],
                                       capture_output=True, text=True, timeout=60).stdout.splitlines()
                line = prediction_programs.find_synchronize(lines, setting.drop)
                path = pathlib.Path(folder) / "without.txt"
                path.write_text("\n".join(prediction_programs.without_line(lines, line)) + "\n")
                run(f"{program}, {setting}", path, ["-d", str(program.devices)], *setting.run_words(), *inputs)
    tap.check(sum(len(program.changes) for program in prediction_programs.PROGRAMS) >= 20, "there are at least 20 pairs")


def main():
    tap = Tap()
    tap.group(check_steps, sys.argv[1])
    tap.group(check_run, sys.argv[1])
    tap.group(check_forms, sys.argv[1])
    tap.group(check_table, sys.argv[1])
    tap.group(check_scale, sys.argv[1])
    tap.group(check_share, sys.argv[1])
    tap.group(check_long, sys.argv[1])
    tap.group(check_predictions, sys.argv[1])
    tap.group(check_shared, sys.argv[1])
    tap.group(check_prediction_programs, sys.argv[1])
    tap.done()


if __name__ == "__main__":
    main()
