"""A few lines of TAP: `check` writes a point and why it failed, `done` the plan and the exit code."""
import sys
import traceback


class Tap:
    def __init__(self):
        self.n = self.n_failed = 0

    def check(self, good, name, *why):
        """One point. `why`: what to show where it is not `good`."""
        self.n += 1
        print(f"{'ok' if good else 'not ok'} {self.n} - {name.replace('#', 'no. ')}", flush=True)
        if not good:
            self.n_failed += 1
            for line in "\n".join(str(w) for w in why).splitlines():
                print("#", line, flush=True)
        return good

    def skip(self, name, reason):
        self.n += 1
        print(f"ok {self.n} - {name} # SKIP {reason}", flush=True)

    def group(self, function, *args):
        """Runs a function of checks; an exception in it is a failure, and the others still run."""
        try:
            function(self, *args)
        except Exception:
            self.check(False, f"{function.__name__} ran to its end", traceback.format_exc())

    def done(self):
        print(f"1..{self.n}", flush=True)
        sys.exit(1 if self.n_failed or self.n == 0 else 0)
