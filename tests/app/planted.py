"""Plants causes of lost time in a modelled run: changes durations, recomputes all times by the rules of the modelled
clock (longest_path.py), and writes the result as a Chrome trace, or as a recording. Chooses random runs."""
import json
from decimal import Decimal

from longest_path import LongestPath
from recording_edit import change_times


def random_run(rand):
    """Return the words of a random modelled run."""
    name, n_devices = rand.choice([("ag_matmul", 8), ("allgather", 8), ("allreduce", 8), ("reduce_scatter", 8),
                                   ("matmul_AR", 8), ("matmul_RS_through_bcast", 8), ("allgather_p2p", 8),
                                   ("AG_matmul_P2p", 8), ("matmul_m", 1), ("three_set_ops_disjoint_loops", 1),
                                   ("batched_matmul", 1)])
    words = [f"example:{name}", "--streams", rand.randint(1, 6), "--seed", rand.randint(0, 99)]
    if n_devices > 1:
        n_devices = rand.randint(1, n_devices)
        words += ["-d", n_devices]
    if rand.random() < 0.5:
        words += ["--set", "StreamParallelType.initial_sync=" + rand.choice(["in_loop", "separate"])]
    if name == "ag_matmul":
        m, k, n = (rand.choice([8, 64, 256, 1024]) for _ in range(3))
        words += ["--input", f"{rand.randint(1, 12)}x{n_devices}x{m}x{k}", "--input", f"{k}x{n}"]
    return words


class Planted:
    def __init__(self, hirscope, recording):
        self.recording = recording
        csv_path, self.json_path = recording + ".csv", recording + ".json"
        hirscope("export", recording, "--to", "csv", "-o", csv_path)
        hirscope("export", recording, "--to", "chrome", "-o", self.json_path)
        self.path = LongestPath(recording, csv_path)

    def events(self, **wanted):
        """Return the events whose fields have the values of @wanted; a name may be a prefix."""
        return [e for e in self.path.events if all(
            e[key].startswith(value) if key == "name" else e[key] == value for key, value in wanted.items())]

    def get_times(self):
        """Return the events by rank, whether they are issues, name and recorded start."""
        return {(e["rank"], e["kind"] == "issue", e["name"], e["start"]): e for e in self.path.events}

    def write_recording(self, out):
        """Write a recording with the planted times to @out. Return its length in ns."""
        length, times = self.path.compute(), self.get_times()

        def change(*key):
            return (times[key]["begin"], times[key]["finish"]) if key in times else None

        change_times(self.recording, out, change)
        return length

    def write(self, out):
        """Write the trace to @out. Return its length in ns."""
        length = self.path.compute()
        times = self.get_times()
        with open(self.json_path, encoding="utf-8") as f:
            trace = json.load(f, parse_float=Decimal)
        for event in trace["traceEvents"]:
            if event.get("ph") not in ("X", "s", "f"):
                continue
            key = (event["args"]["rank"] if "args" in event else None, event.get("cat") == "cpu_op", event["name"],
                   int(event["ts"] * 1000))
            planted = times.get(key)
            if planted:
                event["ts"] = planted["begin"] / 1000
                event["dur"] = (planted["finish"] - planted["begin"]) / 1000
        trace["traceEvents"] = [e for e in trace["traceEvents"] if e.get("ph") not in ("s", "f")]
        with open(out, "w", encoding="utf-8") as f:
            json.dump(trace, f, default=float)
        return length
