"""Executes a host program symbolically on one rank (docs/host-ir.md#execution).

The result is a list of nodes with their predecessors, and the accesses that the nodes make. Nodes of a stream follow
each other. A communication has a start and an end; its accesses happen between them.
"""
import re

from . import memory
from .communications import Communications, Invalid
from .text import Unsupported, evaluate, instruction_name

CALLER = "caller"
ENTRY, EXIT, RELEASE = "entry", "exit", "release"
# Ops that write into a bound result (docs/host-ir.md#compute).
IN_PLACE = re.compile(r" = (matmul|linear)\(| = reduction\( .* op = (add|max|min|fmax|fmin),| = T\d+.* [-+*/] T\d+")
MAX_NODES = 60_000


class Node:
    __slots__ = ("rank", "before", "label")

    def __init__(self, rank, before, label):
        # Pairs (predecessor, line of the instruction that makes this edge, or None).
        self.rank, self.before, self.label = rank, before, label


class Access:
    __slots__ = ("view", "is_write", "start", "end", "line", "instance")

    def __init__(self, view, is_write, start, end, line, instance):
        self.view, self.is_write, self.start, self.end, self.line, self.instance = view, is_write, start, end, line, instance

    def conflicts(self, other):
        """Return whether the two must be ordered."""
        if not (self.is_write or other.is_write) or self.instance == other.instance:
            return False
        return self.view.overlaps(other.view)


class Machine(Communications):
    def __init__(self, program, rank, n_streams, symbols):
        self.program, self.rank, self.n_ranks = program, rank, program.n_ranks
        self.env = {**symbols, "rank": rank, "numberOfStreams": n_streams}
        self.values, self.streams, self.last, self.works = {}, {}, {}, {}
        self.current = CALLER
        self.nodes, self.accesses, self.posts = [], [], []
        self.group, self.n_instances = None, 0
        self.dependents = {}

    # Nodes and accesses

    def node(self, stream, label, *before):
        """Append a node to @stream, after the nodes of @before."""
        previous = self.last.get(stream)
        pairs = [(previous, None)] if previous else []
        node = Node(self.rank, pairs + [b for b in before if b[0]], label)
        self.nodes.append(node)
        self.last[stream] = node
        if len(self.nodes) > MAX_NODES:
            raise Unsupported("too many nodes")
        return node

    def access(self, views, start, end, line, instance):
        for view, is_write in views:
            if view is not None:
                self.accesses.append(Access(view, is_write, start, end, line, instance))

    def work(self, views, line):
        """Queue work on the current stream that makes these accesses."""
        node = self.node(self.current, line)
        self.n_instances += 1
        self.access(views, node, node, line, self.n_instances)

    # Values

    def holds(self, tensor):
        return not tensor.mesh or self.rank in tensor.mesh

    def lacks(self, tensors):
        """Return whether a tensor has no value because this rank is not on its mesh."""
        return any(not self.holds(t) and t.key not in self.values for t in tensors)

    def bind(self, tensor, view):
        view.buffer.n_bound += 1
        self.unbind(tensor.key)
        self.values[tensor.key] = view

    def unbind(self, key):
        """Take the value of a tensor away."""
        view = self.values.pop(key, None)
        if view is None:
            return False
        self.release(view)
        return True

    def release(self, view):
        """Give a reference up. Memory without references can be used again on the stream that allocated it."""
        view.buffer.n_bound -= 1
        if view.buffer.n_bound == 0 and view.buffer.stream is not None:
            node = self.node(view.buffer.stream, RELEASE)
            self.n_instances += 1
            whole = memory.View(view.buffer, ())
            self.accesses.append(Access(whole, True, node, node, RELEASE, self.n_instances))

    def read(self, tensor):
        view = self.values.get(tensor.key)
        if view is None:
            raise Invalid(f"T{tensor.number} has no value")
        return view

    def result(self, tensor):
        """Return where an op writes: in place if its result is bound (docs/host-ir.md#in-place-or-bound)."""
        if tensor.key not in self.values:
            self.bind(tensor, memory.fresh(tensor, self.current))
        return self.values[tensor.key]

    def held(self):
        """Return the numbers of the tensors that hold memory of the program, in programs that manage their memory."""
        if not re.search(r"Deallocate|ALLOCATE\(mem_type=", "\n".join(self.program.lines)):
            return set()
        outputs = {tensor.key for tensor in self.program.outputs}
        kept = {id(view.buffer) for key, view in self.values.items() if key in outputs or view.buffer.stream is None}
        return {key[0] for key, view in self.values.items() if id(view.buffer) not in kept}

    # Streams

    def stream(self, text):
        words = text.strip()
        if words in self.program.named_streams:
            return self.streams.setdefault(words, ("named", words))
        return ("index", evaluate(words, self.env))

    # Execution

    def run(self):
        entry = self.node(CALLER, ENTRY)
        inputs = []
        for tensor in self.program.inputs:
            if not self.holds(tensor):
                continue
            view = memory.fresh(tensor, None)
            inputs.append(view)
            self.bind(tensor, view)
            self.access([(view, True)], entry, entry, ENTRY, ENTRY)
        self._find_dependents()
        self.execute(self.program.body)
        if self.group is not None:
            raise Invalid("a group of messages has no end")
        leave = self.node(CALLER, EXIT)
        for tensor in self.program.outputs:
            view = self.values.get(tensor.key)
            self.access([(view, False)], leave, leave, EXIT, EXIT)
        # The caller may write the next inputs after the program.
        self.access([(view, True) for view in inputs], leave, leave, EXIT, EXIT)
        self.leave = leave

    def execute(self, body):
        for s in body:
            self.execute_one(s)

    def execute_one(self, s):
        text = s.text
        if instruction_name(text) in ("op", "HirAliasSelect", "ShardByStream", "PostOnStream") and self.lacks(s.tensors[1:]):
            return
        for pattern, method in HANDLERS:
            match = re.match(pattern, text)
            if match:
                method(self, s, match)
                return
        raise Unsupported(text[:60])

    def loop(self, s, match):
        index = match["index"]
        axis = match["axis"]
        if axis:
            start, stop = 0, evaluate(re.match(r"[^{]*\{(.*)\}", axis)[1], self.env)
        else:
            start, stop = evaluate(match["start"], self.env), evaluate(match["stop"], self.env)
        outer = self.env.get(index)
        for i in range(start, stop):
            # What depends on the index through definitions loses its value, but not in the loops of 2026.
            if axis:
                for key in self.dependents.get(index, ()):
                    self.unbind(key)
            self.env[index] = i
            self.execute(s.body)
        if outer is None:
            self.env.pop(index, None)

    def _find_dependents(self):
        """For each loop index, find the tensors that depend on it through definitions."""
        uses = []
        for s in self.program.statements:
            name = instruction_name(s.text)
            if self.program.is_select and " = select( " in s.text:
                continue  # a HirAliasSelect, which defines nothing
            if name in ("ShardByStream", "op") and s.tensors:
                uses.append((s.tensors[0], s.tensors[1:], re.sub(r"\[.*?\]", "", s.text.partition(" = ")[2])))
            elif name == "Communication" and len(s.tensors) > 1:
                root = re.search(r"root=(.*?), input=", s.text)
                uses.append((s.tensors[-1], s.tensors[:1], root[1] if root and self.program.is_2026 else ""))
        for s in self.program.statements:
            match = re.match(r"FOR (\w+) ", s.text)
            if not match:
                continue
            index, found, grows = match[1], set(), True
            while grows:
                grows = False
                for out, ins, words in uses:
                    if out.key in found or out.key in {t.key for t in self.program.inputs}:
                        continue
                    if re.search(rf"\b{index}\b", words) or any(t.key in found for t in ins):
                        found.add(out.key)
                        grows = True
            self.dependents[index] = found

    def branch(self, s, match):
        self.execute(s.body if evaluate(match[1], self.env) else s.orelse)

    def get_stream(self, s, match):
        self.streams.setdefault(match[1], self.current)

    def set_stream(self, s, match):
        self.current = self.stream(match[1])

    def synchronize(self, s, match):
        other = self.stream(match[1])
        self.node(self.current, s.line, (self.last.get(other), s.line))

    def allocate(self, s, match):
        tensor = s.tensors[0]
        if tensor.key in self.values and "ALLOCATE(buffer=" in s.text:
            return
        view = memory.fresh(tensor, self.current)
        self.bind(tensor, view)
        if "zero_init=true" in s.text:
            self.work([(view, True)], s.line)

    def deallocate(self, s, match):
        if not self.unbind(s.tensors[0].key):
            raise Invalid("Deallocate of a tensor that has no value")

    def alias_select(self, s, match):
        out, source = s.tensors[0], s.tensors[1]
        axis = re.search(r"axis = [irb][A-Za-z.]*?(\d+)\{", s.text)
        index = re.search(r"index = (.*?) \)$", s.text)
        view = self.read(source)
        kind = re.search(r"axis = ([irb])", s.text)[1]
        if kind == "r":
            self.bind(out, view)
            return
        numbers = [a.number for a in source.dims]
        if int(axis[1]) not in numbers or len(numbers) != len(view.dims):
            raise Unsupported("a select of an axis that was split")
        at = numbers.index(int(axis[1]))
        is_one = kind == "b" or source.dims[at].is_device
        position = 0 if is_one else evaluate(index[1], self.env)
        if not 0 <= position < (1 if is_one else evaluate(source.dims[at].extent, self.env)):
            raise Invalid(f"slice {position} is out of range")
        self.bind(out, view.select(at, position))

    def shard(self, s, match):
        out, source = s.tensors[0], s.tensors[1]
        view, index = self.read(source), evaluate(match["index"], self.env)
        stream = [a for a in out.axes if a.is_stream]
        if len(stream) != 1:
            raise Unsupported("ShardByStream without a stream axis")
        # Axes that are not parallel keep their order, so the split dimension is found by its position among them.
        ours, theirs = ([a for a in t.axes if not (a.is_stream or a.is_device or a.kind == "r")] for t in (out, source))
        pieces = [a for a in ours if a.extent.replace(" ", "").endswith(f",{stream[0].extent}))")]
        split = next((a for a in pieces if abs(a.number - stream[0].number) == 1), pieces[0] if len(pieces) == 1 else None)
        if split is None or len(ours) != len(theirs) or len(source.dims) != len(view.dims):
            raise Unsupported("ShardByStream of an axis that the text does not show")
        keys = [view.dims[source.dims.index(a)] for a in theirs]
        size = evaluate(split.extent, self.env)
        dims = [keys[ours.index(a)] if a in ours else ("parallel", a.number) for a in out.dims]
        self.bind(out, view.piece(keys[ours.index(split)], index * size, size, dims))

    def op(self, s, match):
        out, operands = s.tensors[0], s.tensors[1:]
        is_set = re.search(r" = (Set|Set\.Permute|SegmenterSet)\( ", s.text)
        if self.program.is_select and re.search(r" = select\( ", s.text):
            self.alias_select(s, match)
            return
        views = [(self.read(t), False) for t in operands]
        if out.key in self.values and not is_set and not self.program.is_2026 and not IN_PLACE.search(s.text):
            raise Invalid("an op that cannot write into a bound result")
        if is_set and out.key not in self.values:
            self.bind(out, self._alias(out, operands[0], "Permute" in is_set[1]))
            return
        self.work(views + [(self.result(out), True)], s.line)

    def _alias(self, out, source, is_permuted):
        view = self.read(source)
        if len(out.dims) != len(view.dims):
            return memory.View(view.buffer, [("split", a.number) for a in out.dims], view.limits)
        if is_permuted:
            return memory.View(view.buffer, [("permuted", a.number) for a in out.dims], view.limits)
        return memory.View(view.buffer, list(view.dims), view.limits)

    def post_unit(self, s, match):
        ins, _, outs = s.text.partition("Outputs:")
        n = len(s.tensors) - len(re.findall(r"\bT\d+_", outs))
        views = [(self.read(t), False) for t in s.tensors[:n]]
        self.work(views + [(self.result(t), True) for t in s.tensors[n:]], s.line)

    def scalar(self, s, match):
        self.env[match[1]] = evaluate(match[2], self.env)


HANDLERS = (
    (r"FOR (?P<index>\w+) (?:in (?P<axis>.*)|from (?P<start>.*) to (?P<stop>.*)):$", Machine.loop),
    (r"IF Manual (.*):$", Machine.branch),
    (r"GetCurrentStream into Stream (\w+)$", Machine.get_stream),
    (r"Stream (\w+) = GetCurrentStream\(\)$", Machine.get_stream),
    (r"SetCurrentStream to Stream (.*)$", Machine.set_stream),
    (r"SetCurrentStream\(Stream (.*)\)$", Machine.set_stream),
    (r"Synchronize Stream (.*)$", Machine.synchronize),
    (r"Synchronize\(Stream (.*)\)$", Machine.synchronize),
    (r"Wait \w+ (\d+)$", Machine.wait),
    (r"Wait\(\w+ (\d+)\)$", Machine.wait),
    (r"StartCoalescing$", Machine.start_group),
    (r"EndCoalescing (\d+)$", Machine.end_group),
    (r"P2PCommunication (?P<name>\d+) \(type=(?P<kind>send|recv), .* peer=(?P<peer>.*), backend=(?P<backend>\w+)\)$", Machine.message),
    (r"Communication (?P<name>\d+) \(type=(?P<kind>\w+), team=\((?P<team>[\d ]*)\)", Machine.communication),
    (r"CollectivePermute (?P<name>\d+) \(team=\((?P<team>[\d ]*)\), send_peer=(?P<to>.*), recv_peer=(?P<of>.*), input=", Machine.permute),
    (r"PostOnStream", Machine.post_unit),
    (r"Deallocate", Machine.deallocate),
    (r"T\d+_.* = ALLOCATE\(", Machine.allocate),
    (r"T\d+_.* = HirAliasSelect\( ", Machine.alias_select),
    (r"T\d+_.* = ShardByStream\(.*stream_index ?= ?(?P<index>.*)\)$", Machine.shard),
    (r"T\d+_.* = ", Machine.op),
    (r"([ibdf]\d+) = (.*);$", Machine.scalar),
)
