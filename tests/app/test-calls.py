#!/usr/bin/env python3
"""Checks the call graph of the product: cycles of files, functions that should be static, dead code.

Reads the C sources as text, so it needs no build. Each source is split into top-level chunks: functions, prototypes,
data, types and macros. A chunk defines some names and uses others. The test checks three rules:

- Cycles: a file depends on the files that define the functions it uses. Files that depend on each other form a cycle.
- Exported but private: an exported function that no other product file uses should be static.
- Unreached: code that cannot be reached from main(), or from a symbol that a module exports, is dead.

Code in a folder named "testing" and inside `#if HIR_TESTING` counts as test code. `--list` prints all findings."""
import collections
import os
import re
import subprocess
import sys

from tap import Tap

SOURCE = os.environ.get("HIR_TEST_SRCDIR", os.path.join(os.path.dirname(__file__), "..", ".."))
LAYERS = ["ir", "passes", "tracer", "ui", "app"]

# Limits of the first rule. Lower them when a cycle is removed.
MAX_CYCLES = 3
MAX_FILES_IN_CYCLES = 46

# Allowed findings: name -> reason. An entry that is no longer needed fails. A function that only tests use may stay
# if it completes the public API of its unit.
PRIVATE_ALLOWED = {}
TESTS_ONLY_ALLOWED = {
    "hir_codegen_get_functions": "tests compile the generated text as C with it",
    "hir_color_contrast": "tests check the themes with it",
    "hir_cupti_recorder_get_summary": "the GPU benchmark reports dropped records",
    "hir_dump_read": "reads a single dump, without the list of hir_dump_read_all()",
    "hir_evaluator_get_n_walked": "tests check that loops run from their prepared body",
    "hir_minimap_scene_get_window": "tests drag the window of the minimap",
    "hir_mpi_module_new_on_wire": "tests replace MPI by threads",
    "hir_node_info_free": "counterpart of hir_node_info_new()",
    "hir_nvrtc_compile_new": "tests compile without the cache",
    "hir_recorded_value_pack": "tests check the file format of a value in both directions",
    "hir_recorded_value_unpack": "tests check the file format of a value in both directions",
    "hir_recording_open": "hir_recording_open_watched() without progress, for tests and benchmarks",
    "hir_recording_open_full": "fuzz targets and tests reach the checks behind the digests",
    "hir_renderer_has_device": "tested with a folder of device files",
    "hir_run_options_check": "tests check the ranges without a run",
    "hir_script_get_source": "an accessor of a public type",
    "hir_script_source_from_bytes": "tests and the fuzzer decode scripts that are not files",
    "hir_session_add_hooks": "the benchmark of the evaluator disables prepared loop bodies with it",
    "hir_session_get_issue_ns": "the GPU benchmark reports the time of issuing",
    "hir_session_peek": "completes hir_session_step()",
    "hir_settings_save": "writes the settings now instead of later",
    "hir_suggest_distance": "tests check the distance apart from its threshold",
    "hir_tensor_to_string": "one of the functions that print a single node",
    "hir_text_stream_new_for_memory": "fuzz targets read from memory",
    "hir_timeline_pair_get_note": "tests check why a pair is not drawn",
    "hir_trace_dup_event_json": "reads a single event, without the buffers of hir_event_json_read()",
    "hir_trace_builder_finish": "try_finish() without an error, for small traces",
    "hir_undo_log_get_peak_bytes": "tests check the bound of the undo log",
    "hir_value_scene_get_color": "tests check the color scale of values",
    "hir_value_scene_get_n_columns": "tests check the layout of a scene",
}
UNREACHED_ALLOWED = {}
FILES_ALLOWED = {}

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)".*$', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:[^\n\\]|\\.)*)", re.MULTILINE | re.DOTALL)
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
MACRO = re.compile(r"\s*(\w+)(?:\(([^)]*)\))?(.*)", re.DOTALL)
BOUNDARY = re.compile(r"[{};]|^([A-Z][A-Z0-9_]+)[ \t]*\(", re.MULTILINE)
BRACE = re.compile(r"[{}]|\n(?=\})")
HEAD = re.compile(r"^(?!G_GNUC)(\w+) ?\(", re.MULTILINE)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)+|\bG_GNUC_\w+(?:\s*\([^)]*\))?|\bG_(?:BEGIN|END)_DECLS\b")
IDENTIFIER = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
CLEANUP = re.compile(r"\b(g_auto(?:ptr)?)(?:list|slist|queue)?\s*\(\s*(\w+)\s*\)")
EXPORTED = re.compile(r'visibility\s*\(""\)|\bG_MODULE_EXPORT\b|\(constructor\)')
HOOKS = ["_init", "_class_init", "_default_init", "_private_init", "_private_copy", "_private_clear"]
COMMON = frozenset("""break case char const continue default double else enum extern float for goto if inline int long
    return short sizeof static struct switch typedef union unsigned void while NULL TRUE FALSE gboolean gint64 guint
    gsize gpointer gconstpointer g_free g_autofree g_autoptr GError GString GArray error self i""".split())


def find_names(text):
    """Return the identifiers in @text except .fields, and "g_autoptr TYPE" for each cleanup function that is used."""
    return (set(IDENTIFIER.findall(text)) - COMMON).union(" ".join(match) for match in CLEANUP.findall(text))


class Chunk:
    """A top-level piece of a source: the names that it defines, and the identifiers in it except .fields."""

    def __init__(self, file, kind, names, text, static=False):
        self.file, self.kind, self.static = file, kind, static
        self.names = tuple(name for name in names if name)
        self.uses = find_names(text)
        self.n_lines = text.strip().count("\n") + 1
        self.exported = EXPORTED.search(text) is not None


def without_comments(text):
    def blank(match):
        first = match.group()[0]
        return '""' if first == '"' else "0" if first == "'" else "\n" * match.group().count("\n") or " "
    return COMMENT_OR_STRING.sub(blank, text)


def split_testing(text):
    """Return (product code, test code) of a source. Test code is inside `#if HIR_TESTING`."""
    parts, stack = ([], []), []
    for line in text.split("\n"):
        match = CONDITION.match(line)
        word, condition = match.groups() if match else ("", "")
        if word.startswith("if"):
            about = "HIR_TESTING" in condition
            stack.append([about, about and word != "ifndef" and "!" not in condition])
        elif word in ("else", "elif") and stack and stack[-1][0]:
            stack[-1][1] = not stack[-1][1]
        testing = any(inside for _, inside in stack)
        if word == "endif" and stack:
            stack.pop()
        parts[testing].append(line)
        parts[not testing].append("")
    return "\n".join(parts[0]), "\n".join(parts[1])


def close(text, start):
    """Return the position after the parenthesis that closes the one at @start."""
    depth = 0
    for match in re.compile(r"[()]").finditer(text, start):
        depth += 1 if match.group() == "(" else -1
        if depth == 0:
            return match.end()
    return len(text)


def arguments(text, start):
    """Return the arguments in the parentheses that open at @start."""
    depth, args = 0, [""]
    for c in text[start + 1:close(text, start) - 1]:
        depth += (c in "({") - (c in ")}")
        if c == "," and depth == 0:
            args.append("")
        else:
            args[-1] += c
    return [arg.strip() for arg in args]


class Parser:
    """Splits one source into chunks. @pasting: macros with ## that its headers define: name -> (parameters, body)."""

    def __init__(self, file, text, pasting):
        self.file, self.chunks, self.pasting = file, [], dict(pasting)
        self.split(DIRECTIVE.sub(self.add_directive, text))

    def add(self, kind, names, text, static=False):
        self.chunks.append(Chunk(self.file, kind, names, self.paste(text)[0], static))

    def paste(self, text):
        """Return (@text, names), with macros that use ## replaced by the names that they build."""
        names = []
        for name, (params, body) in self.pasting.items():
            use = re.search(r"\b" + name + r"\s*\(", text) if name in text else None
            while use:
                values = dict(zip(params, arguments(text, use.end() - 1)))
                built = ["".join(values.get(part, part) for part in re.split(r"\s*##\s*", paste))
                         for paste in re.findall(r"\w+(?:\s*##\s*\w+)+", body)]
                names += built
                text = text[:use.start()] + name + " " + " ".join(built) + text[close(text, use.end() - 1):]
                use = re.compile(r"\b" + name + r"\s*\(").search(text, use.start() + len(name))
        return text, names

    def add_directive(self, match):
        if match.group(1) == "define":
            name, params, body = MACRO.match(match.group(2)).groups()
            if params and "##" in body:
                self.pasting[name] = ([p.strip() for p in params.split(",")], body)
            self.add("macro", [name], body)
        return "\n" * match.group().count("\n")

    def add_invocation(self, macro, args, text):
        """Add a macro invoked at top level: a macro of GObject, or one that defines functions with ##."""
        if macro.startswith("G_DEFINE_AUTO"):
            self.add("cleanup", [("g_autoptr " if "PTR" in macro else "g_auto ") + args[0]], args[1])
        elif macro.startswith("G_DEFINE_") and len(args) > 1:
            prefix = args[0] if macro.endswith("QUARK") else args[1]
            self.add("gobject", [prefix + end for end in ("_quark", "_get_type", "_get_instance_private")],
                     f"{text} {args[0]}Private " + " ".join(prefix + end for end in HOOKS))
        elif macro.startswith("G_DECLARE_") and len(args) > 3:
            upper = [f"{args[2]}_{args[3]}", f"{args[2]}_IS_{args[3]}"]
            self.add("gobject", [args[0], "_" + args[0], args[1] + "_get_type"] + upper, "")
        else:
            body = self.pasting.get(macro, ((), ""))[1]
            self.add("function" if "{" in body else "prototype" if body else "statement", self.paste(text)[1], text)

    def add_declaration(self, text):
        """Add a declaration that ends in a semicolon: a prototype, a type or data."""
        bare, body = ATTRIBUTE.sub("", text), ""
        while body != bare:
            body, bare = bare, re.sub(r"\{[^{}]*\}", "", bare)
        head = bare.split("=")[0].strip(" \n;")
        if not head:
            return
        static = re.search(r"\bstatic\b", head) is not None
        pointer = re.search(r"\(\s*\*\s*(?:const\s+)?(\w+)", head)
        last = pointer or re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)*$", head)
        if head.startswith("typedef") or re.fullmatch(r"(?:struct|union|enum)\s*\w*", head):
            names = re.findall(r"\b(?:struct|union|enum)\s+(\w+)", head) + [last.group(1) if last else ""]
            if "enum" in head and "{" in text:
                names += re.findall(r"[{,]\s*([A-Za-z_]\w*)", text[text.index("{"):])
            if not head.startswith("typedef"):  # the body of an opaque type, whose typedef is in a header
                names += [name.lstrip("_") for name in names]
            self.add("type" if head.startswith("typedef") else "struct", names, text)
        elif "=" not in bare and not pointer and "(" in head:
            self.add("prototype", re.findall(r"(\w+)\s*\(", head)[:1], text, static)
        else:
            names = [last.group(1)] if last else []
            names += re.findall(r"(\w+)\s*(?:\[[^]]*\]\s*)*,", head) if "(" not in head else []
            self.add("extern" if head.startswith("extern") else "data", names, text, static)

    def add_function(self, head, text):
        found = HEAD.findall(head) or re.findall(r"(\w+)\s*\(", head) or [""]
        name = (self.paste(head)[1] or [""])[0] if found[-1] in self.pasting else found[-1]
        self.add("function", [name], text, re.search(r"\bstatic\b", head) is not None)

    def split(self, text):
        start = at = 0
        while True:
            match = BOUNDARY.search(text, at)
            if not match:
                return
            at = match.end()
            if match.group() == ";":
                self.add_declaration(text[start:at])
                start = at
            elif match.group() == "}":  # left over from code that is split by #if
                start = at
            elif match.group() == "{":
                head = text[start:at - 1]
                at = self.skip_body(text, at)
                if ATTRIBUTE.sub("", head).rstrip().endswith(")") and "=" not in head:
                    self.add_function(head, text[start:at])
                    start = at
            elif not match.group(1).startswith("G_GNUC"):
                end = close(text, at - 1)
                if text[start:match.start()].strip(" \n") in ("", "G_BEGIN_DECLS") and \
                        not re.match(r"\s*[({]", text[end:end + 80]):
                    self.add_invocation(match.group(1), arguments(text, at - 1), text[match.start():end])
                    start = at = end + (text[end:end + 1] == ";")

    @staticmethod
    def skip_body(text, at):
        """Return the position after the brace that closes a body. A brace at column 0 closes all open braces."""
        depth = 1
        while depth > 0:
            match = BRACE.search(text, at)
            if not match:
                return len(text)
            at = match.end() + (match.group() == "\n")
            depth = 0 if match.group() == "\n" else depth + (1 if match.group() == "{" else -1)
        return at


class Calls:
    """All chunks of the product and their uses. @sources: path -> text of the product and of its tests."""

    def __init__(self, sources):
        self.tests, self.chunks, texts = set(), [], {}
        self.raw = sources
        self.by_end = collections.defaultdict(list)
        for name in sources:
            if name.endswith(".h"):
                parts = name.split("/")
                for i in range(len(parts)):
                    self.by_end["/".join(parts[i:])].append(name)
        self.templates = {n for n in sources if n.endswith(".h") and is_product(n) and "#pragma once" not in sources[n]
                          and "#ifndef" not in sources[n]}
        self.includes = {n: [h for p in INCLUDE.findall(text) for h in self.resolve(n, p)]
                         for n, text in sources.items() if is_product(n)}
        pasting = {}
        for name, text in sorted(sources.items(), key=lambda item: not item[0].endswith(".h")):
            if not is_product(name):
                self.use_in_tests(without_comments(text))
            elif name not in self.templates:
                text = without_comments(self.expand(name, text) if name.endswith(".c") else text)
                if "HIR_TESTING" in text:
                    text, testing = split_testing(text)
                    self.use_in_tests(testing)
                parser = Parser(name, text, pasting)
                self.chunks += parser.chunks
                if name.endswith(".h"):
                    pasting.update(parser.pasting)
        self.link()

    def use_in_tests(self, text):
        self.tests |= find_names(text)

    def resolve(self, name, path):
        """Return the header that @name includes as @path; of several, the one in the nearest folder."""
        found = self.by_end.get(os.path.normpath(path).lstrip("./"), [])
        return sorted(found, key=lambda h: -len(os.path.commonprefix([h, name])))[:1]

    def expand(self, name, text):
        """Replace the #include of each template header, which is included several times, by its text."""
        def include(match):
            found = self.resolve(name, match.group(1))
            return self.expand(found[0], self.raw[found[0]]) if found and found[0] in self.templates else match.group()
        return INCLUDE.sub(include, text)

    def link(self):
        self.local = collections.defaultdict(lambda: collections.defaultdict(list))  # file -> name -> chunks
        self.shared = collections.defaultdict(list)
        for chunk in self.chunks:
            local = chunk.file.endswith(".c") and (
                chunk.static or chunk.kind in ("macro", "prototype", "type", "extern"))
            for name in chunk.names:
                (self.local[chunk.file] if local else self.shared)[name].append(chunk)
        for chunk in self.chunks:
            local = self.local[chunk.file]
            chunk.targets = [c for name in chunk.uses for c in local.get(name) or self.shared.get(name, ())]

    def reach(self, roots):
        seen, stack = set(roots), list(roots)
        while stack:
            for target in stack.pop().targets:
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return seen

    def roots(self):
        """Return main(), and the symbols that modules export."""
        names = {name for c in self.chunks if c.exported for name in c.names}
        return [c for c in self.chunks if c.kind == "statement" or c.kind == "function" and c.file.endswith(".c") and
                (c.names[0] == "main" and c.file.startswith("app/") or names.intersection(c.names))]

    def edges(self):
        """Return {file: {other file: functions of the other file that it uses}}, including uses by macros and inline
        functions."""
        through, graph = {}, collections.defaultdict(lambda: collections.defaultdict(set))

        def find_functions(chunk):
            if chunk not in through:
                through[chunk] = set()
                for target in chunk.targets:
                    if target.file.endswith(".h") and target.kind in ("macro", "function", "cleanup"):
                        through[chunk] |= find_functions(target)
                    elif target.kind in ("function", "gobject") and target.file.endswith(".c"):
                        through[chunk].update((target.file, name) for name in target.names if name in chunk.uses)
            return through[chunk]

        for chunk in self.chunks:
            if chunk.file.endswith(".c"):
                for file, name in find_functions(chunk):
                    if file != chunk.file:
                        graph[chunk.file][file].add(name)
        return graph

    def headers_of(self, files):
        seen, stack = set(files), list(files)
        while stack:
            for header in self.includes.get(stack.pop(), ()):
                if header not in seen:
                    seen.add(header)
                    stack.append(header)
        return seen


def is_product(name):
    parts = name.split("/")
    return parts[0] in LAYERS and "testing" not in parts[:-1]


def find_cycles(graph):
    """Return strongly connected components of two or more files, with Tarjan's algorithm without recursion."""
    index, low, stack, on_stack, cycles = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(sorted(graph[root])))]
        while work:
            node, children = work[-1]
            child = next(children, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = []
                    while not members or members[-1] != node:
                        members.append(stack.pop())
                        on_stack.discard(members[-1])
                    if len(members) > 1:
                        cycles.append(sorted(members))
            elif child not in index:
                index[child] = low[child] = len(index)
                stack.append(child)
                on_stack.add(child)
                work.append((child, iter(sorted(graph.get(child, ())))))
            elif child in on_stack:
                low[node] = min(low[node], index[child])
    return sorted(cycles, key=lambda members: (-len(members), members))


def find_cut(graph, members):
    """Return a small set of edges whose removal breaks all cycles of @members. Orders the files, and moves single files
    while this reduces the number of functions that files use from files before them."""
    weight = {(a, b): len(graph[a][b]) for a in members for b in members if b in graph.get(a, ())}

    def cost(order):
        at = {name: i for i, name in enumerate(order)}
        return sum(w for (a, b), w in weight.items() if at[b] < at[a])

    order = sorted(members, key=lambda m: sum(w * ((b == m) - (a == m)) for (a, b), w in weight.items()))
    best, improved = cost(order), True
    while improved:
        improved = False
        for name in members:
            rest = [m for m in order if m != name]
            for i in range(len(order)):
                moved = rest[:i] + [name] + rest[i:]
                if cost(moved) < best:
                    best, order, improved = cost(moved), moved, True
    at = {name: i for i, name in enumerate(order)}
    return sorted((a, b) for a, b in weight if at[b] < at[a])


Finding = collections.namedtuple("Finding", "name file kind n_lines")


class Findings:
    """Results of the other rules. @private: exported functions that only their own file uses. @tests_only: functions
    that only tests use, apart from their own file. @unreached: code that neither main() nor a test reaches. @files:
    product files that main() does not reach."""

    def __init__(self, calls):
        roots = calls.roots()
        live = calls.reach(roots)
        tested = calls.reach([c for name in calls.tests for c in calls.shared.get(name, ())])
        users = collections.defaultdict(set)
        for chunk in live:
            if chunk.kind != "prototype":
                for name in chunk.uses:
                    if name not in calls.local[chunk.file]:
                        users[name].add(chunk.file)
        self.private, self.tests_only, self.unreached = [], [], []
        for chunk in calls.chunks:
            if chunk.kind not in ("function", "data", "macro", "type") or not chunk.names:
                continue
            name = chunk.names[0]
            finding = Finding(name, chunk.file, chunk.kind, chunk.n_lines)
            if chunk not in live:
                if chunk not in tested:
                    self.unreached.append(finding)
                elif chunk.kind in ("function", "data"):
                    self.tests_only.append(finding)
            elif chunk.kind == "function" and chunk.file.endswith(".c") and not chunk.static and \
                    not users[name] - {chunk.file} and chunk not in roots:
                (self.tests_only if name in calls.tests else self.private).append(finding)
        reached = calls.headers_of({c.file for c in live if c.kind in ("function", "data", "gobject")})
        self.files = sorted({c.file for c in calls.chunks} - reached - calls.templates)


def tracked_files():
    """Return the paths of files that git does not ignore, or without git, of all files outside build folders."""
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


def read_sources():
    sources = {}
    for name in tracked_files():
        if name.endswith((".c", ".h")) and name.split("/")[0] in LAYERS + ["tests"]:
            with open(os.path.join(SOURCE, name), encoding="utf-8", errors="replace") as f:
                sources[name] = f.read()
    return sources


def not_allowed(findings, allowed):
    """Return (findings that are not in @allowed, entries of @allowed that are not found)."""
    names = [f if isinstance(f, str) else f.name for f in findings]
    return [f for f, name in zip(findings, names) if name not in allowed], sorted(set(allowed) - set(names))


def report(tap, title, findings, allowed):
    bad, stale = not_allowed(findings, allowed)
    lines = [f if isinstance(f, str) else f"{f.file}: {f.name} ({f.kind}, lines: {f.n_lines})" for f in bad]
    tap.check(not bad, title, *sorted(lines))
    tap.check(not stale, f"{title}: each allowed entry is needed", *stale)


def print_list(graph, cycles, findings):
    print(f"{len(cycles)} cycles of {sum(map(len, cycles))} files")
    for number, members in enumerate(cycles, 1):
        print(f"\nCycle {number}, {len(members)} files")
        for a in members:
            for b in sorted(set(graph[a]) & set(members)):
                print(f"  {a} -> {b}: {', '.join(sorted(graph[a][b]))}")
        for a, b in find_cut(graph, members):
            print(f"  cut: {a} -> {b}: {', '.join(sorted(graph[a][b]))}")
    for title, found in (("Exported, used by its own file only", findings.private),
                         ("Used by tests only", findings.tests_only), ("Unreached", findings.unreached)):
        print(f"\n{title}: {len(found)}, lines: {sum(f.n_lines for f in found)}")
        for f in sorted(found, key=lambda f: (f.file, f.name)):
            print(f"  {f.file}: {f.name} ({f.kind}, lines: {f.n_lines})")
    print(f"\nUnreached files: {len(findings.files)}")
    for name in findings.files:
        print(f"  {name}")


MADE_UP = {
    "app/main.c": """#include "ir/a.h"
int
main (void)
{
  Table *t = table; /* not hir_dead () */
  return MACRO (t[0].run) + hir_made_f32 () + g_strcmp0 ("hir_dead ()", row.hir_field);
}
static const Table table[] = { { "a", hir_in_table }, };
""",
    "ir/a.h": """#pragma once
void hir_b (void);
#define MACRO(x) (hir_by_macro (x))
#define UNUSED_MACRO 3
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirThing, hir_thing_free)
""",
    "ir/template.h": "int\nNAME (hir_made) (void)\n{\n  return 1;\n}\n",
    "ir/made.c": '#define NAME(x) x##_f32\n#include "template.h"\n',
    "ir/a.c": """#include "a.h"
G_DEFINE_FINAL_TYPE (HirObject, hir_object, G_TYPE_OBJECT)
static void
hir_object_class_init (HirObjectClass *klass)
{
  hir_in_class ();
}
void
hir_in_table (void)
{
  g_autoptr (HirThing) thing = g_object_new (hir_object_get_type (), NULL);
  hir_b ();
}
void
hir_only_here (void)
{
}
int
hir_by_macro (int x)
{
  hir_only_here ();
#if HIR_TESTING
  hir_for_testing ();
#endif
  return x;
}
void
hir_for_testing (void)
{
}
""",
    "ir/b.c": """#include "a.h"
static int helper (void);
void
hir_b (void)
{
  hir_by_macro (helper ());
}
static int
helper (void)
{
  return 0;
}
void
hir_thing_free (HirThing *thing)
{
}
void
hir_in_class (void)
{
}
void
hir_for_tests (void)
{
}
static void
dead_helper (void)
{
}
void
hir_dead (void)
{
  dead_helper ();
}
""",
    "ir/dead.c": "int\nhir_dead_too (void)\n{\n  return hir_dead ();\n}\n",
    "ui/testing/report.c": "void\nhir_report (void)\n{\n  hir_thing_free (hir_only_in_report);\n}\n",
    "tests/ir/test-b.c": "int\nmain (void)\n{\n  hir_for_tests ();\n}\n",
}


def check_rules_can_fail(tap):
    calls = Calls(MADE_UP)
    graph = calls.edges()
    tap.check(find_cycles(graph) == [["ir/a.c", "ir/b.c"]], "two files that use each other form a cycle",
              find_cycles(graph))
    tap.check(graph["ir/a.c"]["ir/b.c"] == {"hir_b", "hir_in_class", "hir_thing_free"},
              "calls, class functions and cleanup functions are edges", graph["ir/a.c"]["ir/b.c"])
    tap.check(set(graph["app/main.c"]["ir/a.c"]) == {"hir_by_macro", "hir_in_table"},
              "tables of functions and macros of headers are edges", graph["app/main.c"]["ir/a.c"])
    tap.check(graph["app/main.c"]["ir/made.c"] == {"hir_made_f32"}, "finds names built by token pasting",
              dict(graph["app/main.c"]))
    tap.check(find_cut(graph, ["ir/a.c", "ir/b.c"]) == [("ir/b.c", "ir/a.c")], "finds the smallest cut")
    chain = {"a": {"b": {"f"}}, "b": {"c": {"g"}}, "c": {}}
    tap.check(find_cycles(chain) == [], "a chain is not a cycle")
    chain["c"] = {"a": {"h"}}
    tap.check(find_cycles(chain) == [["a", "b", "c"]], "finds a cycle of three files")

    findings = Findings(calls)
    names = sorted(f.name for f in findings.private)
    tap.check(names == ["hir_only_here"], "finds an exported function that only its own file uses", *names)
    names = sorted(f.name for f in findings.tests_only)
    tap.check(names == ["hir_for_testing", "hir_for_tests"], "finds functions that only tests use", *names)
    names = sorted(f.name for f in findings.unreached)
    tap.check(names == ["UNUSED_MACRO", "dead_helper", "hir_dead", "hir_dead_too"], "finds unreached code", *names)
    tap.check(findings.files == ["ir/dead.c"], "finds an unreached file", *findings.files)
    tap.check(not_allowed(findings.private, {"hir_only_here": "why", "hir_gone": "why"}) == ([], ["hir_gone"]),
              "accepts an allowed finding and reports an entry without a finding")
    product, testing = split_testing("a\n#ifndef HIR_TESTING\nb\n#else\nc\n#endif\nd")
    tap.check("b" in product and "c" in testing and "c" not in product and "d" in product,
              "the else branch of ifndef HIR_TESTING is test code")


def main():
    sources = read_sources()
    calls = Calls(sources)
    graph = calls.edges()
    cycles = find_cycles(graph)
    findings = Findings(calls)
    if "--list" in sys.argv[1:]:
        print_list(graph, cycles, findings)
        return
    tap = Tap()
    tap.group(check_rules_can_fail)
    roots = [c.names[0] for c in calls.roots() if c.names]
    tap.check("main" in roots and len(roots) > 1, "main() and the symbol of the MPI module are found", *roots)
    n_files = sum(map(len, cycles))
    print(f"# {len(cycles)} cycles of {n_files} files", flush=True)
    tap.check(len(cycles) <= MAX_CYCLES, f"at most {MAX_CYCLES} cycles of files", len(cycles),
              *map(" ".join, cycles))
    tap.check(n_files <= MAX_FILES_IN_CYCLES, f"at most {MAX_FILES_IN_CYCLES} files in cycles", n_files)
    report(tap, "each exported function is used by another file", findings.private, PRIVATE_ALLOWED)
    report(tap, "each exported function has a user besides its file and tests", findings.tests_only, TESTS_ONLY_ALLOWED)
    report(tap, "main() reaches all code", findings.unreached, UNREACHED_ALLOWED)
    report(tap, "main() reaches each file", findings.files, FILES_ALLOWED)
    tap.done()


if __name__ == "__main__":
    main()
