#!/usr/bin/env python3
"""test-check.py HIRSCOPE

Tests `check` on scripts and printed programs: no synchronization is missing after lowering or in nvFuser's programs, and
removed synchronization is named.
"""
import json
import os
import re
import sqlite3
import tempfile

from program import GOLDEN, SOURCE, duration, from_command_line
from tap import Tap

CASES = os.path.join(SOURCE, "tests", "data", "cases")
MULTI = ("ag_matmul", "allgather", "allreduce", "reduce_scatter", "allgather_p2p", "matmul_AR", "AG_matmul_P2p")
SINGLE = ("single_set_op", "two_set_ops", "three_set_ops_disjoint_loops", "reduction", "matmul_m", "batched_matmul")


def test_clean(tap, hirscope, folder):
    for name in MULTI:
        done = hirscope("check", f"example:{name}", "-d", 4)
        tap.check(done.code == 0 and "0 missing" in done.out and "4 ranks" in done.out, f"{name}: no synchronization is missing", done)
    for name in SINGLE:
        for mode in ("separate", "in_loop"):
            done = hirscope("check", f"example:{name}", "--set", f"StreamParallelType.initial_sync={mode}", "--streams", 2)
            tap.check(done.code == 0 and "2 streams" in done.out, f"{name}, initial synchronization {mode}: no synchronization is missing", done)
    for name in sorted(os.listdir(GOLDEN)):
        if name.endswith(".txt"):
            done = hirscope("check", os.path.join(GOLDEN, name))
            # Its iterations share a buffer, because FOR .. from does not invalidate it (nvFuser #6000).
            n = 3 if name == "row_parallel_linear.2026.txt" else 0
            tap.check(done.code == (n > 0) and re.search(rf"^{n} missing.* [1-9]\d* pairs", done.out, re.MULTILINE),
                      f"{name}: {n} are missing", done)
            tap.check("held" not in done.out, f"{name}: a program without Deallocate gets no warning of held memory", done)


def without(folder, name, pattern):
    """Write the golden dump @name without the lines that match; return also their number."""
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as f:
        lines = f.readlines()
    kept = [line for line in lines if not re.search(pattern, line)]
    path = os.path.join(folder, "cut.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(kept)
    return path, len(lines) - len(kept)


def text_of(hirscope, path):
    return hirscope("check", path).out


def test_cut(tap, hirscope, folder):
    cases = (
        ("initial", r"^\s*Synchronize Stream \d+$", "RAW", None, "Allgather T5", "insert Synchronize Stream 0 (the default stream) at the end of the block that starts in program line 5 ("),
        ("final", r"^\s*Synchronize Stream \(", "RAW", "T6 = matmul(T5, T1)", None, "insert Synchronize Stream ( StreamIdx % numberOfStreams ) at the end of the block that starts in program line 8 ("),
        ("Wait", r"^\s*Wait ", "RAW", "Allgather T5", "T6 = matmul(T5, T1)", "insert Wait Communication 59 before HirAliasSelect T6 T2 · axis 0 in program line 16 ("),
    )
    for what, pattern, hazard, first, second, suggestion in cases:
        path, n = without(folder, "ag_matmul.txt", pattern)
        done = hirscope("check", path, "--json")
        found = json.loads(done.out)["missing"] if done.out else []
        pairs = [(m["hazard"], m["first"].get("text"), m["second"].get("text")) for m in found]
        tap.check(n == 1 and done.code == 1 and (hazard, first, second) in pairs, f"without its {what}: reports the pair", done)
        tap.check(any(suggestion in m["suggestion"] for m in found), f"without its {what}: suggests the fix", done)
        fixed = os.path.join(folder, "fixed.txt")
        written = hirscope("check", path, "--fix", fixed)
        again = hirscope("check", fixed)
        told = re.fullmatch(rf"inserted (\S.*) in line (\d+) of {re.escape(fixed)}\n", written.err)
        with open(fixed, encoding="utf-8") as f:
            lines = f.read().split("\n")
        tap.check(written.code == 0 and told and lines[int(told[2]) - 1].strip() == told[1] and again.code == 0
                  and "0 missing" in again.out, f"without its {what}: --fix inserts it and says where", (written, again))
        nowhere = os.path.join(folder, "nowhere", "fixed.txt")
        lost = hirscope("check", path, "--fix", nowhere)
        tap.check(lost.code == 2 and "inserted" not in lost.err and f"error: {nowhere} cannot be written: its folder does not exist; create it" in lost.err,
                  f"without its {what}: --fix reports a folder that does not exist", lost)
        link = os.path.join(folder, "link.txt")
        if not os.path.islink(link):
            os.symlink(fixed, link)
        linked = hirscope("check", path, "--fix", link)
        tap.check(linked.code == 0 and os.path.islink(link), f"without its {what}: --fix writes the target of a link", linked)
        both = json.loads(hirscope("check", path, "--fix", fixed, "--json").out)
        tap.check(len(both["missing"]) == len(found) and both["fixed"] == json.loads(hirscope("check", fixed, "--json").out),
                  f"without its {what}: --json has both results, the second one for the written file", both)
        before, after = written.out.split(f"\nafter the changes, in {fixed}:\n")
        tap.check(before == text_of(hirscope, path) and after == again.out, f"without its {what}: the text has both results", written)
        ran = hirscope("run", fixed, "--check")
        tap.check(ran.code == 0, f"without its {what}: the written program runs with correct results", ran)
        text = hirscope("check", path)
        tap.check(text.code == 1 and re.search(rf"^{re.escape(path)}:\d+:5: missing: .*\({hazard}\)$", text.out, re.MULTILINE),
                  f"without its {what}: prints the position like a compiler", text)
    path, n = without(folder, "allgather_p2p.txt", r"^\s*(Synchronize|Wait|GetCurrentStream|SetCurrentStream to Stream 0)")
    half = hirscope("check", path, "--fix", os.path.join(folder, "half.txt"))
    tap.check(half.code == 1 and "note: not everything could be fixed" in half.err and "half.txt:" not in half.err, "a pair that no line fixes is still missing", half)
    tap.check("  fix     no Synchronize, Wait or Deallocate that is added or moved at one or two places fixes it" in half.out, "the report says so", half)
    path, n = without(folder, "ag_matmul.txt", r"^\s*Synchronize Stream \d+$")
    one = json.loads(hirscope("check", path, "--json", "--streams", 1).out)
    tap.check(one["ranks"] == 8 and one["missing"][0]["ranks"] == 8, "all ranks are counted", one)


def test_costs(tap, hirscope, folder):
    """Both schedules are correct, but synchronizing in the loop waits for streams a second time."""
    uses, times = {}, {}
    for name in ("in_loop", "separate"):
        path = os.path.join(GOLDEN, f"overlap_linear_bf16.select.{name}.txt")
        found = json.loads(hirscope("check", path, "--json").out)
        tap.check(not found["missing"], f"{name}: no synchronization is missing", found)
        times[name] = found["modelled"]
        uses[name] = [(u["waits"], u["idle"]) for u in found["synchronisations"] if u["text"] == "Synchronize Default stream"]
    tap.check(uses["in_loop"] != uses["separate"], "the numbers of waits differ", uses)
    slow, quick = times["in_loop"], times["separate"]
    tap.check(slow["total_ns"] > 2 * quick["total_ns"] and slow["overlap_ns"] == 0 < quick["overlap_ns"],
              "in the loop, synchronization costs more than half of the time, and all overlap", times)


def modelled_ns(hirscope, path, *words):
    """Return the modelled time of a run, accurate to 0.5 µs."""
    ran = hirscope("run", path, "--clock", "model", *words)
    return float(re.search(r"in ([0-9.]+) ms", ran.out)[1]) * 1e6


def test_modelled(tap, hirscope, folder):
    """Modelled times equal those of a run; the cost of a Synchronize is the time that a run without it saves."""
    n_needless = 0
    sources = [os.path.join(GOLDEN, name) for name in sorted(os.listdir(GOLDEN)) if name.endswith(".txt")]
    for path in [*sources, "example:matmul_m", "example:two_set_ops"]:
        found = json.loads(hirscope("check", path, "--json").out)
        # A run prints the time of the displayed rank; here the last rank ends last.
        took = modelled_ns(hirscope, path, "--rank", found["ranks"] - 1) if found["ranks"] > 1 else modelled_ns(hirscope, path)
        name = os.path.basename(path)
        tap.check(abs(found["modelled"]["total_ns"] - took) <= 500, f"{name}: the modelled time equals that of a run", found["modelled"], took)
        for use in found["synchronisations"]:
            if not use["needless"] or not use["text"].startswith("Synchronize") or path not in sources:
                continue
            n_needless += 1
            with open(path, encoding="utf-8") as f:
                lines = f.readlines()
            del lines[use["line"] - 1]
            cut = os.path.join(folder, "cut.txt")
            with open(cut, "w", encoding="utf-8") as f:
                f.writelines(lines)
            saved = took - modelled_ns(hirscope, cut)
            tap.check(abs(use["cost_ns"] - saved) <= 1000 and use["cost_ns"] > 0, f"{name}: the cost of line {use['line']} is the time saved without it",
                      use, saved)
            less = json.loads(hirscope("check", cut, "--json").out)["modelled"]
            tap.check(less["overlap_ns"] - found["modelled"]["overlap_ns"] == use["overlap_cost_ns"] > 0, f"{name}: its cost of concurrency is the concurrency gained without it", use, less)
    tap.check(n_needless == 2, "two redundant Synchronize were tested", n_needless)
    path = os.path.join(GOLDEN, "three_set_ops_disjoint_loops.in_loop.txt")
    text, fixed = hirscope("check", path), os.path.join(folder, "fixed.txt")
    found = json.loads(hirscope("check", path, "--json").out)
    hirscope("check", path, "--fix", fixed, "--remove-needless")
    tap.check(abs(found["modelled"]["without_needless"]["total_ns"] - modelled_ns(hirscope, fixed)) <= 500, "the time without all redundant synchronization", found["modelled"])
    costs = [f"it costs {duration(use['cost_ns'])} of {duration(found['modelled']['total_ns'])} on the modelled clock, "
             f"and {duration(use['overlap_cost_ns'])} of concurrency" for use in found["synchronisations"] if use["needless"]]
    tap.check(all(cost in text.out for cost in costs), "the text has the costs", costs, text)
    tap.check("without redundant synchronization" in text.out, "the text has the total", text)
    idle = hirscope("check", os.path.join(GOLDEN, "ag_matmul.txt"))
    # 12 per rank, and all wait for the host: 12 times 300 ns.
    tap.check("96 of them order nothing new, which costs 3.60 µs of" in idle.out, "executions that order nothing have a cost, too", idle)


def test_luck(tap, hirscope, folder):
    """With a recording, the smallest time between unordered accesses is reported."""
    with open(os.path.join(GOLDEN, "three_set_ops_disjoint_loops.in_loop.txt"), encoding="utf-8") as f:
        lines = f.readlines()
    at = [i for i, line in enumerate(lines) if re.search(r"Stream \( StreamIdx", line)]
    path, record = os.path.join(folder, "luck.txt"), os.path.join(folder, "luck.hirs")
    # Nothing waits for the end of the first loop, and the second loop runs on the default stream.
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(line for i, line in enumerate(lines) if i not in (at[1], at[2]))
    done = hirscope("run", path, "--clock", "model", "--repeat", 3, "-o", record)
    tap.check(done.code == 0, "the program runs in spite of the missing synchronization", done)
    done = hirscope("check", path, "--recording", record, "--json")
    found = json.loads(done.out)["missing"]
    tap.check(done.code == 1 and len(found) == 1 and found[0]["hazard"] == "RAW", "one pair is missing", done)
    seen = found[0]["recording"]
    tap.check(seen["seen"] == 3 * found[0]["count"], "all repetitions are counted", found)
    # From the recording: each Set of the first loop and the Set of the second loop with the same index. The waits at the
    # ends of the second loop order all but the first on each stream.
    export = os.path.join(folder, "luck.json")
    hirscope("export", record, "--to", "chrome", "-o", export)
    with open(export, encoding="utf-8") as f:
        events = [e for e in json.load(f)["traceEvents"] if e.get("ph") == "X" and "args" in e]
    by = {which: sorted((e["args"]["iteration"], e["ts"], e["dur"]) for e in events if e["cat"] != "cpu_op" and e["args"].get("iteration", 99) < found[0]["count"]
                        and e["args"].get("instruction") == found[0][which]["instruction"]) for which in ("first", "second")}
    gaps = [(b[1] - a[1] - a[2]) * 1000 for a, b in zip(by["first"], by["second"])]
    tap.check(len(gaps) == seen["seen"] and abs(min(gaps) - seen["nearest_ns"]) <= 1, "the smallest distance is that in the recording", (gaps, seen))
    tap.check(seen["overlapped"] == sum(g < 0 for g in gaps) and seen["ordered_by_luck"] == (min(gaps) >= 0), "accesses that did not overlap are a latent race", seen)
    text = hirscope("check", path, "--recording", record)
    words = "on the modelled clock: latent race" if seen["ordered_by_luck"] else "not in order on the modelled clock"
    tap.check(re.search(rf"^  run     .*{words}", text.out, re.MULTILINE), "the text has the order in the recording", text)
    tap.check(f"{int(seen['ordered_by_luck'])} of 1 missing are latent races" in text.out, "the text counts latent races", text)
    other = hirscope("check", "example:two_set_ops", "--recording", record)
    tap.check(other.code == 2 and "none of this program's work" in other.err, "rejects a recording of another program", other)
    gone = hirscope("check", path, "--recording", os.path.join(folder, "none.hirs"))
    tap.check(gone.code == 2, "rejects a recording that does not exist", gone)


def test_recording(tap, hirscope, folder):
    """If SRC is a recording, its program, its number of streams and its events are used."""
    path, record = os.path.join(folder, "cut.txt"), os.path.join(folder, "cut.hirs")
    with open(os.path.join(GOLDEN, "three_set_ops_disjoint_loops.in_loop.txt"), encoding="utf-8") as f:
        lines = f.readlines()
    at = [i for i, line in enumerate(lines) if re.search(r"Stream \( StreamIdx", line)]
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(line for i, line in enumerate(lines) if i not in (at[1], at[2]))
    hirscope("run", path, "--clock", "model", "--streams", 2, "-o", record)
    own = hirscope("check", record, "--json")
    both = hirscope("check", path, "--streams", 2, "--recording", record, "--json")
    tap.check(own.code == 1 and "recording" in json.loads(own.out)["missing"][0], "a recording is checked with its events", own)
    tap.check(own.out == both.out, "the result is that of its program with --recording and the same number of streams", own, both)
    other = hirscope("check", record, "--streams", 8)
    tap.check("8 streams" in other.out, "--streams overrides the recorded number of streams", other)
    # Without the script, the last snapshot is checked.
    db = sqlite3.connect(record)
    db.execute("DELETE FROM meta WHERE key IN ('options', 'source.text')")
    db.commit()
    db.close()
    bare = hirscope("check", record, "--json")
    tap.check(bare.code == 1 and len(json.loads(bare.out)["missing"]) == 1, "without a script, the last snapshot is checked", bare)
    quiet = os.path.join(folder, "quiet.hirs")
    hirscope("run", path, "--trace", "off", "-o", quiet)
    done = hirscope("check", quiet)
    tap.check(done.code == 1 and "has no events" in done.err and "luck" not in done.out, "notes that a recording has no events", done)
    empty = os.path.join(folder, "empty.hirs")
    open(empty, "w", encoding="utf-8").close()
    tap.check(hirscope("check", empty).code == 2, "rejects a broken recording", hirscope("check", empty))


def test_needless(tap, hirscope, folder):
    """With --remove-needless, none is missing afterwards, results are correct, and the program is faster."""
    path, fixed = os.path.join(GOLDEN, "three_set_ops_disjoint_loops.in_loop.txt"), os.path.join(folder, "fixed.txt")
    done = hirscope("check", path, "--fix", fixed, "--remove-needless")
    tap.check(done.code == 0 and done.err.count("  removed Synchronize Stream") == 2 and done.err.startswith("2 changes; "), "removes both redundant Synchronize", done)
    with open(path, encoding="utf-8") as before, open(fixed, encoding="utf-8") as after:
        gone = [line for line in before.read().splitlines() if "Synchronize" in line], [line for line in after.read().splitlines() if "Synchronize" in line]
    tap.check(len(gone[0]) == len(gone[1]) + 2, "removes no other Synchronize", gone)
    again = hirscope("check", fixed)
    tap.check(again.code == 0 and "0 missing, 0 redundant" in again.out, "the written program has no findings", again)
    tap.check(hirscope("run", fixed, "--check").code == 0, "the written program has correct results")
    took = [float(re.search(r"in ([0-9.]+) ms", hirscope("run", p, "--clock", "model").out)[1]) for p in (path, fixed)]
    tap.check(took[1] < took[0], "the written program is faster", took)
    kept = os.path.join(folder, "kept.txt")
    hirscope("check", path, "--fix", kept)
    tap.check(not os.path.exists(kept), "removes nothing without --remove-needless")
    tap.check("after the changes" not in hirscope("check", path, "--fix", kept).out, "prints no second result if no file was written")
    nowhere = hirscope("check", path, "--fix", os.path.join(folder, "no", "such.txt"), "--remove-needless")
    tap.check(nowhere.code == 2 and "such.txt" in nowhere.err, "reports a file that cannot be written", nowhere)
    alone = hirscope("check", path, "--remove-needless")
    tap.check(alone.code == 2 and "--fix" in alone.err, "--remove-needless requires --fix", alone)


def needless_lines(hirscope, path):
    return [use["line"] for use in json.loads(hirscope("check", path, "--json").out)["synchronisations"] if use["needless"]]


def test_needless_claim_false(tap, hirscope, folder):
    """A Synchronize that alone makes the caller's stream follow work is not redundant, even if later work on the same stream is not followed."""
    path = os.path.join(CASES, "verdicts", "needless_claim_false.txt")
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    join = lines[13]
    tap.check(needless_lines(hirscope, path) == [21], "line 14 is not redundant while the end of the second loop is not synchronized", needless_lines(hirscope, path))
    whole = os.path.join(folder, "whole.txt")
    with open(whole, "w", encoding="utf-8") as f:
        f.writelines([*lines[:-1], join, lines[-1]])
    tap.check(needless_lines(hirscope, whole) == [14, 21], "with it, line 14 is redundant", needless_lines(hirscope, whole))


def test_needless_waits_only(tap, hirscope, folder):
    """A Synchronize whose removal loses only other waits is redundant."""
    with open(os.path.join(CASES, "programs", "no_initial_sync.txt"), encoding="utf-8") as f:
        lines = f.readlines()
    loop, switch, back, join = lines[6], lines[7], lines[14], lines[15]
    # The matrix product requires the first join; then streams without further work wait, and are waited for.
    product = ["  T6_g_float[iS20{8}, iS21{16}, rS22{16}]\n", "     = matmul(T3_g_float[iStreamIdx6{8}, iS7{16}],\n", "              T1_g_float[iS2{16}, iS3{16}])\n"]
    path = os.path.join(folder, "waits.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines([*lines[:-1], *product, loop, switch, "    Synchronize Stream 0\n", back, loop, join, lines[-1]])
    found = needless_lines(hirscope, path)
    tap.check(found == [22, 25], "waits after the last work, and waits for them, are redundant", found, hirscope("check", path))


def test_refused(tap, hirscope, folder):
    for words, said in (((), "one SRC"), (("x.py", "y.py"), "one SRC"), (("example:ag_matmul", "--streams", "0"), "--streams"),
                        (("example:refused_split_axis",), "error: ")):
        done = hirscope("check", *words)
        tap.check(done.code == 2 and said in done.err, f"rejects check {' '.join(words)}", done)


def test_overlap_is_mean(tap, hirscope, folder):
    """The overlap of all ranks is a mean, so it does not exceed the total time."""
    for n in (2, 8):
        done = hirscope("check", "example:ag_matmul", "-d", n, "--json")
        modelled = json.loads(done.out)["modelled"]
        tap.check(0 < modelled["overlap_ns"] < modelled["total_ns"], f"ag_matmul on {n} devices: the overlap is a mean of the ranks", modelled)


def test_findings(tap, hirscope, folder):
    """Programs on which the auditor and `check` once differed."""
    cases = {"axis_number_gap.txt": (0, set(), set()),
             "select_in_first_branch.txt": (0, set(), set()),
             "broadcast_root_only_reads.txt": (1, {("WAR", 3, 4), ("RAW", 4, None)}, set()),
             "stream_before_get_current.txt": (1, {("RAW", None, 5), ("WAR", 5, None), ("RAW", 5, None)}, set()),
             "needless_kept_idle.txt": (0, set(), {7, 9}),
             "loop_2026_same_buffer.txt": (1, {("WAW", 9, 9), ("RAW", 9, 16), ("WAR", 16, 9)}, set()),
             "loop_2026_hoisted_buffer.txt": (1, {("WAW", 9, 9), ("RAW", 9, 13), ("WAR", 13, 9)}, set())}
    for name, (code, missing, redundant) in cases.items():
        path = os.path.join(CASES, "findings", name)
        done = hirscope("check", path, "--json")
        found = json.loads(done.out) if done.out else {"missing": [], "synchronisations": []}
        pairs = {(m["hazard"], m["first"].get("line"), m["second"].get("line")) for m in found["missing"]}
        lines = {use["line"] for use in found["synchronisations"] if use["needless"]}
        tap.check((done.code, pairs, lines) == (code, missing, redundant), f"{name}: right verdict", done)
    text = hirscope("check", os.path.join(CASES, "findings", "needless_kept_idle.txt")).out
    tap.check(":9:3: redundant: Synchronize " in text and "0 missing, 2 redundant" in text and " needless" not in text,
              "the text says redundant", text)
    # If no branch binds the operand, the rank that reads it fails.
    path = os.path.join(folder, "other_branch.txt")
    with open(os.path.join(CASES, "findings", "select_in_first_branch.txt"), encoding="utf-8") as f, open(path, "w", encoding="utf-8") as out:
        out.write(f.read().replace("rank == 0", "rank == 1", 1))
    done = hirscope("check", path)
    tap.check(done.code == 1 and ":9:5: error: Set T6 on rank 0: T4 must be computed before it is read by Set" in done.out,
              "an operand that no branch has bound is an error", done)


def test_unused_ops(tap, hirscope, folder):
    """A printed program whose axis numbers have gaps is read back, and checks the same."""
    script = os.path.join(CASES, "findings", "axis_number_gap.py") + "::f"
    for form in ("2025", "2025-select", "2026"):
        path = os.path.join(folder, "printed.txt")
        with open(path, "w", encoding="utf-8") as out:
            out.write(hirscope("lower", script, "-d", 2, "--format", form).out)
        done, printed = hirscope("check", script, "-d", 2), hirscope("check", path)
        tap.check(printed.code == done.code == 0 and printed.out == done.out, f"{form}: checks the same", done, printed)
        ran = hirscope("run", path, "--check")
        tap.check(ran.code == 0, f"{form}: runs", ran)


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_clean, test_cut, test_costs, test_modelled, test_luck, test_recording, test_needless, test_needless_claim_false, test_needless_waits_only, test_refused,
                 test_overlap_is_mean, test_findings, test_unused_ops):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
