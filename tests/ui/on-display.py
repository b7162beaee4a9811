#!/usr/bin/env python3
"""on-display.py PROGRAM: run a widget test on a private display, without desktop services."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "window"))

import display  # noqa: E402

reason = display.what_is_missing()
if reason:
    print(f"1..0 # SKIP {reason}")
    sys.exit()
screen = display.Display()
env = {**os.environ, "DISPLAY": screen.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "test",
       "GSETTINGS_BACKEND": "memory", "ADW_DISABLE_PORTAL": "1", "GTK_USE_PORTAL": "0", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
# Ignore allocations that GTK and Pango keep until exit.
env["ASAN_OPTIONS"] = ":".join(filter(None, [env.get("ASAN_OPTIONS"), "detect_leaks=0"]))
try:
    code = subprocess.run(sys.argv[1:], env=env).returncode
finally:
    screen.close()
sys.exit(code)
