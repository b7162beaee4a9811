#!/usr/bin/env python3
"""test-hostile.py HIRSCOPE [GROUP...]

Tests hostile names of kernels, tracks, functions, files and folders: markup, format strings, JSON, graph syntax, line
breaks, control characters, right-to-left text, and 10 kB of text. They are shown literally, shortened by an ellipsis,
and all exported pictures are well-formed.
"""
import json
import os
import re
import sys
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from room import device_bars, enter_path, opened, ran, run_groups  # noqa: E402

SIZE = (1280, 800)
MARKUP = "{\"a\": [%d %s %n]} -> b & <b>bold</b> &amp; 'q'"
LONG = "long_" + "W<&>{}" * 1700
KERNELS = [
    MARKUP,
    "line one\nline two\ttab",
    "control \x01\x1b[31m red \x7f",
    "\u202e\u05e9\u05dc\u05d5\u05dd -> \u0645\u0631\u062d\u0628\u0627",
    "e" + "\u0301" * 40 + " combined",
    LONG,
    "</title><script>alert(1)</script>",
    "]]> --> <!-- ",
    "_under_score_ & <span foreground=\"red\">",
]
FILE = "t & <b> {x} \"q\" -> %s _u_ \u05e9"
FUNCTION = "f_" + "x" * 10240

SCRIPT = """import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType

# {braces} -> & <b>bold</b> "quotes" 'q' %s %n \\n \u05e9\u05dc\u05d5\u05dd e\u0301\u0301
NOTE = "{\\"a\\": [%d]} -> & <b>bold</b> &amp; \u202e"


def FUNCTION():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1] * 2, contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.set(tv0)  # <i> & -> }
        tv2 = fd.ops.set(tv1)
        fd.add_output(tv2)
        for tv in (tv1, tv2):
            tv.axis(0).parallelize(ParallelType.stream)
    return fd
""".replace("FUNCTION", FUNCTION)


def trace():
    events = [{"ph": "M", "name": "thread_name", "pid": 77, "tid": 77, "args": {"name": "thread <i>&{\n}%s" + LONG}},
              {"ph": "M", "name": "process_name", "pid": 77, "args": {"name": "process <i>&"}}]
    for i, name in enumerate(KERNELS):
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "launch <b>&", "pid": 77, "tid": 77, "ts": 100 * i, "dur": 20,
                    "args": {"correlation": i + 1}},
                   {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 100 * i + 30, "dur": 60,
                    "args": {"device": 0, "stream": 7, "correlation": i + 1, "note <b>&": name}}]
    return json.dumps({"schemaVersion": 1, "traceEvents": events})


def folder(room):
    path = room.path("dir & <i>{}")
    os.makedirs(path, exist_ok=True)
    return path


def write(room, name, text):
    path = os.path.join(folder(room), name)
    with open(path, "w") as file:
        file.write(text)
    return path


def labels(w):
    return [c["name"] for c in w.controls(kind="GtkLabel")]


def is_shown(w, name):
    """Return whether the inspector shows @name, or its start and end with a link that copies the whole name."""
    if len(name) <= 400:
        return name in labels(w)
    return any(text.startswith(name[:150]) and text.endswith(f"{name[-70:]} copy all {len(name)} characters")
               for text in labels(w))


def inside(s):
    """Return controls that extend beyond the window."""
    return [(c["kind"], c["name"][:40], c["x"], c["width"]) for c in s["controls"]
            if not c["scrolls"] and c["width"] > 0 and (c["x"] < 0 or c["x"] + c["width"] > SIZE[0] + 1)]


def picture(room, w, name):
    """Save a screenshot if HIR_TEST_PICTURES names a folder."""
    if os.environ.get("HIR_TEST_PICTURES"):
        w.screenshot(os.path.join(os.environ["HIR_TEST_PICTURES"], name + ".png"))


def pixels_of(w, name):
    """Return the pixels of the row of the inspector that starts with the label @name."""
    c = w.control(name, "GtkLabel")
    width, height, rows = w.display.pixels()
    return [bytes(row[3 * c["x"]:3 * (c["x"] + c["width"] + 60)]) for row in rows[c["y"]:c["y"] + c["height"]]]


def test_trace(t, room):
    w = room.open(write(room, FILE + ".json", trace()), size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and s["stats"] and not s["stats"]["busy"] and s["stats"]["Devices"][1:],
           "the trace and its statistics")
    s = w.state
    t.check(s["title"] == FILE + ".json", "the file name is the title", s["title"])
    t.check({row[0] for row in s["stats"]["Kernels by name"][1:]} == set(KERNELS), "each kernel has a row with its exact name")
    t.check({b["name"] for b in device_bars(s)} == set(KERNELS), "each kernel has a bar", [b["name"][:60] for b in device_bars(s)])
    t.check(not inside(s), "no widget exceeds the window", inside(s))
    picture(room, w, "trace")
    for i, name in enumerate(KERNELS):
        b = next(b for b in w.state["bars"] if b["name"] == name)
        w.click(b["x"], b["y"])
        s = w.wait(lambda s: s["event"] and s["event_start_ns"] == b["start_ns"] and is_shown(w, name),
                   f"the exact name in the inspector: {name[:60]!r}")
        t.check(not inside(s), f"the exact name of kernel {i} is displayed within the window", inside(s))
        picture(room, w, f"kernel-{i}")
        w.settle()
        above = pixels_of(w, "stream") if i == 0 else above
        t.check(i not in (4, 8) or pixels_of(w, "stream") == above, f"kernel {i} is not drawn over the row above")
    w.key("ctrl+f")
    w.wait(lambda s: s["events_found"] is not None and w.focus() and w.focus()["kind"] in ("GtkText", "GtkSearchEntry"),
           "the search bar")
    for text, name in (("<b>bold</b> &amp;", MARKUP), ("</title><", KERNELS[6]), ("[%d %s %n]} -> ", MARKUP)):
        w.key("ctrl+a")
        w.type(text)
        w.wait(lambda s: s["events_found"] == "1 of 1" and
               s["event_start_ns"] == next(b for b in s["bars"] if b["name"] == name)["start_ns"], f"the event with {text}")
    t.check(True, "the search takes all characters literally")
    w.key("Escape")
    copy_whole(t, w)
    room.end(t, w)


def copy_whole(t, w):
    """Copies the whole of a shortened name and finds it by searching for all of it."""
    b = next(b for b in w.settle()["bars"] if b["name"] == LONG)
    w.click(b["x"], b["y"])
    w.wait(lambda s: is_shown(w, LONG), "the long name")
    for _ in range(60):
        if w.focus() and w.focus()["kind"] == "GtkLabel" and w.focus()["name"].startswith(LONG[:9]):
            break
        w.key("Tab")
        w.settle()
    w.key("Return")
    w.wait(lambda s: "text/plain" in s["clipboard"], "the copied name")
    w.click(b["x"], b["y"])
    w.key("ctrl+f")
    w.wait(lambda s: s["events_found"] is not None and w.focus()["kind"] in ("GtkText", "GtkSearchEntry"), "the search bar")
    w.key("ctrl+a", "ctrl+v")
    s = w.wait(lambda s: s["events_found"] and "of 0" not in s["events_found"], "the matches")
    t.check(s["events_found"] == "1 of 1" and s["event_start_ns"] == b["start_ns"], "the link copies the whole name",
            s["events_found"])


def test_script(t, room):
    name = FUNCTION
    path = write(room, FILE + ".py", SCRIPT)
    w = room.open(path + "::" + name, size=SIZE)
    s = w.wait(opened, "the workspace")
    t.check(s["title"].startswith(name[:100]) and len(s["title"]) < 2000, "the title is the function's name, shortened",
            s["title"][:80], len(s["title"]))
    t.check(not inside(s), "no widget exceeds the window", inside(s))
    t.check(any("&amp; \u202e" in line["text"] for line in s["lines"]), "the script is displayed unchanged")
    n = s["graph"]["nodes"][0]
    w.click(n["x"], n["y"])
    w.wait(lambda s: s["selected"], "the clicked node to be selected")
    s = w.wait(lambda s: w.controls(kind="HirGraphCard"), "the card of the node under the pointer")
    card, view = w.controls(kind="HirGraphCard")[0], w.controls(kind="HirGraphView")[0]
    t.check(card["y"] + card["height"] <= view["y"] + view["height"], "the card is as high as its text", card, view)
    picture(room, w, "script")
    w.key("space")
    s = w.wait(ran, "a run")
    t.check(not inside(s), "bars and numbers of a run stay within the window", inside(s))
    picture(room, w, "run")
    room.end(t, w)


def test_palette(t, room):
    path = write(room, FILE + ".py", SCRIPT.replace(FUNCTION, "f"))
    w = room.open(path, size=SIZE)
    w.wait(opened, "the workspace")
    for text, title in (("two set", "two_set_ops"), ("& <b> {x}", "f")):
        w.key("ctrl+p")
        w.wait(lambda s: s["dialogs"], "the palette")
        w.focus_newest()
        w.type(text)
        w.wait(lambda s: len(w.controls(kind="GtkListBoxRow", dialog=True)) in range(1, 6) and
               w.controls(text, "GtkEntry", dialog=True), f"the entries that match {text}")
        picture(room, w, "palette")
        w.key("Return")
        w.wait(lambda s: not s["dialogs"] and opened(s) and s["title"] == title, f"{title} to be opened")
        w.display.xdotool("windowfocus", "--sync", w.id)
    t.check(True, "the palette finds a file by special characters and opens it")
    room.end(t, w)


def test_refused(t, room):
    """An error of a comparison contains the hostile file name."""
    bad = room.path("no <b> & trace.json", "{\"<b>&\": }")
    w = room.open(write(room, FILE + ".json", trace()), size=SIZE)
    w.wait(lambda s: s["page"] == "workspace" and s["stats"] and not s["stats"]["busy"], "the trace")
    enter_path(w, bad, "ctrl+shift+o")
    s = w.wait(lambda s: s["compare"] and s["compare"]["failure"], "the error of the comparison")
    t.check("no <b> & trace.json" in s["compare"]["failure"], "the error contains the exact file name", s["compare"]["failure"])
    picture(room, w, "refused")
    w.focus_newest()
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "the comparison to close")
    w.display.xdotool("windowfocus", "--sync", w.id)
    room.end(t, w)


def test_pictures(t, room):
    source = write(room, FILE + ".json", trace())
    for kind in ("svg", "html"):
        out = os.path.join(folder(room), "out." + kind)
        done = room.program("export", source, "--to", kind, "-o", out)
        t.check(done.code == 0 and not done.err, f"{kind} is written", str(done))
        with open(out) as file:
            text = file.read()
        svg = text if kind == "svg" else text[text.index("<svg"):text.index("</svg>") + 6]
        xml.dom.minidom.parseString(svg.encode())
        t.check(not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#x([0-8bcef]|1[0-9a-f]);", text), f"{kind} contains only characters allowed in XML")
        # The only script in an HTML report is its own, at its end.
        own = text.rindex("<script>") if kind == "html" else len(text)
        t.check("<script>" not in text[:own] and "alert" not in text[own:], f"no name becomes an element in {kind}")
    titles = [e.firstChild.data for e in xml.dom.minidom.parseString(svg.encode()).getElementsByTagName("title") if e.firstChild]
    t.check(any(title.startswith(MARKUP + "\n") for title in titles), "the tooltip of a bar is the kernel's name", titles[:3])
    script = write(room, FILE + ".py", SCRIPT)
    out = os.path.join(folder(room), "passes")
    done = room.program("lower", script, "--svg", out)
    t.check(done.code == 0, "the graphs are drawn", str(done))
    for name in os.listdir(out):
        xml.dom.minidom.parse(os.path.join(out, name))
    t.check(len(os.listdir(out)) > 2, "each graph is well-formed XML", os.listdir(out))


run_groups([test_trace, test_script, test_palette, test_refused, test_pictures])
