"""What tests/gpu/overlap.py compares: gathering and multiplying in a stream loop, and each alone."""
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
    """The same with all of the input on each device: nothing to gather."""
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv1 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv2 = fd.ops.matmul(tv0, tv1)
        fd.add_output(tv2)
        on_mesh(num_devices, tv0, tv1, tv2)
        tv2.axis(0).parallelize(ParallelType.stream)
    return fd


def communication(num_devices: int):
    """The gather alone, in the same pieces."""
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=True, dtype=DataType.BFloat16)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        on_mesh(num_devices, tv0, tv1)
        tv0.axis(1).parallelize(ParallelType.mesh_x)
        tv1.axis(0).parallelize(ParallelType.stream)
    return fd
