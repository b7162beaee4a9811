"""Runs of several processes for tests: mpirun, what it wrote, and who of them is which rank."""
import os
import re
import shutil
import signal
import subprocess

from program import Result

TIMEOUT_S = 120
# What a launcher says when a process did not end by itself.
CRASHES = ("Segmentation", "signal", "MPI_ABORT", "MPI_Abort", "core dumped", "without calling", "AddressSanitizer",
           "runtime error")
# Slow disks and sanitizers: what is measured is that an end comes, not how fast.
SLACK_S = 30


def environment():
    # mpirun asks a display for GPUs, :0 where none is named, and ends with exit 1 where that is closed by
    # another test meanwhile.
    env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    env["HWLOC_COMPONENTS"] = "-gl"
    env = {**env, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    # What MPI itself keeps to the end is not ours.
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return env


class Launcher:
    def __init__(self, hirscope):
        self.path, self.hirscope = shutil.which("mpirun"), hirscope.path
        self.flags = []
        if self.path:
            version = subprocess.run([self.path, "--version"], capture_output=True, text=True, env=environment()).stdout
            if "Open MPI" in version:
                self.flags = ["--oversubscribe"]

    def why_not(self):
        if self.path is None:
            return "there is no mpirun"
        if not os.path.exists(os.path.join(os.path.dirname(self.hirscope), "hirscope-mpi.so")):
            return "this build has no MPI module"
        return None

    def words(self, parts):
        """parts: (n, {name: value} of the environment, words of hirscope) for each sort of rank."""
        words = [self.path, *self.flags]
        for i, (n, env, rest) in enumerate(parts):
            words += [":"] if i > 0 else []
            words += ["-n", str(n), "env", *(f"{k}={v}" for k, v in env.items()), self.hirscope, *map(str, rest)]
        return words

    def run(self, *parts):
        words = self.words(parts)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT_S, env=environment())
        return Result(words, done)

    def all(self, n, *words):
        return self.run((n, {}, words))

    def begin(self, *parts, errors=None):
        """errors: a file for what the ranks say, as mpirun loses lines where it ends them."""
        words = self.words(parts)
        if errors:
            at = words.index(self.hirscope)
            words[at:at] = ["sh", "-c", f'exec "$0" "$@" 2>>{errors}']
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace", env=environment(),
                                start_new_session=True)


def ours(err):
    """Lines of standard error that hirscope wrote."""
    return [line for line in err.splitlines() if "error: " in line]


def is_clean(done):
    return not any(word in done.err for word in CRASHES)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def is_ours(pid, hirscope):
    try:
        return os.path.samefile(f"/proc/{pid}/exe", hirscope.path)
    except OSError:
        return False


def has_thread(pid, name):
    """How far it has come: threads have names."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        return any(open(f"/proc/{pid}/task/{task}/comm", encoding="ascii").read().strip() == name for task in tasks)
    except OSError:
        return False


def rank_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            found = re.search(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)", f.read())
        return int(found.group(1)) if found else None
    except OSError:
        return None


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def end(process, pids):
    """What it wrote, once it is over; None where it hangs."""
    try:
        out, err = process.communicate(timeout=SLACK_S)
    except subprocess.TimeoutExpired:
        out, err = None, None
    for pid in [*pids.values(), process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    if out is None:
        process.communicate()
    return out, err
