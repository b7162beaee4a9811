"""A helper that is called only with other parameters than the first ones."""
import pytest
import torch
from nvfuser_direct import FusionDefinition


def rows(size):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.define_tensor([*size]), [0]))
    return fd


def columns(size):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.define_tensor([*size]), [1]))
    return fd


@pytest.mark.parametrize("axis", [0, 1], ids=["rows", "columns"])
@pytest.mark.parametrize("size", [(4, 6), (8, 2)], ids=lambda s: "x".join(map(str, s)))
def test_sum(size, axis):
    fd = rows(size) if axis == 0 else columns(size)
    fd.execute([torch.randn(*size, device="cuda")])
