#!/usr/bin/env python3
"""scale.py HIRSCOPE OUT [options]: measures what grows with the number of devices.

For 1, 2, 4 and 8 devices, in one process and under mpirun, measures the host time per iteration, the size of the recording and
its bytes per event, the time from the end of the run to the end of the program (traces are gathered, merged and written), and the
error of the clock alignment (as if each rank were on a separate machine). Writes OUT/scale.md and OUT/scale.json. --backend cpu
uses virtual devices, to try the script without a GPU.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "app" / "examples" / "multi_device.py"


def count_gpus():
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    except OSError:
        return 0
    return len(re.findall(r"^GPU \d+", done.stdout, re.M))


def read_recording(path):
    """Return the number of events and the largest clock error of a rank in ns (None if there is only one clock)."""
    with sqlite3.connect(path) as db:
        (events,) = db.execute("SELECT sum(n) FROM chunks").fetchone()
        errors = [int(match[1]) for _, value in db.execute("SELECT key, value FROM meta WHERE key LIKE 'clock.rank.%'")
                  if (match := re.search(r"error_ns=(\d+)", value))]
    return events or 0, max(errors, default=None)


def run_timed(command, environment):
    """Return exit code, seconds until the run has ended, seconds from there until the program ends, and the output."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, **environment})
    lines, ran_s = [], None
    for line in process.stdout:
        lines.append(line)
        if ran_s is None and line.startswith("ran "):
            ran_s = time.monotonic() - start
    code = process.wait()
    end_s = time.monotonic() - start
    return code, ran_s, end_s - ran_s if ran_s is not None else None, "".join(lines)


def command_of(args, n, mpi, path):
    shape = f"{args.chunks}x{n}x16x64"
    run = [args.hirscope, "run", f"{SCRIPT}::ag_matmul", "--input", shape, "--input", "64x64", "--repeat", str(args.repeat),
           "--streams", "8", "--backend", args.backend, "-o", str(path)]
    if not mpi:
        return run + ["-d", str(n)]
    # With HIRSCOPE_HOST each rank seems to be on a separate machine; otherwise clocks would not be aligned.
    shell = 'export HIRSCOPE_HOST=host$OMPI_COMM_WORLD_RANK; exec "$@"'
    return ["mpirun", "--oversubscribe", "-n", str(n), "sh", "-c", shell, "sh"] + run


def measure_run(args, n, mpi):
    path = args.out / f"scale-{n}-{'mpi' if mpi else 'one'}.hirs"
    path.unlink(missing_ok=True)
    allow = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder:  # fake GPUs of several processes exchange data through files
        fakes = {"FAKE_NCCL_FOLDER": folder} if mpi and args.gpus is not None else {}
        code, ran_s, after_s, text = run_timed(command_of(args, n, mpi, path), {**allow, **fakes})
    row = {"devices": n, "mpi": mpi, "error": None if code == 0 else text.strip()[-400:] or f"exit code {code}"}
    if code == 0:
        events, error_ns = read_recording(path)
        row.update(events=events, size_bytes=path.stat().st_size, ran_s=ran_s, after_s=after_s, alignment_error_ns=error_ns)
    path.unlink(missing_ok=True)
    return row


def measure_host(args, n):
    """Compare the host time per iteration with a C loop of the same calls; return {} if loop-ag-matmul is missing."""
    loop = shutil.which("loop-ag-matmul", path=os.pathsep.join([args.bin or "", os.environ.get("PATH", "")]))
    if loop is None or args.backend != "cuda":
        return {}
    done = subprocess.run([loop, str(SCRIPT), str(n), "64", "8"], capture_output=True, text=True, timeout=120)
    ratio = re.search(r"ratio ([\d.]+)", done.stdout)
    return {"host": done.stdout.strip(), "host_ratio": float(ratio[1]) if ratio else None}


def table(rows, args):
    lines = [f"ag_matmul, {args.chunks} iterations, {args.repeat} runs, {args.backend}.", "",
             "| devices | processes | events | bytes per event | end of run to end of program | alignment error | host over C |",
             "|---|---|---|---|---|---|---|"]
    for row in rows:
        if row["error"] is not None:
            lines.append(f"| {row['devices']} | {row['devices'] if row['mpi'] else 1} | failed | | | | |")
            continue
        error = row["alignment_error_ns"]
        after = f"{row['after_s'] * 1e3:.0f} ms" if row["after_s"] is not None else ""
        ratio = row.get("host_ratio")
        lines.append(f"| {row['devices']} | {row['devices'] if row['mpi'] else 1} | {row['events']} | "
                     f"{row['size_bytes'] / max(row['events'], 1):.1f} | {after} | "
                     f"{'one clock' if error is None else f'{error / 1e3:.2f} us'} | {'' if ratio is None else ratio} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("hirscope")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--devices", default="1,2,4,8")
    parser.add_argument("--chunks", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--bin", help="folder of loop-ag-matmul")
    parser.add_argument("--no-mpi", action="store_true")
    parser.add_argument("--gpus", type=int, help="number of (fake) GPUs; the default is to ask nvidia-smi")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    n_gpus = 8 if args.backend == "cpu" else args.gpus if args.gpus is not None else count_gpus()
    rows = []
    for n in map(int, args.devices.split(",")):
        if n > n_gpus:
            print(f"skipped: {n} devices (found {n_gpus} GPUs)")
            continue
        for mpi in (False, True):
            if mpi and (args.no_mpi or shutil.which("mpirun") is None):
                print(f"skipped: {n} devices under mpirun" + ("" if args.no_mpi else " (not found)"))
                continue
            row = measure_run(args, n, mpi)
            if not mpi:
                row.update(measure_host(args, n))
            rows.append(row)
            print(json.dumps(row), flush=True)
        (args.out / "scale.json").write_text(json.dumps(rows, indent=1) + "\n")
        (args.out / "scale.md").write_text(table(rows, args))
    if not rows:
        sys.exit(77)
    print(table(rows, args))
    sys.exit(any(row["error"] is not None for row in rows))


if __name__ == "__main__":
    main()
