"""A few lines of TAP: `check` writes a point and why it failed, `done` the plan and the exit code."""
import concurrent.futures
import sys
import threading
import traceback


class Tap:
    def __init__(self):
        self.n = self.n_failed = 0
        self.lock = threading.Lock()

    def check(self, good, name, *why):
        """One point. `why`: what to show where it is not `good`."""
        lines = [] if good else "\n".join(str(w) for w in why).splitlines()
        with self.lock:
            self.n += 1
            self.n_failed += 0 if good else 1
            print(f"{'ok' if good else 'not ok'} {self.n} - {name.replace('#', 'no. ')}", flush=True)
            for line in lines:
                print("#", line, flush=True)
        return good

    def skip(self, name, reason):
        with self.lock:
            self.n += 1
            print(f"ok {self.n} - {name} # SKIP {reason}", flush=True)

    def group(self, function, *args):
        """Runs a function of checks; an exception in it is a failure, and the others still run."""
        try:
            function(self, *args)
        except Exception:
            self.check(False, f"{function.__name__} ran to its end", traceback.format_exc())

    def groups(self, functions, *args, workers=3):
        """Several at a time, for those that mostly wait."""
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda function: self.group(function, *args), functions))

    def done(self):
        print(f"1..{self.n}", flush=True)
        sys.exit(1 if self.n_failed or self.n == 0 else 0)
