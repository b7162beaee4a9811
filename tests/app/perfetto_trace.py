"""Decodes what Hirscope writes of Perfetto's format, without Hirscope's code, and assembles it like a viewer."""
import json
import struct

# Numbers of fields, as in Perfetto's documentation of trace packets.
CLOCKS, TIMESTAMP, TRACK_EVENT, INTERNED, DESCRIPTOR = 6, 8, 11, 12, 60
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Return the fields of a message: number -> list of values."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        found.setdefault(tag >> 3, []).append(value)
    if at != len(data):
        raise ValueError("a message is cut")
    return found


def one(message, number, default=None):
    return message.get(number, [default])[-1]


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


class PerfettoTrace:
    def __init__(self, path):
        self.tables = {number: {} for number in (1, 2, 3)}  # categories, names of events, names of annotations
        self.tracks, self.processes, self.threads, self.clocks = {}, {}, {}, {}
        self.events, self.samples, self.open, self.problems = [], [], {}, []
        with open(path, "rb") as f:
            for packet in fields(memoryview(f.read()).tobytes()).get(1, []):
                self.take(fields(packet))
        if any(self.open.values()):
            self.problems.append("slices never end")
        self.pairs = self.pair_flows()

    def take(self, packet):
        for row in fields(one(packet, CLOCKS, b"")).get(1, []):
            row = fields(row)
            self.clocks[one(row, 1)] = one(row, 2)
        for number, rows in fields(one(packet, INTERNED, b"")).items():
            for row in map(fields, rows):
                self.tables[number][one(row, 1)] = one(row, 2, b"").decode()
        if DESCRIPTOR in packet:
            self.take_descriptor(fields(one(packet, DESCRIPTOR)))
        if TRACK_EVENT in packet:
            self.take_event(fields(one(packet, TRACK_EVENT)), one(packet, TIMESTAMP, 0))

    def take_descriptor(self, track):
        uuid = one(track, 1)
        if 3 in track:
            process = fields(one(track, 3))
            self.processes[uuid] = (one(process, 1), one(process, 6, b"").decode())
            return
        if one(track, 5) not in self.processes and one(track, 5) not in self.tracks:
            self.problems.append(f"track {uuid} has no parent")
        self.tracks[uuid] = (one(track, 2, b"").decode(), one(track, 5))
        if 4 in track:
            thread = fields(one(track, 4))
            self.threads[uuid] = (one(thread, 1), one(thread, 2), one(thread, 5, b"").decode())
            if self.processes[one(track, 5)][0] != one(thread, 1):
                self.problems.append(f"the thread of track {uuid} is not one of its process")

    def get_value(self, note):
        if 11 in note:
            return self.get_args(note[11])
        if 12 in note:
            return [self.get_value(fields(row)) for row in note[12]]
        for number, read in ((2, bool), (3, int), (4, signed), (5, lambda b: struct.unpack("<d", b)[0]), (6, bytes.decode), (9, json.loads)):
            if number in note:
                return read(note[number][-1])
        self.problems.append("an annotation without a value")
        return None

    def get_args(self, rows):
        notes = [fields(row) for row in rows]
        return {self.tables[3][one(note, 1)]: self.get_value(note) for note in notes}

    def take_event(self, event, time):
        uuid, kind = one(event, 11), one(event, 9)
        stack = self.open.setdefault(uuid, [])
        if uuid not in self.tracks:
            self.problems.append(f"track {uuid} has no descriptor")
        if kind == COUNTER:
            self.samples.append((self.tracks[uuid][0], time, struct.unpack("<d", one(event, 44))[0]))
            return
        if kind == END:
            if not stack or time < stack[-1]["start"]:
                self.problems.append(f"an end at {time} without a start")
                return
            slice_ = stack.pop()
            slice_["duration"] = time - slice_["start"]
            return
        row = {"name": self.tables[2][one(event, 10)], "category": self.tables[1][one(event, 3)], "start": time, "duration": 0,
               "args": self.get_args(event.get(4, [])), "parent": stack[-1] if stack else None, "track": uuid,
               "out": [struct.unpack("<Q", v)[0] for v in event.get(47, [])], "in": [struct.unpack("<Q", v)[0] for v in event.get(48, [])]}
        self.events.append(row)
        if kind == BEGIN:
            stack.append(row)

    def pair_flows(self):
        """Return the pairs of a launch and its work."""
        starts, ends = {}, {}
        for row in self.events:
            for flow in row["out"]:
                if flow in starts:
                    self.problems.append(f"flow {flow} starts twice")
                starts[flow] = row
            for flow in row["in"]:
                if flow in ends:
                    self.problems.append(f"flow {flow} ends twice")
                ends[flow] = row
        if starts.keys() != ends.keys():
            self.problems.append(f"flows with one end: {sorted(starts.keys() ^ ends.keys())[:3]}")
        return [(starts[flow], ends[flow]) for flow in starts.keys() & ends.keys()]
