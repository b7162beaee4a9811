"""Runs hirscope with given arguments; returns exit code, standard output and standard error."""
import os
import subprocess
import sys

SOURCE = os.path.abspath(os.environ.get("HIR_TEST_SRCDIR", os.path.join(os.path.dirname(__file__), "..", "..")))
EXAMPLES = os.path.join(SOURCE, "app", "examples")
GOLDEN = os.path.join(SOURCE, "tests", "data", "golden")
TIMEOUT_S = 120


class Result:
    def __init__(self, words, done):
        self.words, self.code, self.out, self.err = words, done.returncode, done.stdout, done.stderr

    def __str__(self):
        return f"$ hirscope {' '.join(self.words)}\nexit {self.code}\n{self.out[-2000:]}{self.err[-2000:]}"


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def __call__(self, *words, cwd=None, env=None, stdout=subprocess.PIPE):
        words = [str(w) for w in words]
        done = subprocess.run([self.path, *words], cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                              stdout=stdout, stderr=subprocess.PIPE, timeout=TIMEOUT_S, text=True, errors="replace")
        return Result(words, done)


def duration(ns):
    """Return @ns as the program prints durations below a second."""
    unit, name = (1e6, "ms") if abs(ns) >= 1e6 else (1e3, "µs") if abs(ns) >= 1e3 else (1, "ns")
    value = abs(ns) / unit
    return f"{ns / unit:.{0 if unit == 1 or value >= 999.95 else 1 if value >= 100 else 2}f} {name}"


def from_command_line():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} HIRSCOPE")
    return Program(sys.argv[1])
