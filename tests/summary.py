#!/usr/bin/env python3
"""summary.py BUILD...

Counts the tests of `meson test` in each BUILD folder, sub-tests of TAP where a test wrote them, and prints as
its last line `N passed, N failed, N skipped`. Exit 1 if one failed, or if a folder has no tests to count.
"""
import json
import os
import re
import sys

POINT = re.compile(r"^(not ok|ok)\b([^#\n]*)(?:#\s*(skip|todo)\b.*)?", re.IGNORECASE)
GOOD = ("OK", "EXPECTEDFAIL")


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []


def points(text):
    """(passed, failed names, skipped) of the TAP lines in `text`; sub-tests that are indented do not count."""
    passed, failed, skipped = 0, [], 0
    for line in text.splitlines():
        match = POINT.match(line)
        if match is None:
            continue
        directive = (match.group(3) or "").lower()
        if directive == "skip":
            skipped += 1
        elif match.group(1).lower() == "ok" or directive == "todo":
            passed += 1
        else:
            failed.append(match.group(2).strip())
    return passed, failed, skipped


def add(count, folder, test):
    name, result = test["name"], test["result"]
    passed, failed, skipped = points(test.get("stdout") or "")
    if result not in GOOD + ("SKIP",) and not failed:
        # It crashed, ran out of time, or ended before its plan: that is one failure more than it wrote.
        failed = [result.lower()]
    if passed + len(failed) + skipped == 0:
        passed, skipped = (0, 1) if result == "SKIP" else (1, 0)
    count.passed += passed
    count.skipped += skipped
    count.failed += len(failed)
    count.failures += [f"{os.path.basename(folder)}: {name}: {what}" for what in failed]


def main():
    count = Count()
    for folder in sys.argv[1:]:
        path = os.path.join(folder, "meson-logs", "testlog.json")
        n = 0
        try:
            with open(path, encoding="utf-8", errors="replace") as log:
                for line in log:
                    if line.strip():
                        add(count, folder, json.loads(line))
                        n += 1
        except OSError as error:
            print(f"{path}: {error.strerror}")
        if n == 0:
            count.failed += 1
            count.failures.append(f"{os.path.basename(folder)}: no test ran")
    for failure in count.failures:
        print("FAILED", failure)
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    return 1 if count.failed else 0


sys.exit(main())
