"""A linear whose input is gathered (ag_), and one whose result is added up and scattered (rs_), over num_devices devices.
Every function computes x [T, K] times w [K, N], with other shapes of the same elements. hostir_ and executor_ name the
pipeline that lowers a form; forms without a prefix are lowered by both."""
import torch
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType

T, K, N = 2048, 512, 2048


def on_mesh(num_devices, *tensors):
    mesh = nvfuser.multidevice.DeviceMesh(torch.arange(num_devices))
    for tv in tensors:
        tv.set_device_mesh(mesh)


def split(tv, axis, parts, parallel_type):
    tv.outer_split(axis, parts)
    tv.axis(axis).parallelize(parallel_type)


def tensor(fd, *shape):
    return fd.define_tensor(list(shape), contiguity=True, dtype=DataType.BFloat16)


def ag_whole(num_devices: int):
    """One Allgather, then the product."""
    d = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, d, T // d, K), tensor(fd, K, N // d)
        gathered = fd.ops.set(x)
        out = fd.ops.matmul(gathered, w)
        fd.add_output(out)
        on_mesh(d, x, w, gathered, out)
        x.axis(0).parallelize(ParallelType.mesh_x)
    return fd


def hostir_ag(num_devices, swizzled):
    d = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, T, K), tensor(fd, K, N // d)
        gathered = fd.ops.set(x)
        out = fd.ops.matmul(gathered, w)
        fd.add_output(out)
        on_mesh(d, x, w, gathered)
        split(x, 0, d, ParallelType.mesh_x)
        gathered.outer_split(0, d)
        if swizzled:
            gathered.swizzle1d(0, ParallelType.mesh_x)
        gathered.axis(0).parallelize(ParallelType.stream)
    return fd


def hostir_ag_broadcast(num_devices: int):
    """In iteration i, device i broadcasts its rows."""
    return hostir_ag(num_devices, False)


def hostir_ag_swizzle(num_devices: int):
    """In iteration i, each device receives the rows of the device i places ahead."""
    return hostir_ag(num_devices, True)


def executor_ag_streams(num_devices: int):
    """One Allgather of a slice of each shard per iteration."""
    d = s = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, s, d, T // (s * d), K), tensor(fd, K, N // d)
        out = fd.ops.matmul(x, w)
        fd.add_output(out)
        on_mesh(d, x, w, out)
        x.axis(1).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
    return fd


def executor_ag_ring(num_devices: int):
    """Sends and receives: each iteration moves the rows of one device."""
    d = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, d, T // d, K), tensor(fd, K, N // d)
        out = fd.ops.matmul(x, w)
        fd.add_output(out)
        on_mesh(d, x, w, out)
        x.axis(0).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
    return fd


def rs_whole(num_devices: int):
    """The product of the device's part of K, then one ReduceScatter."""
    d = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, d, T, K // d), tensor(fd, d, K // d, N)
        partial = fd.ops.matmul(x, w)
        out = fd.ops.sum(partial, dims=[0])
        fd.add_output(out)
        on_mesh(d, x, w, partial, out)
        for tv in (x, w, partial):
            tv.axis(0).parallelize(ParallelType.mesh_x)
        split(out, 1, d, ParallelType.mesh_x)
    return fd


def hostir_rs_streams(num_devices: int):
    """One ReduceScatter of a slice of each shard per iteration."""
    d = s = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, s, d, T // (s * d), K), tensor(fd, N, K)
        out = fd.ops.linear(x, w)
        fd.add_output(out)
        on_mesh(d, x, w, out)
        split(x, 3, d, ParallelType.mesh_x)
        split(w, 1, d, ParallelType.mesh_x)
        split(out, 4, d, ParallelType.mesh_x)
        out.axis(1).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
    return fd


def hostir_ar_streams(num_devices: int):
    """One Allreduce of a slice of the rows per iteration: every device gets all rows."""
    d = s = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, T, K), tensor(fd, N, K)
        out = fd.ops.linear(x, w)
        fd.add_output(out)
        on_mesh(d, x, w)
        split(x, 0, s, ParallelType.stream)
        split(x, 2, d, ParallelType.mesh_x)
        split(w, 1, d, ParallelType.mesh_x)
    return fd


def executor_rs_streams(num_devices: int):
    """One ReduceScatter of a slice of each shard per iteration."""
    d = s = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, s, d, d, T // (s * d), K // d), tensor(fd, d, K // d, N)
        wide = fd.ops.broadcast(w, is_broadcast_dim=[True, False, True, False, False])
        partial = fd.ops.matmul(x, wide)
        out = fd.ops.sum(partial, dims=[1])
        fd.add_output(out)
        on_mesh(d, x, w, wide, partial, out)
        x.axis(1).parallelize(ParallelType.mesh_x)
        w.axis(0).parallelize(ParallelType.mesh_x)
        wide.axis(1).parallelize(ParallelType.mesh_x)
        partial.axis(0).parallelize(ParallelType.stream)
        partial.axis(1).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
        out.axis(2).parallelize(ParallelType.mesh_x)
    return fd


def executor_ar_streams(num_devices: int):
    """One Allreduce of a slice of the rows per iteration: every device gets all rows."""
    d = s = num_devices
    with FusionDefinition() as fd:
        x, w = tensor(fd, s, d, T // s, K // d), tensor(fd, d, K // d, N)
        partial = fd.ops.matmul(x, w)
        out = fd.ops.sum(partial, dims=[1])
        fd.add_output(out)
        on_mesh(d, x, w, partial, out)
        x.axis(1).parallelize(ParallelType.mesh_x)
        w.axis(0).parallelize(ParallelType.mesh_x)
        partial.axis(0).parallelize(ParallelType.stream)
        partial.axis(1).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
    return fd
