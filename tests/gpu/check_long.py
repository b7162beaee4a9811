#!/usr/bin/env python3
"""check_long.py HIRSCOPE [--mutants SEEDS] [--cuda SEEDS] [--cpu SEEDS] [--seconds N] [--jobs N] [--each N] [--failures FILE]

Long run of the tests of `check` and `run --check`, in parallel, on a machine with many cores and one GPU:
  --mutants: compares `check` with the auditor (tests/app/test-auditor.py), --each mutants per seed in addition to the programs
             that they are made of
  --cuda:    runs the random fusion of each seed (random_fusions.py) with `run --check` on the GPU; --cpu: on the CPU, also
             over several devices
SEEDS are numbers and ranges: 1-500,7. When all are done, or after --seconds, it prints one line per kind and the seeds that
are left, as SEEDS for another call. Programs that fail are appended to FILE.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from random_fusions import random_fusion

AUDITOR = pathlib.Path(__file__).resolve().parents[1] / "app" / "test-auditor.py"
OUTCOMES = {0: "right", 1: "wrong", 2: "refused", 3: "undecided"}
FAILED = ("different", "wrong", "broken")


def numbers(text):
    """Return the numbers of SEEDS."""
    found = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def ranges(seeds):
    """Return SEEDS of sorted numbers."""
    parts = []
    for seed in seeds:
        if parts and parts[-1][1] == seed - 1:
            parts[-1][1] = seed
        else:
            parts.append([seed, seed])
    return ",".join(f"{a}-{b}" if a != b else f"{a}" for a, b in parts)


class Session:
    def __init__(self, args):
        self.args, self.until = args, time.monotonic() + args.seconds
        self.counts = {kind: collections.Counter() for kind in ("mutants", "cuda", "cpu")}
        self.reasons, self.done = collections.Counter(), {kind: set() for kind in self.counts}
        self.lock = threading.Lock()

    def call(self, command):
        """Return the exit code and the output, or None without time left."""
        left = self.until - time.monotonic()
        if left <= 0:
            return None
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                  errors="replace", timeout=left)
        except subprocess.TimeoutExpired:
            return None
        return done.returncode, done.stdout

    def run(self, task):
        kind, seed = task
        with tempfile.TemporaryDirectory() as folder:
            counts, failure = self.audit(seed) if kind == "mutants" else self.fusion(kind, seed, folder)
        if counts is None:
            return
        with self.lock:
            self.counts[kind] += counts
            self.done[kind].add(seed)
            if failure:
                print(f"FAILED {kind} {seed}: {' '.join(failure.split()[-40:])}", flush=True)
                if self.args.failures:
                    with open(self.args.failures, "a", encoding="utf-8") as out:
                        out.write(f"==== {kind} {seed}\n{failure}\n")

    def audit(self, seed):
        result = self.call([sys.executable, AUDITOR, self.args.hirscope, str(self.args.each), str(seed)])
        if result is None:
            return None, None
        counts = collections.Counter()
        for n, outcome, why in re.findall(r"^# +(\d+) (same|skipped|expected|different): (.*)$", result[1], re.M):
            counts[outcome] += int(n)
            if outcome != "same":
                with self.lock:
                    self.reasons[f"{outcome}: {why}"] += int(n)
        if result[0] != 0 and not counts["different"]:
            counts["broken"] += 1
        return counts, result[1] if result[0] else None

    def fusion(self, kind, seed, folder):
        text, devices = random_fusion(seed, 4 if kind == "cpu" else 1)
        path = os.path.join(folder, "f.py")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        words = ["run", path + "::f", "--check", "--backend", kind, "-d", str(devices), "--seed", str(seed), "--timeout", "60"]
        result = self.call([self.args.hirscope, *words])
        if result is None:
            return None, None
        outcome = OUTCOMES.get(result[0], "broken")
        if outcome == "refused":
            error = re.sub(r"\d+", "N", (re.findall(r"error: (.*)", result[1]) or result[1].splitlines() or ["no message"])[-1])
            with self.lock:
                self.reasons[f"{kind} refused: {error[:110]}"] += 1
        return collections.Counter([outcome]), f"{text}\n$ hirscope {' '.join(words)}\n{result[1]}" if outcome in FAILED else None

    def summary(self, seeds):
        m = self.counts["mutants"]
        for reason, n in self.reasons.most_common(20):
            print(f"{n:7} {reason}")
        if seeds["mutants"]:
            print(f"mutants: {len(self.done['mutants'])} seeds, {m['same'] + m['expected'] + m['skipped'] + m['different']} programs: "
                  f"{m['same']} equal, {m['expected']} different as expected, {m['skipped']} unsupported, {m['different']} different, "
                  f"{m['broken']} broken runs")
        for kind in ("cuda", "cpu"):
            n = self.counts[kind]
            if seeds[kind]:
                print(f"{kind}: {len(self.done[kind])} fusions: {n['right'] + n['wrong'] + n['undecided']} run, {n['right']} right, "
                      f"{n['undecided']} undecided, {n['wrong']} false alarms, {n['refused']} refused, {n['broken']} broken runs")
        left = [f"--{kind} {ranges(sorted(set(seeds[kind]) - self.done[kind]))}" for kind in seeds if set(seeds[kind]) - self.done[kind]]
        print(f"left: {' '.join(left)}" if left else "all done", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hirscope")
    for kind in ("mutants", "cuda", "cpu"):
        parser.add_argument(f"--{kind}", default="", metavar="SEEDS")
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--each", type=int, default=100, help="mutants per seed")
    parser.add_argument("--failures", metavar="FILE")
    args = parser.parse_args()
    args.hirscope = os.path.abspath(args.hirscope)
    session = Session(args)
    seeds = {kind: numbers(getattr(args, kind)) for kind in ("mutants", "cuda", "cpu")}
    # All kinds progress at the same rate.
    tasks = sorted(((i + 0.5) / len(seeds[kind]), kind, seed) for kind in seeds for i, seed in enumerate(seeds[kind]))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(session.run, [task[1:] for task in tasks]))
    session.summary(seeds)
    return 1 if any(session.counts[kind][outcome] for kind in seeds for outcome in FAILED) else 0


if __name__ == "__main__":
    sys.exit(main())
