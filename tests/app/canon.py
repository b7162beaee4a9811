#!/usr/bin/env python3
"""canon.py A B

Whether two printed host programs are the same up to how their values were numbered. Each kind of value is
renumbered by first appearance; blank lines and runs of spaces do not count, indentation does. Prints a diff
and exits 1 where they differ.
"""
import difflib
import re
import sys

# What carries a number of its own, and where in the text the number stands. One table of numbers a kind.
KINDS = [
    ("tensor", r"\bT(\d+)(?=_)"),
    ("axis", r"\b[irbsnv](?:[sS]treamIdx|Stream|(?:device|block|thread)Idx\.[xyz]|S|V|UR|US)(\d+)(?=\{)"),
    ("communication", r"\b(?:P2PCommunication|Communication|EndCoalescing) (\d+)"),
    ("stream", r"\bStream (0x[0-9a-f]+|\d+)\b"),
    ("unit", r"\bHostUnit(\d+)"),
    ("scalar", r"\b[ibdf](\d+)\b"),
]
PATTERN = re.compile("|".join(f"(?:{pattern})" for _, pattern in KINDS))


def canon(text):
    """The lines of `text`, renumbered."""
    tables = [{} for _ in KINDS]

    def renumber(match):
        kind = match.lastindex - 1
        number = tables[kind].setdefault(match.group(kind + 1), len(tables[kind]))
        start, end = match.span(kind + 1)
        return match.group()[:start - match.start()] + str(number) + match.group()[end - match.start():]

    lines = []
    for line in text.splitlines():
        words = line.strip(" ")
        if words:
            indent = line[:len(line) - len(line.lstrip(" "))]
            lines.append(indent + re.sub(" +", " ", PATTERN.sub(renumber, words)))
    return lines


def diff(a, b, name_a="expected", name_b="printed"):
    """Lines of a unified diff of two texts; none where they are the same program."""
    return list(difflib.unified_diff(canon(a), canon(b), name_a, name_b, lineterm=""))


def main():
    with open(sys.argv[1], encoding="utf-8") as a, open(sys.argv[2], encoding="utf-8") as b:
        lines = diff(a.read(), b.read(), sys.argv[1], sys.argv[2])
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
