#!/usr/bin/env python3
"""test-json.py HIRSCOPE

Checks real outputs of every command with `--json` against the schemas of docs/json.md.
"""
import json
import os
import re
import tempfile

from program import SOURCE, from_command_line
from tap import Tap

JOIN = os.path.join(SOURCE, "tests", "data", "join")
TOKEN = re.compile(r'\s+|//[^\n]*|("[^"]*")|(\.\.\.|\w+|[{}\[\],:?|=])')


class Schema:
    """A schema in the notation of docs/json.md. Types are tuples: (kind, ...)."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"unexpected {text[at:at + 20]!r}")
            at = match.end()
            if match.group(1) or match.group(2):
                self.tokens.append(match.group(1) or match.group(2))
        self.names, self.at = {}, 0
        while self.at + 1 < len(self.tokens) and self.tokens[self.at + 1] == "=":
            name, _ = self.take(), self.take()
            self.names[name] = self.read_type()
        self.root = self.read_type()
        if self.at < len(self.tokens):
            raise ValueError(f"text behind the schema: {self.tokens[self.at]}")

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected and token != expected):
            raise ValueError(f"expected {expected}, got {token}")
        self.at += 1
        return token

    def skip(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def read_type(self):
        types = [self.read_one()]
        while self.skip("|"):
            types.append(self.read_one())
        return ("or", types) if len(types) > 1 else types[0]

    def read_one(self):
        token = self.take()
        if token == "{":
            return self.read_object()
        if token == "[":
            types = [self.read_type()]
            while self.skip(","):
                types.append(self.read_type())
            self.take("]")
            return ("array", types[0]) if len(types) == 1 else ("tuple", types)
        if token[0] == '"':
            return ("literal", token[1:-1])
        if token not in ("int", "real", "text", "bool", "id", "null") and token not in self.names:
            raise ValueError(f"unknown type {token}")
        return ("name", token)

    def read_object(self):
        members = {}
        while not self.skip("}"):
            if self.skip("..."):
                members.update(self.names[self.take()][1])
            else:
                key = self.take()
                optional = self.skip("?")
                self.take(":")
                members[None if key == "text" else key[1:-1]] = (self.read_type(), optional)
            if self.peek() != "}":
                self.take(",")
        return ("object", members)

    def errors(self, value, of=None, path="$", used=None):
        """Yield the differences of @value from the schema. Adds the paths of present members to the set @used."""
        kind, what = of or self.root
        if kind == "name":
            if what in self.names:
                yield from self.errors(value, self.names[what], path, used)
            elif not is_basic(value, what):
                yield f"{path}: {value!r} is no {what}"
        elif kind == "literal":
            if value != what:
                yield f"{path}: {value!r} is not {what!r}"
        elif kind == "or":
            if all(any(self.errors(value, one, path)) for one in what):
                yield f"{path}: {value!r} fits no alternative"
        elif kind in ("array", "tuple"):
            if not isinstance(value, list) or (kind == "tuple" and len(value) != len(what)):
                yield f"{path}: {value!r} is no such array"
                return
            for i, item in enumerate(value):
                yield from self.errors(item, what if kind == "array" else what[i], f"{path}[]", used)
        else:
            yield from self.errors_of_object(value, what, path, used)

    def errors_of_object(self, value, members, path, used):
        if not isinstance(value, dict):
            yield f"{path}: {value!r} is no object"
            return
        for key, item in value.items():
            known = members.get(key) or members.get(None)
            if known is None:
                yield f"{path}: {key} is not documented"
                continue
            if used is not None:
                used.add(f"{path}.{key}")
            yield from self.errors(item, known[0], f"{path}.{key}", used)
        for key, (_, optional) in members.items():
            if key is not None and not optional and key not in value:
                yield f"{path}: {key} is missing"


def is_basic(value, name):
    if name == "null":
        return value is None
    if name == "bool":
        return isinstance(value, bool)
    if name == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "real":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, str) and (name == "text" or re.fullmatch(r"[0-9a-f]{16}", value) is not None)


def read_schemas():
    with open(os.path.join(SOURCE, "docs", "json.md"), encoding="utf-8") as f:
        return {name: Schema(text) for name, text in re.findall(r"^## (\w+)\n.*?```schema\n(.*?)```", f.read(), re.M | re.S)}


def test_checker(tap):
    """The checker reports each kind of difference."""
    schema = Schema('One = {"a": int} {...One, "b"?: [real | null], "c": [id, text], "d": {text: bool}, "e": "x" | "y"} // end')
    good = {"a": 1, "b": [1, 2.5, None], "c": ["0123456789abcdef", ""], "d": {"any": True}, "e": "y"}
    tap.check(not list(schema.errors(good)), "accepts a value", list(schema.errors(good)))
    tap.check(not list(schema.errors({k: v for k, v in good.items() if k != "b"})), "an optional member can be absent")
    for change in ({"a": 1.5}, {"a": True}, {"a": None}, {"a": "1"}, {"b": ["1"]}, {"b": None}, {"c": ["x", ""]}, {"c": ["0123456789abcdef"]},
                   {"d": {"any": 1}}, {"d": []}, {"e": "z"}, {"more": 1}):
        tap.check(len(list(schema.errors({**good, **change}))) == 1, f"reports {change}", list(schema.errors({**good, **change})))
    for key in ("a", "c", "d", "e"):
        tap.check(list(schema.errors({k: v for k, v in good.items() if k != key})), f"reports a missing {key}")
    for text in ("{", '{"a": nothing}', "int int", '{"a" int}', "&"):
        try:
            Schema(text)
            tap.check(False, f"rejects the schema {text}")
        except ValueError:
            tap.check(True, f"rejects the schema {text}")


def make_files(hirscope, folder):
    """Return the paths of a recording, one with another synchronization, a program, and a foreign trace of it."""
    path = {name: os.path.join(folder, name) for name in ("ag.hirs", "loop.hirs", "program.txt", "fixed.txt", "foreign.json", "race.hirs")}
    run = ("run", "example:ag_matmul", "-d", 2, "--clock", "model", "--trace", "full")
    for words in ((*run, "--repeat", 2, "-o", path["ag.hirs"]),
                  (*run, "--set", "StreamParallelType.initial_sync=in_loop", "-o", path["loop.hirs"])):
        assert hirscope(*words).code == 0
    text = hirscope("lower", "example:ag_matmul", "-d", 2, "--print", "last").out
    with open(path["program.txt"], "w", encoding="utf-8") as f:
        f.write("".join(line for line in text.splitlines(True) if "Synchronize" not in line))
    hirscope("run", path["program.txt"], "--clock", "model", "--trace", "full", "-o", path["race.hirs"])
    with open(path["foreign.json"], "w", encoding="utf-8") as f:
        json.dump({"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "ts": 1, "dur": 5,
             "args": {"stream": 7, "correlation": 3, "Collective name": "allreduce", "In msg nelems": 10, "Out msg nelems": 10}},
            {"ph": "X", "cat": "gpu_memcpy", "name": "copy", "pid": 0, "tid": 8, "ts": 1, "dur": 5, "args": {"stream": 8, "bytes": 9}}]}, f)
    return path


def commands(path):
    """Return the commands whose outputs are checked, by verb."""
    return {
        "stats": [(path["ag.hirs"],), (path["ag.hirs"], "--by-instruction"), (path["foreign.json"],), (path["ag.hirs"], "--range", "1us:9us"), (path["ag.hirs"], "--tracks", "1/*")],
        "query": [(path["ag.hirs"], "SELECT *, 1.5, x'00' FROM events"), (path["foreign.json"], "SELECT 1e999"), (path["ag.hirs"], "--view", "gpus")],
        "compare": [(path["loop.hirs"], path["ag.hirs"]), (path["ag.hirs"], path["foreign.json"])],
        "explain": [(path["ag.hirs"],), (path["loop.hirs"],), (path["foreign.json"],)],
        "predict": [(path["ag.hirs"],), (path["ag.hirs"], "--kernel", "matmul=0.5")],
        "tune": [("example:ag_matmul", "-d", 2, "--clock", "model", "--try", "streams=1,2", "--try", "chunks=16", "--top", 1),
                 (path["program.txt"], "--rounds", 1, "--top", 1),
                 (f"{SOURCE}/tests/data/cases/host_ir_2026/scenarios.py::row_parallel_linear_with_bias", "-d", 2, "--clock", "model",
                  "--check", "--plant-error", "broadcast")],
        "check": [("example:ag_matmul", "-d", 2), (path["program.txt"],), (path["program.txt"], "--fix", path["fixed.txt"]),
                  (path["program.txt"], "--recording", path["race.hirs"]),
                  (os.path.join(SOURCE, "tests", "data", "cases", "programs", "no_initial_sync.txt"),)],
        "run": [("example:ag_matmul", "-d", 2), ("example:matmul_m", "--check"), ("example:ag_matmul", "-d", 2, "--check", "--plant-error", "matmul"),
                (path["program.txt"], "--check", "--clock", "model", "--warmup", 1, "--repeat", 2)],
        "bisect": [("example:matmul_m",), ("example:matmul_m", "--plant-error", "matmul"), (path["program.txt"], "--program"),
                   ("example:ag_matmul", "-d", 2, "--program", "--plant-error", "matmul")],
        "join": [(os.path.join(JOIN, "programs", "chain.txt"), trace,
                  "--input", "8x256x256", "--input", "8x256x256", "--input", "256x256")
                 for trace in (path["foreign.json"], *(os.path.join(JOIN, "h200", f"{name}.json.gz") for name in ("chain", "no_wait", "extra")))],
    }


def test_outputs(tap, hirscope, schemas):
    listed = {verb for verb in re.findall(r"^  hirscope (\w+)", hirscope("--help").out, re.M) if "--json" in hirscope(verb, "--help").out}
    tap.check(set(schemas) == listed, "docs/json.md has each command with --json", sorted(schemas), sorted(listed))
    with tempfile.TemporaryDirectory() as folder:
        path = make_files(hirscope, folder)
        for verb, calls in commands(path).items():
            for words in calls:
                done = hirscope(verb, *words, "--json")
                name = " ".join(os.path.basename(str(w)) for w in (verb, *words))
                try:
                    problems = list(schemas[verb].errors(json.loads(done.out)))
                except ValueError as error:
                    problems = [error]
                tap.check(done.code in (0, 1) and not problems and done.out.endswith("}\n"), f"{name}: as documented", *problems[:5], done if problems else "")


def test_verdicts(tap, hirscope):
    """The verdicts of run and bisect are those of their exit statuses and texts."""
    planted = ("example:matmul_m", "--plant-error", "matmul", "--json")
    done = hirscope("run", *planted, "--check")
    check = json.loads(done.out)["check"]
    worst = check["outputs"][0]["worst"]
    tap.check(done.code == 1 and check["outcome"] == "wrong" and check["outputs"][0]["failed"] == check["outputs"][0]["elements"]
              and abs(worst["value"] - worst["reference"]) > worst["bound"] and worst["error_over_bound"] > 1, "run: a planted error is wrong", done)
    done = hirscope("run", "example:matmul_m", "--check", "--json")
    tap.check(done.code == 0 and json.loads(done.out)["check"]["outcome"] == "right", "run: without it, the output is right", done)
    tap.check("check" not in json.loads(hirscope("run", "example:matmul_m", "--json").out), "run: no check was requested")
    done = hirscope("bisect", *planted)
    tap.check(done.code == 1 and json.loads(done.out)["first_incorrect"] == ["SegmentFusion"], "bisect: names the pass", done)
    done = hirscope("bisect", *planted, "--program")
    result = json.loads(done.out)
    tap.check(done.code == 1 and "matmul(" in result["first_incorrect"]["text"] and result["report"], "bisect: names the instruction", done)


def main():
    tap, hirscope = Tap(), from_command_line()
    tap.group(test_checker)
    tap.group(test_verdicts, hirscope)
    tap.group(test_outputs, hirscope, read_schemas())
    tap.done()


if __name__ == "__main__":
    main()
