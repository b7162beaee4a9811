"""Fusions that host_ir_lowering cannot lower, or would lower to a wrong program. The comment in a function marks the
line that the message points at."""
import torch
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def on_mesh(devices, *tensors):
    mesh = nvfuser.multidevice.DeviceMesh(torch.tensor(devices))
    for tv in tensors:
        tv.set_device_mesh(mesh)


def matrix(fd, rows=-1, columns=-1):
    return fd.define_tensor([rows, columns], contiguity=True, dtype=DataType.Float)


def weight_grad():
    """The reduced axis over streams: each iteration would overwrite the result."""
    with FusionDefinition() as fd:
        x, grad = matrix(fd), matrix(fd)
        w = fd.ops.matmul(x, grad)
        fd.add_output(w)
        w.outer_split(2, 4)
        w.axis(2).parallelize(ParallelType.stream)  # here
    return fd


def sharded_allocation():
    """Kernels in a stream loop."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1, -1], contiguity=True, dtype=DataType.Float)
        a = fd.ops.add(x, 1.0)
        b = fd.ops.sum(a, dims=[2])
        c = fd.ops.div(a, 2.0)
        fd.add_output(b)
        fd.add_output(c)
        x.outer_split(0, 2)
        x.axis(0).parallelize(ParallelType.stream)  # here
    return fd


def symbolic_streams():
    with FusionDefinition() as fd:
        x, w = matrix(fd), matrix(fd)
        out = fd.ops.matmul(x, w)
        fd.add_output(out)
        out.axis(0).parallelize(ParallelType.stream)  # here
    return fd


def copies_over_unrelated_streams():
    """Copies become one segment, which is in one loop."""
    with FusionDefinition() as fd:
        x = matrix(fd, 16, 8)
        a = fd.ops.set(x)
        b = fd.ops.set(a)
        fd.add_output(a)
        fd.add_output(b)
        a.axis(1).parallelize(ParallelType.stream)
        b.axis(0).parallelize(ParallelType.stream)  # here
    return fd


def permute_into_a_part():
    """The result is an output, which lies whole in memory."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([3, 2, 4], contiguity=True, dtype=DataType.Float)
        a = fd.ops.set(x)
        b = fd.ops.permute(a, dims=[1, 2, 0])  # here
        fd.add_output(b)
        a.axis(1).parallelize(ParallelType.stream)
    return fd


def sum_of_shards_and_elements(num_devices: int):
    """The result does not say that its reduced axis is split over the devices."""
    with FusionDefinition() as fd:
        x = matrix(fd)
        out = fd.ops.sum(x, dims=[1])
        fd.add_output(out)
        on_mesh(list(range(num_devices)), x, out)
        x.outer_split(1, num_devices)
        x.axis(1).parallelize(ParallelType.mesh_x)  # here
    return fd


def sum_of_a_whole_and_a_part(num_devices: int):
    """The operand is over devices along the whole axis, the result along a part."""
    with FusionDefinition() as fd:
        x = matrix(fd)
        out = fd.ops.sum(x, dims=[1])
        fd.add_output(out)
        on_mesh(list(range(num_devices)), x, out)
        x.axis(1).parallelize(ParallelType.mesh_x)  # here
        out.outer_split(1, num_devices)
        out.axis(1).parallelize(ParallelType.mesh_x)
    return fd


def alltoall_to_another_mesh(num_devices: int):
    with FusionDefinition() as fd:
        x = matrix(fd, num_devices, num_devices)
        out = fd.ops.set(x)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), x)
        on_mesh(list(reversed(range(num_devices))), out)
        x.axis(0).parallelize(ParallelType.mesh_x)  # here
        out.axis(1).parallelize(ParallelType.mesh_x)
    return fd


def alltoall_over_streams(num_devices: int):
    """In each iteration, one device has everything."""
    with FusionDefinition() as fd:
        x = matrix(fd, num_devices, num_devices)
        out = fd.ops.set(x)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), x, out)
        x.axis(1).parallelize(ParallelType.mesh_x)  # here
        out.axis(0).parallelize(ParallelType.mesh_x)
        out.axis(1).parallelize(ParallelType.stream)
    return fd


def streams_on_another_mesh(num_devices: int):
    with FusionDefinition() as fd:
        x = matrix(fd, num_devices, 4)
        out = fd.ops.set(x)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), x)
        on_mesh(list(reversed(range(num_devices))), out)
        x.axis(0).parallelize(ParallelType.mesh_x)  # here
        out.axis(0).parallelize(ParallelType.stream)
    return fd


def streams_unlike_devices(num_devices: int):
    with FusionDefinition() as fd:
        x = matrix(fd, num_devices * 4, 4)
        out = fd.ops.set(x)
        fd.add_output(out)
        on_mesh(list(range(num_devices)), x, out)
        x.outer_split(0, num_devices)
        x.axis(0).parallelize(ParallelType.mesh_x)  # here
        out.outer_split(0, num_devices * 2)
        out.axis(0).parallelize(ParallelType.stream)
    return fd


def row_parallel(num_devices):
    d = num_devices
    fd = FusionDefinition()
    with fd:
        x, w = matrix(fd, 16, 4), matrix(fd, 3, 4)
        out = fd.ops.linear(x, w)  # here, for streams_inside_devices
        fd.add_output(out)
        on_mesh(list(range(d)), x, w, out)
        x.outer_split(1, d)
        x.axis(1).parallelize(ParallelType.mesh_x)
        w.outer_split(1, d)
        w.axis(1).parallelize(ParallelType.mesh_x)
        out.outer_split(2, d)
        out.axis(2).parallelize(ParallelType.mesh_x)
    return fd, x, out


def streams_inside_devices(num_devices: int):
    """The rows of the operand, which has them all, would be cut in the middle of each device's part."""
    fd, x, out = row_parallel(num_devices)
    with fd:
        out.outer_split(0, num_devices)
        out.axis(0).parallelize(ParallelType.mesh_x)
        out.outer_split(1, 2)
        out.axis(1).parallelize(ParallelType.stream)
    return fd


def devices_inside_streams(num_devices: int):
    fd, x, out = row_parallel(num_devices)
    with fd:
        x.outer_split(0, 2)
        x.axis(0).parallelize(ParallelType.stream)
        out.outer_split(0, 2)
        out.axis(0).parallelize(ParallelType.stream)
        out.outer_split(1, num_devices)
        out.axis(1).parallelize(ParallelType.mesh_x)  # here
    return fd


def unequal_pieces(num_devices: int):
    with FusionDefinition() as fd:
        x, w = matrix(fd, 8, 6), matrix(fd, 4, 6)
        y = fd.ops.linear(x, w)
        fd.add_output(y)
        on_mesh(list(range(num_devices)), x, w, y)
        y.outer_split(0, 3)
        y.axis(0).parallelize(ParallelType.stream)  # here
    return fd
