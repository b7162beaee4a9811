# An opaque op after a product of matrices that are too large to compute.
from nvfuser_direct import DataType, FusionDefinition


def summed():
    with FusionDefinition() as fd:
        a = fd.define_tensor([1048576, 1048576], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.cumsum(fd.ops.matmul(a, a), 0))
    return fd
