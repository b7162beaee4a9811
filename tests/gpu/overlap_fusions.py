"""Fusions of tests/gpu/overlap.py: communication and matmul in a stream loop, and each of them alone.

Without a prefix: an all-gather before the matmul. ar_: an all-reduce after it. rs_: a reduce-scatter
after it. p2p_: the rows of each device are received and multiplied on a separate stream.
"""
import torch
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def on_mesh(num_devices, *tensors):
    mesh = nvfuser.multidevice.DeviceMesh(torch.arange(num_devices))
    for tv in tensors:
        tv.set_device_mesh(mesh)


def both(num_devices: int):
    """[S, D, M/(S*D), K] @ [K, N]: each stream gathers its slice, then multiplies it."""
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv1 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv2 = fd.ops.matmul(tv0, tv1)
        fd.add_output(tv2)
        on_mesh(num_devices, tv0, tv1, tv2)
        tv0.axis(1).parallelize(ParallelType.mesh_x)
        tv2.axis(0).parallelize(ParallelType.stream)
    return fd


def compute(num_devices: int):
    """Like both(), but each device has the whole input, so nothing is gathered."""
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv1 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv2 = fd.ops.matmul(tv0, tv1)
        fd.add_output(tv2)
        on_mesh(num_devices, tv0, tv1, tv2)
        tv2.axis(0).parallelize(ParallelType.stream)
    return fd


def communication(num_devices: int):
    """The gather of both() alone, in the same slices."""
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        on_mesh(num_devices, tv0, tv1)
        tv0.axis(1).parallelize(ParallelType.mesh_x)
        tv1.axis(0).parallelize(ParallelType.stream)
    return fd


def tensor(fd, rank):
    return fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.BFloat16)


def split_k_matmul(fd, num_devices):
    """[S, D, M/S, K/D] @ [D, K/D, N]: each device has a part of K, each stream a part of the rows."""
    a = tensor(fd, 4)
    b = tensor(fd, 3)
    partial = fd.ops.matmul(a, b)
    on_mesh(num_devices, a, b, partial)
    a.axis(1).parallelize(ParallelType.mesh_x)
    b.axis(0).parallelize(ParallelType.mesh_x)
    partial.axis(0).parallelize(ParallelType.stream)
    partial.axis(1).parallelize(ParallelType.mesh_x)
    return partial


def split_k_rows_matmul(fd, num_devices):
    """[S, D, D, M/(S*D), K/D] @ [D, K/D, N], whose sum will be sharded along the second D."""
    a = tensor(fd, 5)
    b = tensor(fd, 3)
    wide = fd.ops.broadcast(b, is_broadcast_dim=[True, False, True, False, False])
    partial = fd.ops.matmul(a, wide)
    on_mesh(num_devices, a, b, wide, partial)
    a.axis(1).parallelize(ParallelType.mesh_x)
    b.axis(0).parallelize(ParallelType.mesh_x)
    wide.axis(1).parallelize(ParallelType.mesh_x)
    partial.axis(0).parallelize(ParallelType.stream)
    partial.axis(1).parallelize(ParallelType.mesh_x)
    return partial


def add_sum(fd, num_devices, partial, scatter):
    out = fd.ops.sum(partial, dims=[1])
    fd.add_output(out)
    on_mesh(num_devices, out)
    out.axis(0).parallelize(ParallelType.stream)
    if scatter:
        out.axis(2).parallelize(ParallelType.mesh_x)


def ar_both(num_devices: int):
    with FusionDefinition() as fd:
        add_sum(fd, num_devices, split_k_matmul(fd, num_devices), False)
    return fd


def ar_compute(num_devices: int):
    with FusionDefinition() as fd:
        fd.add_output(split_k_matmul(fd, num_devices))
    return fd


def ar_communication(num_devices: int):
    with FusionDefinition() as fd:
        partial = tensor(fd, 4)  # [S, D, M/S, N]
        on_mesh(num_devices, partial)
        partial.axis(1).parallelize(ParallelType.mesh_x)
        add_sum(fd, num_devices, partial, False)
    return fd


def rs_both(num_devices: int):
    with FusionDefinition() as fd:
        add_sum(fd, num_devices, split_k_rows_matmul(fd, num_devices), True)
    return fd


def rs_compute(num_devices: int):
    with FusionDefinition() as fd:
        fd.add_output(split_k_rows_matmul(fd, num_devices))
    return fd


def rs_communication(num_devices: int):
    with FusionDefinition() as fd:
        partial = tensor(fd, 5)  # [S, D, D, M/(S*D), N]
        on_mesh(num_devices, partial)
        partial.axis(1).parallelize(ParallelType.mesh_x)
        add_sum(fd, num_devices, partial, True)
    return fd


def p2p_both(num_devices: int):
    """[D, M/D, K] @ [K, N]."""
    with FusionDefinition() as fd:
        a = tensor(fd, 3)
        b = tensor(fd, 2)
        out = fd.ops.matmul(a, b)
        fd.add_output(out)
        on_mesh(num_devices, a, b, out)
        a.axis(0).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
    return fd


def p2p_compute(num_devices: int):
    with FusionDefinition() as fd:
        a = tensor(fd, 3)
        b = tensor(fd, 2)
        out = fd.ops.matmul(a, b)
        fd.add_output(out)
        on_mesh(num_devices, a, b, out)
        out.axis(0).parallelize(ParallelType.stream)
    return fd


def p2p_communication(num_devices: int):
    with FusionDefinition() as fd:
        a = tensor(fd, 3)
        out = fd.ops.set(a)
        fd.add_output(out)
        on_mesh(num_devices, a, out)
        a.axis(0).parallelize(ParallelType.mesh_x)
        out.axis(0).parallelize(ParallelType.stream)
    return fd
