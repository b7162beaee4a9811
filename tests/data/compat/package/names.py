from enum import Enum

import torch
from nvfuser_direct import DataType, FusionDefinition

ROWS, COLUMNS = 4, 8


class Kind(str, Enum):
    A = "a"
    B = "b"


def make_input(m, n, dtype=torch.float32):
    return torch.randn(m, n, dtype=dtype, device="cuda")


def promotes(dtype):
    return dtype in [DataType.Half, DataType.BFloat16]


def define(size, factor):
    """A helper that a test next to this file calls through another one."""
    with FusionDefinition() as fd:
        x = fd.from_pytorch(make_input(*size))
        fd.add_output(fd.ops.mul(x, factor))
