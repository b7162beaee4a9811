"""Follows the pixels of a private X server, so that a window is timed from an input event to the drawn picture without
any work in its process."""
import mmap
import os
import struct
import time

# Every n-th row is compared.
EACH_ROW = 4
# A picture is drawn when at most this share of its bytes differs from the last one; scroll bars fade longer.
DRAWN = 0.001
QUIET_S = 0.8


def read_stat(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()


def get_cpu_ms(pid):
    """Return the CPU time of a process and its children, such as a run or a layout of the graph."""
    ticks = sum(int(field) for field in read_stat(pid)[11:15])
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        children = file.read().split()
    for child in children:
        try:
            ticks += sum(int(field) for field in read_stat(child)[11:13])
        except OSError:
            pass  # ended, and is counted by its parent
    return ticks * 1000 // os.sysconf("SC_CLK_TCK")


def get_difference(a, b):
    """Return the share of different bytes of two pictures of the same size."""
    different = (int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).to_bytes(len(a), "little")
    return 1 - different.count(0) / len(a)


class Screen:
    def __init__(self, shown):
        with open(os.path.join(shown.folder, "Xvfb_screen0"), "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        header = struct.unpack(">25I", self.map[:100])
        start, self.row, height = header[0] + 12 * header[19], header[12], header[5]
        self.rows = range(start, start + self.row * height, self.row * EACH_ROW)

    def take(self):
        return b"".join(self.map[at:at + self.row] for at in self.rows)

    def time(self, act, pid, limit_s=120):
        """Call @act, which sends input to process @pid, and return the milliseconds until the picture is drawn, and the
        CPU time of the process and its children until then. Ends when neither the picture nor this CPU time changes."""
        pictures, last = [], self.take()
        begin, begin_cpu = time.monotonic(), get_cpu_ms(pid)
        act()
        changed, cpu_ms = time.monotonic(), 0
        while (now := time.monotonic()) - changed < QUIET_S or not pictures:
            if now - begin > limit_s:
                raise AssertionError("the window does not come to rest, or did not react")
            picture = self.take()
            if get_cpu_ms(pid) - begin_cpu > cpu_ms + 10:
                cpu_ms, changed = get_cpu_ms(pid) - begin_cpu, now
            if picture != last:
                pictures.append((now - begin, get_cpu_ms(pid) - begin_cpu, picture))
                last, changed = picture, now
            time.sleep(0.003)
        drawn = None
        for at, cpu_ms, picture in reversed(pictures):
            if get_difference(picture, last) > DRAWN:
                break
            drawn = at * 1000, cpu_ms
        return drawn

    def settle(self, limit_s=120):
        """Wait until the picture does not change any more."""
        end, last, changed = time.monotonic() + limit_s, None, 0
        while (now := time.monotonic()) < end and now - changed < QUIET_S:
            picture = self.take()
            if picture != last:
                last, changed = picture, now
            time.sleep(0.02)
