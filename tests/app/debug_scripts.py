"""Scripts of the debugger, tests/app/debug/NAME.hdb, and filters for output that differs between machines."""
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debug")
SHAPES = ("--input", "8x2x4x4", "--input", "4x8")
SMALL = ("--input", "4x2x4x4", "--input", "4x8")
SCRIPTS = {
    "ag_matmul": ("example:ag_matmul", "-d", "2", "--check", *SHAPES),
    "alone": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "checkpoints": ("example:ag_matmul", "-d", "2", "--check", "--clock", "model", *SMALL),
    "conditions": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "exchanges": ("example:AG_matmul_P2p", "-d", "4"),
    "far": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "loops": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "reverse": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
    "transfers": ("example:ag_matmul", "-d", "2", *SMALL),
    "values": ("example:ag_matmul", "-d", "2", "--check", *SMALL),
}
# Scripts whose output is the same on GPUs, except for the rewind method: GPUs have neither undo log nor checkpoints.
ON_GPUS = ("ag_matmul", "far", "loops", "reverse", "values")
# Scripts whose number and use of checkpoints depend on the clock.
GO_AT_ONCE = ("far", "reverse")
# Scripts for GPUs only: a host thread is inside a collective until the other ranks post.
OF_GPUS = {"held": ("example:ag_matmul", "-d", "2", "--check", *SMALL)}


def path(name, ending):
    return os.path.join(FOLDER, f"{name}.{ending}")


def words(name):
    """Return the arguments after `hirscope debug`."""
    return (*(SCRIPTS.get(name) or OF_GPUS[name]), "-x", path(name, "hdb"))


def read(name):
    with open(path(name, "txt"), encoding="utf-8") as file:
        return file.read()


def clean(text):
    """Return the output without parts that depend on the machine's arithmetic or on the rewind method."""
    text = re.sub(r"largest error over its bound .*", "largest error ...", text)
    text = re.sub(r"\d+ of (\d+) bytes; further", r"... of \1 bytes; further", text)
    text = re.sub(r"with \d+ bytes", "with ... bytes", text)
    return re.sub(r"-nan", " nan", text)


def clean_of_clock(text):
    """Return the output without the rewind method: after a checkpoint the log is shorter and replay is more frequent."""
    return re.sub(r"\(replayed from .*\n", "", text)


def clean_of_ways(text):
    """Return the output without parts that depend on the back end: rewind method, stored state, and the stride of an
    axis with one element."""
    text = clean_of_clock(clean(text))
    text = re.sub(r"undo log: \d+ steps?, .*", "...", text)
    return re.sub(r"strides \[.*?\]", "strides", text)


def difference(wanted, got):
    for number, (a, b) in enumerate(zip(wanted.splitlines(), got.splitlines()), 1):
        if a != b:
            return f"line {number}: got {b!r}, expected {a!r}"
    return "" if wanted == got else "the texts have different lengths"
