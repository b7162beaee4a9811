#!/usr/bin/env python3
"""canon.py A B

Compares two printed host programs, ignoring the numbers of their values. Each kind of value is renumbered by first
appearance. Blank lines and repeated spaces are ignored, indentation is not. Prints a diff and exits with 1 if the
programs differ.
"""
import difflib
import re
import sys

# Numbered values and the position of the number in the text; each kind has its own numbers.
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
    """Return the lines of @text, renumbered."""
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
    """Return the lines of a unified diff of two texts; none if they are the same program."""
    return list(difflib.unified_diff(canon(a), canon(b), name_a, name_b, lineterm=""))


def main():
    with open(sys.argv[1], encoding="utf-8") as a, open(sys.argv[2], encoding="utf-8") as b:
        lines = diff(a.read(), b.read(), sys.argv[1], sys.argv[2])
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
