"""Runs several processes with mpirun for tests: their output, and the process of each rank."""
import os
import re
import shutil
import signal
import subprocess
import tempfile

from program import Result

TIMEOUT_S = 120
# Messages of a launcher about a process that was terminated.
CRASHES = ("Segmentation", "signal", "MPI_ABORT", "MPI_Abort", "core dumped", "without calling", "AddressSanitizer",
           "runtime error")
# Long enough for slow disks and sanitizers: tests check that a run ends, not how fast.
SLACK_S = 30
SESSIONS = tempfile.TemporaryDirectory(prefix="hir-mpi-")


def environment():
    # mpirun queries a display for GPUs, :0 by default, and exits with 1 if another test closes the display.
    env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    env["HWLOC_COMPONENTS"] = "-gl"
    env = {**env, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    # Two mpirun that start at once fail if both create Open MPI's common folder in /tmp.
    env["OMPI_MCA_orte_tmpdir_base"] = tempfile.mkdtemp(dir=SESSIONS.name)
    # Ignore leaks of MPI.
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
            return "mpirun not found"
        if not os.path.exists(os.path.join(os.path.dirname(self.hirscope), "hirscope-mpi.so")):
            return "this build has no MPI module"
        return None

    def words(self, parts):
        """Return the command. @parts: (n, {name: value} of the environment, arguments) for each group of ranks."""
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
        """Start the ranks. @errors: file for their standard error, because mpirun drops lines when it kills them."""
        words = self.words(parts)
        if errors:
            at = words.index(self.hirscope)
            words[at:at] = ["sh", "-c", f'exec "$0" "$@" 2>>{errors}']
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace", env=environment(),
                                start_new_session=True)


def ours(err):
    """Return the lines of standard error that hirscope wrote."""
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
    """Return whether a process has a thread of the given name, which shows its progress."""
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
    """Return the output after the process has exited, or None if it hangs."""
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
