"""Communications and messages of one rank (docs/host-ir.md#communication, docs/host-ir.md#messages).

A communication starts on the channel of its team after the current stream, and ends there; a Wait orders the current
stream after its end. Messages of all pairs of ranks share one channel.
"""
import re

from .text import Unsupported, evaluate

MESSAGES = "messages"
ALL_TO_ALL = ("Allgather", "Allreduce", "ReduceScatter", "AllToAll")


class Invalid(Exception):
    """The program fails when it runs."""


class Post:
    """What one rank posts: @key is its team or pair of ranks, @of the ranks whose starts its end needs;
    @before is the last node of the stream that posts."""

    def __init__(self, rank, key, kind, start, end, line, of, before):
        self.rank, self.key, self.kind, self.start, self.end, self.line, self.of = rank, key, kind, start, end, line, of
        self.before = before


class Communications:
    """The part of a Machine that posts and waits.

    @works has the last post of each name: its end and the views of its tensors, which it keeps until its Wait or until it
    posts again.
    """

    def keep(self, name, end, views):
        for view in views:
            view.buffer.n_bound += 1
        _, former = self.works.pop(name, (None, ()))
        self.works[name] = (end, views)
        for view in former:
            self.release(view)

    def post(self, s, name, channel, kind, views, of):
        """Post a collective: its end on this rank needs the starts on the ranks @of."""
        start = self.node(channel, s.line, (self.last.get(self.current), None))
        end = self.node(channel, s.line)
        self.n_instances += 1
        self.access(views, start, end, s.line, self.n_instances)
        self.posts.append(Post(self.rank, channel, kind, start, end, s.line, of, self.last.get(self.current)))
        self.keep(name, end, [view for view, _ in views if view is not None])

    def communication(self, s, match):
        name, kind = match["name"], match["kind"]
        team = [int(n) for n in match["team"].split()]
        a, b = s.tensors[0], s.tensors[1]
        root = re.search(r"root=(.*?), input=", s.text)
        root = evaluate(root[1], self.env) if root else None
        if root is not None and self.program.is_2026 and 0 <= root < len(team):
            root = team[root]
        if root is not None and root not in team:
            raise Invalid("a root that is not in its team")
        if self.rank not in team:
            self.keep(name, None, ())
            return
        held = self.values.get(a.key)
        if self.holds(a) and held is None:
            raise Invalid(f"T{a.number} has no value")
        local = False
        if self.holds(b) and b.key not in self.values:
            raise Invalid(f"T{b.number} is not allocated")
        if kind in ALL_TO_ALL:
            gives, takes = [held], [self.result(b)]
            local = kind == "Allreduce"
            of = team
        elif kind in ("Broadcast", "Scatter"):
            is_root = self.rank == root
            gives = [held] if is_root else []
            takes = [self.result(b)] if not is_root or (kind == "Scatter" and self.holds(b)) else []
            local = kind == "Broadcast" and is_root and self.holds(b)
            of = () if is_root else (root,)
        elif kind in ("Gather", "Reduce"):
            is_root = self.rank == root
            if not is_root and not self.holds(a):
                raise Invalid("a rank that is not on the mesh of the input sends it")
            gives = [held] if not is_root or self.holds(a) else []
            takes = [self.result(b)] if is_root else []
            local = kind == "Reduce" and is_root
            of = team if is_root else ()
        elif kind == "SendRecv":
            if len(set(team)) == 1:
                self.work([(held, False), (self.result(b), True)], s.line)
                self.keep(name, None, ())
                return
            is_root = self.rank == root
            gives, takes = ([held], []) if is_root else ([], [self.result(b)])
            of = () if is_root else (root,)
        else:
            raise Unsupported(kind)
        self._post_collective(s, name, kind, team, root, gives, takes, local, b, of)

    def _post_collective(self, s, name, kind, team, root, gives, takes, local, out, of):
        """@local: the input is first copied to the output on the current stream, and the output is then used in place."""
        if local:
            view = self.result(out)
            self.work([(v, False) for v in gives] + [(view, True)], s.line)
            if len(team) == 1 and kind == "Broadcast":
                self.keep(name, None, ())
                return
            gives = [view]
            takes = [view] if kind != "Broadcast" else []
        views = [(v, False) for v in gives] + [(v, True) for v in takes]
        key = ("team", tuple(sorted(team)))
        self.post(s, name, key, (kind, root), views, [r for r in of if r != self.rank])

    def start_group(self, s, match):
        if self.group is not None:
            raise Invalid("StartCoalescing twice")
        self.group = []

    def end_group(self, s, match):
        if self.group is None:
            raise Invalid("EndCoalescing without a start")
        group, self.group = self.group, None
        self._post_messages(s, match[1], [m for _, m in group])
        for name, _ in group:
            self.keep(name, self.works[match[1]][0], ())

    def message(self, s, match):
        peer = evaluate(match["peer"], self.env)
        if not 0 <= peer < self.n_ranks:
            raise Invalid("no such peer")
        if match["backend"] == "CUDA":
            raise Unsupported("messages of the CUDA backend")
        item = (match["kind"], peer, self.read(s.tensors[0]))
        if self.group is not None:
            self.group.append((match["name"], item))
        else:
            self._post_messages(s, match["name"], [item])

    def _post_messages(self, s, name, items):
        start = self.node(MESSAGES, s.line, (self.last.get(self.current), None))
        end = self.node(MESSAGES, s.line)
        self.n_instances += 1
        for kind, peer, view in items:
            self.access([(view, kind == "recv")], start, end, s.line, self.n_instances)
            source, target = (self.rank, peer) if kind == "send" else (peer, self.rank)
            self.posts.append(Post(self.rank, ("pair", source, target, kind), kind, start, end, s.line, (),
                                   self.last.get(self.current)))
        self.keep(name, end, [view for _, _, view in items])

    def permute(self, s, match):
        team = [int(n) for n in match["team"].split()]
        if self.rank not in team:
            self.keep(match["name"], None, ())
            return
        if s.tensors[1].key not in self.values:
            raise Invalid(f"T{s.tensors[1].number} is not allocated")
        to, of = (team[evaluate(match[k], self.env)] for k in ("to", "of"))
        give, take = self.read(s.tensors[0]), self.result(s.tensors[1])
        if to == of == self.rank:
            self.work([(give, False), (take, True)], s.line)
            self.keep(match["name"], None, ())
            return
        self._post_messages(s, match["name"], [("send", to, give), ("recv", of, take)])

    def wait(self, s, match):
        if match[1] not in self.works:
            raise Invalid(f"line {s.line}: nothing to wait for")
        end, views = self.works.pop(match[1])
        self.node(self.current, s.line, (end, s.line))
        for view in views:
            self.release(view)
