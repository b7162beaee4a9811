"""Scripts of the debugger, tests/app/debug/NAME.hdb, and what of their output is the same everywhere."""
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debug")
SHAPES = ("--input", "8x2x4x4", "--input", "4x8")
SMALL = ("--input", "4x2x4x4", "--input", "4x8")
SCRIPTS = {
    "ag_matmul": ("example:ag_matmul", "-d", "2", "--check", *SHAPES),
    "alone": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "checkpoints": ("example:ag_matmul", "-d", "2", "--check", "--clock", "model", *SMALL),
    "far": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "loops": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "values": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
}
# What GPUs print, too, but for how they came back: they have neither log nor checkpoints.
ON_GPUS = ("ag_matmul", "far", "loops", "values")
# Their programs go all at once: then it is by the clock where checkpoints are, and from which one it comes back.
GO_AT_ONCE = ("far",)
# What only they print: a host thread is inside a collective until the other ranks come.
OF_GPUS = {"held": ("example:ag_matmul", "-d", "2", "--check", *SMALL)}


def path(name, ending):
    return os.path.join(FOLDER, f"{name}.{ending}")


def words(name):
    """After `hirscope debug`."""
    return (*(SCRIPTS.get(name) or OF_GPUS[name]), "-x", path(name, "hdb"))


def read(name):
    with open(path(name, "txt"), encoding="utf-8") as file:
        return file.read()


def clean(text):
    """Without what depends on the machine's arithmetic, or on how it came back."""
    text = re.sub(r"largest error over its bound .*", "largest error ...", text)
    text = re.sub(r"\d+ of (\d+) bytes; further", r"... of \1 bytes; further", text)
    text = re.sub(r"with \d+ bytes", "with ... bytes", text)
    return re.sub(r"-nan", " nan", text)


def clean_of_clock(text):
    """Back from a checkpoint it has a shorter log, and must run again more often."""
    return re.sub(r"\(replayed from .*\n", "", text)


def clean_of_ways(text):
    """Without what depends on the back end: how it came back, what it keeps for that, and how far apart the one
    element of an axis lies from the next."""
    text = clean_of_clock(clean(text))
    text = re.sub(r"undo log: \d+ steps?, .*", "...", text)
    return re.sub(r"strides \[.*?\]", "strides", text)


def difference(wanted, got):
    for number, (a, b) in enumerate(zip(wanted.splitlines(), got.splitlines()), 1):
        if a != b:
            return f"line {number}: {b!r}, and {a!r} was wanted"
    return "" if wanted == got else "one is longer"
