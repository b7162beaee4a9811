#!/usr/bin/env python3
"""Citations of documents: each names a file and a heading that exist.

Checks, in all tracked files, citations of the Markdown files in docs/ and of their headings (by GitHub's anchors), relative
links in Markdown files, and that nothing cites a document outside the repository by section number.
"""
import importlib
import os
import re

from tap import Tap

tree = importlib.import_module("test-tree")

DOCS = "do" + "cs/"  # split, so that this file contains no citation
CITATION = re.compile(r"(?<![\w./-])(" + DOCS + r"[\w./-]*\.md)(?:#([\w-]*))?")
OUTSIDE = re.compile("ref" + r"erence(?:\s|[*#])+[0-9]+\.[0-9]|the des" + r"ign.s(?:\s|[*#])+section", re.IGNORECASE)
FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(r"\]\(\s*<?([^\s)>]+)[^)]*\)|^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)|\b(?:src|href)=\"([^\"]+)\"", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"^(?:[a-z][a-z+.-]*:|//)", re.IGNORECASE)


def get_anchor(heading):
    """Return GitHub's anchor of a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")


def get_anchors(text):
    """Return all anchors of a Markdown text. A repeated heading gets a number."""
    text = FENCE.sub("", text)
    anchors = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    seen = {}
    for heading in HEADING.findall(text):
        anchor = get_anchor(heading)
        n = seen[anchor] = seen.get(anchor, -1) + 1
        anchors.add(f"{anchor}-{n}" if n else anchor)
    return anchors


def get_links(text):
    """Return the targets of links and images in a Markdown text, ignoring code."""
    text = CODE.sub("", FENCE.sub("", text))
    return [next(filter(None, match)) for match in LINK.findall(text)]


class Documents:
    def __init__(self, root, read):
        self.root, self.read, self.anchors = root, read, {}

    def find_fault(self, path, anchor):
        """Return the fault of a reference to a path below the root, or None."""
        if not os.path.exists(os.path.join(self.root, path)):
            return f"{path} does not exist"
        if not anchor or not path.endswith(".md"):
            return None
        if path not in self.anchors:
            self.anchors[path] = get_anchors(self.read(path))
        return None if anchor in self.anchors[path] else f"{path} has no heading #{anchor}"

    def check_citations(self, name, text):
        """Return the faults of the citations in a text, with their lines."""
        faults = []
        for match in CITATION.finditer(text):
            fault = self.find_fault(match.group(1), match.group(2))
            if fault:
                faults.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {fault}")
        return faults

    def check_links(self, name, text):
        """Return the faults of the relative links of a Markdown file."""
        faults = []
        for link in get_links(text):
            if ELSEWHERE.match(link):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            fault = self.find_fault(target, anchor)
            if fault:
                faults.append(f"{name}: link {link}: {fault}")
        return faults


def find_outside(name, text):
    return [f"{name}:{text.count(chr(10), 0, m.start()) + 1}: {m.group()}" for m in OUTSIDE.finditer(text)]


def check_rules_can_fail(tap):
    page = "# A title\n## Same\n## Same\n### `Set` and T0, [x](y)\n```\n# no heading\n[a](b.md)\n```\n`[c](d.md)` [e](f.md#g) [h](#same)\n"
    tap.check(get_anchors(page) == {"a-title", "same", "same-1", "set-and-t0-x"}, "headings have GitHub's anchors",
              get_anchors(page))
    tap.check(get_links(page) == ["y", "f.md#g", "#same"], "links in code are not links", get_links(page))

    documents = Documents(tree.SOURCE, lambda path: page)
    faults = documents.check_citations("x.c", f"/* See {DOCS}no-such-file.md. */")
    tap.check(len(faults) == 1, "reports a citation of a file that does not exist", *faults)
    documents.find_fault = lambda path, anchor: None if anchor in (None, "same") else "bad"
    faults = documents.check_citations("x.c", f"/* {DOCS}a.md#same,\n * {DOCS}a.md#other, {DOCS}a.md. */")
    tap.check(faults == ["x.c:2: bad"], "reports a citation of a heading that does not exist, with its line", *faults)
    faults = documents.check_citations("x.c", f"https://example.org/{DOCS}a.md#other")
    tap.check(not faults, "a URL is not a citation", *faults)

    documents = Documents(tree.SOURCE, lambda path: page)
    faults = documents.check_links("README.md", "[a](#same) [b](#none) [c](no-such-file.md) [d](https://e.org/x.md)")
    tap.check(len(faults) == 2, "reports links to a file and a heading that do not exist", *faults)

    word, design = "ref" + "erence", "the des" + "ign's"
    tap.check(len(find_outside("x.c", f"/* ({word} 3.3) {word}\n * 2.6, {design} section 6 */")) == 3,
              "reports citations of documents outside the repository")
    tap.check(not find_outside("x.c", f"the {word} evaluates 2.5 times"), "other numbers are allowed")


def main():
    tap = Tap()
    tap.group(check_rules_can_fail)

    texts = {name: tree.read(name) for name in tree.tracked_files() if not name.endswith((".png", ".gz", ".pdf"))}
    documents = Documents(tree.SOURCE, tree.read)
    n = sum(len(CITATION.findall(text)) for text in texts.values())
    tap.check(n > 0, "there are citations to check", n)

    faults = [f for name, text in texts.items() for f in documents.check_citations(name, text)]
    tap.check(not faults, "every citation of a document names a file and a heading that exist", *faults)
    faults = [f for name, text in texts.items() if name.endswith(".md") for f in documents.check_links(name, text)]
    tap.check(not faults, "every relative link of a Markdown file resolves", *faults)
    faults = [f for name, text in texts.items() for f in find_outside(name, text)]
    tap.check(not faults, "nothing cites a document outside the repository", *faults)
    tap.done()


if __name__ == "__main__":
    main()
