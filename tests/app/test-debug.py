#!/usr/bin/env python3
"""test-debug.py HIRSCOPE [FAKE-LIBRARIES]

Tests `debug` with scripts: tests/app/debug/NAME.hdb gives NAME.txt, on the CPU and on fake GPUs.
HIR_UPDATE=1 rewrites the expected texts; review the changes.
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import debug_scripts
from program import EXAMPLES, SOURCE, from_command_line
from tap import Tap

SHAPES = debug_scripts.SHAPES


def test_scripts(tap, hirscope):
    for name in debug_scripts.SCRIPTS:
        check_script(tap, name, hirscope("debug", *debug_scripts.words(name)), name)


def check_script(tap, name, done, what):
    text = debug_scripts.clean(done.out)
    if os.environ.get("HIR_UPDATE"):
        with open(debug_scripts.path(name, "txt"), "w", encoding="utf-8") as file:
            file.write(text)
    wanted = debug_scripts.read(name)
    if name in debug_scripts.GO_AT_ONCE:
        wanted, text = debug_scripts.clean_of_clock(wanted), debug_scripts.clean_of_clock(text)
    tap.check(done.code == 0 and text == wanted, f"{what}: prints the expected text", done, debug_scripts.difference(wanted, text))


def test_gpus(tap, hirscope, libraries):
    """Without an undo log, the debugger goes back by replay and gets the same results."""
    env = {"FAKE_CUDA_DEVICES": "2", "HIRSCOPE_CUDA_LIBRARY_PATH": libraries}
    for name in debug_scripts.ON_GPUS:
        done = hirscope("debug", *debug_scripts.words(name), "--backend", "cuda", env=env)
        wanted, text = debug_scripts.clean_of_ways(debug_scripts.read(name)), debug_scripts.clean_of_ways(done.out)
        tap.check("(replayed from the start: " in done.out, f"{name}: fake GPUs go back by replay", done)
        tap.check(done.code == 0 and wanted == text, f"{name}: fake GPUs print the same text", done, debug_scripts.difference(wanted, text))
    for name in debug_scripts.OF_GPUS:
        for way, queued in (("nccl", "0"), ("nccl", "1"), ("copy", "1"), ("p2p", "0")):
            done = hirscope("debug", *debug_scripts.words(name), "--backend", "cuda", "--comm", way,
                            env={**env, "FAKE_CUDA_QUEUED": queued})
            check_script(tap, name, done, f"{name} --comm {way}, {'queued' if queued == '1' else 'at once'}")


def test_mistakes(tap, hirscope):
    for line, column, what in (
            ("foo", 1, "unknown command 'foo'"), ("re", 1, "ambiguous: reverse-next, reverse-finish"),
            ("print T99", 7, "there is no T99"), ("print 1 + (2 *", 15, "found the end"), ("print nope", 7, "no scalar nope"),
            ("break 99", 7, "no instruction starts in program line 99"), ("break Communicate", 7, "no instruction, kind or op"),
            ("break Wait if rank == x", 23, "no scalar x"), ("break Wait iteration five", 22, "takes a number"),
            ("break other.py:3", 7, "not from other.py"), ("watch Wait", 7, "watch requires a tensor"), ("delete 7", 8, "no breakpoint 7"),
            ("print T0[0, 0, 0, 9]", 7, "out of range for axis 3"), ("rank 5", 6, "no rank 5"), ("back write", 6, "no tensor given"),
            ("info what", 6, "unknown command"), ("step often", 6, "a number"), ("print isnun(T5)", 7, "unknown function isnun"),
            ("break Wait rank 9", 17, "no rank 9; ranks are from 0 to 1"), ("watch T3 rank 2", 15, "no rank 2;"),
            ("break Wait stream 44", 19, "no stream 44; streams are from 0 to 3"), ("break stream 4", 14, "no stream 4;"),
            ("break Wait rank 1 iteration 8 stream 1", 29, "no iteration 8; iterations are from 0 to 7"), ("break For iteration 0", 21, "executed in a loop"),
            ("set undo much", 10, "invalid size"), ("set checkpoints few", 17, "a number of steps"), ("print 1 / 0", 9, "division by 0"), ("list 99", 6, "lines from 1 to ")):
        done = hirscope("debug", "example:ag_matmul", "-d", 2, *SHAPES, "-e", "start", "-e", line)
        caret = next((text for text in done.err.splitlines() if text.strip() == "^"), "")
        tap.check(done.code == 2 and what in done.err and len(caret) - len("(hirscope) ") == column, f"{line}: reports the error with a caret", done)
    for shape, code in (("8", 2), ("9", 0)):
        done = hirscope("debug", "example:ag_matmul", "-d", 2, "--input", f"{shape}x2x4x4", "--input", "4x8", "--streams", 9,
                        "-e", "break Wait iteration 8", "-e", "break Wait stream 8 rank 1")
        tap.check(done.code == code, f"iterations of {shape} elements, before the run", done)
    for line in ("step", "info streams", "back", "print T0"):
        done = hirscope("debug", "example:ag_matmul", "-d", 2, "-e", line)
        tap.check(done.code == 2 and "type run or start" in done.err, f"rejects {line} before run", done)


def test_lines_of_a_script(tap, hirscope):
    path = os.path.join(EXAMPLES, "multi_device.py")
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    begin = next(i for i, text in enumerate(lines) if text.startswith("def ag_matmul"))
    number = next(i for i, text in enumerate(lines) if i > begin and ".matmul(" in text) + 1
    done = hirscope("debug", f"{path}::ag_matmul", "-d", 2, *SHAPES, "-e", f"break multi_device.py:{number}", "-e", "run")
    tap.check(done.code == 0 and "Breakpoint 1, rank" in done.out, "breaks at a line of the script", done)


def test_modelled_clock(tap, hirscope):
    """Modelled times are the same in every run, also after going back. The wall clock has no modelled times."""
    words = ("debug", *debug_scripts.SCRIPTS["ag_matmul"], "-e", "start", "-e", "step 40", "-e", "info clock", "-e", "back 7", "-e", "info clock")
    end = ("-e", "continue", "-e", "info clock")
    first, again = (hirscope(*words, *end, "--clock", "model") for _ in range(2))
    straight = hirscope(*words[:-4], *end, "--clock", "model")
    times = re.findall(r"rank (\d): host at ([0-9.]+) µs", first.out)
    tap.check(first.code == 0 and len(times) == 6 and first.out == again.out, "--clock model: two runs print the same text", first)
    tap.check(float(times[0][1]) > float(times[2][1]) > 0 and float(times[4][1]) > float(times[0][1]), "the time is earlier after going back", times)
    ended = re.compile(r"ended, after \d+ steps and ([0-9.]+) µs on the modelled clock")
    run = hirscope("run", *debug_scripts.SCRIPTS["ag_matmul"], "--clock", "model")
    tap.check(ended.findall(first.out) and ended.findall(first.out) == ended.findall(straight.out), "the end time is that of a run without going back", first, straight)
    took = float((ended.findall(first.out) or ["0"])[0])
    told = re.search(r"in ([0-9.]+) ms \(model clock\)", run.out)
    tap.check(told and abs(took / 1000 - float(told[1])) < 0.001, "the end time is that of hirscope run", took, run.out)
    wall = hirscope("debug", *debug_scripts.SCRIPTS["ag_matmul"], "-e", "start", "-e", "info clock")
    tap.check("Use --clock model for reproducible times" in wall.out, "the wall clock has no modelled times", wall)
    gpu = hirscope("debug", *debug_scripts.SCRIPTS["ag_matmul"], "-e", "start", "--clock", "model", "--backend", "cuda")
    tap.check(gpu.code == 2 and "--clock model requires the CPU back end" in gpu.err, "rejects --clock model on GPUs", gpu)


def test_launcher(tap, hirscope):
    """The debugger runs all devices in one process. Under a launcher one rank explains what to do instead."""
    words = ("debug", "example:ag_matmul", "-e", "start")
    first, second = (hirscope(*words, env={"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": rank}) for rank in "01")
    tap.check(first.code == 2 and "leave the launcher out: hirscope debug example:ag_matmul -d 2" in first.err, "is rejected under mpirun", first)
    tap.check(second.code == 2 and second.err == "", "only one rank reports the error", second)


def test_no_script(tap, hirscope):
    lost = hirscope("debug", "example:matmul_m", "-x", "nowhere.hdb")
    tap.check(lost.code == 2 and lost.err == "error: cannot read commands from nowhere.hdb: no such file\n",
              "reports a command file that does not exist", lost)


def test_check(tap, hirscope):
    done = hirscope("debug", "example:matmul_m", "--check", "--plant-error", "matmul:0.1", "-e", "run")
    tap.check(done.code == 1 and "WRONG" in done.out, "the exit status is 1 for incorrect results", done)
    failed = hirscope("debug", os.path.join(SOURCE, "tests", "data", "debug-no-wait.txt"), "-d", 2, "-e", "run", "-e", "info devices",
                      "-e", "back", "-e", "where")
    tap.check("The program has failed" in failed.out and "insert a Wait for it first" in failed.out and failed.code == 0,
              "a failed program can be inspected and stepped backward", failed)


def test_else(tap, hirscope):
    for stop, line in (("recv iteration 1 rank 0", "#1  program line 17, ELSE of IF StreamIdx == deviceIdx.x"),
                       ("Set iteration 1 rank 1", "#1  program line 12, IF StreamIdx == deviceIdx.x")):
        done = hirscope("debug", "example:AG_matmul_P2p", "-d", 2, "-e", f"break {stop}", "-e", "run", "-e", "where")
        tap.check(done.code == 0 and f"\n{line}\n" in done.out, f"where: {line[4:]}", done)


def test_interrupt(tap, hirscope):
    """Ctrl-C stops the run, not the debugger: the next command is executed."""
    process = subprocess.Popen([hirscope.path, "debug", "example:ag_matmul", "-d", "2", "--input", "400000x2x1x1", "--input", "1x1",
                                "--timeout", "100"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    process.stdin.write("break if iteration == 399999\nrun\ninfo devices\nquit\n")
    process.stdin.flush()
    text = ""
    while "tv1 (T1)" not in text and process.poll() is None:
        text += process.stdout.readline()
        if text.endswith("run\n"):
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            break
    text += process.communicate(timeout=60)[0]
    tap.check(process.returncode == 0 and "Stopped." in text and "(hirscope) info devices" in text, "Ctrl-C stops the run", process.returncode, text[-2000:])


class Terminal:
    """A program on a terminal. Its output is read up to a given text; the rest stays for the next call."""

    def __init__(self, path, *words):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(path, [path, *words])
        self.left = ""

    def read(self, text, seconds=20):
        end = time.monotonic() + seconds
        while text not in self.left and time.monotonic() < end:
            if not select.select([self.fd], [], [], 0.1)[0]:
                continue
            try:
                self.left += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                break
        shown, found, self.left = self.left.partition(text)
        return shown + found

    def type(self, keys):
        os.write(self.fd, keys)


def test_terminal(tap, hirscope):
    """Words are completed, an empty line repeats, Ctrl-C stops the run, and quit exits."""
    terminal = Terminal(hirscope.path, "debug", "example:ag_matmul", "-d", "2", "--input", "400000x2x1x1", "--input", "1x1")
    terminal.read("(hirscope) ")
    for keys, wanted, name in (
            (b"start\r", "rank 0: program line 2, ALLOCATE T3", "a command"), (b"step\r", "rank 0: program line 3,", "a step"), (b"\r", "rank 0: program line 4,", "an empty line repeats the command"),
            (b"foo\r", "foo\r\n           ^\r\nerror: unknown command 'foo'", "an error has a caret below the typed word"),
            (b"break if iteration == 399999\r", "Breakpoint 1", "a breakpoint"),
            (b"brea\tAllg\t iteration 399999\r", "Breakpoint 2", "words are completed (with libedit)")):
        terminal.type(keys)
        text = terminal.read(wanted)
        tap.check(wanted in text, f"at a terminal: {name}", text)
    terminal.type(b"continue\r")
    time.sleep(0.3)
    terminal.type(b"\x03")
    text = terminal.read("Stopped.")
    tap.check("Stopped." in text, "at a terminal: Ctrl-C stops the run", text)
    terminal.type(b"quit\r")
    text = terminal.read("no such text")
    status = os.waitpid(terminal.pid, 0)[1]
    tap.check(status == 0, "at a terminal: quit exits", status, text)
    os.close(terminal.fd)


def main():
    tap = Tap()
    hirscope = from_command_line()
    tap.group(test_scripts, hirscope)
    if len(sys.argv) > 2:
        tap.group(test_gpus, hirscope, os.path.abspath(sys.argv[2]))
    tap.group(test_mistakes, hirscope)
    tap.group(test_lines_of_a_script, hirscope)
    tap.group(test_modelled_clock, hirscope)
    tap.group(test_launcher, hirscope)
    tap.group(test_no_script, hirscope)
    tap.group(test_check, hirscope)
    tap.group(test_else, hirscope)
    tap.group(test_interrupt, hirscope)
    tap.group(test_terminal, hirscope)
    tap.done()


main()
