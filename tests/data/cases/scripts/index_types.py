"""Operands whose types do not fit each other, and tensors of numbers with a type."""
import torch
from nvfuser_direct import DataType, FusionDefinition


def scatter_types():
    with FusionDefinition() as fd:
        x, i, src = fd.define_tensor([3, 4], dtype=DataType.Int), fd.define_tensor([3, 2], dtype=DataType.Int), fd.define_tensor([3, 2])
        fd.add_output(fd.ops.scatter(x, i, src, 1))


def float_index():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.gather(fd.define_tensor([3, 4]), fd.define_tensor([3, 2]), 1))


def typed_data():
    x = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
    i = torch.tensor([0, 3, 1], dtype=torch.int32, device="cuda")
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.index_select(fd.from_pytorch(x), fd.from_pytorch(i), 1))
    fd.execute([x, i])


def complex_fill():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.full([2, 2], fd.define_scalar(1 + 2j), DataType.Float))
