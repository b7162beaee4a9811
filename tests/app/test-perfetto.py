#!/usr/bin/env python3
"""test-perfetto.py HIRSCOPE

Tests `export --to perfetto`: decoded by protoc and assembled like in a viewer, it has the events of the CSV export.
"""
import csv
import os
import shutil
import subprocess
import tempfile

from program import from_command_line
from tap import Tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def parse(lines):
    """Return protoc's text format as nested lists of (key, value)."""
    stack = [[]]
    for line in lines:
        line = line.strip()
        if line.endswith("{"):
            message = []
            stack[-1].append((line[:-1].strip(), message))
            stack.append(message)
        elif line == "}":
            stack.pop()
        elif line:
            key, value = line.split(": ", 1)
            stack[-1].append((key, value[1:-1] if value.startswith('"') else int(value)))
    return stack[0]


def first(message, key, default=None):
    return next((value for k, value in message if k == key), default)


def each(message, key):
    return [value for k, value in message if k == key]


class Viewer:
    """Assembles the packets like a viewer."""

    def __init__(self, packets):
        self.names, self.categories, self.notes, self.tracks, self.processes = {}, {}, {}, {}, {}
        self.events, self.flows, self.open, self.problems = [], {}, {}, []
        for packet in packets:
            self.take(packet)
        if any(self.open.values()):
            self.problems.append(f"slices never end: {self.open}")

    def take(self, packet):
        interned, track, event = (first(packet, key) for key in ("interned_data", "track_descriptor", "track_event"))
        if interned is not None:
            for key, table in (("event_names", self.names), ("event_categories", self.categories),
                               ("debug_annotation_names", self.notes)):
                table.update({first(row, "iid"): first(row, "name", "") for row in each(interned, key)})
        if track is not None and first(track, "process") is not None:
            self.processes[first(track, "uuid")] = first(first(track, "process"), "process_name")
        elif track is not None:
            self.tracks[first(track, "uuid")] = (first(track, "name"), first(track, "parent_uuid"))
        if event is not None:
            self.take_event(event, first(packet, "timestamp", 0))

    def take_event(self, event, time):
        uuid, kind = first(event, "track_uuid"), first(event, "type")
        stack = self.open.setdefault(uuid, [])
        if uuid not in self.tracks or self.tracks[uuid][1] not in self.processes:
            self.problems.append(f"track {uuid} has no descriptor")
        if kind == 2:
            if not stack:
                self.problems.append(f"an end without a start at {time}")
                return
            name, category, start, notes = stack.pop()
            if stack or time < start:
                self.problems.append(f"{name} at {start} does not nest")
            self.events.append((name, category, start, time - start, notes))
            return
        notes = {self.notes[first(n, "name_iid")]: first(n, "string_value", first(n, "int_value"))
                 for n in each(event, "debug_annotations")}
        row = [self.names[first(event, "name_iid")], self.categories[first(event, "category_iids")], time, notes]
        for key, end in (("flow_ids", 0), ("terminating_flow_ids", 1)):
            for flow in each(event, key):
                self.flows.setdefault(flow, [0, 0])[end] += 1
        if kind == 1:
            stack.append(row)
        else:
            self.events.append((row[0], row[1], row[2], 0, notes))


def test_decoded(tap, hirscope, folder):
    for name, words in (("ag_matmul", ("-d", 2, "--warmup", 1)), ("reduction", ())):
        path = os.path.join(folder, f"{name}.hirs")
        hirscope("run", f"example:{name}", "--clock", "model", "--trace", "full", "-o", path, *words)
        out, table = path + ".pftrace", path + ".csv"
        done = hirscope("export", path, "--to", "perfetto", "-o", out)
        if done.code != 0 and "protobuf-c" in done.err:
            tap.skip("export --to perfetto", "this build has no protobuf-c")
            return
        tap.check(done.code == 0, f"{name}: export --to perfetto", done)
        hirscope("export", path, "--to", "csv", "-o", table)
        with open(out, "rb") as f:
            text = subprocess.run(["protoc", f"--proto_path={ROOT}/tracer/trace/export", "--decode=hir_pf.Trace", "perfetto.proto"],
                                  stdin=f, capture_output=True, check=True, text=True).stdout
        viewer = Viewer(each(parse(text.splitlines()), "packet"))
        tap.check(not viewer.problems, f"{name}: slices nest, and their tracks have descriptors", viewer.problems[:3])
        with open(table, encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(f))
        zero = min(int(r["start_ns"]) for r in rows)
        wanted = sorted((r["name"], r["kind"], int(r["start_ns"]) - zero, int(r["duration_ns"]), int(r["rank"]),
                         r["instruction"], int(r["correlation"] or 0)) for r in rows)
        got = sorted((n, c, s, d, notes["rank"], notes.get("instruction", ""), notes.get("correlation", 0))
                     for n, c, s, d, notes in viewer.events)
        tap.check(got == wanted, f"{name}: the events are those of the CSV export", len(got), len(wanted))
        launched = [flow for flow in viewer.flows.values() if flow[0] and flow[1]]
        tap.check(len(launched) > 3, f"{name}: flows lead from launches to their work", viewer.flows)


def main():
    tap, hirscope = Tap(), from_command_line()
    if shutil.which("protoc") is None:
        tap.skip("export --to perfetto", "protoc not found")
    else:
        with tempfile.TemporaryDirectory() as folder:
            tap.group(test_decoded, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
