"""The fusions of tests/gpu/join_torch.py: one device, the first axis over streams."""
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def contig(fd, rank):
    return fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.Float)


def stream(fd, *tensors):
    fd.add_output(tensors[-1])
    for tensor in tensors:
        tensor.axis(0).parallelize(ParallelType.stream)
    return fd


def copies():
    """Two loops of copies, and a copy between them."""
    with FusionDefinition() as fd:
        first = fd.ops.set(contig(fd, 2))
        last = fd.ops.set(fd.ops.set(first))
    return stream(fd, first, last)


def reduction():
    with FusionDefinition() as fd:
        out = fd.ops.sum(contig(fd, 3), dims=[2])
    return stream(fd, out)


def binary():
    with FusionDefinition() as fd:
        out = fd.ops.mul(contig(fd, 2), contig(fd, 2))
    return stream(fd, out)


def matmul():
    with FusionDefinition() as fd:
        out = fd.ops.matmul(contig(fd, 3), contig(fd, 2))
    return stream(fd, out)


def chain():
    """Two elementwise ops and a matmul in one loop."""
    with FusionDefinition() as fd:
        added = fd.ops.add(contig(fd, 3), contig(fd, 3))
        scaled = fd.ops.mul(added, added)
        out = fd.ops.matmul(scaled, contig(fd, 2))
    return stream(fd, added, scaled, out)


def sums():
    """A matmul, the sum of its rows and a copy of that in one loop."""
    with FusionDefinition() as fd:
        product = fd.ops.matmul(contig(fd, 3), contig(fd, 2))
        rows = fd.ops.sum(product, dims=[2])
        out = fd.ops.set(rows)
    return stream(fd, product, rows, out)
