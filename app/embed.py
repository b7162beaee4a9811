#!/usr/bin/env python3
"""embed.py OUT FILE...

Writes a C header with the text of each FILE as a row of hir_example_data, in order of name.
"""
import os
import sys


def rows(name, data):
    """The text as a C array of bytes: string literals have a length limit, arrays have none."""
    ident = "example_" + "".join(c if c.isalnum() else "_" for c in name)
    yield f"static const unsigned char {ident}[] = {{"
    for at in range(0, len(data), 16):
        yield "  " + ", ".join(str(b) for b in data[at:at + 16]) + ","
    yield "  0,"
    yield "};"


def main():
    out, files = sys.argv[1], sorted(sys.argv[2:], key=os.path.basename)
    lines = ["/* Made by embed.py; not to be edited. */"]
    table = ["static const HirExample hir_example_data[] = {"]
    for path in files:
        name = os.path.basename(path)
        with open(path, "rb") as f:
            data = f.read()
        if b"\0" in data:
            sys.exit(f"{path}: a NUL byte can't be embedded as text")
        data.decode("utf-8")
        lines += rows(name, data)
        ident = "example_" + "".join(c if c.isalnum() else "_" for c in name)
        table.append(f'  {{ "{name}", (const char *) {ident}, {len(data)} }},')
    table += ["  { NULL, NULL, 0 },", "};"]
    with open(out, "w", encoding="utf-8") as f:
        f.write("\n".join(lines + table) + "\n")


main()
