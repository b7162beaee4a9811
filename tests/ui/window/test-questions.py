#!/usr/bin/env python3
"""test-questions.py HIRSCOPE [GROUP...]

Tests that typical questions on ag_matmul with 8 devices are answered by at most three inputs (a key, a click or a typed
word). The answers are read from the inspector.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import PASSES, device_bars, opened, ran, run_groups  # noqa: E402

MAX_INPUTS = 3


class Hands:
    """Counts inputs."""

    def __init__(self, window):
        self.window, self.n = window, 0

    def key(self, key):
        self.n += 1
        self.window.key(key)

    def word(self, text):
        self.n += 1
        self.window.type(text)

    def click(self, x, y):
        self.n += 1
        self.window.click(x, y)

    def last_pass(self):
        row = next(c for c in self.window.controls(kind="GtkListBoxRow") if c["name"] == PASSES[-1])
        self.click(row["x"] + 40, row["y"] + row["height"] / 2)
        self.window.wait(lambda s: s["step"] == PASSES[-1] and s["text_page"] == "ir" and
                         any("FOR StreamIdx" in line["text"] for line in s["lines"]), "the last pass")
        self.window.settle()
        self.window.read()

    def line(self, text, number=0):
        """Return line @number of those that start with @text."""
        found = [line for line in self.window.state["lines"] if line["text"].strip().startswith(text)]
        indent = len(found[number]["text"]) - len(found[number]["text"].lstrip())
        page = self.window.controls(kind="HirCodeView")[0]
        self.click(page["x"] + 60 + 8 * indent, found[number]["y"])


def ask(room):
    w = room.open("example:ag_matmul", "-d", "8", size=(1600, 1000))
    w.wait(opened, "the program")
    return w, Hands(w)


def fact(s, name):
    """Return the value of the fact @name in the inspector, or None."""
    labels = s["inspector"]
    return labels[labels.index(name) + 1] if name in labels[:-1] else None


def answered(t, w, hands, name, right, what):
    s = w.wait(lambda s: fact(s, name) is not None and right(fact(s, name)), what)
    t.check(True, f"{what}: {fact(s, name)}")
    t.check(hands.n <= MAX_INPUTS, f"at most {MAX_INPUTS} inputs", hands.n)
    return s


def test_which_pass_made_the_loop(t, room):
    w, hands = ask(room)
    hands.last_pass()
    hands.line("FOR StreamIdx", 1)
    answered(t, w, hands, "made by", lambda text: text == "StreamParallelType", "the pass that made the loop")
    room.end(t, w)


def test_why_is_t3_allocated(t, room):
    w, hands = ask(room)
    hands.key("ctrl+p")
    w.wait(lambda s: s["dialogs"], "the palette")
    w.focus_newest()
    hands.word("allocate t3")
    w.wait(lambda s: any(c["kind"] == "GtkListBoxRow" and c["name"] == "Instruction" for c in s["dialogs"][0]["controls"]),
           "the instruction")
    hands.key("Return")
    s = answered(t, w, hands, "why", lambda text: "Allgather fills it and matmul reads it" in text, "the reason why T3 is allocated")
    t.check("slice (T5)" in fact(s, "why") and "before the loop" in fact(s, "why"), "the answer explains the allocation before the loop", fact(s, "why"))
    t.check(s["step"] == PASSES[-1], "the executed program is displayed", s["step"])
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


def test_which_stream_ran_iteration_5(t, room):
    w, hands = ask(room)
    hands.last_pass()
    hands.key("space")
    w.wait(ran, "the run")
    hands.line("FOR StreamIdx", 1)
    s = answered(t, w, hands, "iteration 5", lambda text: text.startswith("Stream 1 "), "the stream of iteration 5")
    # Four streams in rotation, as in the timeline.
    streams = [fact(s, f"iteration {i}").split(" \u00b7")[0] for i in range(8)]
    t.check(streams == [f"Stream {i % 4}" for i in range(8)], "iterations alternate between the streams", streams)
    def fifth(s):
        return [b for b in device_bars(s) if b["rank"] == 0 and b["iteration"] == 5 and "matmul" in b["name"]]

    bars = fifth(w.wait(fifth, "the bars of iteration 5"))
    t.check(bars and all(b["track"] == "Stream 1" for b in bars), "the timeline shows the same stream", bars)
    room.end(t, w)


def test_what_does_the_wait_wait_for(t, room):
    w, hands = ask(room)
    hands.last_pass()
    hands.line("Wait Communication")
    s = answered(t, w, hands, "waits for", lambda text: "Allgather" in text and "T5" in text, "what the Wait waits for")
    t.check("matmul must not read T5" in (fact(s, "why") or ""), "the answer describes the error without the Wait", fact(s, "why"))
    room.end(t, w)


GROUPS = [test_which_pass_made_the_loop, test_why_is_t3_allocated, test_which_stream_ran_iteration_5,
          test_what_does_the_wait_wait_for]

run_groups(GROUPS)
