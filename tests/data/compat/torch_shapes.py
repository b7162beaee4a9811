"""Shapes and types that torch would compute."""
import itertools
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pytest
import torch
from nvfuser_direct import FusionDefinition
from nvfuser_direct.pytorch_utils import torch_dtype_to_nvfuser_dtype


@dataclass
class Config:
    rows: int
    columns: int = 6


class Pair(NamedTuple):
    a: int
    b: int


def check(inputs, dtype=torch.float32):
    with FusionDefinition() as fd:
        tensors = [fd.from_pytorch(t) for t in inputs]
        out = tensors[0]
        for t in tensors[1:]:
            out = fd.ops.add(out, t)
        fd.add_output(fd.ops.cast(out, dtype=torch_dtype_to_nvfuser_dtype(dtype)))
    return fd.execute(inputs)


def test_views():
    x = torch.randn(4, 6, device="cuda")
    check([x.t().contiguous(), x.view(6, -1), x.reshape(2, 12).reshape(6, 4), x.transpose(0, 1), x.permute(1, 0)])


def test_indexing():
    x = torch.ones((4, 6, 8), dtype=torch.bfloat16).cuda()
    check([x[1], x[..., 2], x[:, 0, :6].t()][:1] + [x[3]], torch.bfloat16)


def test_strides():
    x = torch.zeros(8, device="cuda").as_strided([2, 3], [4, 1])
    check([x, torch.empty_like(x), torch.full((2, 3), 1.5, device="cuda")])


def test_arithmetic():
    x = torch.randint(0, 9, (4, 6), device="cuda")
    y = torch.rand(6).to("cuda")
    check([x * y, (x > 3).float(), x / 2])


@pytest.mark.parametrize("shape", list(itertools.product([2, 3], [4, 5])), ids=str)
@pytest.mark.parametrize("dtype", [pytest.param(torch.half, id="half"), torch.float32])
def test_product(shape, dtype):
    check([torch.randn(*shape, dtype=dtype, device="cuda")], dtype)


def test_values():
    config, pair = Config(4), Pair(b=6, a=4)
    rows, columns = pair
    make = partial(torch.randn, device="cuda")
    check([make(config.rows, config.columns), make(pair.a, columns), make((rows, pair[1]))])


def test_dynamic_reshape():
    x = torch.randn(4, 6, device="cuda")
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        fd.add_output(fd.ops.neg(fd.ops.reshape(t, [2, 12])))
    fd.execute([x])
