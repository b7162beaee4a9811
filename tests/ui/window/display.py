"""A private X server: xdotool types and clicks, and screenshots are saved as PNG."""
import colorsys
import os
import shutil
import struct
import subprocess
import tempfile
import zlib

WIDTH, HEIGHT = 1600, 1000


def what_is_missing():
    """Return why windows cannot be tested on this machine, or None."""
    for name, package in (("Xvfb", "xvfb"), ("xdotool", "xdotool")):
        if shutil.which(name) is None:
            return f"{name} is missing (package {package})"
    return None


class Display:
    def __init__(self, width=WIDTH, height=HEIGHT):
        self.folder = tempfile.mkdtemp(prefix="hirscope-ui-")
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp",
             # Without -noreset the server restarts when its last client leaves, and the next client may not find it.
             "-noreset", "-fbdir", self.folder, "-nocursor", "-dpi", "96"],
            pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as stream:
            number = stream.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.name = ":" + number

    def close(self):
        self.server.terminate()
        self.server.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def xdotool(self, *words):
        done = subprocess.run(["xdotool", *(str(w) for w in words)], env={**os.environ, "DISPLAY": self.name},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        if done.returncode:
            raise RuntimeError(f"xdotool {' '.join(str(w) for w in words)}: {done.stderr.strip()}")
        return done.stdout

    def pixels(self):
        """Return width, height, and the screen as rows of red, green and blue bytes."""
        with open(os.path.join(self.folder, "Xvfb_screen0"), "rb") as file:
            data = file.read()
        header = struct.unpack(">25I", data[:100])
        size, width, height, order, stride, n_colors = header[0], header[4], header[5], header[7], header[12], header[19]
        start = size + 12 * n_colors
        rows = []
        for y in range(height):
            row = data[start + y * stride:start + y * stride + 4 * width]
            out = bytearray(3 * width)
            first = (2, 1, 0) if order == 0 else (1, 2, 3)
            for channel, byte in enumerate(first):
                out[channel::3] = row[byte::4]
            rows.append(bytes(out))
        return width, height, rows

    def n_colors(self, left, top, right, bottom):
        """Return the number of colors in a part of the screen: 1 if nothing is drawn."""
        _, _, rows = self.pixels()
        return len({rows[y][3 * x:3 * x + 3] for y in range(int(top), int(bottom)) for x in range(int(left), int(right))})

    def n_hues(self, left, top, right, bottom):
        """Return the number of hues, in steps of 60 degrees, of the vivid pixels in a part of the screen."""
        _, _, rows = self.pixels()
        hues = set()
        for y in range(int(top), int(bottom)):
            for x in range(int(left), int(right)):
                r, g, b = rows[y][3 * x:3 * x + 3]
                if max(r, g, b) - min(r, g, b) > 80:
                    hues.add(int(6 * colorsys.rgb_to_hsv(r, g, b)[0]))
        return len(hues)

    def save_png(self, path, width=None, height=None):
        """Save the top left @width x @height pixels of the screen, or all of it."""
        full_width, full_height, rows = self.pixels()
        width, height = min(width or full_width, full_width), min(height or full_height, full_height)
        write_png(path, width, [row[:3 * width] for row in rows[:height]])


def write_png(path, width, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packed, before = bytearray(), bytes(3 * width)
    for row in rows:
        # Rows equal to the previous one use filter 2 (up); others are not filtered.
        if row == before:
            packed += b"\x02" + bytes(3 * width)
        else:
            packed += b"\x00" + row
        before = row
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, len(rows), 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(bytes(packed), 9)) + chunk(b"IEND", b""))
