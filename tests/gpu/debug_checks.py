"""Tests of the debugger on GPUs: three steps of tests/gpu/run."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
import debug_scripts  # noqa: E402
import launcher  # noqa: E402
from program import Program  # noqa: E402

EXAMPLES = os.path.join(HERE, "..", "..", "app", "examples", "multi_device.py")


def limit_s(args):
    """Return --timeout for runs that hang; shorter for fake GPUs, which start quickly."""
    return 5 if args.gpus is None else 2


def check_scripts(args, say, call, what, names, ways, clean, options=()):
    """Run debugger scripts concurrently, because going back recreates NCCL communicators, which takes long."""
    def run(job):
        name, way = job
        start = time.monotonic()
        done = call([args.hirscope, "debug", *debug_scripts.words(name), "--backend", "cuda", "--comm", way, "--timeout", "20", *options],
                    timeout=100)
        return name, way, done, time.monotonic() - start

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for name, way, (code, text), took_s in pool.map(run, [(name, way) for name in names for way in ways]):
            wanted, got = clean(debug_scripts.read(name)), clean(text)
            good = code == 0 and got == wanted
            say("ok" if good else f"FAIL {code}", f"{what} {name} --comm {way}, {took_s:.1f} s",
                "" if good else text if code == 124 else debug_scripts.difference(wanted, got) or text)


def step_debug(args, n_gpus, say, call):
    """Test that debugger scripts (breakpoints, values, watchpoints, going back) print the same on GPUs as on the CPU."""
    if n_gpus < 2:
        say("SKIP", "debug", f"requires two GPUs, found {n_gpus}")
        return
    check_scripts(args, say, call, "debug", debug_scripts.ON_GPUS, ("nccl", "copy"), debug_scripts.clean_of_ways)
    words = ["-e", "break Wait", "-e", "run", "-e", "info streams", "-e", "delete", "-e", "continue"]
    for name, n, shapes in (("ag_matmul", 1, ("2x1x3x4", "4x5")), ("allgather", 2, ("4x2",))):
        common = [args.hirscope, "debug", f"example:{name}", "-d", str(n), "--check"]
        for shape in shapes:
            common += ["--input", shape]
        cpu, gpu = call(common + words, timeout=30), call(common + words + ["--backend", "cuda"], timeout=60)
        stops = [re.findall(r"^Breakpoint .*", text, re.M) for _, text in (cpu, gpu)]
        good = cpu[0] == gpu[0] == 0 and stops[0] == stops[1] != [] and "right" in gpu[1]
        say("ok" if good else f"FAIL {gpu[0]}", f"debug {name} -d {n}", "" if good else gpu[1] or cpu[1])


def held_rank(args, say, way, options=()):
    """Run one rank alone to a collective; test that the debugger reports within --timeout which rank it waits for."""
    words = [args.hirscope, "debug", "example:ag_matmul", "-d", "2", *debug_scripts.SMALL, "--backend", "cuda", "--comm", way,
             "--timeout", str(limit_s(args)), *options]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        watch = subprocess.Popen(["sh", "-c", f"sleep 40; kill -9 {process.pid}"], start_new_session=True)
        took_s, text, held = [], "", False
        for line in ("start", "rank 0 alone", "continue", "info devices"):
            process.stdin.write(line + "\nprint 12345\n")  # echoed after the previous command has finished
            process.stdin.flush()
            start = time.monotonic()
            while "(hirscope) print 12345" not in (got := process.stdout.readline()) and got:
                text += got
                held |= line == "continue" and "waits for rank 1, which is before" in got
            took_s.append(time.monotonic() - start)
        process.stdin.write("quit\n")
        process.stdin.close()
        process.wait()
        os.killpg(watch.pid, signal.SIGKILL)
        watch.wait()
    good = held and took_s[2] < limit_s(args) and process.returncode in (0, 2)
    say("ok" if good else f"FAIL {process.returncode}",
        f"hang: rank 0 held at a collective, --comm {way}: shown after {took_s[2] * 1e3:.0f} ms (limit {limit_s(args)} s)",
        "" if good else text)


def begin_ranks(runs, hirscope, words, environment, errors):
    """Start two ranks; return the launcher's process and a dict from rank to process id once both have started."""
    process = runs.begin((2, environment, words), errors=errors)
    pids, until = {}, time.monotonic() + 25
    while process.poll() is None and time.monotonic() < until:
        pids = {launcher.rank_of(pid): pid for pid in launcher.descendants(process.pid) if launcher.is_ours(pid, hirscope)}
        if len(pids) == 2 and None not in pids and all(launcher.has_thread(pid, "hir-comm-watch") for pid in pids.values()):
            break
        time.sleep(0.05)
    time.sleep(0.5)
    return process, pids


def await_name(process, errors, seconds):
    """Return the first error line that names rank 1 (or None) and the seconds until it was printed."""
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        ended = process.poll() is not None
        with open(errors, encoding="utf-8") as file:
            named = [line for line in launcher.ours(file.read()) if "rank 1" in line]
        if named or ended:
            return named[0] if named else None, time.monotonic() - start
        time.sleep(0.02)
    return None, seconds


def stopped_process(args, say, way):
    """Stop one of two processes; test that the other process names it within the time limit and that the run ends."""
    hirscope = Program(args.hirscope)
    runs = launcher.Launcher(hirscope)
    what = f"hang: one of two processes stopped, --comm {way}"
    if runs.why_not() is not None:
        say("SKIP", what, runs.why_not())
        return
    words = ("run", f"{EXAMPLES}::ag_matmul", "--backend", "cuda", "--comm", way, *debug_scripts.SMALL, "--trace", "off",
             "--repeat", 1000000, "--timeout", limit_s(args))
    with tempfile.TemporaryDirectory() as folder:
        errors = os.path.join(folder, "errors")
        pathlib.Path(errors).touch()
        environment = {"FAKE_NCCL_FOLDER": folder} if args.gpus is not None else {}
        process, pids = begin_ranks(runs, hirscope, words, environment, errors)
        if len(pids) == 2 and None not in pids and process.poll() is None:
            os.kill(pids[1], signal.SIGSTOP)
            line, took_s = await_name(process, errors, 3 * limit_s(args))
        else:
            line, took_s = None, 0
        out, _ = launcher.end(process, pids)
        text = pathlib.Path(errors).read_text(encoding="utf-8")
    good = line is not None and out is not None and process.returncode != 0
    # The communication times out after the limit, the heartbeat of rank 1 after twice the limit.
    state = "ok" if good and took_s < 2 * limit_s(args) + 1 else "MISS" if good else f"FAIL {process.returncode}"
    say(state, f"{what}: rank 1 is named after {took_s:.1f} s (--timeout {limit_s(args)})", line or text or f"{len(pids)} ranks had started")


def step_hang(args, n_gpus, say, call):
    if n_gpus < 2:
        say("SKIP", "hang", f"requires two GPUs, found {n_gpus}")
        return
    check_scripts(args, say, call, "hang: script", debug_scripts.OF_GPUS, ("nccl", "p2p", "copy"), debug_scripts.clean)
    for way in ("nccl", "p2p", "copy"):
        held_rank(args, say, way)
    for way in ("nccl", "copy"):
        stopped_process(args, say, way)


def step_debug_cost(args, n_gpus, say, call):
    """Measure the cost of the debugger without breakpoints; the goal is at most 5%."""
    program = shutil.which("debug-cost", path=args.path)
    if program is None:
        say("SKIP", "debug-cost", "debug-cost not found; meson builds it in tests/gpu")
        return
    for n in [n for n in args.devices if n <= n_gpus]:
        for what, sizes in (("small launches", ["16000", "16", "64", "64"]), ("larger matmuls", ["32", "512", "2048", "2048"])):
            if args.gpus is not None:  # fake GPUs: test only that it runs
                sizes = ["16", "16", "64", "64"]
            code, text = call([program, EXAMPLES, str(n), *sizes, "7" if args.gpus is None else "1"], timeout=60)
            more = re.search(r"more ([+-][\d.]+) %", text)
            good = code == 0 and more and float(more.group(1)) <= 5
            say("ok" if good else "MISS" if code == 0 and more else f"FAIL {code}",
                f"debug-cost on {n} GPUs, {what}: {more.group(1) if more else '?'} %", text)
