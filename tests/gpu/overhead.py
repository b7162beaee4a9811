#!/usr/bin/env python3
"""Measures the cost of tracing: host time per launch, untraced and traced by our recorder, by bare
CUPTI with the same kinds, and by torch.profiler. They alternate, so that all run at the same clocks.

    overhead.py --ours overhead-ours --out FOLDER [--processes 3] [--pair-seconds 12] [--long 10]
                [--bare overhead-bare --rounds 3 --seconds 0.3]

Each process runs at one of two speeds, 4.7 or 6.8 us per launch (seen on two H200). Therefore our recorder and bare CUPTI
alternate every 40 ms in one process and one context. The result is the median difference of neighboring turns, overall and per
process. --rounds also measures each in a separate process, which requires overhead.c to be compiled. torch.profiler is measured
if torch is installed. Takes about 80 s with the numbers above. Writes overhead.json and overhead.md.
Exits with 1 if a record was dropped or no turns could be measured."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

LEVELS = ("off", "kernels", "full")
CALLS = 400


def near_gpu(n):
    """Return @n processors near the first GPU, or all available processors if their location is unknown."""
    mine = sorted(os.sched_getaffinity(0))
    try:
        bus = subprocess.run(["nvidia-smi", "--query-gpu=pci.bus_id", "--format=csv,noheader", "-i", "0"],
                             capture_output=True, text=True, check=True).stdout.strip().lower()
        with open(f"/sys/bus/pci/devices/{bus[-12:]}/local_cpulist", encoding="ascii") as file:
            spans = [span.partition("-") for span in file.read().strip().split(",")]
        near = {cpu for first, _, last in spans for cpu in range(int(first), int(last or first) + 1)}
    except (OSError, ValueError, subprocess.CalledProcessError):
        near = set(mine)
    return [cpu for cpu in mine if cpu in near][:n] or mine


def run(program, level, seconds, folder):
    """Run @program and return its JSON output, or None on failure."""
    command = [program, level, str(seconds), os.path.join(folder, "overhead.hirs")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
        sys.stderr.write(done.stderr)
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"{' '.join(command)}: {error}\n")
        return None


def pairs(program, processes, seconds, folder):
    """Return, per process and round, [off, bare kernels, our kernels, bare full, our full] in ns per launch."""
    found = []
    for _ in range(processes):
        try:
            done = subprocess.run([program, "pairs", str(seconds), os.path.join(folder, "overhead.hirs")], capture_output=True,
                                  text=True, timeout=2 * seconds + 60)
            sys.stderr.write(done.stderr)
            found.append(json.loads(done.stdout)["rounds"])
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            sys.stderr.write(f"{program} pairs: {error}\n")
    return found


def above(found, level):
    """Return the cost of our recorder above bare CUPTI in ns per launch: medians (all pairs, per process) and percentiles."""
    at = 2 * LEVELS.index(level)
    by_process = [[row[at] - row[at - 1] for row in rows] for rows in found]
    both = sorted(sum(by_process, []))
    return {"level": level, "ns": statistics.median(both), "n": len(both), "p10": both[len(both) // 10],
            "p90": both[-1 - len(both) // 10], "processes": [statistics.median(one) for one in by_process],
            "bare": statistics.median(row[at - 1] for rows in found for row in rows)}


def torch_rounds(rounds):
    """Return ns per call of x.add_(1) on four streams, without and with the profiler; {} without torch."""
    try:
        import torch
        from torch.profiler import ProfilerActivity, profile
    except ImportError:
        return {}
    x = [torch.zeros(1, device="cuda") for _ in range(4)]
    streams = [torch.cuda.Stream() for _ in range(4)]

    def batch():
        start = time.perf_counter_ns()
        for i in range(CALLS):
            with torch.cuda.stream(streams[i % 4]):
                x[i % 4].add_(1)
        passed = time.perf_counter_ns() - start
        torch.cuda.synchronize()
        return passed / CALLS

    def measure():
        return statistics.median(batch() for _ in range(20))

    found = {"torch off": [], "torch.profiler cuda": [], "torch.profiler cpu+cuda": []}
    measure()
    for _ in range(rounds):
        found["torch off"].append(measure())
        with profile(activities=[ProfilerActivity.CUDA]):
            batch()
            found["torch.profiler cuda"].append(measure())
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
            batch()
            found["torch.profiler cpu+cuda"].append(measure())
    return found


def write_markdown(path, table, long_run, device, levels):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# Host time per launch, {device}\n\n")
        file.write("Launches of an empty kernel with cuLaunchKernel on four streams, in batches of 400, so that "
                   "the host never waits for the device; torch: x.add_(1). Our recorder numbers launches, decodes "
                   "records and writes a recording during the measurement. Median of the rounds' medians, "
                   "minimum and maximum.\n\n| what | ns | minimum - maximum |\n|---|---|---|\n")
        for name, row in table.items():
            file.write(f"| {name} | {row['median']:.0f} | {row['min']:.0f} - {row['max']:.0f} |\n")
        for row in levels:
            each = ", ".join(f"{ns:.0f}" for ns in row["processes"])
            file.write(f"\nOurs above bare CUPTI, {row['level']}: {row['ns']:.0f} ns per launch, "
                       f"median of {row['n']} pairs of turns "
                       f"[{row['p10']:.0f} to {row['p90']:.0f}]; per process: {each}. Bare: {row['bare']:.0f} ns. Both use our "
                       f"clock.\n")
        for level, result in long_run.items():
            file.write(f"\n{level}, at full rate: {result['launches']} launches, "
                       f"{result['records']} records, {result['dropped']} dropped, "
                       f"{result['events']} events.\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", required=True)
    parser.add_argument("--bare")
    parser.add_argument("--out", required=True)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--pair-seconds", type=float, default=12)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--long", type=float, default=0)
    parser.add_argument("--device", default="")
    options = parser.parse_args()
    programs = {"ours": options.ours}
    if options.bare:
        programs["bare"] = options.bare
    found = {}
    os.sched_setaffinity(0, near_gpu(6))  # inherited by child processes
    turns = [rows for rows in pairs(options.ours, options.processes, options.pair_seconds, options.out) if rows]
    levels = [above(turns, level) for level in LEVELS[1:]] if turns else []
    for n in range(options.rounds):
        for level in LEVELS:
            for who, program in (list(programs.items()), list(programs.items())[::-1])[n % 2]:
                result = run(program, level, options.seconds, options.out)
                if result is not None:
                    found.setdefault(f"{who} {level}", []).append(result["ns_median"])
    found.update(torch_rounds(3))
    table = {name: {"median": statistics.median(row), "min": min(row), "max": max(row),
                    "rounds": row} for name, row in found.items() if row}
    long_run = {}
    for level in LEVELS[1:] if options.long > 0 else ():
        result = run(options.ours, level, options.long, options.out)
        if result is not None:
            long_run[level] = result
    with open(os.path.join(options.out, "overhead.json"), "w", encoding="utf-8") as file:
        json.dump({"device": options.device, "above": levels, "ns": table, "long": long_run}, file, indent=1)
    write_markdown(os.path.join(options.out, "overhead.md"), table, long_run, options.device, levels)
    with open(os.path.join(options.out, "overhead.md"), encoding="utf-8") as file:
        print(file.read())
    bad = [level for level, row in long_run.items()
           if row["dropped"] or row["events"] != row["launches"]]
    return 1 if bad or not levels else 0


if __name__ == "__main__":
    sys.exit(main())
