#!/usr/bin/env python3
"""test-auditor.py HIRSCOPE [MUTANTS [SEED [FOLDER]]]

Compares `check` with an independent auditor (tests/app/auditor) on golden programs, lowered fusions and mutants of both.
HIR_RANDOM_COUNT and HIR_RANDOM_SEED set the number of mutants and the seed, too. Programs on which the two disagree are
written to FOLDER.
"""
import collections
import os
import random
import re
import sys
import tempfile

from auditor.bases import communication, example, golden, random_base
from auditor.compare import DIFFERENT, SAME, compare, compare_fixed
from auditor.mutate import mutant
from program import GOLDEN, Program
from tap import Tap


class Session:
    def __init__(self, tap, hirscope, folder, keep):
        self.tap, self.hirscope, self.folder, self.keep = tap, hirscope, folder, keep
        self.counts, self.reasons, self.n_found = collections.Counter(), collections.Counter(), 0

    def audit(self, base, lines, n_streams, words, fixes=False):
        """Compare the verdicts on one program. Return whether they agree."""
        path = os.path.join(self.folder, "program.txt")
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        outcome, why = compare(self.hirscope, path, base, n_streams)
        if outcome == SAME and why == "missing" and fixes:
            fixed = os.path.join(self.folder, "fixed.txt")
            if os.path.exists(fixed):
                os.remove(fixed)
            outcome, why = compare_fixed(self.hirscope, path, fixed, base, n_streams)
        self.counts[outcome] += 1
        self.reasons[f"{outcome}: {re.sub(r'[0-9]+', 'N', why)[:100]}"] += 1
        if outcome != DIFFERENT:
            return True
        self.n_found += 1
        if self.keep:
            with open(os.path.join(self.keep, f"{self.n_found:04}.txt"), "w", encoding="utf-8") as out:
                out.write("\n".join(lines) + f"\n# {why}\n# {base.name}; {words}; --streams {n_streams} " +
                          " ".join(f"--input {shape}" for shape in base.shapes) + "\n")
        if self.n_found <= 5:
            print(f"# {base.name}; {words}; --streams {n_streams}: {why}", *lines, sep="\n# ")
        return False


def main():
    words = sys.argv[1:]
    n_mutants = int(words[1]) if len(words) > 1 else int(os.environ.get("HIR_RANDOM_COUNT", "200"))
    seed = int(words[2]) if len(words) > 2 else int(os.environ.get("HIR_RANDOM_SEED", "1"))
    tap, hirscope, rng = Tap(), Program(words[0]), random.Random(seed)
    print(f"# {n_mutants} mutants, seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        session = Session(tap, hirscope, folder, words[3] if len(words) > 3 else None)
        bases = golden(GOLDEN) + golden(os.path.join(os.path.dirname(__file__), "auditor", "programs"))
        for base in bases:
            tap.check(session.audit(base, base.lines, 4, "golden"), f"{base.name}: same verdict")
        n_bases, n_same = max(12, n_mutants // 10), 0
        n_all = len(bases) + n_bases
        while len(bases) < n_all:
            kind = rng.random()
            base = (random_base(rng, hirscope, folder) if kind < 0.6 else example(rng, hirscope) if kind < 0.85 else
                    communication(rng, hirscope))
            if base:
                bases.append(base)
                n_same += session.audit(base, base.lines, rng.choice([1, 2, 3, 4]), "lowered")
        tap.check(n_same == n_bases, f"{n_bases} lowered programs: same verdict", f"{n_bases - n_same} differ")
        n_same = 0
        for _ in range(n_mutants):
            base = rng.choice(bases)
            lines, edits = mutant(rng, base.lines)
            n_same += session.audit(base, lines, rng.choice([1, 2, 2, 3, 4]), " ".join(edits), rng.random() < 0.3)
        tap.check(n_same == n_mutants, f"{n_mutants} mutants: same verdict", f"{n_mutants - n_same} differ")
        for reason, n in sorted(session.reasons.items()):
            print(f"# {n:5} {reason}")
    tap.done()


if __name__ == "__main__":
    main()
