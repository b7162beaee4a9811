#!/usr/bin/env python3
"""Rules of the tree that no compiler checks: layers, sizes, comments, what may stand in a tracked file."""
import json
import os
import re
import subprocess

from tap import Tap

SOURCE = os.environ.get("HIR_TEST_SRCDIR", os.path.join(os.path.dirname(__file__), "..", ".."))
LAYERS = ["ir", "passes", "tracer", "ui", "app"]  # each may include itself and what stands before it
MAX_LINES = 600

# What needs no comment of its own where its name says all there is: how a thing is made and goes away, what it
# is, how many it has. Headers that one library keeps to itself are its own business.
PLAIN = re.compile(r"_(new|new_empty|free|ref|unref|clear|get_type|quark|is_[a-z_]+|get_n_[a-z_]+)$")
PRIVATE = re.compile(r"-(private|internal)\.h$")


def tracked_files():
    """Paths relative to the root. Without git (an unpacked archive): all but build folders."""
    git = ["git", "-c", "safe.directory=*", "-C", SOURCE, "ls-files", "-z", "--cached", "--others",
           "--exclude-standard"]
    try:
        out = subprocess.run(git, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        names = [n for n in out.decode().split("\0") if n]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(SOURCE):
            folders[:] = [f for f in folders if not f.startswith("build") and f not in (".git", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), SOURCE) for f in files]
    return sorted(n for n in names if os.path.isfile(os.path.join(SOURCE, n)))


def read(name):
    with open(os.path.join(SOURCE, name), "rb") as f:
        return f.read().decode("utf-8", errors="replace")


def is_c(name):
    return name.endswith((".c", ".h"))


def find_machine_paths(text):
    """Absolute paths of the machine that somebody worked on. In pieces, or this file would be one."""
    return re.findall(r"(?<![\w.~$}])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")/[\w.]+", text)


def find_includes(text):
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', text, re.MULTILINE)


TOOLKIT = re.compile(r"^(gtk|gdk|gsk|adwaita|libadwaita|gtksourceview)[./-]|^(gtk|gdk|adwaita)$")
DEVICE = re.compile(r"^(cuda|cupti|nccl|mpi|cublas|nvrtc)")


def may_include_passes(name):
    """Of tracer only its top (requests, programs, documents) and bisect know passes and runs together."""
    return os.path.dirname(name) != "tracer/run" and not name.startswith(("tracer/record/", "tracer/trace/")) and (
        not name.startswith("tracer/analysis/") or name.startswith("tracer/analysis/bisect."))


def upward(name, headers):
    """Includes of `name` that point up, or at what its layer may not know. headers: layer -> its headers."""
    layer = name.split("/")[0]
    at = LAYERS.index(layer)
    bad = []
    for quote, path in find_includes(read(name)):
        if TOOLKIT.match(path) and layer != "ui":
            bad.append(path)
        if DEVICE.match(path) and layer != "tracer":
            bad.append(path)
        if quote != '"' or os.path.dirname(name) + "/" + path in headers[layer]:
            continue
        for above in LAYERS[at + 1:]:
            if path.startswith(above + "/") or (
                    above + "/" + path in headers[above] and
                    not any(low + "/" + path in headers[low] for low in LAYERS[:at + 1])):
                bad.append(path)
        if not may_include_passes(name) and "passes/" + path in headers["passes"] and \
                layer + "/" + path not in headers[layer]:
            bad.append(path)
    return bad


PROTOTYPE = re.compile(r"^(?!typedef|static|G_|#|extern)[A-Za-z_][\w \t*]*?\b(\w+) \((?!\*)", re.MULTILINE)


def declared_functions(text):
    """(name, paragraph) of each function that a header declares. A paragraph: lines up to a blank one."""
    body = re.sub(r"^#define.*?(?<!\\)$", "", text, flags=re.MULTILINE | re.DOTALL)
    for paragraph in re.split(r"\n[ \t]*\n", body):
        bare = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), paragraph, flags=re.DOTALL)
        depth, kept = 0, []
        for c in bare:
            depth -= c == "}"
            kept.append(c if depth == 0 or c == "\n" else " ")
            depth += c == "{"
        for match in PROTOTYPE.finditer("".join(kept)):
            yield match.group(1), paragraph, match.start()


def uncommented(text):
    """Functions with no comment above them in their paragraph, nor one at the end of their own line."""
    bad = []
    for name, paragraph, start in declared_functions(text):
        before = paragraph[:start]
        after = paragraph[start:].split(";", 1)
        line_end = after[1].split("\n", 1)[0] if len(after) > 1 else ""
        if "/*" not in before and "/*" not in line_end and not PLAIN.search(name):
            bad.append(name)
    return bad


ACTION = re.compile(r'^ *\{ "(win\.[\w-]+)", [^;]*?, "([^"]*)" \},$', re.MULTILINE)


def shared_keys(text):
    """Keys that two actions of a table have: only the first of them would ever hear it."""
    users = {}
    for action, keys in ACTION.findall(text):
        for key in filter(None, keys.split("|")):
            users.setdefault(key, []).append(action)
    return [f"{key}: {' and '.join(actions)}" for key, actions in users.items() if len(actions) > 1]


def test_names():
    """Of all tests of this build; none where there is none."""
    path = os.path.join(os.environ.get("HIR_TEST_BUILDDIR", ""), "meson-info", "intro-tests.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [test["name"] for test in json.load(f)]


def twice(values):
    return sorted({v for v in values if values.count(v) > 1})


def check_rules_can_fail(tap):
    tap.check(twice(["a", "b", "a"]) == ["a"], "what is there twice is seen")
    tap.check(find_machine_paths("see /ro" + "ot/x.txt"), "a machine path is seen")
    tap.check(not find_machine_paths("https://example.org/ho" + "me/x"), "a URL is no machine path")
    tap.check(shared_keys('  { "win.a", NULL, f, "F5|x" },\n  { "win.b", "s", g, "x" },\n') == ["x: win.a and win.b"],
              "a key of two actions is seen")
    tap.check(uncommented("int hir_a (void);\n") == ["hir_a"], "a bare declaration is seen")
    tap.check(not uncommented("/* Why. */\nint hir_a (void);\nint hir_b (int x);\n"),
              "a comment covers the paragraph under it")
    tap.check(uncommented("/* Why. */\nint hir_a (void);\n\nGArray *hir_b (int x,\n  int y);\n") == ["hir_b"],
              "a blank line ends a paragraph")
    headers = {layer: set() for layer in LAYERS}
    headers["passes"].add("passes/pass.h")
    headers["ir"].add("ir/val.h")
    global read
    real, read = read, lambda name: '#include "pass.h"\n#include <gtk/gtk.h>\n#include "val.h"\n'
    try:
        tap.check(sorted(upward("ir/x.c", headers)) == ["gtk/gtk.h", "pass.h"], "an include that points up is seen",
                  upward("ir/x.c", headers))
        tap.check(sorted(upward("tracer/run/x.c", headers)) == ["gtk/gtk.h", "pass.h"], "tracer/run is kept from passes")
        tap.check(upward("tracer/document.c", headers) == ["gtk/gtk.h"], "document.c may know passes")
    finally:
        read = real


def main():
    tap = Tap()
    names = tracked_files()
    mine = [n for n in names if is_c(n) and n.split("/")[0] in LAYERS]
    tap.group(check_rules_can_fail)
    tap.check(len(mine) > 20, "there are sources to look at", len(mine))

    bad = [f"{n}: {p}" for n in names for p in find_machine_paths(read(n))]
    tap.check(not bad, "no tracked file names a path of somebody's machine", *bad)

    actions = read("ui/window-actions.c")
    tap.check(len(ACTION.findall(actions)) > 50, "there are actions to look at", len(ACTION.findall(actions)))
    tap.check(not shared_keys(actions), "no two actions have a key in common", *shared_keys(actions))

    bad = [f"{n}: {read(n).count(chr(10))} lines" for n in names if is_c(n) and read(n).count("\n") > MAX_LINES]
    tap.check(not bad, f"no .c or .h has more than {MAX_LINES} lines", *bad)

    headers = {layer: {n for n in mine if n.endswith(".h") and n.startswith(layer + "/")} for layer in LAYERS}
    for layer in LAYERS:
        files = [n for n in mine if n.startswith(layer + "/")]
        bad = [f"{n}: {p}" for n in files for p in upward(n, headers)]
        tap.check(not bad, f"includes of {layer}/ point down", *bad)
        bad = [f"{n}: {f}" for n in sorted(headers[layer]) if not PRIVATE.search(n) for f in uncommented(read(n))]
        tap.check(not bad, f"every function that a header of {layer}/ declares has a comment", *bad)
        bad = [f"{n}: {f}" for n in sorted(headers[layer]) for f, _, _ in declared_functions(read(n))
               if not f.startswith("hir_")]
        tap.check(not bad, f"every function that a header of {layer}/ declares begins with hir_", *bad)

    bad = [n for n in mine if n.endswith(".h") and "#pragma once" not in read(n) and
           not re.search(r"[Ii]ncluded (once )?by", read(n)[:300])]
    tap.check(not bad, "every header is read once", *bad)
    bad = [n for n in names if n.endswith((".c", ".h", ".py", ".md", ".build")) and
           re.search(r"[ \t]+$|\t|\r|[^\n]\Z", re.sub(r"(?m)^> .*$", "", read(n)), re.MULTILINE)
           and not n.startswith("tests/data/")]
    tap.check(not bad, "no tab, no space at a line's end, a newline at the end of every file", *bad)

    # meson keeps results by name: of two tests with one name it loses some, and says so in a traceback.
    tap.check(not twice(test_names()), "no two tests have a name in common", *twice(test_names()))
    tap.done()


if __name__ == "__main__":
    main()
