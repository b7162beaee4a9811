"""docs/host-ir.md#table-46: one communication, or two. `hirscope run THIS::LowerGather_01_to_0 -d 2 --check`.

The name of a function is that of nvFuser's test, with the devices of the two meshes behind it."""
import torch
from nvfuser_direct import DataType, FusionDefinition, ParallelType, multidevice


def contig(fd, rank):
    return fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.Float)


def mesh_of(devices):
    return multidevice.DeviceMesh(torch.tensor(devices))


def shard(tv, axis):
    tv.axis(axis).parallelize(ParallelType.mesh_x)


def move(senders, receivers, in_axis, out_axis):
    """A set from one mesh to another; an axis of None is whole."""
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        tv0.set_device_mesh(mesh_of(senders))
        tv1.set_device_mesh(mesh_of(receivers))
        if in_axis is not None:
            shard(tv0, in_axis)
        if out_axis is not None:
            shard(tv1, out_axis)
    return fd


def add_up(senders, receivers, rank, out_axis):
    """A sum over axis 0, which is over devices."""
    with FusionDefinition() as fd:
        tv0 = contig(fd, rank)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        tv0.set_device_mesh(mesh_of(senders))
        tv1.set_device_mesh(mesh_of(receivers))
        shard(tv0, 0)
        if out_axis is not None:
            shard(tv1, out_axis)
    return fd


def LowerGather_01_to_0():
    return move([0, 1], [0], 0, None)


def LowerGather_01_to_1():
    return move([0, 1], [1], 0, None)


def LowerGather_01_to_02():
    return move([0, 1], [0, 2], 0, None)


def LowerGather_12_to_0():
    return move([1, 2], [0], 0, None)


def LowerGather_12_to_1():
    return move([1, 2], [1], 0, None)


def LowerGather_12_to_02():
    return move([1, 2], [0, 2], 0, None)


def LowerScatter_0_to_01():
    return move([0], [0, 1], None, 0)


def LowerScatter_1_to_01():
    return move([1], [0, 1], None, 0)


def LowerScatter_02_to_12():
    return move([0, 2], [1, 2], None, 0)


def LowerSendRecv_0_to_1():
    return move([0], [1], 0, 0)


def LowerSendRecv_1_to_0():
    return move([1], [0], 0, 0)


def LowerSendRecv_12_to_01():
    return move([1, 2], [0, 1], 0, 0)


def LowerSendRecv_12_to_10():
    return move([1, 2], [1, 0], 0, 0)


def Allgather(num_devices: int):
    everyone = list(range(num_devices))
    return move(everyone, everyone, 0, None)


def Allgather_LoopSplit(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = contig(fd, 1)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        tv0.outer_split(0, num_devices)
        shard(tv0, 0)
        fd.sched.set_allocation_as_loop(tv0)
    return fd


def Broadcast(num_devices: int):
    return move([0], list(range(num_devices)), None, None)


def Broadcast_from_outside():
    return move([2], [0, 1], None, None)


def Reduce(num_devices: int):
    return add_up(list(range(num_devices)), [0], 2, None)


def Reduce_to_outside():
    return add_up([0, 1], [2], 2, None)


def Allreduce(num_devices: int):
    everyone = list(range(num_devices))
    return add_up(everyone, everyone, 2, None)


def Allreduce_Concrete(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[num_devices, -1], contiguity=[True if num_devices > 1 else None, True],
                               dtype=DataType.Float)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        shard(tv0, 0)
    return fd


def ReduceScatter(num_devices: int):
    """Each device sums its part of the axis; the parts are added up and scattered."""
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.sum(tv0, dims=[1])
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        tv0.outer_split(1, num_devices)
        shard(tv0, 1)
        tv1.outer_split(1, num_devices)
        shard(tv1, 1)
        tv1.outer_split(0, num_devices)
        shard(tv1, 0)
    return fd


def ReduceScatter_LogicalSplit(num_devices: int):
    everyone = list(range(num_devices))
    return add_up(everyone, everyone, 3, 1)


def ReduceScatter_StaticShape(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[num_devices, -1], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        shard(tv0, 0)
        tv1.outer_split(-1, num_devices)
        shard(tv1, -2)
    return fd


def ReduceScatter_Allgather(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = contig(fd, 3)
        tv1 = fd.ops.sum(tv0, dims=[0])
        tv2 = fd.ops.set(tv1)
        fd.add_output(tv2)
        for tv in [tv0, tv1, tv2]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        shard(tv0, 0)
        shard(tv1, 1)
    return fd


def ReduceScatterNoncontig(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[5, 3 * num_devices, 7 * num_devices], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.sum(tv0, dims=[1])
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        tv0.outer_split(1, num_devices)
        shard(tv0, 1)
        tv1.outer_split(1, num_devices)
        shard(tv1, 1)
        tv1.outer_split(-1, num_devices)
        shard(tv1, -2)
    return fd


def AllreduceNoncontig(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, False], dtype=DataType.Float)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        shard(tv0, 0)
    return fd


def Allgather_CompliantAllocation(num_devices: int):
    """Columns are outermost in memory, and gathered."""
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float, stride_order=[0, 1])
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        tv1.set_allocation_domain([tv1.axis(1), tv1.axis(0)], True)
        shard(tv0, 1)
    return fd


def Allgather_NonCompliantAllocation(num_devices: int):
    everyone = list(range(num_devices))
    return move(everyone, everyone, 1, None)


def Allgather_NoncontiguousOutput(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh_of(list(range(num_devices))))
        tv1.set_allocation_domain([tv1.axis(1), tv1.axis(0)], [True, False])
        shard(tv0, 0)
    return fd


def Allgather2d(num_devices: int):
    """allgather_2d of nvFuser's test_communication.py: rows over mesh_y, columns over mesh_x; the columns are gathered."""
    with FusionDefinition() as fd:
        tv0 = contig(fd, 3)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        mesh = multidevice.DeviceMesh(torch.arange(num_devices).reshape(2, num_devices // 2))
        for tv in [tv0, tv1]:
            tv.set_device_mesh(mesh)
            tv.axis(0).parallelize(ParallelType.mesh_y)
        shard(tv0, 1)
    return fd
