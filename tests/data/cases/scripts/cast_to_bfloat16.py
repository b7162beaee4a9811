# A linear whose operand is cast to the type of its weight.
from nvfuser_direct import DataType, FusionDefinition


def product():
    with FusionDefinition() as fd:
        x = fd.define_tensor([1, 12], contiguity=True, dtype=DataType.BFloat16)
        w = fd.define_tensor([16, 12], contiguity=True, dtype=DataType.BFloat16)
        x = fd.ops.cast(x, DataType.Float)
        x = fd.ops.cast(fd.ops.mul(x, x), DataType.BFloat16)
        fd.add_output(fd.ops.linear(x, w))
    return fd
