"""Pictures of traces: statistics, ranges, traces of other profilers, tracks, two traces compared. For make."""
import json
import os
import tempfile
import time

from room import PASSES

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ("exporting", "statistics", "explain", "events", "events-sql", "range", "trace", "search", "measure", "tracks", "minimap", "compare", "counters")


def foreign_trace(slower=1, layers=12):
    """Two ranks as another profiler would write them: layers of matmuls, one stream computes, one communicates."""
    events = []
    for layer in range(layers):
        for i in range(4):
            at = layer * 480 + i * 110
            name = ("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
                    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>",
                    "void layer_norm_kernel<float>(int, float, float const*)",
                    "ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_tn")[i]
            number = layer * 10 + i + 1
            events += [
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242, "ts": at, "dur": 7,
                 "args": {"correlation": number}},
                {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 24, "dur": (96, 31 * slower, 22, 70)[i],
                 "args": {"device": 0, "stream": 7, "correlation": number}}]
        events += [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 4242, "tid": 4242, "ts": layer * 480 + 460,
             "dur": 9, "args": {"correlation": layer * 10 + 9}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long)",
             "pid": 0, "tid": 20, "ts": layer * 480 + 475, "dur": 240 * (1 + (slower - 1) / 2),
             "args": {"device": 0, "stream": 20, "correlation": layer * 10 + 9, "Collective name": "allreduce",
                      "In msg nelems": 4194304, "Out msg nelems": 4194304, "Group size": 2, "dtype": "BFloat16",
                      "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}}]
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},
                       "traceEvents": events})


def statistics(pictures, dark):
    style = "dark" if dark else "light"
    w = pictures.opened("-d", "8", "example:ag_matmul", dark=dark)
    pictures.step_to(PASSES[-1])
    pictures.run()
    w.click_control("Statistics")
    w.wait(lambda s: s["stats"] and not s["stats"]["busy"], "the statistics")
    pictures.take(f"statistics-{style}")
    w.settle()
    view = w.read() and w.controls(kind="HirTimelineView")[0]
    ruler = view["y"] + 12
    w.drag(view["x"] + 500, ruler, view["x"] + 980, ruler)
    w.wait(lambda s: s["stats"]["title"].startswith("Range") and not s["stats"]["busy"], "statistics of a range")
    pictures.take(f"range-{style}")


def explained(pictures, dark):
    """A recording of two GPUs: where its time went, the critical path through the bars, exposed communication."""
    w = pictures.open(os.path.join(HERE, "overlap", "nccl.hirs"), dark=dark)
    w.wait(lambda s: s["page"] == "workspace" and " events of " in s["status"], "the recording")
    w.key("shift+e", "shift+d", "shift+x")
    s = w.wait(lambda s: s["explain"]["computed"] and s["explain"]["rows"], "the explanation")
    first = next(row for row in s["explain"]["rows"] if row["time"])
    w.click(first["x"], first["y"])
    w.wait(lambda s: s["event"], "the first cause")
    pictures.take(f"explain-{'dark' if dark else 'light'}")


def events(pictures, dark):
    """The same recording: the kernels by name, and a query whose rows select their events."""
    style = "dark" if dark else "light"
    w = pictures.open(os.path.join(HERE, "overlap", "nccl.hirs"), dark=dark)
    w.wait(lambda s: s["page"] == "workspace" and " events of " in s["status"], "the recording")
    w.key("ctrl+e")
    w.wait(lambda s: s["events"]["n_rows"] and not s["events"]["busy"], "the table")
    w.click_control("View", "GtkMenuButton")
    w.wait(lambda s: w.controls("By Name", "GtkModelButton"), "the menu")
    w.click_control("By Name", "GtkModelButton")
    s = w.wait(lambda s: "groups" in s["events"]["title"] and not s["events"]["busy"], "the groups")
    w.click(s["events"]["rows"][2]["x"], s["events"]["rows"][2]["y"])
    w.wait(lambda s: s["events"]["current"] == 1, "the row")
    pictures.take(f"events-{style}")
    w.key("ctrl+shift+e")
    w.wait(lambda s: w.controls("Run SQL", "GtkButton"), "the editor")
    w.key("ctrl+a")
    w.type("SELECT id, rank, stream, name, max(dur_ns) AS longest_ns, count(*) AS n FROM kernels GROUP BY rank, stream, name "
           "ORDER BY longest_ns DESC")
    w.key("ctrl+Return")
    s = w.wait(lambda s: s["events"]["title"].endswith(" rows") and not s["events"]["busy"], "the rows")
    w.click(s["events"]["rows"][1]["x"], s["events"]["rows"][1]["y"])
    w.wait(lambda s: s["event"], "the longest kernel")
    pictures.take(f"events-sql-{style}")


def write(folder, name, slower=1, layers=12):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(foreign_trace(slower, layers))
    return path


def opened(pictures, path, dark):
    w = pictures.open(path, dark=dark)
    w.wait(lambda s: s["stats"] and not s["stats"]["busy"] and s["bars"] and s["minimap"] and s["minimap"]["ready"], "the trace")
    w.settle()
    w.read()
    return w


def bars_of(w, name):
    return [b for b in w.read()["bars"] if b["name"].startswith(name)]


def one_trace(pictures, dark, path):
    style = "dark" if dark else "light"
    w = opened(pictures, path, dark)
    bar = bars_of(w, "nccl")[5]
    w.click(bar["x"], bar["y"])
    w.wait(lambda s: s["event"], "the event")
    pictures.take(f"trace-{style}")

    w.key("ctrl+f")
    w.wait(lambda s: s["events_found"] is not None, "the search")
    w.type("layer_norm")
    w.wait(lambda s: s["events_found"] and " of " in s["events_found"], "what is found")
    pictures.take(f"search-{style}")
    w.key("Escape")
    w.wait(lambda s: not s["events_found"], "the search to close")
    w.settle()

    first, second = bars_of(w, "ampere")[2], bars_of(w, "nccl")[1]
    view = w.controls(kind="HirTimelineView")[0]
    w.click(first["x"], first["y"])
    w.move(view["x"] + 300, view["y"] - 200)
    w.settle()
    w.key("bracketleft", "bracketleft")
    w.click(second["x"], second["y"])
    w.move(view["x"] + 300, view["y"] - 200)
    w.settle()
    w.key("bracketright", "bracketright")
    w.wait(lambda s: s["range_ns"][1] > s["range_ns"][0], "what is measured")
    pictures.take(f"measure-{style}")
    w.key("Escape")

    m = w.read()["minimap"]
    width = m["x1"] - m["x0"]
    w.drag(m["x1"] - 2, m["y"], m["x0"] + width * 0.55, m["y"])
    w.drag(m["x0"], m["y"], m["x0"] + width * 0.3, m["y"])
    pictures.take(f"minimap-{style}")
    w.key("0")

    track = next(t for t in w.read()["tracks"] if t["name"] == "stream 20")
    w.click(track["x"], track["y"])
    w.key("alt+Home")
    w.wait(lambda s: any(t["pinned"] for t in s["tracks"]), "the track to be pinned")
    track = next(t for t in w.read()["tracks"] if t["name"] == "stream 7")
    w.settle()
    w.click(track["x"] - 20, w.read() and track["y"], button=3)
    w.wait(lambda s: w.controls("Hide", "GtkModelButton"), "the menu")
    pictures.take(f"tracks-{style}")
    w.key("Escape")
    w.settle()


def comparison(pictures, dark, path, other):
    style = "dark" if dark else "light"
    w = opened(pictures, path, dark)
    w.key("ctrl+shift+o")
    w.wait(lambda s: s["dialogs"], "the chooser")
    w.focus_newest()
    w.key("slash")
    w.type(other[1:])
    w.key("Return")
    w.wait(lambda s: s["compare"] and s["compare"]["ready"], "the comparison")
    newest = w.focus_newest()
    w.display.xdotool("windowmove", newest, 0, 0)
    w.display.xdotool("windowsize", "--sync", newest, *pictures.size)
    w.settle()
    w.key("Tab", "Home", "Return")
    pictures.take(f"compare-{style}")
    w.key("ctrl+w")
    w.wait(lambda s: not s["compare"], "it to close")
    w.display.xdotool("windowfocus", "--sync", w.id)


def exporting(pictures, dark):
    """A file half of which is written."""
    with tempfile.TemporaryDirectory() as folder:
        path, hold = write(folder, "training-run.json", 1.2, 240), os.path.join(folder, "hold")
        open(hold, "w").close()
        w = pictures.open(path, dark=dark, env={"HIRSCOPE_TEST_EXPORT_HOLD": hold})
        w.wait(lambda s: s["page"] == "workspace" and s["stats"] and not s["stats"]["busy"], "the trace")
        w.key("ctrl+s")
        w.wait(lambda s: s["dialogs"], "the chooser")
        w.focus_newest()
        w.key("ctrl+a")
        w.type(os.path.join(folder, "training-run.hirs"))
        w.key("Return")
        w.poll(lambda s: w.controls("Cancel Export", "GtkButton"), "the strip", time.monotonic() + 60)
        w.display.xdotool("windowfocus", "--sync", w.id)
        pictures.take(f"exporting-{'dark' if dark else 'light'}")
        w.key("shift+Escape")
        w.wait(lambda s: not w.controls("Cancel Export", "GtkButton"), "the end of it")
        pictures.close_window()


def counters(pictures, dark, folder):
    path = os.path.join(folder, "memory.json")
    document = json.loads(foreign_trace())
    for i in range(600):
        wave = abs((i % 100) - 50) / 50
        document["traceEvents"] += [
            {"ph": "C", "name": "GPU memory", "pid": 4242, "ts": i * 10,
             "args": {"allocated": int(6e9 + 9e9 * wave), "reserved": 16000000000 + i // 200 * 2000000000}},
            {"ph": "C", "name": "power (W)", "pid": 4242, "ts": i * 10, "args": {"value": 180 + 320 * (1 - wave) + (i * 37) % 41}}]
    with open(path, "w") as file:
        json.dump(document, file)
    w = opened(pictures, path, dark)
    row = next(track for track in w.state["tracks"] if track["name"].endswith("allocated"))
    samples = [b for b in bars_of(w, "GPU memory") if abs(b["y"] - row["y"]) < 30]
    w.click(samples[len(samples) // 2]["x"], row["y"])
    w.wait(lambda s: s["event"], "the sample")
    pictures.take(f"counters-{'dark' if dark else 'light'}")


def take_all(pictures, dark):
    if pictures.wanted and not any(name.rsplit("-", 1)[0] in NAMES for name in pictures.wanted):
        return
    if not pictures.wanted or any(name.startswith(("statistics", "range")) for name in pictures.wanted):
        statistics(pictures, dark)
    if not pictures.wanted or any(name.startswith("explain") for name in pictures.wanted):
        explained(pictures, dark)
        if pictures.wanted and all(name.startswith("explain") for name in pictures.wanted):
            return
    if not pictures.wanted or any(name.startswith("events") for name in pictures.wanted):
        events(pictures, dark)
        if pictures.wanted and all(name.startswith("events") for name in pictures.wanted):
            return
    if not pictures.wanted or any(name.startswith("exporting") for name in pictures.wanted):
        exporting(pictures, dark)
        if pictures.wanted and all(name.startswith("exporting") for name in pictures.wanted):
            return
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "training-step.json")
        other = write(folder, "training-step-after.json", 1.4)
        one_trace(pictures, dark, path)
        if not pictures.wanted or any(name.startswith("compare") for name in pictures.wanted):
            comparison(pictures, dark, path, other)
        if not pictures.wanted or any(name.startswith("counters") for name in pictures.wanted):
            counters(pictures, dark, folder)
        pictures.close_window()
