#!/usr/bin/env python3
"""test-mcp.py HIRSCOPE

Uses `hirscope mcp` as an agent does: a session about a recording, malformed requests, cancellation, --allow-run, and the
ways to end.
"""
import base64
import json
import os
import queue
import random
import signal
import struct
import subprocess
import tempfile
import threading
import zlib

from program import from_command_line
from tap import Tap

LIMIT_S = 100
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Client:
    """A client. Reads messages on a thread, so that each wait has a limit."""

    def __init__(self, hirscope, *options, cwd=None, env=None):
        self.process = subprocess.Popen([hirscope.path, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd,
                                        env={**os.environ, **(env or {})})
        self.messages, self.kept, self.last_id = queue.Queue(), [], 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))
        self.messages.put(None)

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method, params=None, request_id=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        if request_id is not None:
            message["id"] = request_id
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def next(self):
        """Return the next message; None at the end of the output."""
        return self.kept.pop(0) if self.kept else self.messages.get(timeout=LIMIT_S)

    def wait(self, wanted):
        """Return the first message with @wanted(message). Keeps the others."""
        others = []
        while True:
            message = self.next()
            assert message is not None, "the server has ended"
            if wanted(message):
                self.kept = others + self.kept
                return message
            others.append(message)

    def request(self, method, params=None):
        self.last_id += 1
        self.send(method, params, self.last_id)
        return self.wait(lambda m: m.get("id") == self.last_id)

    def raw(self, data):
        """Send a line and return the response to it."""
        self.send_bytes(data + b"\n")
        return self.next()

    def call(self, name, meta=None, **arguments):
        params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
        return self.request("tools/call", params)["result"]

    def text(self, name, **arguments):
        result = self.call(name, **arguments)
        assert not result["isError"], result
        return result["content"][0]["text"]

    def end(self):
        """Close the input and return the exit status."""
        self.process.stdin.close()
        return self.process.wait(timeout=LIMIT_S)


def read_png(data):
    """Return the rows of an RGB or RGBA PNG, each a list of (red, green, blue)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at, parts = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        parts[kind] = parts.get(kind, b"") + body
        at += 12 + length
    width, height, depth, color = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert depth == 8 and color in (2, 6) and b"IEND" in parts
    n, rows, before = 3 if color == 2 else 4, [], bytes(width * 4)
    raw = zlib.decompress(parts[b"IDAT"])
    for y in range(height):
        kind, row = raw[y * (width * n + 1)], bytearray(raw[y * (width * n + 1) + 1:(y + 1) * (width * n + 1)])
        for i in range(len(row) if kind else 0):
            a, b, c = row[i - n] if i >= n else 0, before[i], before[i - n] if i >= n else 0
            p = a + b - c
            nearest = a if abs(p - a) <= min(abs(p - b), abs(p - c)) else b if abs(p - b) <= abs(p - c) else c
            row[i] = (row[i] + (a, b, (a + b) // 2, nearest)[kind - 1]) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), n)])
        before = row
    return rows


def count_bars(rows, is_bar):
    """Return the number of separate bars in the line of pixels with the most of them: it crosses no text in the bars."""
    row = max(rows, key=lambda row: sum(map(is_bar, row)))
    return sum(is_bar(p) and not is_bar(q) for p, q in zip(row[1:], row))


def is_communication(pixel):
    return pixel[0] > 150 and pixel[2] < 80


def is_computation(pixel):
    return pixel[2] > 150 and pixel[0] < 90


def has_figures(hirscope):
    return "figures: no" not in hirscope("--version").out


def test_session(tap, hirscope, folder):
    """An agent opens a recording, asks for exposed communication, and gets a picture of it."""
    path, work = os.path.join(folder, "ag.hirs"), os.path.join(folder, "work")
    os.mkdir(work)
    assert hirscope("run", "example:ag_matmul", "-d", 2, "--clock", "model", "-o", path).code == 0
    client = Client(hirscope, cwd=work, env={"TMPDIR": work})
    answer = client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
    result = answer["result"]
    tap.check(result["protocolVersion"] == "2025-11-25" and result["serverInfo"]["name"] == "hirscope" and "tools" in result["capabilities"],
              "initialize", answer)
    client.send("notifications/initialized")
    tap.check(client.request("ping")["result"] == {}, "ping")

    stats = json.loads(client.text("stats", traces=[path]))
    tap.check(stats == json.loads(hirscope("stats", path, "--json").out) and all(g["exposed_comm_ns"] > 0 for g in stats["gpus"]),
              "stats has the exposed communication that the command prints", stats["gpus"])
    tracks = json.loads(client.text("stats", traces=[path], tracks=["0/*"]))
    tap.check([g for g in stats["gpus"] if g["rank"] == 0] == tracks["gpus"], "stats of some tracks", tracks["gpus"])
    for n, wanted in ((200_000, '"rows":[\n[1]]'), (1_000_000, "at most 262144 are allowed"), (3 << 20, "1048576 bytes")):
        result = client.call("query", traces=[path], sql="SELECT 1 AS a" + " " * n)
        tap.check(result["isError"] == (n > 1 << 18) and wanted in result["content"][0]["text"], f"query: SQL of {n} bytes", result)
    # The command ends without having read its standard input.
    result = client.call("query", traces=[path + ".absent"], view="none", sql="SELECT 1" + " " * (1 << 20))
    tap.check(result["isError"] and "no view 'none'" in result["content"][0]["text"], "query: SQL that is not read", result)
    sql = "SELECT count(*) FROM collectives WHERE rank = 0"
    rows = json.loads(client.text("query", traces=[path], sql=sql))["rows"]
    if has_figures(hirscope):
        image = client.call("timeline_image", traces=[path])["content"][0]
        pixels = read_png(base64.b64decode(image["data"]))
        n_kernels = max(row[0] for row in json.loads(client.text(
            "query", traces=[path], sql="SELECT count(*) FROM kernels WHERE name LIKE '%matmul%' GROUP BY rank, stream"))["rows"])
        tap.check(image["type"] == "image" and image["mimeType"] == "image/png" and count_bars(pixels, is_communication) == rows[0][0],
                  "timeline_image: a PNG with one bar per communication", count_bars(pixels, is_communication), rows)
        tap.check(count_bars(pixels, is_computation) == n_kernels, "timeline_image: one bar per kernel of a stream",
                  count_bars(pixels, is_computation), n_kernels)
        image = client.call("timeline_image", traces=[path], range="20us:40us", tracks=["comm*", "none*"])["content"][0]
        few = count_bars(read_png(base64.b64decode(image["data"])), is_communication)
        tap.check(0 < few < rows[0][0], "timeline_image: only a range", few)
        image = client.call("graph_image", source="example:ag_matmul", devices=2, **{"pass": "Fusion"})["content"][0]
        tap.check(len({p for row in read_png(base64.b64decode(image["data"])) for p in row}) > 10, "graph_image: a PNG")
    for name, arguments, words in (
            ("explain", {"traces": [path]}, ("explain", path, "--json")),
            ("compare", {"a": path, "b": path}, ("compare", path, path, "--json")),
            ("predict", {"trace": path, "streams": 2, "comm_scale": 0.5}, ("predict", path, "--streams", 2, "--comm-scale", 0.5, "--json")),
            ("check", {"source": path}, ("check", path, "--json")),
            ("query", {"traces": [path], "view": "gpus"}, ("query", path, "--view", "gpus", "--json")),
            ("query_schema", {}, ("query", "--schema")),
            ("lower", {"source": "example:ag_matmul", "devices": 2, "set": ["StreamParallelType.initial_sync=in_loop"], "diff": True},
             ("lower", "example:ag_matmul", "-d", 2, "--set", "StreamParallelType.initial_sync=in_loop", "--diff"))):
        tap.check(client.text(name, **arguments) == hirscope(*words).out, f"{name} returns the output of the command")
    tap.check(client.end() == 0, "the server ends with its input")
    tap.check(not os.listdir(work), "nothing was written", os.listdir(work))


def test_versions(tap, hirscope):
    client = Client(hirscope)
    for version in ("2025-06-18", "2025-03-26", "2024-11-05"):
        tap.check(client.request("initialize", {"protocolVersion": version})["result"]["protocolVersion"] == version, f"handshake of {version}")
    for version in ("2026-07-28", "2030-01-01", "x"):
        result = client.request("initialize", {"protocolVersion": version})["result"]
        tap.check(result["protocolVersion"] == "2025-11-25", f"handshake of {version}: the newest with a handshake", result)
    found = client.request("server/discover", {"_meta": MODERN})["result"]
    tap.check("2026-07-28" in found["supportedVersions"] and found["resultType"] == "complete" and found["ttlMs"] > 0, "server/discover", found)
    tools = client.request("tools/list", {"_meta": MODERN})["result"]
    tap.check(tools["resultType"] == "complete" and tools["cacheScope"] == "private", "tools/list of 2026")
    result = client.call("lower", meta=MODERN, source="example:matmul_m")
    tap.check(result["resultType"] == "complete" and result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "hirscope"
              and not result["isError"], "tools/call of 2026", result)
    error = client.request("tools/list", {"_meta": {**MODERN, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}})["error"]
    tap.check(error["code"] == -32022 and "2026-07-28" in error["data"]["supported"] and error["data"]["requested"] == "2030-01-01",
              "another version", error)
    tap.check(client.end() == 0, "the server ends")


def test_tools(tap, hirscope):
    client = Client(hirscope)
    tools = {t["name"]: t for t in client.request("tools/list")["result"]["tools"]}
    tap.check(sorted(tools) == ["check", "compare", "explain", "graph_image", "lower", "predict", "query", "query_schema", "stats", "timeline_image"],
              "tools/list: no run", *tools)
    for name, tool in tools.items():
        schema = tool["inputSchema"]
        tap.check(schema["type"] == "object" and not schema["additionalProperties"] and tool["annotations"]["readOnlyHint"]
                  and set(schema["required"]) <= set(schema["properties"]) and tool["description"].endswith(".")
                  and all(p["type"] in ("string", "array", "integer", "number", "boolean") and p["description"] and
                          ("items" in p) == (p["type"] == "array") for p in schema["properties"].values()), f"{name}: a schema", tool)
    for name, arguments, text in (
            ("stats", {"traces": ["/does/not/exist"]}, "/does/not/exist"), ("stats", {}, "traces"), ("stats", {"traces": []}, "not empty"),
            ("stats", {"traces": "x.hirs"}, "array of strings"), ("stats", {"traces": [1]}, "array of strings"),
            ("stats", {"traces": ["x"], "output": "y"}, "no argument 'output'"), ("stats", {"traces": ["--help"]}, "cannot read --help: No such file or directory; check the name"),
            ("lower", {"source": "--version"}, "--version"), ("lower", {"source": "example:matmul_m", "devices": "2"}, "an integer"),
            ("lower", {"source": "example:matmul_m", "devices": 1.5}, "an integer"), ("lower", {"source": "example:matmul_m", "diff": 1}, "Boolean"),
            ("lower", {"source": "example:matmul_m", "print": "none"}, "there is no snapshot 'none'"),
            ("lower", {"source": "example:refused_split_axis"}, "error"), ("lower", {"source": "example:matmul_m", "set": ["--help"]}, "--help"),
            ("query", {"traces": ["x"], "sql": "SELECT 1", "timeout": "1"}, "a number")):
        result = client.call(name, **arguments)
        tap.check(result["isError"] and text in result["content"][0]["text"], f"{name} {json.dumps(arguments)}: an error of the tool", result)
    result = client.call("query", traces=["x"], view="x" * (1 << 18))
    tap.check(result["isError"] and "128 KiB for each; shorten them" in result["content"][0]["text"], "query: an argument that is too long", result)
    result = client.call("check", source="example:matmul_m", devices=None)
    tap.check(not result["isError"], "null is like no argument", result)
    for params in ({"name": "none"}, {}, {"name": 1}, {"name": "stats", "arguments": []}, None):
        error = client.request("tools/call", params).get("error", {})
        tap.check(error.get("code") == -32602, f"tools/call {params}: invalid parameters", error)
    error = client.request("tools/call", {"name": "run", "arguments": {"source": "example:matmul_m"}})["error"]
    tap.check(error["code"] == -32602 and "--allow-run" in error["message"], "run requires --allow-run", error)
    tap.check(client.end() == 0, "the server ends")


def test_malformed(tap, hirscope):
    client = Client(hirscope)
    for data, code, request_id in (
            (b"garbage", -32700, None), (b"{", -32700, None), (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, None),
            (b"\xff\xfe", -32700, None), (b'{"a":"\x80"}', -32700, None), (b"[" * 100000, -32700, None), (b"]", -32700, None),
            (b'{"a":/*"*/' + b"[" * 100000, -32700, None), (b"{'a':'" + b"[" * 100000, -32700, None), (b'"' + b"\\", -32700, None),
            (b"\0\0", -32700, None), (b'{"jsonrpc":"2.0","id":1,"method":"ping"} {"x":1}', None, None),
            (b"[]", -32600, None), (b"[" * 64 + b"]" * 64, -32600, None), (b"1", -32600, None), (b"{}", -32600, None), (b"null", -32600, None),
            (b'{"jsonrpc":"1.0","id":2,"method":"ping"}', -32600, 2), (b'{"id":2,"method":"ping"}', -32600, 2),
            (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None), (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
            (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None), (b'{"jsonrpc":"2.0","id":3}', -32600, 3),
            (b'{"jsonrpc":"2.0","id":3,"method":7}', -32600, 3), (b'{"jsonrpc":"2.0","id":"a\\"b","method":"none"}', -32601, 'a"b'),
            (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}', -32602, 4), (b'{"jsonrpc":"2.0","id":4,"method":"initialize"}', -32602, 4),
            (b'{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":1}}', -32602, 4),
            (b'{"jsonrpc":"2.0","id":5,"method":"resources/list"}', -32601, 5), (b" " * 5000000, -32700, None),
            (b'{"jsonrpc":"2.0","id":6,"method":"' + b"x" * 5000000 + b'"}', -32700, None)):
        answer = client.raw(data)
        name = f"{data[:60]!r}{'...' if len(data) > 60 else ''}"
        if code is None:
            tap.check("jsonrpc" in answer, f"{name}: an answer", answer)
        else:
            tap.check(answer.get("error", {}).get("code") == code and answer["id"] == request_id and answer["jsonrpc"] == "2.0",
                      f"{name}: error {code}", answer)
    for data in (b"", b"  ", b'{"jsonrpc":"2.0","id":9,"result":{}}', b'{"jsonrpc":"2.0","method":"notifications/none"}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled"}', b'{"jsonrpc":"2.0","method":"tools/call"}'):
        client.send_bytes(data + b"\n")
    answer = client.raw(b'{"jsonrpc":"2.0","id":"last","method":"ping"}\r')
    tap.check(answer["id"] == "last" and answer["result"] == {}, "notifications and responses have no answer", answer)
    tap.check(client.end() == 0, "the server ends")


def test_mutations(tap, hirscope):
    """Randomly changed messages never end the server."""
    rng, client = random.Random(1), Client(hirscope)
    seeds = [json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode() for method, params in (
        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}), ("tools/list", {"_meta": MODERN}), ("ping", {}),
        ("tools/call", {"name": "stats", "arguments": {"traces": 1}, "_meta": {"progressToken": 1}}),
        ("notifications/cancelled", {"requestId": 7}))]
    for i in range(400):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at:at + rng.randint(0, 3)] = rng.choice((b"", b'"', b"{", b"}", b"[", b"]", b",", b"\\", b"\\u0000", b"null", b"-1e999", bytes([rng.randrange(256)])))
        client.send_bytes(bytes(data).replace(b"\n", b" ") + b"\n")
        if i % 20 == 19:
            client.send("ping", {}, f"ping{i}")
            answer = client.wait(lambda m, i=i: m.get("id") == f"ping{i}")
            if "result" not in answer:
                break
    tap.check(answer.get("result") == {} and client.end() == 0, "changed messages: the server still answers, and ends with 0", answer)


def test_cancel(tap, hirscope, path):
    """Progress and cancellation of running and waiting calls."""
    client = Client(hirscope)
    endless = {"name": "query", "arguments": {"traces": [path], "sql": ENDLESS, "timeout": 0}}
    for i in range(6):
        client.send("tools/call", {**endless, "_meta": {"progressToken": f"token{i}"}}, f"endless{i}")
    answer = client.wait(lambda m: m.get("method") == "notifications/progress")
    first = answer["params"]
    later = client.wait(lambda m: m.get("method") == "notifications/progress" and m["params"]["progressToken"] == first["progressToken"])["params"]
    tap.check(first["progressToken"].startswith("token") and later["progress"] > first["progress"], "progress increases", first, later)
    client.send("tools/call", endless, "endless0")
    answer = client.wait(lambda m: m.get("id") == "endless0")
    tap.check(answer.get("error", {}).get("code") == -32600, "an id is used once at a time", answer)
    for i in (5, 4, 3, 2, 1, 0):
        client.send("notifications/cancelled", {"requestId": f"endless{i}", "reason": "test"})
    results = [client.call("query", traces=[path], sql="SELECT 1") for _ in range(5)]
    tap.check(not any(r["isError"] for r in results), "cancelled calls, running or waiting, leave their places")
    tap.check(not any("endless" in str(m.get("id")) for m in client.kept), "a cancelled call has no response", client.kept)
    client.send("tools/call", endless, "endless")
    tap.check(client.request("ping")["result"] == {}, "ping during a call")
    for i in range(80):
        client.send("tools/call", endless, 1000 + i)
    answer = client.wait(lambda m: "error" in m)
    tap.check(answer["error"]["code"] == -32000, "too many calls", answer)
    client.process.send_signal(signal.SIGTERM)
    tap.check(client.process.wait(timeout=LIMIT_S) == 0, "SIGTERM ends the server and its calls")


def test_ends(tap, hirscope, path):
    client = Client(hirscope)
    for i in range(6):
        client.send("tools/call", {"name": "query", "arguments": {"traces": [path], "sql": f"SELECT {i}"}}, i)
    client.send_bytes(b'{"jsonrpc":"2.0","id":"no newline","method":"ping"}')
    code, ids = client.end(), set()
    while (message := client.next()) is not None:
        ids.add(message["id"])
    tap.check(code == 0 and ids == {0, 1, 2, 3, 4, 5, "no newline"}, "after the end of the input, all calls are answered", code, ids)
    client = subprocess.Popen([hirscope.path, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": {"traces": [path], "sql": ENDLESS, "timeout": 0}}}
    client.stdin.write(json.dumps(call).encode() + b"\n")
    client.stdin.flush()
    client.stdout.close()
    tap.check(client.wait(timeout=LIMIT_S) == 0, "the server ends if the client closes its output, although a call runs")
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    client = subprocess.Popen([hirscope.path, "mcp"], stdin=subprocess.PIPE, stdout=writer)
    os.close(writer)
    client.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 40)
    client.stdin.close()
    with os.fdopen(reader) as lines:
        n = sum("result" in json.loads(line) for line in lines)
    tap.check(client.wait(timeout=LIMIT_S) == 0 and n == 40, "a full output that does not block", n)
    done = hirscope("mcp")
    tap.check(done.code == 0 and not done.out, "an empty input", done)
    done = hirscope("mcp", "file")
    tap.check(done.code == 2 and "takes no arguments" in done.err, "no arguments", done)


def test_run(tap, hirscope, folder):
    client = Client(hirscope, "--allow-run")
    tools = {t["name"]: t for t in client.request("tools/list")["result"]["tools"]}
    tap.check("run" in tools and not tools["run"]["annotations"]["readOnlyHint"], "--allow-run: a tool that writes")
    path = os.path.join(folder, "run.hirs")
    result = json.loads(client.text("run", source="example:matmul_m", check=True, clock="model", inputs=["32x32", "32x32"], output=path))
    tap.check(result["check"]["outcome"] == "right" and result["recording"] == path and os.path.exists(path), "runs, checks and records", result)
    stats = json.loads(client.text("stats", traces=[path]))
    tap.check(any("matmul" in k["name"] for k in stats["kernels"]), "the recording can be analyzed", stats)
    tap.check(client.end() == 0, "the server ends")


def main():
    tap, hirscope = Tap(), from_command_line()
    if hirscope("mcp").code == 2:
        tap.check("json-glib" in hirscope("mcp").err, "a build without json-glib names it")
        tap.done()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.hirs")
        assert hirscope("run", "example:matmul_m", "--clock", "model", "-o", path).code == 0
        tap.group(test_session, hirscope, folder)
        for test in (test_versions, test_tools, test_malformed, test_mutations):
            tap.group(test, hirscope)
        tap.group(test_cancel, hirscope, path)
        tap.group(test_ends, hirscope, path)
        tap.group(test_run, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
