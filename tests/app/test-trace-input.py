#!/usr/bin/env python3
"""test-trace-input.py HIRSCOPE

Tests sources of traces: a pipe, a FIFO, standard input, several ranks, and files that are not traces.
"""
import gzip
import json
import os
import subprocess
import tempfile
import threading

from program import from_command_line
from tap import Tap


def kernel(name, start_us, correlation, **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start_us, "dur": 10,
            "args": {"correlation": correlation, "stream": 7, **args}}


def text(n=3000, **root):
    return json.dumps({"traceEvents": [kernel(f"k{i % 7}", 20 * i, i + 1) for i in range(n)], **root})


def stats(hirscope, stdin, *words):
    done = subprocess.run([hirscope.path, "stats", *words, "--json"], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode()


def test_pipes(tap, hirscope, folder):
    path = os.path.join(folder, "trace.json")
    with open(path, "w") as file:
        file.write(text())
    _, wanted, _ = stats(hirscope, None, path)
    wanted = json.loads(wanted)
    for name, data in (("plain", text().encode()), ("gzip", gzip.compress(text().encode()))):
        code, out, err = stats(hirscope, data, "/dev/stdin")
        tap.check(code == 0 and json.loads(out)["kernels"] == wanted["kernels"], f"{name} through standard input", code, err)
        fifo = os.path.join(folder, f"{name}.fifo")
        os.mkfifo(fifo)
        feed = threading.Thread(target=lambda: open(fifo, "wb").write(data), daemon=True)
        feed.start()
        code, out, err = stats(hirscope, None, fifo)
        feed.join(120)
        tap.check(code == 0 and json.loads(out)["kernels"] == wanted["kernels"], f"{name} through a FIFO", code, err)
    code, out, err = stats(hirscope, b"", "/dev/stdin")
    tap.check(code == 2 and "/dev/stdin is empty" in err, "an empty pipe is reported as empty", code, err)


def test_no_room(tap, hirscope, folder):
    """A copy of a piped trace is stored to read arguments later. Without space for it, everything else works."""
    event = '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"grid":[8,1,1]}}]'
    out_path = os.path.join(folder, "again.json")
    for room, code_wanted in ((folder, 0), (os.path.join(folder, "missing"), 2)):
        env = {**os.environ, "TMPDIR": room}
        run = lambda *words: subprocess.run([hirscope.path, *words], input=event.encode(), env=env, timeout=120,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        done = run("stats", "/dev/stdin", "--json")
        tap.check(done.returncode == 0 and json.loads(done.stdout)["kernels"], "a piped trace is loaded", room, done.stderr)
        done = run("export", "/dev/stdin", "--to", "chrome", "-o", out_path)
        tap.check(done.returncode == code_wanted, f"export of a piped trace with arguments: exit status {code_wanted}", done.stderr)
        tap.check(code_wanted == 0 or b"no space to store it" in done.stderr and b"TMPDIR" in done.stderr, "the error gives the reason",
                  done.stderr)


def test_refusals(tap, hirscope, folder):
    sparse = os.path.join(folder, "sparse.json")
    with open(sparse, "wb") as file:
        file.truncate(5 << 30)
    for path, words in ((sparse, "sparse.json:1:1: no JSON object or array starts here"), (folder, "is a folder"),
                        (os.path.join(folder, "missing.json"), "No such file")):
        code, out, err = stats(hirscope, None, path)
        tap.check(code == 2 and words in err and not out, f"rejected: {words}", code, out, err)


def test_ranks(tap, hirscope, folder):
    """Collectives of two ranks correct a clock that is 4 ms ahead."""
    paths = []
    for rank, skew_us in ((0, 0), (1, 4000)):
        events = [kernel("ncclDevKernel_AllReduce", 1000 * i + skew_us, i + 1, Seq=i,
                         **{"Collective name": "allreduce", "Process Group Ranks": "[0, 1]"}) for i in range(1, 30)]
        paths.append(os.path.join(folder, f"rank{rank}.json"))
        with open(paths[-1], "w") as file:
            json.dump({"baseTimeNanoseconds": 1_700_000_000_000_000_000, "distributedInfo": {"rank": rank},
                       "traceEvents": events}, file)
    done = hirscope("stats", *paths)
    tap.check(done.code == 0 and "rank 1: shifted by -4000.0 µs ± 0.0 µs, from 29 collectives" in done.out,
              "the account has the offset of the corrected clock", done)


def main():
    tap = Tap()
    hirscope = from_command_line()
    with tempfile.TemporaryDirectory(prefix="hirscope-input-") as folder:
        for group in (test_pipes, test_no_room, test_refusals, test_ranks):
            tap.group(group, hirscope, folder)
    tap.done()


main()
