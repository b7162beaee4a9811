"""docs/host-ir.md#table-47: ops that reshard, and ops that don't. The last op of each function is asked."""
import torch
from nvfuser_direct import DataType, FusionDefinition, ParallelType, multidevice


def contig(fd, rank):
    return fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.Float)


def place(tv, devices, axis):
    tv.set_device_mesh(multidevice.DeviceMesh(torch.tensor(devices)))
    if axis is not None:
        tv.axis(axis).parallelize(ParallelType.mesh_x)


def unary(op, rank, in_devices, in_axis, out_devices, out_axis):
    with FusionDefinition() as fd:
        tv0 = contig(fd, rank)
        tv1 = op(fd, tv0)
        fd.add_output(tv1)
        place(tv0, in_devices, in_axis)
        place(tv1, out_devices, out_axis)
    return fd


def set_op(fd, tv):
    return fd.ops.set(tv)


def sum_op(fd, tv):
    return fd.ops.sum(tv, dims=[0])


def relu_op(fd, tv):
    return fd.ops.relu(tv)


def sum1_op(fd, tv):
    return fd.ops.sum(tv, dims=[1])


def Set_SameMesh_NoParallelTypes():
    return unary(set_op, 2, [0, 1], None, [0, 1], None)


def Set_DifferentMeshes():
    return unary(set_op, 2, [0, 1], None, [0, 2], None)


def Set_DifferentParallelTypes():
    return unary(set_op, 2, [0, 1], None, [0, 1], 0)


def Set_SameMesh_SameParallelType():
    return unary(set_op, 2, [0, 1], 0, [0, 1], 0)


def Sum_SameMesh_NoParallelTypes():
    return unary(sum_op, 3, [0, 1], None, [0, 1], None)


def Sum_DifferentMeshes():
    return unary(sum_op, 3, [0, 1], None, [0, 2], None)


def Sum_ShardedAxis_Scattered():
    return unary(sum_op, 3, [0, 1], 0, [0, 1], 1)


def Sum_UnshardedAxis():
    return unary(sum1_op, 3, [0, 1], 0, [0, 1], 0)


def Sum_ShardedAxis():
    return unary(sum_op, 3, [0, 1], 0, [0, 1], None)


def add(x_axis, y_axis, z_axis, z_devices):
    with FusionDefinition() as fd:
        x = contig(fd, 2)
        y = contig(fd, 2)
        z = fd.ops.add(x, y)
        fd.add_output(z)
        place(x, [0, 1], x_axis)
        place(y, [0, 1], y_axis)
        place(z, z_devices, z_axis)
    return fd


def Add_SameMesh_NoParallelTypes():
    return add(None, None, None, [0, 1])


def Add_DifferentMeshes():
    return add(None, None, None, [0, 2])


def Add_OnlyOutputParallelized():
    return add(None, None, 0, [0, 1])


def Add_OnlyInputsParallelized():
    return add(0, 0, None, [0, 1])


def Add_AllParallelized():
    return add(0, 0, 0, [0, 1])


def Add_SomeParallelized():
    return add(0, None, 0, [0, 1])


def Add_Broadcast():
    with FusionDefinition() as fd:
        x = contig(fd, 2)
        y = contig(fd, 1)
        y_wide = fd.ops.broadcast(y, is_broadcast_dim=[True, False])
        z = fd.ops.add(x, y_wide)
        fd.add_output(z)
        place(x, [0, 1], 0)
        place(y, [0, 1], None)
        place(y_wide, [0, 1], None)
        place(z, [0, 1], 0)
    return fd


def matmul(x_axis, y_axis, z_axis):
    with FusionDefinition() as fd:
        x = contig(fd, 2)
        y = contig(fd, 2)
        z = fd.ops.matmul(x, y)
        fd.add_output(z)
        place(x, [0, 1], x_axis)
        place(y, [0, 1], y_axis)
        place(z, [0, 1], z_axis)
    return fd


def Matmul_NoResharding():
    return matmul(0, None, 0)


def Matmul_Resharding():
    return matmul(0, 1, 0)


def split(tv, axis):
    tv.set_device_mesh(multidevice.DeviceMesh(torch.tensor([0, 1])))
    tv.outer_split(axis, 2)
    tv.axis(axis).parallelize(ParallelType.mesh_x)


def SplittingView():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[2, 3, 8], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.reshape(tv0, new_shape=[2, 3, 4, 2])
        fd.add_output(tv1)
        split(tv0, 2)
        split(tv1, 2)
    return fd


def MergingView():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[2, 3, 4, 2], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.reshape(tv0, new_shape=[2, 3, 8])
        fd.add_output(tv1)
        split(tv0, 2)
        split(tv1, 2)
    return fd


def Allgather():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 1)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        split(tv0, 0)
        place(tv1, [0, 1], None)
    return fd


def ReduceScatter():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        place(tv0, [0, 1], 0)
        split(tv1, 1)
    return fd


def Allreduce():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        place(tv0, [0, 1], 0)
        place(tv1, [0, 1], None)
    return fd


def Allreduce_then_add():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = contig(fd, 1)
        tv2 = fd.ops.sum(tv0, dims=[0])
        tv3 = fd.ops.add(tv2, tv1)
        fd.add_output(tv3)
        place(tv0, [0, 1], 0)
        for tv in [tv1, tv2, tv3]:
            place(tv, [0, 1], None)
    return fd


def Broadcast():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 1)
        tv1 = fd.ops.broadcast(tv0, is_broadcast_dim=[True, False])
        fd.add_output(tv1)
        place(tv0, [0, 1], None)
        place(tv1, [0, 1], 0)
    return fd


def ReshardingSqueeze():
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[1, 4], contiguity=[None, True], dtype=DataType.Float)
        tv1 = fd.ops.squeeze(tv0, dims=[0])
        fd.add_output(tv1)
        tv0.merge(0)
        place(tv0, [0, 1], 0)
        place(tv1, [0, 1], None)
    return fd


def select(in_axis, dim, out_axis):
    with FusionDefinition() as fd:
        tv0 = contig(fd, 3)
        tv1 = fd.ops.select(tv0, 1, dim)
        fd.add_output(tv1)
        place(tv0, [0, 1], in_axis)
        place(tv1, [0, 1], out_axis)
    return fd


def Select_BeforeShardedAxis():
    return select(1, 0, 0)


def Select_ShardedAxis():
    return select(0, 0, None)


def Select_ShardingLost():
    return select(1, 0, None)


def InsertResharding_Before():
    with FusionDefinition() as fd:
        a = contig(fd, 3)
        b = contig(fd, 3)
        c = fd.ops.add(a, b)
        fd.add_output(c)
        place(a, [0, 1], 0)
        place(b, [0, 1], None)
        place(c, [2, 3], 1)
    return fd


def InsertResharding_After():
    return unary(relu_op, 3, [0, 1], 0, [2, 3], 1)


def reordering(a_axis):
    with FusionDefinition() as fd:
        a = contig(fd, 3)
        b = fd.ops.relu(a)
        c = fd.ops.add(a, b)
        fd.add_output(c)
        place(a, [0, 1], a_axis)
        place(b, [0, 1], 1)
        place(c, [0, 1], 1)
    return fd


def InsertShardedAxisReordering():
    return reordering(0)


def InsertShardedAxisReordering_gathered():
    return reordering(None)
