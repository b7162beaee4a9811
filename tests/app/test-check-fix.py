#!/usr/bin/env python3
"""test-check-fix.py HIRSCOPE

Tests that `check` proposes the repair with the shortest modelled time, by brute force: every Synchronize at every place,
every Wait in the block of its post, and every loop that only synchronizes is written into the program, checked and timed.
HIR_TEST_LONG=1 takes all mutants of all golden programs.
"""
import json
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor

from program import GOLDEN, SOURCE, from_command_line
from tap import Tap

CASES = os.path.join(SOURCE, "tests", "data", "cases")
LONG = os.environ.get("HIR_TEST_LONG") == "1"
# Golden program -> numbers of lines to remove.
MUTANTS = {
    "single_set_op.in_loop.txt": [(6,), (14,), (6, 14)],
    "three_set_ops_disjoint_loops.in_loop.txt": [(29,)],
    "overlap_linear_bf16.select.separate.txt": [(15,)],
}
WAITS = re.compile(r"\s*(Synchronize|Wait)\b")


class Text:
    """The lines of a program; the places where a line may be inserted, as (line, indentation)."""

    def __init__(self, lines):
        self.lines = lines
        self.is_2026 = any("SetCurrentStream(" in line for line in lines)
        self.places = sorted(self._find_places())
        self.streams = sorted(set(re.findall(r"(?:Synchronize |SetCurrentStream to |GetCurrentStream into )(.+)", "\n".join(lines))) |
                              set(re.findall(r"(?:Synchronize|SetCurrentStream)\((.+)\)$", "\n".join(lines), re.MULTILINE)) |
                              set(re.findall(r"^ *(Stream \S+) = GetCurrentStream", "\n".join(lines), re.MULTILINE)))

    def indent(self, i):
        return len(self.lines[i]) - len(self.lines[i].lstrip(" "))

    def _find_places(self):
        """A statement starts at the indentation of its block, which is 2, or that of a header plus 2."""
        blocks = [2]
        for i in range(1, len(self.lines)):
            if not self.lines[i].strip():
                continue
            while self.indent(i) < blocks[-1]:
                yield i, blocks.pop()
                if not blocks:
                    return
            if self.indent(i) == blocks[-1] and not self.lines[i].lstrip().startswith("ELSE"):
                yield i, blocks[-1]
            if re.match(r" *(FOR .*|IF .*|ELSE):$", self.lines[i]) and self.indent(i) == blocks[-1]:
                blocks.append(blocks[-1] + 2)

    def header(self, at, indent):
        """Return the line that starts the block of a place."""
        return next(i for i in range(at - 1, -1, -1) if self.lines[i].strip() and self.indent(i) < indent)

    def call(self, name, argument):
        return f"{name}({argument})" if self.is_2026 else f"{name} {'to ' * (name == 'SetCurrentStream')}{argument}"

    def with_lines(self, at, indent, new, gone=None):
        kept = [line for i, line in enumerate(self.lines[:at]) if i != gone]
        return kept + [" " * indent + line for line in new] + [line for i, line in enumerate(self.lines[at:], at) if i != gone]

    def repairs(self):
        for at, indent in self.places:
            for stream in self.streams:
                yield self.with_lines(at, indent, [self.call("Synchronize", stream)])
            yield from self.waits(at, indent)
            for loop in range(1, len(self.lines)):
                if re.match(r" *FOR ", self.lines[loop]) and self.header(loop, self.indent(loop)) == self.header(at, indent):
                    yield from self.loops(at, indent, loop)

    def waits(self, at, indent):
        for i in range(self.header(at, indent) + 1, at):
            post = re.match(r" *(?:P2P)?(?:Communication|EndCoalescing) (\d+)", self.lines[i])
            if post and self.indent(i) == indent:
                wait = self.call("Wait", f"Communication {post[1]}")
                yield self.with_lines(at, indent, [wait], next((k for k, line in enumerate(self.lines) if line.strip() == wait), None))

    def loops(self, at, indent, loop):
        """Yield programs with a loop before or after @loop in which streams wait for another one, or the current one waits for them."""
        header = self.lines[loop].strip()
        body = [line.strip() for line in self.lines[loop + 1:] if line.startswith(" " * (indent + 2))]
        inner = next((s for line in body for s in self.streams if line == self.call("SetCurrentStream", s)), None)
        if inner is None:
            return
        yield self.with_lines(at, indent, [header, "  " + self.call("Synchronize", inner)])
        for stream in self.streams:
            lines = [header, "  " + self.call("SetCurrentStream", inner), "  " + self.call("Synchronize", stream)]
            restored = [*lines, "  " + self.call("SetCurrentStream", stream)]
            getter = [body[0]] if "GetCurrentStream" in body[0] else None
            yield self.with_lines(at, indent, restored)
            if getter:
                yield self.with_lines(at, indent, getter + restored)
            # The streams remain those of the unchanged program if the next loop selects one first.
            if at == loop and body[0] == self.call("SetCurrentStream", inner):
                yield self.with_lines(at, indent, lines)


def check(hirscope, folder, number, lines):
    path = os.path.join(folder, f"repair-{number}.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    done = hirscope("check", path, "--json", "--no-suggestions")
    return json.loads(done.out)["modelled"]["total_ns"] if done.code == 0 else None


def modelled_ns(hirscope, path, ranks):
    """Return the modelled time of a run, which must be correct."""
    ran = hirscope("run", path, "--check", "--clock", "model", *(("--rank", ranks - 1) if ranks > 1 else ()))
    found = re.search(r"in ([0-9.]+) ms", ran.out)
    return float(found[1]) * 1e6 if ran.code == 0 and found else None


def test_repair(tap, hirscope, folder, what, lines):
    path, fixed = os.path.join(folder, "broken.txt"), os.path.join(folder, "fixed.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    done = hirscope("check", path, "--fix", fixed, "--json")
    if done.code == 2 or not json.loads(done.out)["missing"]:
        return
    found = json.loads(done.out)
    if not tap.check(done.code == 0 and not found["fixed"]["missing"], f"{what}: is fixed", done):
        return
    took = found["fixed"]["modelled"]["total_ns"]
    ran = modelled_ns(hirscope, fixed, found["ranks"])
    tap.check(ran is not None and abs(ran - took) <= 500, f"{what}: the fixed program runs with correct results in the modelled time", took, ran)
    # Each inserted line is quoted, and the quoted time is that of the program.
    with open(fixed, encoding="utf-8") as f:
        new = [line.strip() for line in f.read().split("\n") if line not in lines]
    said = {m["suggestion"] for m in found["missing"]}
    tap.check(len(said) == 1 and all(line in text for line in new for text in said), f"{what}: the suggestion quotes the inserted lines", said, new)
    with ThreadPoolExecutor(2) as pool:
        numbered = list(enumerate(Text(lines).repairs()))
        times = [t for t in pool.map(lambda r: check(hirscope, folder, *r), numbered) if t is not None]
    tap.check(bool(times) == (" and insert " not in "".join(said)), f"{what}: two changes are proposed only if one is not enough", said, len(times))
    tap.check(not times or took <= min(times), f"{what}: is the fastest of {len(numbered)} repairs", said, took, sorted(times)[:3])


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read().split("\n")


def test_cases(tap, hirscope, folder):
    path = os.path.join(CASES, "programs", "no_initial_sync.txt")
    test_repair(tap, hirscope, folder, "no_initial_sync", read(path))
    found = json.loads(hirscope("check", path, "--fix", os.path.join(folder, "fixed.txt"), "--json").out)
    tap.check(found["fixed"]["modelled"]["total_ns"] // 100 == 306 and "FOR StreamIdx in iStreamIdx6{8}: " in found["missing"][0]["suggestion"],
              "no_initial_sync: proposes a separate loop, not a wait inside the loop", found)
    test_repair(tap, hirscope, folder, "needless_claim_false", read(os.path.join(CASES, "verdicts", "needless_claim_false.txt")))


def test_same_steps(tap, hirscope, folder):
    """Two hazards of the same steps are repaired together; --fix goes on with the next hazard where one has no repair, and ends."""
    fixed = os.path.join(folder, "fixed.txt")
    done = hirscope("check", os.path.join(CASES, "verdicts", "same_steps.txt"), "--fix", fixed, "--streams", 2, "--json")
    found = json.loads(done.out)
    tap.check(done.code == 1 and len(found["missing"]) == 8 and len(found["fixed"]["missing"]) == 1, "same_steps: 7 of 8 hazards are repaired", done)
    tap.check(len(re.findall(r"^  (?:inserted|moved) .* line \d+$", done.err, re.M)) == 3 and "3 changes; " in done.err, "same_steps: three changes", done.err)


def test_shared_memory(tap, hirscope, folder):
    """An ALLOCATE in a loop binds memory once; a Deallocate at the end of the loop gives each iteration its memory."""
    path, fixed = os.path.join(GOLDEN, "row_parallel_linear.2026.txt"), os.path.join(folder, "fixed.txt")
    done = hirscope("check", path, "--fix", fixed, "--json")
    found = json.loads(done.out)
    tap.check(done.code == 0 and len(found["missing"]) == 3 and not found["fixed"]["missing"] and not found["fixed"]["faults"], "a Deallocate is a fix", done)
    tap.check(all(m["suggestion"].startswith("insert Deallocate T3 at the end of the block that starts in program line 4 (") and
                  m["cause"].startswith("iterations share the memory of T3: ") for m in found["missing"]), "each finding has cause and fix", found["missing"])
    tap.check(done.err.startswith("inserted Deallocate T3 in line 15 of "), "--fix says what it inserted", done.err)
    lines = read(fixed)
    tap.check([line.split("[")[0].strip() for line in lines[13:17]] == ["Wait(Communication 272)", "Deallocate {", "T3_g___bfloat", "}"], "it is after the Wait", lines)
    tap.check(hirscope("run", fixed, "--check").code == 0, "the fixed program runs with correct results")
    tap.check("  why     iterations share the memory of T3: " in hirscope("check", path, "--no-suggestions").out, "the text has the cause")
    # An ALLOCATE that zeroes its memory would zero it in each iteration.
    zeroed = os.path.join(folder, "zeroed.txt")
    with open(zeroed, "w", encoding="utf-8") as f:
        f.write("\n".join(line.replace("zero_init=false", "zero_init=true") if "T3_g" in line else line for line in read(path)))
    for kept in json.loads(hirscope("check", zeroed, "--json").out)["missing"]:
        tap.check("cause" in kept and kept["suggestion"].startswith("no Synchronize, Wait or Deallocate that is added or moved "), "no fills are added", kept)


def test_needless_with_hazard(tap, hirscope, folder):
    """Redundant synchronization is removed even if a hazard has no repair, and nothing else becomes unordered."""
    words = [os.path.join(CASES, "verdicts", "same_steps.txt"), "--streams", 2, "--json", "--fix"]
    path = os.path.join(folder, "removed.txt")
    kept, removed = (hirscope("check", *words, path, *more) for more in ((), ("--remove-needless",)))
    hazards = [{(m["hazard"], m["first"]["text"], m["second"]["text"]) for m in json.loads(done.out)["fixed"]["missing"]} for done in (kept, removed)]
    needless = [sum(u["needless"] for u in json.loads(done.out)["fixed"]["synchronisations"]) for done in (kept, removed)]
    tap.check(removed.code == 1 and hazards[0] == hazards[1] and len(hazards[0]) == 1, "the hazard remains, and no other appears", kept, removed)
    tap.check(needless[0] >= 2 and needless[1] == 0 and removed.err.count("  removed ") == needless[0], "what is redundant is removed", needless, removed)
    tap.check("note: not everything could be fixed: " in removed.err, "reports that the hazard is not repaired", removed)


def all_mutants(lines):
    waits = [i + 1 for i, line in enumerate(lines) if WAITS.match(line)]
    yield from ((i,) for i in waits)
    for i in range(len(lines) - 3):
        if lines[i].lstrip().startswith("FOR ") and "SetCurrentStream" in lines[i + 1] and i + 3 in waits and lines[i + 3].startswith("  FOR"):
            yield i + 1, i + 2, i + 3


def test_mutants(tap, hirscope, folder):
    for name in sorted(os.listdir(GOLDEN)) if LONG else MUTANTS:
        if not name.endswith(".txt"):
            continue
        lines = read(os.path.join(GOLDEN, name))
        for gone in all_mutants(lines) if LONG else MUTANTS[name]:
            test_repair(tap, hirscope, folder, f"{name} without lines {gone}", [line for i, line in enumerate(lines, 1) if i not in gone])


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_cases, test_same_steps, test_shared_memory, test_needless_with_hazard, test_mutants):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
