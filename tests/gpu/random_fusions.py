"""Random fusions of all kinds of ops with numbers that round: chains of elementwise ops, reductions, products and copies."""
import random

DTYPES = ("Float", "Float", "Half", "BFloat16", "Double")
UNARY = ("exp", "sin", "cos", "tanh", "sigmoid", "gelu", "silu", "relu", "abs", "neg", "sqrt", "rsqrt", "reciprocal", "log", "log1p",
         "expm1", "erf", "erfc", "exp2", "log2", "atan", "asinh", "sinh", "cosh", "floor", "round", "trunc", "frac")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "pow", "atan2", "fmod", "truediv")
SIZES = (1, 2, 3, 4, 5, 7, 8, 16, 31, 33, 64, 100, 128)
MOST_ELEMENTS = 1 << 17


class Fusion:
    """Writes a fusion: lines of its definition, and for each tensor its shape and type."""

    def __init__(self, seed, most_devices):
        self.rng = random.Random(seed)
        self.devices = self.rng.choice([1, 1, *range(2, most_devices + 1)])
        self.lines, self.shapes, self.dtypes, self.inputs = [], [], [], []
        self.dtype = self.rng.choice(DTYPES)
        self.put(self.shape(), None)
        for _ in range(self.rng.randint(1, 7)):
            self.step()
        self.outputs()
        self.parallelize()

    def shape(self):
        shape = [self.devices] if self.devices > 1 else []
        for _ in range(self.rng.randint(1, 3)):
            size = self.rng.choice(SIZES)
            if size * volume(shape) <= MOST_ELEMENTS:
                shape.append(size)
        return shape

    def put(self, shape, expression, dtype=None):
        """Add a tensor, an input without @expression. Return its index."""
        dtype, i = dtype or self.dtype, len(self.shapes)
        if expression is None:
            expression = f"fd.define_tensor(shape={shape}, contiguity=True, dtype=DataType.{dtype})"
            self.inputs.append(i)
        self.lines.append(f"t{i} = {expression}")
        self.shapes.append(list(shape))
        self.dtypes.append(dtype)
        return i

    def step(self):
        """Add an op to one of the latest tensors."""
        i = self.rng.choice(range(max(0, len(self.shapes) - 3), len(self.shapes)))
        make = self.rng.choice([self.unary, self.unary, self.binary, self.binary, self.scalar, self.reduce, self.moments, self.softmax,
                                self.product, self.product, self.view, self.view, self.where, self.cast])
        make(i, self.shapes[i])

    def like(self, shape, i):
        """Return an earlier tensor of @shape other than @i, or a new input."""
        same = [k for k, other in enumerate(self.shapes) if other == shape and k != i]
        return self.rng.choice(same) if same and self.rng.random() < 0.6 else self.put(shape, None, self.dtypes[i])

    def unary(self, i, shape):
        op = self.rng.choice(UNARY)
        if op in ("sqrt", "rsqrt", "log", "log2", "reciprocal", "log1p"):
            i = self.put(shape, f"fd.ops.add(fd.ops.abs(t{i}), 0.5)", self.dtypes[i])
        self.put(shape, f"fd.ops.{op}(t{i})", self.dtypes[i])

    def binary(self, i, shape):
        op, k = self.rng.choice(BINARY), self.like(shape, i)
        wide = self.dtypes[i] if self.dtypes[i] == self.dtypes[k] else "Double" if "Double" in (self.dtypes[i], self.dtypes[k]) else "Float"
        left = f"fd.ops.abs(t{i})" if op == "pow" else f"t{i}"
        right = f"fd.ops.add(fd.ops.abs(t{k}), 1.0)" if op in ("div", "truediv", "fmod") else f"t{k}"
        self.put(shape, f"fd.ops.{op}({left}, {right})", wide)

    def scalar(self, i, shape):
        self.put(shape, f"fd.ops.{self.rng.choice(['add', 'sub', 'mul', 'div'])}(t{i}, {self.rng.uniform(0.1, 3):.3f})", self.dtypes[i])

    def reduce(self, i, shape):
        first = 1 if self.devices > 1 else 0
        if len(shape) <= first:
            return
        dims = sorted(self.rng.sample(range(first, len(shape)), self.rng.randint(1, len(shape) - first)))
        op, keep = self.rng.choice(["sum", "sum", "sum", "max", "min"]), self.rng.random() < 0.4
        left = [1 if k in dims else n for k, n in enumerate(shape) if keep or k not in dims]
        self.put(left, f"fd.ops.{op}(t{i}, dims={dims}, keepdim={keep})", self.dtypes[i])

    def moments(self, i, shape):
        """Normalize the last axis."""
        if len(shape) <= (1 if self.devices > 1 else 0) or shape[-1] < 2:
            return
        axis, dtype = len(shape) - 1, self.dtypes[i]
        one = shape[:-1] + [1]
        if dtype in ("Half", "BFloat16"):  # no moments of these
            dtype = "Float"
            i = self.put(shape, f"fd.ops.cast(t{i}, dtype=DataType.Float)", dtype)
        var = self.put(one, f"fd.ops.var(t{i}, dims=[{axis}], correction=0, keepdim=True)", dtype)
        total = self.put(one, f"fd.ops.sum(t{i}, dims=[{axis}], keepdim=True)", dtype)
        mean = self.put(one, f"fd.ops.div(t{total}, {shape[-1]}.0)", dtype)
        self.put(shape, f"fd.ops.mul(fd.ops.sub(t{i}, t{mean}), fd.ops.rsqrt(fd.ops.add(t{var}, 0.01)))", dtype)

    def softmax(self, i, shape):
        if len(shape) <= (1 if self.devices > 1 else 0):
            return
        axis, dtype = len(shape) - 1, self.dtypes[i]
        most = self.put(shape[:-1] + [1], f"fd.ops.max(t{i}, dims=[{axis}], keepdim=True)", dtype)
        power = self.put(shape, f"fd.ops.exp(fd.ops.sub(t{i}, t{most}))", dtype)
        total = self.put(shape[:-1] + [1], f"fd.ops.sum(t{power}, dims=[{axis}], keepdim=True)", dtype)
        self.put(shape, f"fd.ops.div(t{power}, t{total})", dtype)

    def product(self, i, shape):
        """Multiply by a matrix, sometimes with a bias."""
        if len(shape) < (3 if self.devices > 1 else 2):
            return
        width, dtype = self.rng.choice(SIZES), self.dtypes[i]
        if volume(shape[:-1]) * width > MOST_ELEMENTS:
            return
        out = shape[:-1] + [width]
        if self.rng.random() < 0.5:
            self.put(out, f"fd.ops.matmul(t{i}, t{self.put([shape[-1], width], None, dtype)})", dtype)
        else:
            words = [i, self.put([width, shape[-1]], None, dtype)] + ([self.put([width], None, dtype)] if self.rng.random() < 0.5 else [])
            self.put(out, f"fd.ops.linear({', '.join(f't{k}' for k in words)})", dtype)

    def view(self, i, shape):
        """Move, cut or join elements."""
        first, dtype = 1 if self.devices > 1 else 0, self.dtypes[i]
        free = list(range(first, len(shape)))
        if not free:
            return
        axis, kind = self.rng.choice(free), self.rng.choice(["permute", "slice", "reshape", "cat", "pad", "broadcast", "set"])
        if kind == "permute":
            order = list(range(first)) + self.rng.sample(free, len(free))
            self.put([shape[k] for k in order], f"fd.ops.permute(t{i}, dims={order})", dtype)
        elif kind == "slice" and shape[axis] > 1:
            start = self.rng.randrange(shape[axis])
            stop = self.rng.randint(start + 1, shape[axis])
            starts, stops = [0] * len(shape), list(shape)
            starts[axis], stops[axis] = start, stop
            out = shape[:axis] + [stop - start] + shape[axis + 1:]
            self.put(out, f"fd.ops.slice(t{i}, start_indices={starts}, end_indices={stops})", dtype)
        elif kind == "reshape":
            out = shape[:first] + [volume(shape[first:])]
            self.put(out, f"fd.ops.reshape(t{i}, new_shape={out})", dtype)
        elif kind == "cat" and 2 * volume(shape) <= MOST_ELEMENTS:
            other = self.like(shape, i)
            if self.dtypes[other] == dtype:
                out = shape[:axis] + [2 * shape[axis]] + shape[axis + 1:]
                self.put(out, f"fd.ops.cat([t{i}, t{other}], dim={axis})", dtype)
        elif kind == "pad":
            widths = [self.rng.randint(0, 3), self.rng.randint(0, 3)]  # of the last axis
            self.put(shape[:-1] + [shape[-1] + sum(widths)], f"fd.ops.pad(t{i}, {widths})", dtype)
        elif kind == "broadcast" and len(shape) < 4:
            flags = [k == axis for k in range(len(shape) + 1)]
            self.put(shape[:axis] + [1] + shape[axis:], f"fd.ops.broadcast(t{i}, is_broadcast_dim={flags})", dtype)
        else:
            self.put(shape, f"fd.ops.set(t{i})", dtype)

    def where(self, i, shape):
        k = self.like(shape, i)
        if self.dtypes[i] == self.dtypes[k]:
            self.put(shape, f"fd.ops.where(fd.ops.gt(t{i}, {self.rng.uniform(-0.5, 0.5):.3f}), t{i}, t{k})", self.dtypes[i])

    def cast(self, i, shape):
        dtype = self.rng.choice(DTYPES)
        self.put(shape, f"fd.ops.cast(t{i}, dtype=DataType.{dtype})", dtype)

    def outputs(self):
        made = [i for i in range(len(self.shapes)) if i not in self.inputs] or [self.put(self.shapes[0], "fd.ops.set(t0)", self.dtypes[0])]
        self.made = made
        for i in made:
            if i == made[-1] or self.rng.random() < 0.3:
                self.lines.append(f"fd.add_output(t{i})")

    def parallelize(self):
        """Shard the first axis of most tensors over devices, and an axis of some results over streams."""
        if self.devices > 1:
            self.lines.append(f"mesh = nvfuser.multidevice.DeviceMesh(range({self.devices}))")
            for i, shape in enumerate(self.shapes):
                self.lines.append(f"t{i}.set_device_mesh(mesh)")
                if shape and shape[0] == self.devices and self.rng.random() < 0.9:
                    self.lines.append(f"t{i}.axis(0).parallelize(ParallelType.mesh_x)")
        if self.rng.random() < 0.4:
            first = 1 if self.devices > 1 else 0
            for i in self.made:
                if len(self.shapes[i]) > first and any(op in self.lines[i] for op in ("ops.set", "matmul", "linear")):
                    self.lines.append(f"t{i}.axis({first}).parallelize(ParallelType.stream)")


def volume(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def random_fusion(seed, most_devices):
    """Return a script with one function, f, and its number of devices."""
    fusion = Fusion(seed, most_devices)
    body = "".join(f"        {line}\n" for line in fusion.lines)
    return ("import nvfuser_direct as nvfuser\nfrom nvfuser_direct import DataType, FusionDefinition, ParallelType\n\n\n"
            f"def f():\n    with FusionDefinition() as fd:\n{body}    return fd\n"), fusion.devices
