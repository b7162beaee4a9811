#!/usr/bin/env python3
"""Checks that every C file is formatted according to .clang-format, with clang-format 14 (Debian 12).

Other versions format slightly differently, so the test is skipped without version 14. To format a file:
clang-format -i FILE."""
import importlib
import os
import re
import shutil
import subprocess
import tempfile

from tap import Tap

tree = importlib.import_module("test-tree")

VERSION = "14"
FILES_PER_CALL = 100


def find_formatter():
    """Return the path of clang-format 14, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path and re.search(rf"version {VERSION}\.", subprocess.run(
                [path, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout):
            return path
    return None


def unformatted(formatter, paths, folder):
    """Return "FILE:LINE" of the first difference in each of @paths. @folder contains .clang-format."""
    found = {}
    for i in range(0, len(paths), FILES_PER_CALL):
        out = subprocess.run([formatter, "--dry-run", "--style=file", *paths[i:i + FILES_PER_CALL]], cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False).stderr
        for name, line in re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error): code should be clang-formatted", out,
                                     re.MULTILINE):
            found.setdefault(name, int(line))
    return [f"{name}:{line}" for name, line in sorted(found.items())]


def main():
    formatter = find_formatter()
    if formatter is None:
        print(f"1..0 # SKIP clang-format {VERSION} is not installed")
        return
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(tree.SOURCE, ".clang-format"), folder)
        with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as f:
            f.write("int   a;\n")
        tap.check(unformatted(formatter, ["a.c"], folder) == ["a.c:1"], "detects an unformatted file")
    names = [n for n in tree.tracked_files() if tree.is_c(n)]
    tap.check(len(names) > 500, "there are files to check", len(names))
    bad = unformatted(formatter, names, tree.SOURCE)
    tap.check(not bad, "every C file is formatted by clang-format", *bad)
    tap.done()


if __name__ == "__main__":
    main()
