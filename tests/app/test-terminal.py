#!/usr/bin/env python3
"""test-terminal.py HIRSCOPE

Tests that names from a file are escaped on the terminal: messages of all commands contain no escape sequence, no
additional line and no reversed text.
"""
import json
import os
import tempfile
import unicodedata

from program import from_command_line
from tap import Tap

EVIL = "evil\x1b[2J\x1b]0;owned\x07\nerror: not ours\r\x9b31m\u202egnp.exe\u2066\u2028 \x7fend"
SCRIPT = '''import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition


def F():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1] * 2, contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.no_such_op(tv0)  # ''' + EVIL.replace("\n", " ").replace("\r", " ").replace("\u2028", " ") + '''
        fd.add_output(tv1)
    return fd
'''


def trace(scale):
    events = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": EVIL}},
              {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": EVIL}}]
    for i in range(4):
        events.append({"ph": "X", "cat": "kernel", "name": f"{EVIL}{i % 2}", "pid": 0, "tid": 7, "ts": 100 * i, "dur": 60 * scale,
                       "args": {"device": 0, "stream": 7}})
    events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "pid": 0, "tid": 8, "ts": 3, "dur": 40,
                   "args": {"device": 0, "stream": 8, "Collective name": EVIL, "Process Group Name": EVIL, "dtype": "Float", "In msg nelems": 8,
                            "Out msg nelems": 8, "Group size": 2}})
    events.append({"ph": "E", "name": EVIL, "pid": 0, "tid": 9, "ts": 5})
    return json.dumps({"schemaVersion": 1, "traceEvents": events}, ensure_ascii=False)


def hostile(text):
    return sorted({hex(ord(c)) for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")})


def check(t, done, what, told="evil"):
    text = done.out + done.err
    t.check(not hostile(text), f"{what}: no control characters", hostile(text), done)
    t.check(not any(line.startswith("error: not ours") for line in text.splitlines()), f"{what}: no additional line", done)
    if told:
        t.check(told in text, f"{what}: the name is printed", done)


def main():
    hirscope, t = from_command_line(), Tap()
    with tempfile.TemporaryDirectory() as folder:
        a, b, script, dump = (os.path.join(folder, name) for name in ("a.json", "b.json", "f.py", "x.hirs"))
        for path, text in ((a, trace(1)), (b, trace(1.5)), (script, SCRIPT)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        check(t, hirscope("stats", a), "stats")
        check(t, hirscope("stats", a, "--json"), "stats --json")
        names = [k["name"] for k in json.loads(hirscope("stats", a, "--json").out)["kernels"]]
        t.check(EVIL + "0" in names, "stats --json: the parsed name is unchanged", names)
        check(t, hirscope("compare", a, b), "compare")
        check(t, hirscope("compare", a, b, "--json"), "compare --json")
        check(t, hirscope("export", a, "--to", "hirs", "-o", dump), "export", None)
        check(t, hirscope("stats", dump), "stats of the recording")
        check(t, hirscope("lower", script), "lower", "no_such_op")
        check(t, hirscope("check", script), "check", "no_such_op")
        for words in (("stats",), ("lower",), ("run",), ("compare", a)):
            check(t, hirscope(*words, os.path.join(folder, "evil\x1b[31m.json")), f"{words[0]} of a file with an escape sequence in its name")
        check(t, hirscope("stats", a, "--evil\x1b[31m"), "an option with an escape sequence")
    t.done()


main()
