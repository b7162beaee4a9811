#!/usr/bin/env python3
"""Tests rules of the source tree that no compiler checks: layers, sizes, comments, contents of tracked files."""
import json
import os
import re
import subprocess

from tap import Tap

SOURCE = os.environ.get("HIR_TEST_SRCDIR", os.path.join(os.path.dirname(__file__), "..", ".."))
LAYERS = ["ir", "passes", "tracer", "ui", "app"]  # each may include itself and the layers before it
MAX_SOURCES = 40  # .c files in one folder

# The folders of the same layer that a folder may include. A folder that is not listed may include only itself. The
# test fails for an include that is not listed, and for an entry that no file needs. Two folders may include each
# other only if MUTUAL gives the reason.
MAY_INCLUDE = {
    "ir": "ir/print",
    "ir/dump": "ir ir/print ir/verify",
    "ir/ops": "ir ir/print",
    "ir/print": "ir",
    "ir/schedule": "ir ir/print",
    "ir/script": "ir ir/ops ir/schedule ir/script/parse",
    "ir/script/parse": "ir",
    "ir/script/torch": "ir ir/script ir/script/parse",
    "ir/verify": "ir ir/print ir/schedule",
    "ir/view": "ir ir/print",
    "passes/hostir": "passes passes/segment passes/sharding",
    "passes/segment": "passes",
    "passes/sharding": "passes",
    "passes/stream": "passes",
    "passes/testing": "passes",
    "tracer/analysis":
        "tracer/run/comm tracer/run/model tracer/run/reference tracer/run/session tracer/run/values tracer/trace",
    "tracer/bisect": "tracer/debugger tracer/program tracer/run/reference tracer/run/session tracer/run/values",
    "tracer/cuda": "tracer/cuda/backend tracer/cuda/comm tracer/cuda/cupti tracer/run/session",
    "tracer/cuda/backend": "tracer/cuda/codegen tracer/cuda/driver tracer/run tracer/run/cpu",
    "tracer/cuda/codegen": "tracer/run tracer/run/cpu",
    "tracer/cuda/comm": "tracer/cuda/backend tracer/cuda/driver tracer/run/comm tracer/run/mpi",
    "tracer/cuda/cupti": "tracer/cuda/driver tracer/record tracer/run",
    "tracer/cuda/driver": "tracer/cuda/codegen tracer/run/values",
    "tracer/debugger":
        "tracer/program tracer/run tracer/run/comm tracer/run/cpu tracer/run/reference tracer/run/session "
        "tracer/run/values",
    "tracer/document": "tracer/debugger tracer/job tracer/join tracer/program tracer/trace",
    "tracer/explain": "tracer/analysis tracer/trace",
    "tracer/job":
        "tracer/debugger tracer/program tracer/record tracer/run/model tracer/run/mpi tracer/run/reference "
        "tracer/run/session tracer/run/values tracer/trace tracer/trace/recording",
    "tracer/join": "tracer/analysis tracer/program tracer/run tracer/trace",
    "tracer/predict":
        "tracer/analysis tracer/explain tracer/program tracer/record tracer/run/comm tracer/trace",
    "tracer/program":
        "tracer/analysis tracer/cuda tracer/run/comm tracer/run/mpi tracer/run/reference tracer/run/session tracer/testing "
        "tracer/trace tracer/trace/load tracer/trace/recording",
    "tracer/query": "tracer/analysis tracer/trace",
    "tracer/record": "tracer/trace",
    "tracer/run": "tracer/record tracer/run/model tracer/run/values tracer/trace",
    "tracer/run/comm": "tracer/run tracer/run/cpu tracer/run/values",
    "tracer/run/cpu": "tracer/run tracer/run/values",
    "tracer/run/model": "tracer/record tracer/run/values tracer/trace",
    "tracer/run/mpi": "tracer/record tracer/run tracer/run/comm tracer/run/cpu tracer/run/values",
    "tracer/run/reference": "tracer/run tracer/run/cpu tracer/run/values",
    "tracer/run/session":
        "tracer/record tracer/run tracer/run/comm tracer/run/cpu tracer/run/mpi tracer/run/reference "
        "tracer/run/values",
    "tracer/trace": "tracer/testing",
    "tracer/trace/chrome": "tracer/testing tracer/trace tracer/trace/text",
    "tracer/trace/export": "tracer/trace tracer/trace/chrome tracer/trace/nsight tracer/trace/recording",
    "tracer/trace/load": "tracer/trace tracer/trace/chrome tracer/trace/nsight tracer/trace/recording tracer/trace/text",
    "tracer/trace/nsight": "tracer/trace tracer/trace/recording",
    "tracer/trace/recording": "tracer/record tracer/trace",
    "tracer/tune": "tracer/job tracer/predict tracer/program tracer/run/reference tracer/trace",
    "ui/base": "ui/draw ui/draw/timeline ui/selection",
    "ui/canvas": "ui/draw",
    "ui/debugger": "ui/base ui/inspector ui/selection",
    "ui/draw/cards": "ui/draw",
    "ui/draw/graph": "ui/draw",
    "ui/draw/report": "ui/draw ui/draw/graph ui/draw/timeline",
    "ui/draw/timeline": "ui/draw",
    "ui/events": "ui/base ui/canvas ui/draw ui/selection",
    "ui/explain": "ui/base ui/canvas ui/draw/report ui/selection",
    "ui/graph": "ui/base ui/canvas ui/draw ui/draw/graph ui/inspector ui/selection",
    "ui/inspector": "ui/base ui/canvas ui/draw ui/draw/cards ui/draw/timeline ui/selection",
    "ui/passes": "ui/base ui/selection",
    "ui/stats": "ui/base ui/canvas ui/draw ui/draw/report ui/selection ui/timeline",
    "ui/testing": "ui/base ui/debugger ui/draw/timeline ui/explain ui/inspector ui/stats ui/text ui/window",
    "ui/text": "ui/base ui/canvas ui/graph ui/selection",
    "ui/timeline": "ui/base ui/canvas ui/draw ui/draw/timeline ui/inspector ui/selection",
    "ui/window":
        "ui/base ui/canvas ui/debugger ui/draw/report ui/draw/timeline ui/events ui/explain ui/graph ui/inspector ui/passes "
        "ui/selection ui/stats ui/testing ui/text ui/timeline",
}
MUTUAL = {
    ("ir", "ir/print"): "error messages name nodes as the printer does",
    ("ui/testing", "ui/window"): "the window writes reports for tests",
}

# Functions that need no comment because their name says everything: constructors, destructors, predicates and counts.
# Headers that are private to one library are not checked.
PLAIN = re.compile(r"_(new|new_empty|free|ref|unref|clear|get_type|quark|is_[a-z_]+|get_n_[a-z_]+)$")
PRIVATE = re.compile(r"-(private|internal)\.h$")


def tracked_files():
    """Return the paths relative to the root. Without git (an unpacked archive), return all except build folders."""
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
    """Return absolute paths of a developer's machine. The pattern is in pieces, so that this file does not match."""
    return re.findall(r"(?<![\w.~$}])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")/[\w.]+", text)


def find_includes(text):
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', text, re.MULTILINE)


TOOLKIT = re.compile(r"^(gtk|gdk|gsk|adwaita|libadwaita|gtksourceview)[./-]|^(gtk|gdk|adwaita)$")
DEVICE = re.compile(r"^(cuda|cupti|nccl|mpi|cublas|nvrtc)")


def may_include_passes(name):
    """Return whether a file of tracer may use passes: traces, runs and back ends must work without lowering."""
    return not name.startswith(("tracer/run/", "tracer/record/", "tracer/trace/", "tracer/cuda/", "tracer/analysis/"))


def target(name, path, files):
    """Return the file that `name` includes as `path`, or None. Every layer is an include root."""
    roots = [os.path.dirname(name)] + LAYERS
    return next((root + "/" + path for root in roots if root + "/" + path in files), None)


def upward(name, files):
    """Return the includes of `name` from higher layers or of libraries that its layer may not use."""
    layer = name.split("/")[0]
    bad = []
    for quote, path in find_includes(read(name)):
        if TOOLKIT.match(path) and (layer != "ui" or name.startswith("ui/draw/")):
            bad.append(path)
        if DEVICE.match(path) and quote == "<" and layer != "tracer":
            bad.append(path)
        found = target(name, path, files) if quote == '"' else None
        if not found:
            continue
        to = found.split("/")[0]
        if LAYERS.index(to) > LAYERS.index(layer) or (to == "passes" and layer == "tracer" and
                                                      not may_include_passes(name)):
            bad.append(path)
    return bad


def arrows(names, files):
    """Return {(folder, included folder): example} of the includes between folders of one layer."""
    found = {}
    for name in names:
        folder = os.path.dirname(name)
        for quote, path in find_includes(read(name)):
            to = target(name, path, files) if quote == '"' else None
            if to and to.split("/")[0] == name.split("/")[0] and os.path.dirname(to) != folder:
                found.setdefault((folder, os.path.dirname(to)), f"{name} includes {path}")
    return found


def bad_arrows(found, allowed, mutual):
    """Return the differences between the includes of folders and the tables above."""
    listed = {(a, b) for a, targets in allowed.items() for b in targets.split()}
    bad = [f"{a} -> {b}: {found[a, b]}" for a, b in sorted(set(found) - listed)]
    bad += [f"{a} -> {b} is listed but no file needs it" for a, b in sorted(listed - set(found))]
    both = {tuple(sorted(pair)) for pair in found if pair[::-1] in found}
    bad += [f"{a} and {b} include each other" for a, b in sorted(both - set(mutual))]
    return bad + [f"{a} and {b} no longer include each other" for a, b in sorted(set(mutual) - both)]


PROTOTYPE = re.compile(r"^(?!typedef|static|G_|#|extern)[A-Za-z_][\w \t*]*?\b(\w+) \((?!\*)", re.MULTILINE)


def declared_functions(text):
    """Yield (name, paragraph, offset in it) of each function that a header declares. A blank line ends a paragraph."""
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
    """Return functions with no comment above them in their paragraph and none at the end of their line."""
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
    """Return keys that two actions of a table share; only the first of these actions would receive the key."""
    users = {}
    for action, keys in ACTION.findall(text):
        for key in filter(None, keys.split("|")):
            users.setdefault(key, []).append(action)
    return [f"{key}: {' and '.join(actions)}" for key, actions in users.items() if len(actions) > 1]


def test_names():
    """Return the names of all tests of this build; empty without a build."""
    path = os.path.join(os.environ.get("HIR_TEST_BUILDDIR", ""), "meson-info", "intro-tests.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [test["name"] for test in json.load(f)]


def twice(values):
    return sorted({v for v in values if values.count(v) > 1})


def check_rules_can_fail(tap):
    tap.check(twice(["a", "b", "a"]) == ["a"], "reports a value that occurs twice")
    tap.check(find_machine_paths("see /ro" + "ot/x.txt"), "reports a path of a machine")
    tap.check(not find_machine_paths("https://example.org/ho" + "me/x"), "a URL is not a path of a machine")
    tap.check(shared_keys('  { "win.a", NULL, f, "F5|x" },\n  { "win.b", "s", g, "x" },\n') == ["x: win.a and win.b"],
              "reports a key of two actions")
    tap.check(uncommented("int hir_a (void);\n") == ["hir_a"], "reports a declaration without a comment")
    tap.check(not uncommented("/* Why. */\nint hir_a (void);\nint hir_b (int x);\n"),
              "a comment covers the paragraph below it")
    tap.check(uncommented("/* Why. */\nint hir_a (void);\n\nGArray *hir_b (int x,\n  int y);\n") == ["hir_b"],
              "a blank line ends a paragraph")
    global read
    real, read = read, lambda name: '#include "pass.h"\n#include <gtk/gtk.h>\n#include "view/graph.h"\n'
    files = {"passes/pass.h", "ir/view/graph.h"}
    try:
        tap.check(upward("ir/x.c", files) == ["pass.h", "gtk/gtk.h"], "reports an include that points up",
                  upward("ir/x.c", files))
        tap.check(upward("tracer/run/x.c", files) == ["pass.h", "gtk/gtk.h"], "tracer/run may not use passes")
        tap.check(upward("tracer/program/x.c", files) == ["gtk/gtk.h"], "tracer/program may use passes")
        tap.check(upward("ui/draw/x.c", files) == ["gtk/gtk.h"], "ui/draw may not use GTK")
        found = arrows(["ir/verify/x.c"], files)
        tap.check(set(found) == {("ir/verify", "ir/view")}, "finds an include between folders", found)
    finally:
        read = real
    one = {("a", "b"): "x"}
    tap.check(bad_arrows(one, {"a": "b"}, {}) == [], "accepts a listed include")
    tap.check(len(bad_arrows(one, {}, {})) == 1, "reports an include that is not listed")
    tap.check(len(bad_arrows(one, {"a": "b c"}, {})) == 1, "reports an entry that no file needs")
    two = {**one, ("b", "a"): "y"}
    tap.check(len(bad_arrows(two, {"a": "b", "b": "a"}, {})) == 1, "reports folders that include each other")
    tap.check(len(bad_arrows(one, {"a": "b"}, {("a", "b"): ""})) == 1, "reports an exception that is not needed")


def main():
    tap = Tap()
    names = tracked_files()
    mine = [n for n in names if is_c(n) and n.split("/")[0] in LAYERS]
    tap.group(check_rules_can_fail)
    tap.check(len(mine) > 20, "there are sources to check", len(mine))

    bad = [f"{n}: {p}" for n in names for p in find_machine_paths(read(n))]
    tap.check(not bad, "no tracked file contains a path of a developer's machine", *bad)

    actions = read("ui/window/window-actions.c")
    tap.check(len(ACTION.findall(actions)) > 50, "there are actions to check", len(ACTION.findall(actions)))
    tap.check(not shared_keys(actions), "no two actions share a key", *shared_keys(actions))

    folders = [os.path.dirname(n) for n in mine if n.endswith(".c")]
    bad = [f"{f}: {folders.count(f)} sources" for f in sorted(set(folders)) if folders.count(f) > MAX_SOURCES]
    tap.check(not bad, f"no folder has more than {MAX_SOURCES} sources", *bad)
    bad = [f for f in sorted(set(folders)) if not read(f + "/meson.build").startswith("# ")]
    tap.check(not bad, "every folder's meson.build describes the folder", *bad)
    bad = bad_arrows(arrows(mine, set(mine)), MAY_INCLUDE, MUTUAL)
    tap.check(not bad, "folders of one layer include each other only as listed", *bad)

    headers = {layer: {n for n in mine if n.endswith(".h") and n.startswith(layer + "/")} for layer in LAYERS}
    for layer in LAYERS:
        files = [n for n in mine if n.startswith(layer + "/")]
        bad = [f"{n}: {p}" for n in files for p in upward(n, set(mine))]
        tap.check(not bad, f"{layer}/ includes only itself and lower layers", *bad)
        bad = [f"{n}: {f}" for n in sorted(headers[layer]) if not PRIVATE.search(n) for f in uncommented(read(n))]
        tap.check(not bad, f"every function in the headers of {layer}/ has a comment", *bad)
        bad = [f"{n}: {f}" for n in sorted(headers[layer]) for f, _, _ in declared_functions(read(n))
               if not f.startswith("hir_")]
        tap.check(not bad, f"every function that a header of {layer}/ declares starts with hir_", *bad)

    bad = [n for n in mine if n.endswith(".h") and "#pragma once" not in read(n) and
           not re.search(r"[Ii]ncluded (once )?by", read(n)[:300])]
    tap.check(not bad, "every header has #pragma once or names its includer", *bad)
    bad = [n for n in names if n.endswith((".c", ".h", ".py", ".md", ".build")) and
           re.search(r"[ \t]+$|\t|\r|[^\n]\Z", re.sub(r"(?m)^> .*$", "", read(n)), re.MULTILINE)
           and not n.startswith("tests/data/")]
    tap.check(not bad, "no tab, no trailing space, a newline at the end of every file", *bad)

    # meson stores results by name. If two tests have the same name, it loses results and prints a traceback.
    tap.check(not twice(test_names()), "no two tests share a name", *twice(test_names()))
    tap.done()


if __name__ == "__main__":
    main()
