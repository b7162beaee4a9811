#!/usr/bin/env python3
"""test-auditor.py HIRSCOPE [MUTANTS [SEED [FOLDER]]]

Compares `check` with an independent auditor (tests/app/auditor) on golden programs, lowered fusions and mutants of both.
HIR_RANDOM_COUNT and HIR_RANDOM_SEED set the number of mutants and the seed, too. Programs on which the two disagree are
written to FOLDER.
"""
import collections
import json
import os
import random
import re
import sys
import tempfile

from auditor.audit import audit_ranks
from auditor.bases import SCRIPT, communication, communications, example, golden, programs_of_ranks, random_base
from auditor.compare import DIFFERENT, SAME, compare, compare_fixed
from auditor.mutate import mutant
from auditor.text import Program
from program import GOLDEN, SOURCE
from program import Program as Executable
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


def audit_ranks_of_scripts(tap, hirscope, names):
    """Audit the programs of all ranks together: a lowered program lacks no synchronization, and its posts match."""
    n_audited = 0
    for name in names:
        bases = programs_of_ranks(hirscope, f"{SCRIPT}::{name}", 4)
        if bases:
            n_audited += 1
            mine = audit_ranks([Program(base.lines) for base in bases], 4, bases[0].symbols)
            done = hirscope("check", f"{SCRIPT}::{name}", "-d", 4, "--json")
            theirs = json.loads(done.out)
            tap.check(not (mine.missing or mine.mismatches or mine.stuck or theirs["missing"] or theirs["mismatches"]),
                      f"{name} on 4 ranks: nothing is missing", mine.missing, mine.mismatches, mine.stuck, done)
    tap.check(n_audited > len(names) // 2, "most are lowered", n_audited)


def main():
    words = sys.argv[1:]
    n_mutants = int(words[1]) if len(words) > 1 else int(os.environ.get("HIR_RANDOM_COUNT", "200"))
    seed = int(words[2]) if len(words) > 2 else int(os.environ.get("HIR_RANDOM_SEED", "1"))
    tap, hirscope, rng = Tap(), Executable(words[0]), random.Random(seed)
    print(f"# {n_mutants} mutants, seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        session = Session(tap, hirscope, folder, words[3] if len(words) > 3 else None)
        bases = golden(GOLDEN) + golden(os.path.join(os.path.dirname(__file__), "auditor", "programs"))
        # The others do not manage memory.
        bases += [b for b in golden(os.path.join(SOURCE, "tests", "data", "cases", "host_ir_2026")) if "  Deallocate {" in b.lines]
        for base in bases:
            tap.check(session.audit(base, base.lines, 4, "golden"), f"{base.name}: same verdict")
        names = communications()
        audit_ranks_of_scripts(tap, hirscope, names if n_mutants >= 1000 else rng.sample(names, 8))
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
