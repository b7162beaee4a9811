"""Programs to audit: the golden dumps, lowered examples and lowered random fusions."""
import os
import re

from program import SOURCE
from .text import Program

HEAD = """\
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType
S = ParallelType.stream
X = ParallelType.mesh_x
"""
EXAMPLES = {
    1: ("single_set_op", "single_binary_op", "two_set_ops", "three_set_ops_disjoint_loops", "reduction", "matmul_over", "matmul_m",
        "matmul_n", "batched_matmul"),
    2: ("allgather", "allreduce", "reduce_scatter", "ag_matmul", "allgather_p2p", "matmul_AR", "matmul_RS_through_bcast", "AG_matmul_P2p"),
}


class Base:
    """A program, with the values of its extents and the `--input` options that choose them."""

    def __init__(self, name, text, extent=5):
        self.name, self.lines = name, text.strip("\n").split("\n")
        self.symbols, self.shapes = extents(Program(self.lines), extent)


def extents(program, extent):
    """Choose values for the symbols in the shapes of the inputs; return them and the shapes."""
    symbols, shapes = {}, []
    for tensor in program.inputs:
        shape = []
        for axis in sorted(tensor.axes, key=lambda a: a.number):
            # Numbers with a gap are those of split axes, too.
            if not re.fullmatch(r"i?\d+", axis.extent) or axis.number - min(a.number for a in tensor.axes) >= len(tensor.axes):
                # Split axes: `check` chooses. Sizes of pieces do not change the verdict.
                return {name: 12 for name in re.findall(r"\bi\d+\b", " ".join(a.extent for t in program.inputs for a in t.axes))}, []
            value = int(axis.extent) if axis.extent.isdigit() else symbols.get(axis.extent)
            if value is None:
                value = symbols[axis.extent] = len(tensor.mesh) if axis.is_device else extent
            shape.append(str(value))
        shapes.append("x".join(shape))
    return symbols, shapes


def golden(folder):
    """Return the programs of @folder."""
    bases = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            with open(os.path.join(folder, name), encoding="utf-8") as text:
                # The reduce-scatter splits its last axes over the 8 devices.
                bases.append(Base(name, text.read(), 8 if name == "reduce_scatter.txt" else 5))
    return bases


def options(random):
    words = []
    if random.random() < 0.5:
        words += ["--set", "StreamParallelType.initial_sync=in_loop"]
    if random.random() < 0.2:
        words += ["--enable", "InsertDeallocations"]
    return words + ["--format", random.choice(["2025", "2025", "2026", "2025-select"])]


SCRIPT = os.path.join(SOURCE, "tests", "data", "fusions", "lower_communication.py")


def communications():
    """Return the names of the functions of lower_communication.py."""
    with open(SCRIPT, encoding="utf-8") as text:
        return re.findall(r"^def ([A-Z]\w*)", text.read(), re.MULTILINE)


def communication(random, hirscope):
    """Lower a random function of lower_communication.py; return None if it is refused."""
    name, devices = random.choice(communications()), random.choice([3, 4])
    done = hirscope("lower", f"{SCRIPT}::{name}", "-d", devices, "--format", random.choice(["2025", "2026"]))
    return None if done.code else Base(f"lower_communication.py::{name} -d {devices}", done.out, extent=devices)


def programs_of_ranks(hirscope, source, devices):
    """Lower @source for each rank; return a Base for each, or None if it is refused."""
    bases = []
    for rank in range(devices):
        done = hirscope("lower", source, "-d", devices, "--rank", rank)
        if done.code:
            return None
        bases.append(Base(source, done.out, extent=devices))
    return bases


def example(random, hirscope):
    """Lower a random example."""
    devices = random.choice([1, 2, 2, 3, 4])
    name = random.choice(EXAMPLES[min(devices, 2)])
    words = [f"example:{name}", "-d", devices, *options(random)]
    done = hirscope("lower", *words)
    if done.code:
        return None
    # One size for all axes except those over devices; a reduce-scatter needs a multiple of the devices.
    return Base(" ".join(str(w) for w in words), done.out, extent=devices if "educe_scatter" in name or "RS" in name else random.choice([4, 5, 6]))


def fusion(random):
    """Return the body of a random fusion definition and its number of devices."""
    devices = random.choice([1, 1, 2, 3])
    s, m = random.choice([3, 4, 5, 6]), random.choice([2, 4, 6])
    lines, tensors, sharded = [], [], set()
    shape = [s, m] if devices == 1 else random.choice([[s, devices, m], [devices, s, m], [devices, m]])
    for _ in range(random.randint(1, 2)):
        lines.append(f"t{len(tensors)} = fd.define_tensor({shape}, True)")
        tensors.append(shape)
    n_inputs = len(tensors)
    weight = None
    if random.random() < 0.4:
        weight = len(tensors)
        lines.append(f"t{weight} = fd.define_tensor([{m}, {m}], True)")
        tensors.append([m, m])
        n_inputs += 1
    for _ in range(random.randint(1, 4)):
        n, a = len(tensors), random.randrange(len(tensors))
        if random.random() < 0.5:
            a = len(tensors) - 1
        same = [i for i, t in enumerate(tensors) if t == tensors[a]]
        kind = random.choice(["set", "set", "add", "mul", "relu", "sum", "matmul"])
        if kind == "matmul" and weight is not None and len(tensors[a]) > 1:
            lines.append(f"t{n} = fd.ops.matmul(t{a}, t{weight})")
            tensors.append(list(tensors[a]))
        elif kind in ("add", "mul"):
            lines.append(f"t{n} = fd.ops.{kind}(t{a}, t{random.choice(same)})")
            tensors.append(tensors[a])
        elif kind == "sum" and len(tensors[a]) > 1:
            axis = random.randrange(len(tensors[a]))
            lines.append(f"t{n} = fd.ops.sum(t{a}, [{axis}])")
            tensors.append(tensors[a][:axis] + tensors[a][axis + 1:])
        else:
            lines.append(f"t{n} = fd.ops.{'relu' if kind == 'relu' else 'set'}(t{a})")
            tensors.append(tensors[a])
    outputs = {len(tensors) - 1} | {i for i in range(n_inputs, len(tensors) - 1) if random.random() < 0.25}
    lines += [f"fd.add_output(t{i})" for i in sorted(outputs)]
    if devices > 1:
        lines.append(f"mesh = nvfuser.multidevice.DeviceMesh(range({devices}))")
        lines.append(f"for t in [{', '.join(f't{i}' for i in range(len(tensors)))}]: t.set_device_mesh(mesh)")
        for i, t in enumerate(tensors):
            if devices in t and (i == 0 or random.random() < 0.3):
                lines.append(f"t{i}.axis({t.index(devices)}).parallelize(X)")
                sharded.add(i)
    streamed = random.random()
    for i in range(n_inputs, len(tensors)):
        free = [k for k in range(len(tensors[i])) if i not in sharded or k != tensors[i].index(devices)]
        if free and random.random() < 0.3 + 0.7 * streamed:
            lines.append(f"t{i}.axis({free[0] if random.random() < 0.8 else random.choice(free)}).parallelize(S)")
    return lines, devices


def random_base(random, hirscope, folder):
    """Lower a random fusion; return None if it is refused."""
    lines, devices = fusion(random)
    path = os.path.join(folder, "fusion.py")
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEAD + "def f():\n    with FusionDefinition() as fd:\n" + "".join(f"        {line}\n" for line in lines))
    words = options(random)
    done = hirscope("lower", path + "::f", "-d", devices, *words)
    if done.code or "%HostIrContainer" not in done.out:
        return None
    return Base("; ".join(lines) + " " + " ".join(words), done.out)
