#!/usr/bin/env python3
"""test-run.py HIRSCOPE

Tests `run` and `export`: results match the reference, recordings have the required content, other tools can read the
traces, and broken or unwritable files are reported.
"""
import itertools
import json
import os
import re
import shutil
import sqlite3
import tempfile

from program import EXAMPLES, GOLDEN, from_command_line
from tap import Tap

# Every accepted example, with inputs of two sizes.
SIZES = {
    "single_set_op": (["4x8"], ["7x33"]),
    "single_set_op_non_outermost": (["4x8"], ["33x7"]),
    "single_binary_op": (["4x4", "4x4"], ["9x17", "9x17"]),
    "two_set_ops": (["4x8"], ["13x5"]),
    "three_set_ops_disjoint_loops": (["4x8"], ["11x3"]),
    "reduction": (["4x8x2"], ["5x3x129"]),
    "matmul_m": (["8x4", "4x2"], ["17x64", "64x9"]),
    "matmul_n": (["8x4", "4x2"], ["17x64", "64x9"]),
    "batched_matmul": (["16x8x4", "4x2"], ["3x5x65", "65x7"]),
}
DEVICE_CATEGORIES = ("kernel", "gpu_memcpy", "gpu_memset")


CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "cases", "verdicts")


def inputs(shapes):
    return [word for shape in shapes for word in ("--input", shape)]


def query(path, sql):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


def record(hirscope, folder, name, *words):
    """Run example @name; return the recording's path and the result."""
    path = os.path.join(folder, name + ".hirs")
    return path, hirscope("run", f"example:{name}", "-o", path, *words)


def chrome(hirscope, recording):
    """Return the events of a recording's Chrome export."""
    path = recording + ".json"
    done = hirscope("export", recording, "--to", "chrome", "-o", path)
    with open(path, encoding="utf-8") as f:
        data = json.load(f)
    return done, (data["traceEvents"] if isinstance(data, dict) else data)


def phase(event):
    """Return the phase of work that no instruction of the program caused; "" if there is none."""
    why = event["args"].get("phase", "")
    return why if why in ("setup", "check", "warmup") else ""


def test_checks(tap, hirscope):
    for name, sizes in SIZES.items():
        for shapes, dtype in itertools.product(sizes, ("float", "bfloat16")):
            done = hirscope("run", f"example:{name}", "--check", "--dtype", dtype, *inputs(shapes))
            tap.check(done.code == 0, f"{name} {' '.join(shapes)} {dtype} agrees with the fusion", done)
    for streams in (1, 2, 4, 7):
        done = hirscope("run", "example:matmul_m", "--check", "--streams", streams, *inputs(["29x16", "16x8"]))
        tap.check(done.code == 0, f"matmul_m agrees with {streams} streams", done)
    for name in ("single_set_op", "matmul_m", "reduction"):
        separate = hirscope("run", f"example:{name}", "--check", "--set", "StreamParallelType.initial_sync=in_loop")
        tap.check(separate.code == 0, f"{name} agrees with the initial synchronization in the loop", separate)
    for name, op in (("matmul_m", "matmul"), ("single_binary_op", "add"), ("reduction", "sum")):
        for dtype in ("float", "bfloat16"):
            done = hirscope("run", f"example:{name}", "--check", "--dtype", dtype, "--plant-error", f"{op}:0.1")
            tap.check(done.code == 1, f"{name} {dtype}: an injected error is found", done)


def test_recording(tap, hirscope, folder):
    path, done = record(hirscope, folder, "matmul_m", "--check", "--clock", "model", *inputs(["16x32", "32x8"]))
    tap.check(done.code == 0 and os.path.getsize(path) > 0, "-o writes a recording", done)
    tap.check(query(path, "PRAGMA integrity_check") == [("ok",)], "the database is intact")
    tap.check(sorted(os.listdir(folder)).count("matmul_m.hirs") == 1 and
              not [n for n in os.listdir(folder) if n.startswith("matmul_m.hirs-") or n.endswith(".partial")],
              "no journal is left", os.listdir(folder))
    end_ms = query(path, "SELECT max(end_ns) FROM events")[0][0] / 1e6
    tap.check(f"ran 1 time in {end_ms:.3f} ms (model clock)\n" in done.out,
              "the printed time is that of the modelled clock, without the check", end_ms, done)
    warm = hirscope("run", "example:matmul_m", "--clock", "model", "--warmup", 2, "--repeat", 3, *inputs(["16x32", "32x8"]))
    tap.check(f"ran 3 times in {3 * end_ms:.3f} ms (model clock; 2 warm-ups not counted)\n" in warm.out,
              "warm-ups are not in the printed time", end_ms, warm)
    exported, events = chrome(hirscope, path)
    tap.check(exported.code == 0, "export --to chrome", exported)
    labels = {e["args"]["labels"] for e in events if e.get("name") == "process_labels"}
    tap.check(labels == {"CPU"}, "a run on the CPU is not labelled as a GPU", labels)
    device = [e for e in events if e.get("ph") == "X" and e.get("cat") in DEVICE_CATEGORIES]
    tap.check(len(device) >= 16, "the trace has device work", len(device))
    last = query(path, "SELECT max(snapshot) FROM nodes")[0][0]
    nodes = {row[0] for row in query(path, f"SELECT id FROM nodes WHERE snapshot = {last}")}
    program = [e for e in device if "instruction" in e.get("args", {})]
    strays = [e for e in program if e["args"]["instruction"] not in nodes]
    tap.check(program and not strays, "every instruction of an event is a node of the last snapshot", strays[:3], list(nodes)[:3])
    unmarked = [e for e in device if "instruction" not in e["args"] and not phase(e)]
    tap.check(not unmarked, "device work without an instruction has a phase", unmarked[:3])
    missing = [e for e in program if not {"iteration", "rank", "device", "stream", "correlation"} <= set(e["args"])]
    tap.check(not missing, "events have iteration, rank, device, stream and correlation", missing[:3])
    matmuls = [e for e in program if "matmul" in e["name"]]
    tap.check(sorted(e["args"]["iteration"] for e in matmuls) == list(range(16)), "one matmul per iteration",
              [(e["name"], e["args"].get("iteration")) for e in matmuls])
    again = hirscope("lower", path)
    direct = hirscope("lower", "example:matmul_m")
    tap.check(again.code == 0 and again.out == direct.out, "a recording lowers again to the same program", again)


def overlaps(events):
    """Return the number of pairs of events on different streams that overlap."""
    n = 0
    for a, b in itertools.combinations(events, 2):
        if a["tid"] != b["tid"]:
            n += min(a["ts"] + a["dur"], b["ts"] + b["dur"]) > max(a["ts"], b["ts"])
    return n


def test_streams(tap, hirscope, folder):
    for clock, shapes in (("model", ["64x256", "256x64"]), ("wall", ["24x4096", "4096x2048"])):
        path, done = record(hirscope, folder, "matmul_m", "--clock", clock, *inputs(shapes))
        matmuls = [e for e in chrome(hirscope, path)[1] if e.get("ph") == "X" and "matmul" in e["name"] and
                   e.get("cat") in DEVICE_CATEGORIES]
        tap.check(done.code == 0 and len({e["tid"] for e in matmuls}) == 4, f"{clock} clock: matmuls on four streams", done)
        tap.check(overlaps(matmuls) > 0, f"{clock} clock: streams overlap", len(matmuls))
    same = []
    for _ in range(2):
        path, _ = record(hirscope, folder, "matmul_m", "--clock", "model", *inputs(["16x32", "32x8"]))
        same.append([(e["name"], e["ts"], e["dur"], e["tid"]) for e in chrome(hirscope, path)[1] if e.get("ph") == "X"])
    tap.check(same[0] == same[1] and same[0], "the modelled clock gives the same times twice")
    path, _ = record(hirscope, folder, "matmul_m", "--streams", 1, "--clock", "model")
    one = [e for e in chrome(hirscope, path)[1] if e.get("ph") == "X" and "matmul" in e["name"] and
           e.get("cat") in DEVICE_CATEGORIES]
    tap.check(one and overlaps(one) == 0 and len({e["tid"] for e in one}) == 1, "--streams 1: one stream, no overlap")
    path, _ = record(hirscope, folder, "matmul_m", "--trace", "kernels", "--clock", "model")
    tap.check(not [e for e in chrome(hirscope, path)[1] if e.get("cat") == "cpu_op"], "--trace kernels has no host spans")
    path, done = record(hirscope, folder, "single_set_op", "--warmup", 2, "--repeat", 3, "--clock", "model", *inputs(["4x8"]))
    sets = [e for e in chrome(hirscope, path)[1] if e.get("ph") == "X" and e.get("cat") in DEVICE_CATEGORIES]
    warm = [e for e in sets if phase(e) == "warmup"]
    tap.check(done.code == 0 and len(warm) == 8 and len([e for e in sets if "instruction" in e["args"]]) == 12,
              "warm-ups are marked, --repeat repeats", len(warm), len(sets), done)


def ids(path):
    """Return (snapshot, id) of every node of a recording."""
    return sorted(query(path, "SELECT snapshot, id FROM nodes"))


def test_identity(tap, hirscope, folder):
    with open(os.path.join(EXAMPLES, "single_device.py"), encoding="utf-8") as f:
        text = f.read()
    renamed = text.replace("tv2", "last").replace("tv1", "middle")
    elsewhere = text.replace('return fd\n\n\ndef single_set_op_non_outermost', 'return fd\n\n\n# more\n\n\n'
                             'def one_more():\n    return single_set_op()\n\n\ndef single_set_op_non_outermost')
    wanted = None
    for n, (what, script) in enumerate((("", text), ("in a second process", text), ("after an edit to another function", elsewhere),
                                        ("with its variables renamed", renamed))):
        path = os.path.join(folder, f"ids{n}.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        out = os.path.join(folder, f"ids{n}.hirs")
        done = hirscope("run", path + "::two_set_ops", "--clock", "model", "-o", out)
        if wanted is None:
            wanted = ids(out)
            tap.check(done.code == 0 and len(wanted) > 10, "nodes have ids", done)
        else:
            tap.check(ids(out) == wanted, f"the same ids {what}", done, set(ids(out)) ^ set(wanted))
    sql = ("SELECT count(*) FROM nodes n WHERE n.snapshot = (SELECT max(snapshot) FROM nodes) AND n.id NOT IN "
           "(SELECT id FROM origins) AND n.id NOT IN (SELECT id FROM nodes WHERE snapshot = 0)")
    tap.check(query(os.path.join(folder, "ids0.hirs"), sql) == [(0,)], "changed nodes list their origins")


def test_figures(tap, hirscope, folder):
    path, _ = record(hirscope, folder, "two_set_ops", "--clock", "model")
    csv = os.path.join(folder, "t.csv")
    done = hirscope("export", path, "--to", "csv", "-o", csv)
    with open(csv, encoding="utf-8") as f:
        lines = f.read().splitlines()
    tap.check(done.code == 0 and lines[0].startswith("rank,device,stream") and len(lines) > 8, "export --to csv", done)
    with open(path, "rb") as f:
        before = f.read()
    same = os.path.join(folder, "same.hirs")
    os.symlink(path, same)
    for out in (path, same):
        done = hirscope("export", path, "--to", "chrome", "-o", out)
        with open(path, "rb") as f:
            tap.check(done.code == 2 and out in done.err and f.read() == before, "export does not replace its own recording", done)
    refuse = hirscope("export", path, "--to", "chrome", "-o", csv, "--legend")
    tap.check(refuse.code == 2 and "--legend" in refuse.err, "an option of figures is rejected for a trace", refuse)
    if "figures: no" in hirscope("--version").out:
        tap.skip("figures", "this build has no figures")
        return
    for form, magic in (("svg", b"<"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        out = os.path.join(folder, "t." + form)
        done = hirscope("export", path, "--to", form, "-o", out, "--legend", "--width", "120", "--font", "7")
        with open(out, "rb") as f:
            data = f.read()
        tap.check(done.code == 0 and data.startswith(magic) and len(data) > 500, f"export --to {form}", done)
    fills = []
    for background in ("white", "dark", "transparent"):
        done = hirscope("export", path, "--to", "svg", "-o", os.path.join(folder, "b.svg"), "--background", background)
        with open(os.path.join(folder, "b.svg")) as f:
            fills.append(re.search(r"</style>\n(<rect[^>]*>)?", f.read()).group(1))
        tap.check(done.code == 0, f"export --background {background}", done)
    tap.check("#fff" in fills[0] and fills[1] and "#fff" not in fills[1] and fills[2] is None, "--background sets the color of the page", fills)
    real, link = os.path.join(folder, "real.svg"), os.path.join(folder, "link.svg")
    shutil.copy(csv, real)
    os.symlink(real, link)
    done = hirscope("export", path, "--to", "svg", "-o", link)
    with open(real, "rb") as f:
        tap.check(done.code == 0 and os.path.islink(link) and f.read().startswith(b"<"), "export writes through a link", done)
    for words, said in ((("--range", "5"), "--range"), (("--range", "9:3"), "--range"), (("--width", "x"), "--width"), (("--background", "red"), "--background"),
                        (("--tracks", "nothing*"), "nothing"), (("--to", "jpeg"), "--to"), (("--to", "otf2"), "--to")):
        done = hirscope("export", path, "--to", "svg", "-o", os.path.join(folder, "no.svg"), *words)
        tap.check(done.code == 2 and said in done.err and not os.path.exists(os.path.join(folder, "no.svg")),
                  f"export {' '.join(words)} is rejected", done)
    silent, _ = record(hirscope, folder, "two_set_ops", "--trace", "off")
    done = hirscope("export", silent, "--to", "csv", "-o", os.path.join(folder, "silent.csv"))
    tap.check(done.code == 0 and "no events" in done.err, "a recording without events is exported with a note", done)


def test_broken(tap, hirscope, folder):
    path, _ = record(hirscope, folder, "two_set_ops", "--clock", "model")
    with open(path, "rb") as f:
        data = f.read()
    for size in (0, 10, 100, 4096, len(data) // 2, len(data) - 1):
        cut = os.path.join(folder, "cut.hirs")
        with open(cut, "wb") as f:
            f.write(data[:size])
        for words in (("lower", cut), ("export", cut, "--to", "chrome", "-o", os.path.join(folder, "cut.json"))):
            done = hirscope(*words)
            tap.check(done.code == 2 and "cut.hirs" in done.err, f"{words[0]} of a recording cut at {size}", done)
    other = os.path.join(folder, "notes.hirs")
    with open(other, "w", encoding="utf-8") as f:
        f.write("my notes\n")
    done = hirscope("run", "example:two_set_ops", "-o", other)
    with open(other, encoding="utf-8") as f:
        tap.check(done.code == 2 and f.read() == "my notes\n", "-o does not replace a file that is not a recording", done)
    for out in (os.path.join(other, "x.hirs"), os.path.join(folder, "absent", "x.hirs"), "/dev/full"):
        done = hirscope("run", "example:two_set_ops", "-o", out)
        tap.check(done.code == 2 and "error: " in done.err, f"-o {os.path.basename(out)} that cannot be written", done)
    if os.geteuid() != 0:
        shut = os.path.join(folder, "shut")
        os.mkdir(shut)
        shutil.copy(path, shut)
        os.chmod(shut, 0o500)
        done = hirscope("lower", os.path.join(shut, "two_set_ops.hirs"))
        tap.check(done.code == 0, "a recording in a read-only folder opens", done)
        done = hirscope("run", "example:two_set_ops", "-o", os.path.join(shut, "new.hirs"))
        tap.check(done.code == 2 and "new.hirs" in done.err, "recording into a read-only folder", done)
        os.chmod(shut, 0o700)
    else:
        tap.skip("a read-only folder", "root can write anywhere")


def test_last_rank(tap, hirscope, folder):
    """The modelled time of a run is that of the last rank, as in the recording and in check."""
    source = os.path.join(os.path.dirname(GOLDEN), "cases", "verdicts", "run_model_total_rank0.txt")
    path = os.path.join(folder, "last.hirs")
    for words in ((), ("--rank", 2)):
        done = hirscope("run", source, "--clock", "model", "--streams", 1, *words, "-o", path)
        tap.check(done.code == 0 and "ran 1 time in 0.041 ms (model clock)" in done.out, f"41.08 µs {words}", done)
        work = [e for e in chrome(hirscope, path)[1] if e.get("cat") in DEVICE_CATEGORIES]
        start, end = min(e["ts"] for e in work), max(e["ts"] + e["dur"] for e in work)
        tap.check(30 < end - start <= 41.08, "all work of the recording is within this time", start, end)
    check = hirscope("check", source, "--streams", 1)
    tap.check("41.08 µs on the modelled clock" in check.out, "check prints the same time", check)


def test_message_teams(tap, hirscope, folder):
    """Groups of messages have the same labels in every recording, whichever rank was recorded first."""
    seen = set()
    for i in range(6):
        path = os.path.join(folder, f"p2p{i}.hirs")
        hirscope("run", "example:allgather_p2p", "-d", 4, "--clock", "model", "-o", path)
        collectives = json.loads(hirscope("stats", path, "--json").out)["collectives"]
        seen.add(tuple(sorted(row["team"] for row in collectives)))
    tap.check(seen == {("0>1", "0>2", "0>3", "1>2", "1>3", "2>3")}, "the pair of a group is its first one", seen)


def test_false_alarms(tap, hirscope, folder):
    """Right results are never called wrong: bounded functions of uncertain values, and functions of an uncertain NaN."""
    cases = {"sin": (30000, ["sin(t1)"]), "cos": (60000, ["cos(t1)"]), "tanh": (3000, ["sin(t1)", "mul(t2, 3000.0)", "tanh(t3)"]),
             "nan": (300, ["cosh(t1)", "atanh(t2)", "atan(t3)"])}
    for name, (factor, ops) in cases.items():
        path = os.path.join(folder, f"{name}.py")
        lines = ["from nvfuser_direct import DataType, FusionDefinition", "def f():", "    with FusionDefinition() as fd:",
                 "        t0 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Half)",
                 *(f"        t{i + 1} = fd.ops.{op}" for i, op in enumerate([f"mul(t0, {factor}.0)", *ops])),
                 f"        fd.add_output(t{len(ops) + 1})", "    return fd", ""]
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
        for seed in (1, 356):
            done = hirscope("run", f"{path}::f", "--check", "--input", "64x64", "--seed", seed)
            tap.check(done.code == 3 and "UNDECIDED" in done.out, f"{name} of large half values, seed {seed}: undecided", done)
    # Half values of one binade plus a number have the same rounding error.
    done = hirscope("run", os.path.join(CASES, "rounds_alike.py::f"), "--check", "--seed", 201898)
    tap.check(done.code == 0, "half values plus a number: right", done)
    # The errors of few distinct values do not cancel in the sums of them either.
    done = hirscope("run", os.path.join(CASES, "few_values.py::f"), "--check", "--seed", 306576)
    tap.check(done.code == 0, "sums of few distinct values: right", done)
    # The reference of these elements is representable in bfloat16. The sums of a run are not, and are rounded.
    for seed in (0, 2, 5):
        done = hirscope("run", os.path.join(CASES, "uncertain_casts.py::f"), "--check", "--seed", seed)
        tap.check(done.code == 0, f"casts of uncertain sums, seed {seed}: right", done)


def test_failed(tap, hirscope, folder):
    """A recording of a run that failed says why; so do statistics, explanation and comparison."""
    program, path = os.path.join(folder, "nowait.txt"), os.path.join(folder, "failed.hirs")
    with open(os.path.join(GOLDEN, "ag_matmul.txt"), encoding="utf-8") as f:
        text = "".join(line for line in f if not line.lstrip().startswith("Wait "))
    with open(program, "w", encoding="utf-8") as f:
        f.write(text)
    done = hirscope("run", program, "--clock", "model", "-o", path)
    why = re.search(r"error: (T6_matmul .* is still writing; insert a Wait for it first)$", done.err, re.M)
    said = query(path, "SELECT value FROM meta WHERE key = 'stopped'")
    tap.check(done.code == 2 and why and said == [("Failed before the end: " + why[1],)], "the recording says why it ended", done, said)
    note = "This is only a part of the run: failed before the end: T6_matmul "
    for words in (("stats", path), ("explain", path), ("compare", path, path)):
        shown = hirscope(*words)
        tap.check(shown.code == 0 and note in shown.out, words[0] + " says so", shown)
    shown = json.loads(hirscope("explain", path, "--json").out)
    tap.check("gains" not in shown and any("because only a part of the run" in note for note in shown["notes"]),
              "what would help is not simulated", shown)


def test_verdict(tap, hirscope, folder):
    """A recording stores the result of its check; everything that shows an incorrect run says so first."""
    right, _ = record(hirscope, folder, "matmul_m", "--check")
    wrong, done = record(hirscope, folder, "two_set_ops", "--check", "--plant-error", "set:0.1")
    says = "The results of this run are incorrect: "
    sql = "SELECT value FROM meta WHERE key = 'check'"
    tap.check(done.code == 1 and query(right, sql) == [("right",)] and query(wrong, sql) == [("wrong",)], "the recording has the result", done)
    for path, found in ((right, False), (wrong, True)):
        tap.check((("note: " + says) in hirscope("stats", path).out) == found, f"stats of {os.path.basename(path)}", hirscope("stats", path))
        tap.check(hirscope("explain", path).out.startswith(says) == found, f"explain of {os.path.basename(path)}", hirscope("explain", path))
        tap.check(any(note.startswith(says) for note in json.loads(hirscope("explain", path, "--json").out)["notes"]) == found, "explain --json")
        tap.check(any(note.startswith(says) for note in json.loads(hirscope("stats", path, "--json").out)["account"]["notes"]) == found, "stats --json")
    text, table = hirscope("compare", right, wrong), json.loads(hirscope("compare", right, wrong, "--json").out)
    tap.check("\nB: " + says in text.out and "\nA: " + says not in text.out and table["notes"][0] is None and
              table["notes"][1].startswith(says), "compare says which of the two", text, table["notes"])
    old = os.path.join(folder, "old.hirs")
    shutil.copy(wrong, old)
    with sqlite3.connect(old) as db:
        db.execute("DELETE FROM meta WHERE key = 'check'")
    db.close()
    done = hirscope("stats", old)
    tap.check(done.code == 0 and says not in done.out, "an older recording does not state the result", done)
    if "figures: no" in hirscope("--version").out:
        tap.skip("the report of an incorrect run", "this build has no figures")
        return
    texts = []
    for path in (right, wrong, old):
        done = hirscope("export", path, "--to", "html", "-o", path + ".html")
        with open(path + ".html", encoding="utf-8") as file:
            texts.append(file.read())
    tap.check([text.split("</p>")[0].split('<p class="sub">')[1].startswith("<b>" + says) for text in texts] == [False, True, False],
              "the first sentence of a report says it", done)
    tap.check([re.findall(r"<dt>(?:Run|Check)</dt><dd>(.*)</dd>", text) for text in texts] ==
              [["4 streams", "Correct"], ["4 streams, errors injected into set", "Incorrect"], ["4 streams, errors injected into set"]],
              "so do the facts of the run")


def main():
    tap, hirscope = Tap(), from_command_line()
    for test in (test_recording, test_failed, test_verdict, test_streams, test_identity, test_figures, test_broken, test_last_rank, test_message_teams, test_false_alarms):
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test, hirscope, folder)
    tap.group(test_checks, hirscope)
    tap.done()


if __name__ == "__main__":
    main()
