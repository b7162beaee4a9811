"""Tests of GPU recordings and of the cost of tracing: two steps of tests/gpu/run."""
import glob
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = (("matmul_m", 1), ("two_set_ops", 1), ("ag_matmul", 1), ("ag_matmul", 2), ("allgather_p2p", 2),
            ("AG_matmul_P2p", 2), ("matmul_RS_through_bcast", 2))


def look(path):
    """Return the errors of a recording, one line each, and its record counts."""
    with sqlite3.connect(path) as db:
        wrong = [text for text, in db.execute("SELECT text FROM account")]
        bare, = db.execute("SELECT count(*) FROM events JOIN tracks ON tracks.id=track WHERE tracks.kind<>1 "
                           "AND phase='program' AND instruction=''").fetchone()
        if bare:
            wrong.append(f"{bare} events of the program have no instruction")
        work, = db.execute("SELECT count(*) FROM events WHERE phase='program' AND kind IN "
                           "('kernel','communication')").fetchone()
        if not work:
            wrong.append("the program has no kernel")
        counts = dict(db.execute("SELECT key, value FROM meta")).get("cupti", "")
        if "dropped 0, invalid 0, without a time 0" not in counts:
            wrong.append(f"counts: {counts}")
    return wrong, counts


def step_trace(args, n_gpus, say, call):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.hirs")
        for name, n in PROGRAMS:
            for level in ("kernels", "full"):
                what = f"trace {name} -d {n} --trace {level}"
                if n > n_gpus:
                    say("SKIP", what, f"this machine has only {n_gpus} GPUs")
                    continue
                code, text = call([args.hirscope, "run", f"example:{name}", "-d", str(n), "--backend", "cuda",
                                   "--trace", level, "--repeat", "3", "--warmup", "1", "--check", "-o", path])
                wrong, counts = look(path) if code == 0 else ([text], "")
                say("ok" if code == 0 and not wrong else "FAIL", what, "\n".join(wrong) or counts)


def build_bare(folder):
    """Compile overhead.c against NVIDIA's headers; return the program, or None if the headers or gcc are missing."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    include = [p for p in (f"{home}/include", f"{home}/extras/CUPTI/include") if os.path.exists(f"{p}/cupti.h")]
    if not include or shutil.which("gcc") is None:
        return None
    out = os.path.join(folder, "overhead-bare")
    lib = glob.glob(f"{home}/lib64") + glob.glob(f"{home}/lib64/stubs") + glob.glob(f"{home}/extras/CUPTI/lib64")
    words = ["gcc", "-O2", os.path.join(HERE, "overhead.c"), *(f"-I{p}" for p in (f"{home}/include", *include)),
             *(f"-L{p}" for p in lib), "-lcupti", "-lcuda", f"-Wl,-rpath,{lib[0]}" if lib else "", "-o", out]
    done = subprocess.run([w for w in words if w], capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr)
    return out if done.returncode == 0 else None


def step_overhead(args, n_gpus, say, call):
    """Compare with bare CUPTI; the goal is at most 150 ns more per launch.

    HIR_LONG_RUN_S: seconds of launches at full rate (default 10).
    """
    ours = shutil.which("overhead-ours", path=args.path)
    if ours is None:
        say("SKIP", "overhead", "overhead-ours not found; meson builds it in tests/gpu")
        return
    out = os.environ.get("OUT") or tempfile.mkdtemp()
    long_s = float(os.environ.get("HIR_LONG_RUN_S", "10"))
    words = [sys.executable, os.path.join(HERE, "overhead.py"), "--ours", ours, "--out", out, "--long", str(long_s)]
    if args.gpus is not None:  # fake GPUs: test only that it runs
        words += ["--processes", "1", "--pair-seconds", "1"]
    with tempfile.TemporaryDirectory() as folder:
        bare = build_bare(folder) if args.gpus is None else None
        words += ["--bare", bare, "--rounds", "2"] if bare else []
        code, text = call(words, timeout=300 + 4 * long_s)
    print(text)
    for level, ns in re.findall(r"^Ours above bare CUPTI, (\w+): (-?\d+) ns per launch", text, re.M):
        say("ok" if int(ns) <= 150 else "MISS", f"overhead: {level}, {ns} ns per launch above bare CUPTI")
    say("ok" if code == 0 else "FAIL", f"overhead: no record dropped in {long_s:g} s of launches at full rate", "" if code == 0
        else text)
