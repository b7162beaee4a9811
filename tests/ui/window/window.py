"""A Hirscope window under test: started on a private X server, controlled by real events, read from its reports."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

TIMEOUT_S = 60


class Window:
    # How long wait() and take_focus() wait until the window is idle; shorter if a test holds an operation.
    rest_s = 2

    def __init__(self, display, program, *words, dark=True, env=None, home=None, remembered=None, animates=True,
                 more_settings=""):
        self.display = display
        self.owns_home = home is None
        self.home = home or tempfile.mkdtemp(prefix="hirscope-home-")
        self.report_path = os.path.join(self.home, f"report-{time.monotonic_ns()}.json")
        self.error_path = self.report_path.replace("report", "stderr")
        open(self.report_path, "w").close()
        # Requests a report when the window is idle. Opened for reading, too, so that writing never blocks.
        os.mkfifo(self.report_path + ".ask")
        self.ask = os.open(self.report_path + ".ask", os.O_RDWR | os.O_NONBLOCK)
        self.n_asked = 0
        runtime = os.path.join(self.home, "runtime")
        os.makedirs(runtime, mode=0o700, exist_ok=True)
        # Without a compositor GTK draws a frame instead of a shadow. Without that frame, only the window is visible.
        settings = os.path.join(self.home, "config", "gtk-4.0")
        os.makedirs(settings, exist_ok=True)
        with open(os.path.join(settings, "gtk.css"), "w") as file:
            file.write("window.csd, window.solid-csd { border: none; box-shadow: none; margin: 0; padding: 0; "
                       "border-radius: 0; outline: none; }\n"
                       "popover > contents { box-shadow: none; margin: 0; }\n")
        with open(os.path.join(settings, "settings.ini"), "w") as file:
            file.write("[Settings]\ngtk-font-name=Cantarell 11\ngtk-cursor-blink=0\n"
                       f"gtk-enable-animations={int(animates)}\n{more_settings}")
        # Not a new user: no tour is offered. A given home folder is not changed.
        if remembered is None and self.owns_home:
            remembered = "[tour]\nseen=true\n"
        if remembered is not None:
            os.makedirs(self.home + "/config/hirscope", exist_ok=True)
            with open(self.home + "/config/hirscope/settings.ini", "w") as file:
                file.write(remembered)
        full = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "GTK_", "DBUS_", "WAYLAND"))}
        full.update({
            "DISPLAY": display.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "HOME": self.home,
            "XDG_CONFIG_HOME": self.home + "/config", "XDG_DATA_HOME": self.home + "/data",
            "XDG_CACHE_HOME": self.home + "/cache", "XDG_STATE_HOME": self.home + "/state", "XDG_RUNTIME_DIR": runtime,
            # No desktop services: neither settings nor portals of the current user.
            "DBUS_SESSION_BUS_ADDRESS": "disabled:", "GTK_A11Y": "none", "GSETTINGS_BACKEND": "memory",
            "ADW_DISABLE_PORTAL": "1", "ADW_DEBUG_COLOR_SCHEME": "prefer-dark" if dark else "prefer-light",
            "GTK_USE_PORTAL": "0", "LC_ALL": "C.UTF-8", "HIRSCOPE_REPORT": self.report_path,
            # Warnings fail the test at its end, not immediately, so that earlier checks are reported.
            "G_DEBUG": "",
        })
        # AddressSanitizer: ignore allocations that GTK, Pango and fontconfig keep until exit.
        full["ASAN_OPTIONS"] = ":".join(filter(None, [full.get("ASAN_OPTIONS"), "detect_leaks=0"]))
        full.update(env or {})
        full = {k: v for k, v in full.items() if v is not None}
        self.errors = open(self.error_path, "wb")
        self.process = subprocess.Popen([program, *words], env=full, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.errors)
        self.id = None
        self.first = None  # the first main window, if this is a second one
        self.state = {}
        self.n_lines = 0
        self.offset = 0
        self.longest_stall_ms = 0
        self.longest_work_ms = 0
        self.frames = []  # times of all frames, see ui/testing/report.h

    # --- reading the state -----------------------------------------------------------------------------------

    def read(self):
        """Read all new reports. The state is the last one."""
        with open(self.report_path, "rb") as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.offset += len(line)
                self.n_lines += 1
                self.state = json.loads(line)
                self.frames += self.state["frames"]
                self.longest_stall_ms = max(self.longest_stall_ms, self.state["stall_ms"])
                self.longest_work_ms = max(self.longest_work_ms, self.state["stall_cpu_ms"])
        return self.state

    def poll(self, condition, what, end):
        while True:
            state = self.read()
            if state and condition(state):
                return state
            code = self.process.poll()
            if code is not None:
                raise AssertionError(f"waited for {what}, but the window ended with {code}\n{self.stderr()}")
            if time.monotonic() > end:
                raise AssertionError(f"waited for {what}, but saw {self.describe()}\n{self.stderr()}")
            time.sleep(0.01)

    def wait(self, condition, what="something", timeout=TIMEOUT_S):
        """Wait until condition(state) is true. Return the idle state, whose positions are valid, or the state that
        satisfied the condition if the idle state does not. Fails with a description of the state."""
        state = self.poll(condition, what, time.monotonic() + timeout)
        rest = self.settle(self.rest_s)
        return rest if condition(rest) else state

    def settle(self, timeout=20):
        """Wait until the window is idle: no pending input, no computation, no frames. Return the state. Return the
        newest state after @timeout seconds, for example if a run or a spinner is active."""
        if self.process.poll() is not None:
            return self.read()
        self.n_asked += 1
        os.write(self.ask, b"%d\n" % self.n_asked)
        end = time.monotonic() + timeout
        while self.read().get("rest", 0) < self.n_asked and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.01)
        return self.state

    def describe(self):
        keys = ("page", "text_page", "title", "step", "script_line", "running", "lowering", "status", "event", "selected",
                "shown_ns", "dialogs")
        return json.dumps({k: self.state.get(k) for k in keys})[:2000]

    def stderr(self):
        self.errors.flush()
        with open(self.error_path, errors="replace") as file:
            return file.read()

    def controls(self, name=None, kind=None, dialog=False):
        found = []
        pool = [c for d in self.state["dialogs"] for c in d["controls"]] if dialog else self.state["controls"]
        for c in pool:
            if (name is None or c["name"] == name) and (kind is None or c["kind"] == kind):
                found.append(c)
        return found

    def control(self, name, kind=None):
        found = self.controls(name, kind)
        if not found:
            names = sorted({c["name"] for c in self.state["controls"]})
            raise AssertionError(f"there is no {kind or 'control'} '{name}' among {names}")
        return found[0]

    def line_with(self, text):
        for line in self.state["lines"]:
            if text in line["text"]:
                return line
        raise AssertionError(f"no line on show has '{text}': {[line['text'] for line in self.state['lines']]}")

    def focus(self):
        """Return the innermost focused control, or None."""
        found = [c for c in self.state["controls"] if c["focus"]]
        return found[-1] if found else None

    def screenshot(self, path):
        self.display.save_png(path)

    # --- input ----------------------------------------------------------------------------------

    def take_focus(self, size=None):
        """Focus the window, because there is no window manager."""
        self.wait(lambda s: True, "the window")
        found = self.display.xdotool("search", "--sync", "--onlyvisible", "--pid", self.process.pid).split()
        self.id = max(found, key=int) if self.first else min(found, key=int)
        if size:
            self.resize(*size)
        self.display.xdotool("windowmove", self.id, 0, 0)
        self.display.xdotool("windowfocus", "--sync", self.id)
        # Earlier positions are outdated after the move. Does not wait for a busy window.
        self.settle(self.rest_s)

    def expect_second(self):
        """Call before a second main window opens. Returns it; call take_focus() when it is open."""
        second = Window.__new__(Window)
        second.__dict__.update(self.__dict__)
        second.report_path = self.report_path + ".2"
        open(second.report_path, "w").close()
        os.mkfifo(second.report_path + ".ask")
        second.ask = os.open(second.report_path + ".ask", os.O_RDWR | os.O_NONBLOCK)
        second.n_asked = second.n_lines = second.offset = 0
        second.state = {}
        second.first = self
        return second

    def focus_newest(self):
        """Focus the newest dialog."""
        found = self.display.xdotool("search", "--onlyvisible", "--pid", self.process.pid).split()
        newest = max(found, key=int)
        self.display.xdotool("windowfocus", "--sync", newest)
        return newest

    def resize(self, width, height):
        self.display.xdotool("windowsize", "--sync", self.id, width, height)

    def key(self, *keys):
        self.display.xdotool("key", "--delay", 20, *keys)

    def type(self, text):
        self.display.xdotool("type", "--delay", 15, text)

    def move(self, x, y):
        self.display.xdotool("mousemove", "--window", self.id, int(x), int(y))

    def click(self, x, y, button=1):
        self.move(x, y)
        self.display.xdotool("click", button)

    def drag(self, from_x, from_y, to_x, to_y):
        self.move(from_x, from_y)
        self.display.xdotool("mousedown", 1)
        for i in range(1, 6):
            self.move(from_x + (to_x - from_x) * i / 5, from_y + (to_y - from_y) * i / 5)
            time.sleep(0.02)
        self.display.xdotool("mouseup", 1)

    def wheel(self, x, y, up=True, n=1, held=None):
        """Turn the wheel @n steps while the modifier @held is pressed."""
        self.move(x, y)
        press = ["click", "--repeat", n, "--delay", 30, 4 if up else 5]
        self.display.xdotool(*(["keydown", held, *press, "keyup", held] if held else press))

    def click_control(self, name, kind=None):
        c = self.control(name, kind)
        self.click(c["x"] + c["width"] / 2, c["y"] + c["height"] / 2)

    # --- closing --------------------------------------------------------------------------------

    def children(self):
        """Return the running child processes of the window."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if int(fields[1]) == self.process.pid and fields[0] != "Z":
                found.append((int(pid), [w.decode(errors="replace") for w in words]))
        return found

    def run_children(self):
        return [pid for pid, words in self.children() if "--control" in words]

    def close(self, keys="ctrl+w"):
        """Close the window and return its exit code."""
        if self.process.poll() is None:
            if keys:
                self.key(keys)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGABRT)
                self.process.wait(10)
        os.close(self.ask)
        self.errors.close()
        with open(self.error_path, errors="replace") as file:
            self.last_words = file.read()
        if self.owns_home:
            shutil.rmtree(self.home, ignore_errors=True)
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
