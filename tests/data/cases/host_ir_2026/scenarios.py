"""Further scenarios of host_ir_lowering: streams over inputs and products, gathers, transposes, layers and gradients."""
import torch
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def on_mesh(devices, *tensors):
    mesh = nvfuser.multidevice.DeviceMesh(torch.tensor(devices))
    for tv in tensors:
        tv.set_device_mesh(mesh)


def split(tv, axis, parts, parallel_type):
    tv.outer_split(axis, parts)
    tv.axis(axis).parallelize(parallel_type)


def matrix(fd):
    return fd.define_tensor([-1, -1], contiguity=True, dtype=DataType.Float)


def two_matmuls_not_inlinable():
    """N of the first product and M of the second over streams: two loops, and the first product lies whole in memory."""
    with FusionDefinition() as fd:
        x, w1, w2 = matrix(fd), matrix(fd), matrix(fd)
        hidden = fd.ops.matmul(x, w1)
        out = fd.ops.matmul(hidden, w2)
        fd.add_output(out)
        split(w1, 1, 3, ParallelType.stream)
        split(out, 0, 3, ParallelType.stream)
    return fd


def stream_from_the_weight():
    """Only the weight is split over streams; the product follows."""
    with FusionDefinition() as fd:
        x, w = matrix(fd), matrix(fd)
        out = fd.ops.matmul(x, w)
        fd.add_output(out)
        split(w, 1, 2, ParallelType.stream)
    return fd


def copies_by_streams():
    """Two copies, one loop."""
    with FusionDefinition() as fd:
        x = matrix(fd)
        a = fd.ops.set(x)
        b = fd.ops.set(a)
        fd.add_output(b)
        split(b, 0, 4, ParallelType.stream)
    return fd


def gather(num_devices: int):
    """Shards on devices 1 2 are gathered on 0 2: three devices."""
    with FusionDefinition() as fd:
        x = matrix(fd)
        out = fd.ops.set(x)
        fd.add_output(out)
        on_mesh([1, 2], x)
        on_mesh([0, 2], out)
        x.axis(0).parallelize(ParallelType.mesh_x)
    return fd


def reduce(num_devices: int):
    """Shards on devices 1 2 are added up on 0 2: three devices."""
    with FusionDefinition() as fd:
        x = matrix(fd)
        out = fd.ops.sum(x, dims=[0])
        fd.add_output(out)
        on_mesh([1, 2], x)
        on_mesh([0, 2], out)
        x.axis(0).parallelize(ParallelType.mesh_x)
    return fd


def alltoall(num_devices: int):
    """Experts: [d, n, 2n] from the second axis to the first, as in a dispatch."""
    n = 3
    with FusionDefinition() as fd:
        x = fd.define_tensor([num_devices, num_devices * n], contiguity=True, dtype=DataType.Half)
        out = fd.ops.set(x)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), x, out)
        split(x, 0, num_devices, ParallelType.mesh_x)
        split(out, 1, num_devices, ParallelType.mesh_x)
    return fd


def column_parallel_linear_broadcast(num_devices: int):
    """As column_parallel_linear_collective_permute, without swizzle1d: each device broadcasts its part in turn."""
    h = 2
    with FusionDefinition() as fd:
        inp = fd.define_tensor([-1, h], contiguity=True, dtype=DataType.BFloat16)
        weight = fd.define_tensor([h * 4, h], contiguity=True, dtype=DataType.BFloat16)
        gathered = fd.ops.set(inp)
        out = fd.ops.linear(gathered, weight)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), inp, weight, gathered)
        split(inp, 0, num_devices, ParallelType.mesh_x)
        split(weight, 0, num_devices, ParallelType.mesh_x)
        split(gathered, 0, num_devices, ParallelType.stream)
    return fd


def column_and_sequence_parallel_linear(num_devices: int):
    """Only the linear: its operand is gathered part by part, because its result is over streams."""
    with FusionDefinition() as fd:
        inp, weight = matrix(fd), matrix(fd)
        out = fd.ops.linear(inp, weight)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), inp, weight, out)
        split(inp, 0, num_devices, ParallelType.mesh_x)
        split(weight, 0, num_devices, ParallelType.mesh_x)
        split(out, 1, num_devices, ParallelType.mesh_x)
        split(out, 0, num_devices, ParallelType.stream)
    return fd


def row_parallel_input_grad(num_devices: int):
    """grad [t, h] over devices along t, weight [h, 4h] along 4h: the gradient is gathered part by part."""
    with FusionDefinition() as fd:
        grad, weight = matrix(fd), matrix(fd)
        out = fd.ops.matmul(grad, weight)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), grad, weight, out)
        split(grad, 0, num_devices, ParallelType.mesh_x)
        split(weight, 1, num_devices, ParallelType.mesh_x)
        split(out, 1, num_devices, ParallelType.mesh_x)
        split(out, 0, num_devices, ParallelType.stream)
    return fd


def row_parallel_linear_with_bias(num_devices: int):
    """The bias is added once, behind the reduction over devices."""
    with FusionDefinition() as fd:
        inp = fd.define_tensor([-1, 8], contiguity=True, dtype=DataType.Float)
        weight = fd.define_tensor([6, 8], contiguity=True, dtype=DataType.Float)
        bias = fd.define_tensor([6], contiguity=True, dtype=DataType.Float)
        out = fd.ops.linear(inp, weight, bias)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), inp, weight, bias)
        split(inp, 1, num_devices, ParallelType.mesh_x)
        split(weight, 1, num_devices, ParallelType.mesh_x)
    return fd


def mlp(num_devices: int):
    """A column-parallel linear, a relu and a row-parallel linear."""
    with FusionDefinition() as fd:
        inp = fd.define_tensor([-1, 4], contiguity=True, dtype=DataType.Float)
        w0 = fd.define_tensor([8, 4], contiguity=True, dtype=DataType.Float)
        w1 = fd.define_tensor([4, 8], contiguity=True, dtype=DataType.Float)
        hidden = fd.ops.relu(fd.ops.linear(inp, w0))
        out = fd.ops.linear(hidden, w1)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), inp, w0, w1)
        split(w0, 0, num_devices, ParallelType.mesh_x)
        split(w1, 1, num_devices, ParallelType.mesh_x)
    return fd


def reduce_scatter_by_streams(num_devices: int):
    """Rows [s, d, ..]: each iteration multiplies the rows of one stream, adds them up and scatters them."""
    d, s = num_devices, 2
    with FusionDefinition() as fd:
        x = fd.define_tensor([s, d, 4, d * 2], contiguity=True, dtype=DataType.Float)
        w = fd.define_tensor([3, d * 2], contiguity=True, dtype=DataType.Float)
        out = fd.ops.linear(x, w)
        fd.add_output(out)
        on_mesh(list(range(d)), x, w, out)
        split(x, 3, d, ParallelType.mesh_x)
        split(w, 1, d, ParallelType.mesh_x)
        split(out, 4, d, ParallelType.mesh_x)
        out.axis(1).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
    return fd
