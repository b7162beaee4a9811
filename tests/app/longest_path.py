"""Computes the length of the longest path through a modelled run, without Hirscope's code.

Nodes are the events of a recording with `--trace full`. Only the order of the events, their durations on the host and
on streams, and the rules of the modelled clock (docs/traces.md) are used; start times are computed."""
import csv
import sqlite3
from bisect import bisect_left
from collections import defaultdict

WAIT_NS, TRANSFER_NS, BYTES_PER_NS = 200, 5000, 5


def read_meetings(recording):
    """Return {(rank, correlation): [meeting]} and {meeting: [(rank, correlation, bytes)]}."""
    of_event, members = defaultdict(list), defaultdict(list)
    with sqlite3.connect(recording) as db:
        for key, sequence, rank, correlation, size in db.execute(
                "SELECT key, sequence, rank, correlation, bytes FROM meetings"):
            of_event[rank, correlation].append((key, sequence))
            members[key, sequence].append((rank, correlation, size))
    return of_event, members


class Rank:
    def __init__(self):
        self.by_track = defaultdict(list)   # device events, by correlation
        self.by_correlation = {}
        self.issues = []


class LongestPath:
    def __init__(self, recording, csv_path):
        self.meetings, self.members = read_meetings(recording)
        self.ranks = defaultdict(Rank)
        self.events = []
        with open(csv_path, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                if row["phase"] == "program":
                    self.add({"rank": int(row["rank"]), "track": row["track"], "kind": row["kind"], "name": row["name"],
                              "start": int(row["start_ns"]), "ns": int(row["duration_ns"]),
                              "end": int(row["start_ns"]) + int(row["duration_ns"]),
                              "iteration": row["iteration"], "correlation": int(row["correlation"] or 0)})
        for rank in self.ranks.values():
            rank.issues.sort(key=lambda e: e["start"])
            for before, event in zip(rank.issues, rank.issues[1:]):
                event["before"] = [before]
            for events in rank.by_track.values():
                events.sort(key=lambda e: e["correlation"])
                for before, event in zip(events, events[1:]):
                    event["before"].append(before)
        for rank in self.ranks.values():
            issue_of = {e["correlation"]: e for e in rank.issues if e["correlation"]}
            for events in rank.by_track.values():
                for event in events:
                    self.connect(rank, event, issue_of)

    def add(self, event):
        event["before"] = []
        rank = self.ranks[event["rank"]]
        self.events.append(event)
        if event["kind"] == "issue":
            rank.issues.append(event)
        else:
            rank.by_track[event["track"]].append(event)
            rank.by_correlation[event["correlation"]] = event

    @staticmethod
    def last_before(events, correlation):
        i = bisect_left(events, correlation, key=lambda e: e["correlation"])
        return events[i - 1] if i > 0 else None

    def connect(self, rank, event, issue_of):
        # An instruction with several tasks has the correlation of the last one.
        issues = [issue_of[c] for c in range(event["correlation"], event["correlation"] + 16) if c in issue_of]
        if issues:
            event["before"].append(issues[0])
        if event["kind"] == "sync":
            name = event["name"]
            if name.startswith("Synchronize "):
                waited = self.last_before(rank.by_track[name.removeprefix("Synchronize ")], event["correlation"])
            else:
                posts = sorted((e for e in rank.by_correlation.values()
                                if e["kind"] == "communication" and
                                name in ("Wait " + e["name"].split(" to ")[0].split(" from ")[0], "Wait EndCoalescing")),
                               key=lambda e: e["correlation"])
                waited = self.last_before(posts, event["correlation"])
            event["waited"] = waited
        elif event["kind"] == "communication":
            # The wait for a communication, and the work that uses it, follow it on the stream that posts it.
            later = [e for c, e in rank.by_correlation.items()
                     if c > event["correlation"] and e["kind"] != "communication" and
                     e["iteration"] == event["iteration"]]
            if later:
                stream = min(later, key=lambda e: e["correlation"])["track"]
                posted = self.last_before(rank.by_track[stream], event["correlation"])
                if posted:
                    event["before"].append(posted)

    def get_finish(self, event):
        """Return the length of the longest path that ends with @event, whose predecessors are known."""
        if event["kind"] == "sync":
            return max(event["begin"], event["waited"]["finish"]) + WAIT_NS
        if event["kind"] != "communication" or (event["rank"], event["correlation"]) not in self.meetings:
            return event["begin"] + event["ns"]
        finish = 0
        for meeting in self.meetings[event["rank"], event["correlation"]]:
            members = self.members[meeting]
            begins = [self.ranks[rank].by_correlation[correlation]["begin"] for rank, correlation, _ in members]
            finish = max(finish, max(begins) + TRANSFER_NS + max(size for _, _, size in members) // BYTES_PER_NS)
        return finish

    def compute(self):
        """Return the length of the longest path over all ranks."""
        moments = [(e["end"] if is_end else e["start"], not is_end, i, e)
                   for i, e in enumerate(self.events) for is_end in (False, True)]
        for _, is_start, _, event in sorted(moments, key=lambda m: m[:3]):
            if is_start:
                event["begin"] = max((b["finish"] for b in event["before"]), default=0)
            else:
                event["finish"] = self.get_finish(event)
        return max(e["finish"] for e in self.events)
