#!/usr/bin/env python3
"""overlap.py HIRSCOPE OUT [options]: measures how much communication is hidden behind a matmul.

Each form (a variant of the program) runs in one process. All processes start first and then alternate, run by run, because clocks
drop under load and only adjacent runs are comparable. The result of a form is its time divided by the longer of its two parts
alone: the matmuls with the whole input present, and the communication with the same transport and slices.
Prints a Markdown table; writes OUT/overlap.json, OUT/overlap.md and four recordings.
"""
import argparse
import concurrent.futures
import itertools
import json
import pathlib
import queue
import shutil
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
FUSIONS = HERE / "overlap_fusions.py"
WARMUPS = 3
BATCH = 12
START_S = 180
TURN_S = 30
START = time.monotonic()
TITLES = {"ag": "All-gather and matmul", "ar": "Matmul and all-reduce", "rs": "Matmul and reduce-scatter",
          "p2p": "Rows by send and receive, and matmul"}


class Form:
    """A process that runs the program once per request."""

    def __init__(self, name, command, facts=None):
        self.name, self.command, self.facts = name, command, facts or {}
        self.times, self.error, self.process = [], None, None

    def start(self, folder):
        self.log = open(folder / (self.name.replace(" ", "-").replace("/", "-") + ".log"), "w+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                        text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def read(self, timeout_s):
        """Return the duration of the next run in ns, 0 if the process is ready, or None and set error."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            try:
                line = self.lines.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                break
            if line == "":
                break
            if line.startswith("ran in "):
                return int(line.split()[2])
            if line.startswith("ready"):
                return 0
        self.log.seek(0)
        self.error = self.log.read().strip()[-300:] or f"no answer, exit code {self.process.poll()}"
        return None

    def turn(self, timeout_s=TURN_S):
        if self.error is not None:
            return None
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except OSError:
            pass
        return self.read(timeout_s)

    def stop(self):
        """Kill the process, because it would continue to run at the end of its input."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def shapes_of(args, function):
    """Return the --input options with the unsharded shapes."""
    d, s, m, k, n = args.devices, args.chunks, args.m, args.k, args.n
    alone = function == "communication"
    if args.program == "ag":
        shapes = [(s, d, m // (s * d), k), (k, n)]
    elif args.program == "p2p":
        shapes = [(d, m // d, k), (k, n)]
    elif args.program == "ar":
        shapes = [(s, d, m // s, n)] if alone else [(s, d, m // s, k // d), (d, k // d, n)]
    else:
        shapes = [(s, d, d, m // (s * d), n)] if alone else [(s, d, d, m // (s * d), k // d), (d, k // d, n)]
    shapes = shapes[:1] if alone else shapes
    return [word for shape in shapes for word in ("--input", "x".join(map(str, shape)))]


def name_of(args, function):
    return function if args.program == "ag" else f"{args.program}_{function}"


def hirscope_form(args, name, function, streams, sync, comm, priority, ctas=None, facts=None):
    command = [args.hirscope, "run", f"{FUSIONS}::{name_of(args, function)}", "-d", str(args.devices),
               "--backend", "cuda", "--trace", "off", "--streams", str(streams),
               "--set", f"StreamParallelType.initial_sync={sync}",
               "--comm", comm, "--comm-priority", priority, "--warmup", str(WARMUPS), "--repeat", "1000000",
               "--timeout", "60", "--pace", *shapes_of(args, function)]
    if ctas:
        command += ["--comm-ctas", str(ctas)]
    return Form(name, command, facts)


def torch_form(args, name, kind):
    return Form(name, [sys.executable, str(HERE / "overlap_torch.py"), args.program, kind,
                       *map(str, (args.devices, args.m, args.k, args.n))], {"way": "torch"})


def forms(args):
    """Yield (form, transport of the communication that it is compared with)."""
    ways = [("nccl", "normal"), ("nccl", "high"), ("p2p", "normal"), ("p2p", "high"), ("copy", "normal")]
    if args.ways:
        ways = [way for way in ways if "/".join(way) in args.ways.split(",")]
    for (comm, priority), sync, streams in itertools.product(ways, args.syncs.split(","),
                                                             map(int, args.streams.split(","))):
        name = f"{comm} {priority} {sync} {streams}"
        yield hirscope_form(args, name, "both", streams, sync, comm, priority,
                            facts={"way": comm, "priority": priority, "sync": sync, "streams": streams}), comm
    if not args.no_torch and args.program != "p2p":
        for kind in ("serial", "fused")[:1 if args.program == "ar" else 2]:
            yield torch_form(args, f"torch {kind}", kind), "nccl"


def run_batch(args, folder, batch):
    alone = {"compute": hirscope_form(args, "compute alone", "compute", 1, "separate", "nccl", "normal")}
    for way in sorted({gather for _, gather in batch}):
        alone[way] = hirscope_form(args, f"{way} alone", "communication", 1, "separate", way, "normal")
    everyone = list(alone.values()) + [form for form, _ in batch]
    for form in everyone:
        form.start(folder)
    for form in everyone:
        form.read(START_S)
        print(f"{time.monotonic() - START:.0f} s: {form.name} {form.error or 'is ready'}", file=sys.stderr, flush=True)
    # The first runs load libraries; some run concurrently, so that this does not take minutes.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda form: form.turn(START_S), everyone))
    print(f"{time.monotonic() - START:.0f} s: all have run once", file=sys.stderr, flush=True)
    for _ in range(WARMUPS):  # the remaining warm-ups, and one that raises the clocks
        for form in everyone:
            form.turn()
    for _ in range(args.rounds):
        for form in everyone:
            nanoseconds = form.turn()
            if nanoseconds is not None:
                form.times.append(nanoseconds)
    print(f"{time.monotonic() - START:.0f} s: {args.rounds} rounds", file=sys.stderr, flush=True)
    for form in everyone:
        form.stop()
    return alone


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def compare(form, compute, gather):
    """Return the median and the 10th and 90th percentile of the ratios of all rounds."""
    ratios = [mine / max(a, b) for mine, a, b in zip(form.times, compute.times, gather.times)]
    if form.error is not None or not ratios:
        return None
    return {"ratio": statistics.median(ratios), "p10": quantile(ratios, 0.1), "p90": quantile(ratios, 0.9),
            "ms": statistics.median(form.times) / 1e6}


def measure(args, folder):
    rows, todo = [], list(forms(args))
    while todo:
        batch, todo = todo[:BATCH], todo[BATCH:]
        alone = run_batch(args, folder, batch)
        for form, gather in batch:
            row = {"name": form.name, **form.facts, "error": form.error}
            for key in ("compute", gather):
                if alone[key].error is not None:
                    row["error"] = f"{alone[key].name}: {alone[key].error}"
            if row["error"] is None:
                row.update(compare(form, alone["compute"], alone[gather]) or {"error": "no times"})
                row["compute_ms"] = statistics.median(alone["compute"].times) / 1e6
                row["gather_ms"] = statistics.median(alone[gather].times) / 1e6
            rows.append(row)
            print(describe(row), file=sys.stderr, flush=True)
        save(args, rows)  # the script may be killed during a later batch
    return rows


def save(args, rows):
    (args.out / "overlap.md").write_text(table(rows, args, f"{args.devices} x {args.cards[0]}"))
    (args.out / "overlap.json").write_text(json.dumps({"cards": args.cards, "program": args.program,
                                                       "devices": args.devices, "m": args.m, "k": args.k, "n": args.n,
                                                       "chunks": args.chunks, "rounds": args.rounds, "rows": rows},
                                                      indent=1) + "\n")


def describe(row):
    if row["error"] is not None:
        return f"{row['name']}: {row['error']}"
    return f"{row['name']}: {row['ratio']:.3f} [{row['p10']:.2f}-{row['p90']:.2f}], {row['ms']:.2f} ms"


def cell(row):
    if row is None:
        return ""
    return "failed" if row["error"] is not None else f"{row['ratio']:.2f} [{row['p10']:.2f}-{row['p90']:.2f}]"


def table(rows, args, cards):
    chunks = args.devices if args.program == "p2p" else args.chunks
    lines = [f"{TITLES[args.program]}, M={args.m}, K={args.k}, N={args.n} in {chunks} pieces, bfloat16, on {cards}: "
             f"time over the longer of compute alone "
             f"and communication alone, measured alternately; median of {args.rounds} rounds [10th-90th percentile].", ""]
    streams = sorted({row["streams"] for row in rows if "streams" in row})
    lines += ["| how | priority | initial sync | " + " | ".join(f"{n} stream{'s' * (n > 1)}" for n in streams) + " |",
              "|---" * (3 + len(streams)) + "|"]
    seen = []
    for row in rows:
        key = (row.get("way"), row.get("priority"), row.get("sync"))
        if "streams" in row and key not in seen:
            seen.append(key)
            cells = [next((r for r in rows if (r.get("way"), r.get("priority"), r.get("sync")) == key
                           and r.get("streams") == n), None) for n in streams]
            lines.append(f"| {key[0]} | {key[1]} | {key[2]} | " + " | ".join(map(cell, cells)) + " |")
    for row in rows:
        if row.get("way") == "torch":
            lines.append(f"| PyTorch {row['name'].split()[1]} | | | {cell(row)} |" + " |" * (len(streams) - 1))
    good = [row for row in rows if row["error"] is None]
    if good:
        lines += ["", "Alone: matmuls {:.2f} ms, communication {}.".format(
            statistics.median(row["compute_ms"] for row in good),
            ", ".join(f"{way} {ms:.2f} ms" for way, ms in sorted(
                {row["way"]: row["gather_ms"] for row in good if row["way"] != "torch"}.items())))]
    return "\n".join(lines) + "\n"


def record(args, folder):
    for name, comm, priority in (("nccl", "nccl", "normal"), ("nccl-high", "nccl", "high"), ("p2p", "p2p", "normal"),
                                 ("copy", "copy", "normal")):
        path = folder / f"{name}.hirs"
        # Run in the folder with relative paths, because a recording contains its command and the path of the script.
        shutil.copy(FUSIONS, folder)
        result = subprocess.run(
            [args.hirscope, "run", f"{FUSIONS.name}::{name_of(args, 'both')}", "-d", str(args.devices),
             "--backend", "cuda", "--streams", "8", "--set", "StreamParallelType.initial_sync=separate",
             "--comm", comm, "--comm-priority", priority, "--warmup", "5", "--repeat", "2", *shapes_of(args, "both"), "-o", path.name],
            capture_output=True, text=True, timeout=180, cwd=folder)
        size = path.stat().st_size if path.exists() else 0
        print(f"recording {name}: exit {result.returncode}, {size} bytes {result.stderr.strip()[-300:]}",
              file=sys.stderr)
        if size > 2 * 1024 * 1024:
            print(f"recording {name} is larger than 2 MB", file=sys.stderr)


def skip(why):
    print(f"overlap.py: skipped: {why}")
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("hirscope")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--streams", default="1,2,4,8")
    parser.add_argument("--syncs", default="in_loop,separate")
    parser.add_argument("--ways", default="", help="nccl/normal,nccl/high,p2p/normal,p2p/high,copy/normal")
    parser.add_argument("--program", choices=list(TITLES), default="ag")
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--m", type=int, default=16384)
    parser.add_argument("--k", type=int, default=8192)
    parser.add_argument("--n", type=int, default=8192)
    parser.add_argument("--chunks", type=int, default=8, help="number of slices of M; p2p has one per device")
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--gpus", type=int, help="number of fake GPUs")
    parser.add_argument("--no-recordings", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    try:
        names = ["fake GPU"] * args.gpus if args.gpus is not None else subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True,
                               text=True).stdout.split("\n")
    except OSError:
        skip("nvidia-smi not found")
    cards = [name for name in names if name]
    if len(cards) < args.devices:
        skip(f"requires {args.devices} GPUs, found {len(cards)}")
    args.cards = cards
    if not args.no_recordings:
        record(args, args.out)
    logs = args.out / "logs"
    logs.mkdir(exist_ok=True)
    rows = measure(args, logs)
    print((args.out / "overlap.md").read_text())
    sys.exit(any(row["error"] is not None for row in rows))


if __name__ == "__main__":
    main()
