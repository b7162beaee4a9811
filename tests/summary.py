#!/usr/bin/env python3
"""summary.py BUILD...

Counts the tests that `meson test` ran in each BUILD folder, including TAP sub-tests. Prints the output of each failed
test and, as the last line, `N passed, N failed, N skipped`. Exits with 1 if a test failed or a folder has no results.
"""
import json
import os
import re
import sys

POINT = re.compile(r"^(not ok|ok)\b([^#\n]*)(?:#\s*(skip|todo)\b.*)?", re.IGNORECASE)
GOOD = ("OK", "EXPECTEDFAIL")
# Lines printed of a failed test: the end of its log.
MAX_WORDS = 6
MAX_WIDTH = 600


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []


def last_words(lines):
    """Return the part of a test's output that belongs in a summary."""
    return ["    " + line.rstrip()[:MAX_WIDTH] for line in lines if line.strip(" #^~")][-MAX_WORDS:]


def points(text):
    """Return (passed, failures, skipped) of the TAP lines in @text. A failure is its name with the comments after it.
    Indented sub-tests do not count."""
    passed, failed, skipped = 0, [], 0
    comments = None
    for line in text.splitlines():
        match = POINT.match(line)
        if match is None:
            if comments is not None and line.startswith("#") and not line.startswith("# test_"):
                comments.append(line)
            continue
        comments = None
        directive = (match.group(3) or "").lower()
        if directive == "skip":
            skipped += 1
        elif match.group(1).lower() == "ok" or directive == "todo":
            passed += 1
        else:
            comments = []
            failed.append((match.group(2).strip(), comments))
    return passed, failed, skipped


def add(count, folder, test):
    name, result = test["name"], test["result"]
    passed, failed, skipped = points(test.get("stdout") or "")
    if result not in GOOD + ("SKIP",) and not failed:
        # A crash, a timeout or an incomplete plan is one more failure.
        said = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
        failed = [(result.lower(), said.splitlines())]
    if passed + len(failed) + skipped == 0:
        passed, skipped = (0, 1) if result == "SKIP" else (1, 0)
    count.passed += passed
    count.skipped += skipped
    count.failed += len(failed)
    for what, words in failed:
        count.failures.append("\n".join([f"{os.path.basename(folder)}: {name}: {what}", *last_words(words)]))


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
