"""Times four uses of the window, alternately in several builds: a click on a card of the gallery, and a run on eight
devices or of 1,000 operations, each until the picture is drawn; and the frames of a window full of events while it is
zoomed and moved. Other load increases all times; CPU times less than those of the clock."""
import os
import subprocess
import time

import screen
from window import Window

COLUMNS = ("what", "build", "times", "p50_ms", "p99_ms", "p50_cpu_ms", "p99_cpu_ms", "load")
N_PASSES = 6  # of the default pipeline; the program is run while its last step is displayed
SIZE = 1600, 1000
FULL = 1920, 1080
CARDS = ("Two set ops", "Matmul, rows", "Rejected schedule")
EIGHT_DEVICES = '''import torch
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def ag_matmul():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1] * 4, contiguity=True, dtype=DataType.Float)
        tv1 = fd.define_tensor(shape=[-1] * 2, contiguity=True, dtype=DataType.Float)
        tv2 = fd.ops.matmul(tv0, tv1)
        fd.add_output(tv2)
        mesh = nvfuser.multidevice.DeviceMesh(torch.arange(8))
        for tv in (tv0, tv1, tv2):
            tv.set_device_mesh(mesh)
        tv0.axis(1).parallelize(ParallelType.mesh_x)
        tv2.axis(0).parallelize(ParallelType.stream)
    return fd
'''
MANY_OPS = '''from nvfuser_direct import FusionDefinition, DataType


def chain():
    with FusionDefinition() as fd:
        made = [fd.define_tensor(shape=[64, 64], contiguity=True, dtype=DataType.Float) for _ in range(2)] * 2
        for i in range(1000):
            made.append(fd.ops.add(made[-1], made[-3]))
        fd.add_output(made[-1])
    return fd
'''


def open_window(shown, program, *words, size=SIZE, **more):
    """Open a window at the top left corner, focused, without waiting for reports."""
    w = Window(shown, program, *words, **more)
    w.id = shown.xdotool("search", "--sync", "--onlyvisible", "--pid", w.process.pid).split()[0]
    w.resize(*size)
    shown.xdotool("windowmove", w.id, 0, 0)
    shown.xdotool("windowfocus", "--sync", w.id)
    return w


def find_cards(shown, program):
    w = Window(shown, program)
    try:
        w.take_focus(SIZE)
        w.settle()
        found = [w.control(name, "GtkButton") for name in CARDS]
        return [(c["x"] + c["width"] / 2, c["y"] + c["height"] / 2) for c in found]
    finally:
        w.kill()


def time_action(shown, program, words, prepare, act):
    # Graphviz gives up early, so that its layout does not end within the measured time.
    w = open_window(shown, program, *words, env={"HIRSCOPE_REPORT": None, "HIRSCOPE_LAYOUT_BUDGET_MS": "500"})
    try:
        pixels = screen.Screen(shown)
        pixels.settle()
        prepare(w)
        pixels.settle()
        return pixels.time(lambda: act(w), w.process.pid)
    finally:
        w.kill()


def time_command(program, path):
    """Return the milliseconds of the command that lowers, runs and checks the same program, and its CPU time."""
    begin, before = time.monotonic(), os.times()
    subprocess.run([program, "run", path, "--clock", "model", "--check"], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (time.monotonic() - begin) * 1000, (after.children_user + after.children_system - before.children_user -
                                               before.children_system) * 1000


def move_events(w):
    """Zoom in at two places, move, and zoom out again."""
    for x in (700, 1400):
        w.wheel(x, 500, True, 40, "ctrl")
        w.wheel(x, 500, False, 30, "shift")
        w.wheel(x, 500, True, 30, "shift")
        w.wheel(x, 500, False, 40, "ctrl")


def time_frames(shown, program, path):
    w = open_window(shown, program, path, size=FULL)
    try:
        w.poll(lambda s: s["bars"] and not s["lowering"] and "events of" in s["status"], "the events",
               time.monotonic() + 300)
        screen.Screen(shown).settle()
        w.settle()
        w.frames.clear()
        move_events(w)
        w.settle()
        return list(zip(w.frames[::2], w.frames[1::2]))
    finally:
        w.kill()


def write_events(folder, program, write_trace, n_events):
    """Write a recording of @n_events, which opens faster than JSON."""
    path, json_path = os.path.join(folder, "events.hirs"), os.path.join(folder, "events.json")
    write_trace(json_path, n_events, 0)
    subprocess.run([program, "export", json_path, "--to", "hirs", "-o", path], stdout=subprocess.DEVNULL, check=True)
    os.unlink(json_path)
    return path


def measure_actions(shown, programs, folder, n):
    """Return (what, program index) -> list of (clock, CPU) in ms."""
    found = {}

    def note(what, i, pair):
        found.setdefault((what, i), []).append(pair)

    cards = find_cards(shown, programs[0])
    scripts = []
    for name, text in (("eight.py", EIGHT_DEVICES), ("chain.py", MANY_OPS)):
        scripts.append(os.path.join(folder, name))
        with open(scripts[-1], "w") as file:
            file.write(text)
    for _ in range(n):
        for i, program in enumerate(programs):
            for card in cards:
                note("card of the gallery to drawn", i,
                     time_action(shown, program, (), lambda w: w.move(*card), lambda w: shown.xdotool("click", 1)))
            for what, path in zip(("run on 8 devices", "run of 1,000 ops"), scripts):
                note(what + " to drawn", i,
                     time_action(shown, program, (path,), lambda w: w.key(*["j"] * N_PASSES), lambda w: w.key("space")))
                note(what + ": the command alone", i, time_command(program, path))
    return found


def measure_frames(shown, programs, path, n_events, n):
    found = {}
    for _ in range(n):
        for i, program in enumerate(programs):
            found.setdefault((f"frames of {n_events} events, 1920x1080", i), []).extend(
                time_frames(shown, program, path))
    return found


def make_rows(found, percentile):
    """Return one row per use and build: its median and p99, by the clock and in CPU time."""
    rows = []
    for what in dict.fromkeys(what for what, _ in found):
        for i, build in enumerate(("before", "now")):
            clock, cpu = zip(*found[(what, i)])
            rows.append((what, build, str(len(clock)),
                         *(f"{percentile(values, share):.1f}" for values in (clock, cpu) for share in (0.5, 0.99)),
                         f"{os.getloadavg()[0]:.1f}"))
            print("\t".join(rows[-1]), flush=True)
    return rows
