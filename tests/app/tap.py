"""Minimal TAP: `check` prints a test point and the reason for a failure, `done` the plan; exits with the result."""
import concurrent.futures
import sys
import threading
import traceback


class Tap:
    def __init__(self):
        self.n = self.n_failed = 0
        self.lock = threading.Lock()

    def check(self, good, name, *why):
        """Print a test point. @why is printed if @good is false."""
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
        """Run a function of checks. An exception is a failure; later groups still run."""
        try:
            function(self, *args)
        except Exception:
            self.check(False, f"{function.__name__} completes", traceback.format_exc())

    def groups(self, functions, *args, workers=3):
        """Run several groups in parallel, for groups that mostly wait."""
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda function: self.group(function, *args), functions))

    def done(self):
        print(f"1..{self.n}", flush=True)
        sys.exit(1 if self.n_failed or self.n == 0 else 0)
