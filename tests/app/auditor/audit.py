"""Orders the accesses of all ranks, and finds the conflicting pairs that nothing orders."""
from .communications import MESSAGES
from .machine import Machine
from .text import Program, instruction_name

# Marks an edge from a receive to its send: a send may wait for its receive, but nothing may rely on that.
RENDEZVOUS = "rendezvous"


class Verdict:
    """@missing: set of (hazard, first line, second line); a line is "entry" or "exit" for the caller's accesses.

    @needless: which Synchronize and Wait can be left out, judged by conflicting accesses only; @needless_joined: judged
    also by joins(); @mismatches: why posts do not match; @stuck: lines of communications that
    block each other; @held: numbers of tensors that hold memory at the end.
    """

    def __init__(self):
        self.missing, self.mismatches, self.stuck, self.held = set(), [], set(), set()
        self.needless = self.needless_joined = None


def match_posts(machines):
    """Connect the posts of all ranks in the order of posting; return what does not match."""
    mismatches, teams, messages = [], {}, {}
    for machine in machines:
        for post in machine.posts:
            table = teams if post.key[0] == "team" else messages
            table.setdefault(post.key, {}).setdefault(post.rank, []).append(post)
    for key, by_rank in teams.items():
        rows = [by_rank.get(rank, []) for rank in key[1]]
        if len({len(row) for row in rows}) > 1:
            mismatches.append(f"team {key[1]}: ranks post different numbers")
        for column in zip(*rows):
            if len({post.kind for post in column}) > 1:
                mismatches.append(f"team {key[1]}: {sorted({post.line for post in column})}")
            by = {post.rank: post for post in column}
            for post in column:
                for rank in post.of:
                    post.end.before.append((by[rank].start, None))
    for key in {k[:3] for k in messages}:
        sends = messages.get((*key, "send"), {}).get(key[1], [])
        recvs = messages.get((*key, "recv"), {}).get(key[2], [])
        if len(sends) != len(recvs):
            mismatches.append(f"{len(sends)} sends from {key[1]} to {key[2]}, {len(recvs)} receives")
        for send, recv in zip(sends, recvs):
            recv.end.before.append((send.start, None))
            send.end.before.append((recv.start, RENDEZVOUS))
    return mismatches


def topological(nodes):
    """Return the nodes in an order of execution, and those that never execute."""
    after, n_before = {}, {}
    for node in nodes:
        n_before[node] = len(node.before)
        for other, _ in node.before:
            after.setdefault(other, []).append(node)
    ready = [node for node in nodes if n_before[node] == 0]
    for node in ready:
        for other in after.get(node, ()):
            n_before[other] -= 1
            if n_before[other] == 0:
                ready.append(other)
    done = set(ready)
    return ready, [node for node in nodes if node not in done]


def ancestors(order, without=()):
    """Return for each node the set of its ancestors as bits; edges made by the lines @without are left out."""
    index = {node: i for i, node in enumerate(order)}
    bits = {}
    for i, node in enumerate(order):
        known = 1 << i
        for other, line in node.before:
            if line != RENDEZVOUS and line not in without:
                known |= bits[other]
        bits[node] = known
    return index, bits


def conflicts(machines):
    """Return the pairs of accesses of one rank to the same bytes, one of them a write, in the order of the host."""
    pairs = []
    for machine in machines:
        by_buffer = {}
        for access in machine.accesses:
            by_buffer.setdefault(access.view.buffer, []).append(access)
        for accesses in by_buffer.values():
            for j, second in enumerate(accesses):
                for first in accesses[:j]:
                    if first.conflicts(second):
                        pairs.append((first, second))
    return pairs


def hazard(first, second):
    return ("WAW" if second.is_write else "RAW") if first.is_write else "WAR"


def count_open(relation, order, without=()):
    """Return how many pairs of nodes (first, second) of @relation are not ordered."""
    index, bits = ancestors(order, without)
    return sum(not bits[second] >> index[first] & 1 for first, second in relation)


def joins(machines):
    """Return the pairs that a wait may be kept for although no accesses conflict.

    These are each rank's work, and the last node of each of its streams, with the end of its program; and successive
    communications of a channel, the second of which is posted from a stream after the first.
    """
    pairs = set()
    for machine in machines:
        leave = machine.leave
        pairs |= {(access.end, leave) for access in machine.accesses if access.end is not leave}
        pairs |= {(node, leave) for node in machine.last.values() if node is not leave}
        last = {}
        for post in machine.posts:
            channel = post.key if post.key[0] == "team" else MESSAGES
            if channel in last and post.before and last[channel] is not post.end:
                pairs.add((last[channel], post.before))
            last[channel] = post.end
    return pairs


class Needless:
    """Which Synchronize and Wait can be left out: @relation is as ordered without them as it is with all."""

    def __init__(self, relation, order, lines):
        self.relation, self.order, self.lines = relation, order, lines
        self.n_open = count_open(relation, order)
        self.alone = {line for line in lines if self.can_lack({line})}

    def can_lack(self, lines):
        return count_open(self.relation, self.order, lines) == self.n_open

    def after(self, lines):
        """Return the lines that can be left out in addition to @lines."""
        return {line for line in self.alone - lines if self.can_lack(lines | {line})}


def audit(lines, n_streams=4, symbols=None):
    """Return the verdict on a printed program; raises Unsupported, or Invalid if the program fails when it runs."""
    program = Program(lines)
    return audit_ranks([program] * program.n_ranks, n_streams, symbols)


def audit_ranks(programs, n_streams=4, symbols=None):
    """Return the verdict on programs that run together, one per rank; lines are those of the first."""
    program = programs[0]
    machines = [Machine(program, rank, n_streams, symbols or {}) for rank, program in enumerate(programs)]
    for machine in machines:
        machine.n_ranks = len(programs)
        machine.run()
    verdict = Verdict()
    verdict.mismatches = match_posts(machines)
    order, left = topological([node for machine in machines for node in machine.nodes])
    verdict.stuck = {node.label for node in left}
    if verdict.mismatches or left:
        return verdict
    verdict.held = {number for machine in machines for number in machine.held()}
    pairs = conflicts(machines)
    index, bits = ancestors(order)
    verdict.missing = {(hazard(a, b), a.line, b.line) for a, b in pairs if not bits[b.start] >> index[a.end] & 1}
    syncs = {s.line for s in program.statements if instruction_name(s.text) in ("Synchronize", "Wait")}
    relation = {(a.end, b.start) for a, b in pairs}
    verdict.needless = Needless(relation, order, syncs)
    verdict.needless_joined = Needless(relation | joins(machines), order, syncs)
    return verdict
