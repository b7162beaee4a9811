"""Scalar operands of tensors of another type."""
from nvfuser_direct import DataType, FusionDefinition


def test_inexact_constant():
    with FusionDefinition() as fd:
        x = fd.define_tensor([400, 400])
        fd.add_output(fd.ops.mul(x, 0.29730177875068026))


def test_inexact_constant_of_half():
    with FusionDefinition() as fd:
        x = fd.define_tensor([400, 400], dtype=DataType.Half)
        fd.add_output(fd.ops.add(x, 0.29730177875068026))
