"""docs/host-ir.md#table-41: axes over streams on one device. Sizes: see tests/scenarios/table-4-1.c."""
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def contig(fd, rank):
    return fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.Float)


def stream(tv, axis):
    tv.axis(axis).parallelize(ParallelType.stream)


def InputsAreNotStreamParallelized():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        stream(tv0, 0)
    return fd


def Split():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        tv1.split(0, 2)
        stream(tv1, 0)
    return fd


def Merge():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        tv1.merge(0, 1)
        stream(tv1, 0)
    return fd


def SingleSetOp():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        stream(tv1, 0)
    return fd


def SingleSetOpNonOutermost():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        stream(tv1, 1)
    return fd


def SingleBinaryOp():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = contig(fd, 2)
        tv2 = fd.ops.add(tv0, tv1)
        fd.add_output(tv2)
        stream(tv2, 0)
    return fd


def TwoSetOps():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        tv2 = fd.ops.set(tv1)
        fd.add_output(tv2)
        stream(tv1, 0)
        stream(tv2, 0)
    return fd


def ThreeSetOpsWithDisjointsForLoops():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.set(tv0)
        tv2 = fd.ops.set(tv1)
        tv3 = fd.ops.set(tv2)
        fd.add_output(tv3)
        stream(tv1, 0)
        stream(tv3, 0)
    return fd


def ReductionUnsupported():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        stream(tv1, 0)
    return fd


def Reduction():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 3)
        tv1 = fd.ops.sum(tv0, dims=[2])
        fd.add_output(tv1)
        stream(tv1, 0)
    return fd


def matmul(rank, axis):
    with FusionDefinition() as fd:
        a = contig(fd, rank)
        b = contig(fd, 2)
        c = fd.ops.matmul(a, b)
        fd.add_output(c)
        stream(c, axis)
    return fd


def Matmul_M():
    return matmul(2, 0)


def BatchedMatmul():
    return matmul(3, 0)


def Matmul_N():
    return matmul(2, 1)


def Matmul_K():
    return matmul(2, -1)


def DoNotSupportPostOnStream():
    with FusionDefinition() as fd:
        tv0 = contig(fd, 2)
        tv1 = fd.ops.abs(tv0)
        fd.add_output(tv1)
        stream(tv1, 0)
    return fd


def DoNotSupportPostOnStream_unit():
    """Of several ops: they become one HostUnit."""
    with FusionDefinition() as fd:
        tv0 = contig(fd, 3)
        tv1 = fd.ops.exp(fd.ops.abs(tv0))
        fd.add_output(tv1)
        stream(tv1, -1)
    return fd
