"""Numbers that are known without torch: limits of types, ops of constants, operands of a definition."""
import dataclasses
import itertools

import pytest
import torch
from nvfuser_direct import DataType, FusionDefinition

LARGEST = torch.finfo(torch.float8_e4m3fn).max
SMALLEST = torch.finfo(torch.float8_e4m3fn).tiny


def test_limits(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition) -> None:
        x = fd.define_tensor([4, 8])
        y = fd.ops.clamp(x, SMALLEST, LARGEST)
        fd.add_output(fd.ops.sub(y, torch.iinfo(torch.int8).min))
        fd.add_output(fd.ops.mul(x, torch.finfo(torch.float32).eps))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [torch.randn(4, 8, device="cuda")])


def test_size_of_constants(nvfuser_direct_test):
    inputs = [32, torch.randn(4, 8, 6, device="cuda")]

    def fusion_func(fd: FusionDefinition) -> None:
        rows = fd.define_scalar(None, dtype=DataType.Int)
        x = fd.define_tensor(shape=[-1, -1, -1], contiguity=True)
        negative = fd.ops.ne(fd.ops.signbit(rows), fd.define_scalar(False, dtype=DataType.Bool))
        rest = fd.ops.ne(fd.ops.cast(fd.ops.fmod(fd.define_scalar(192), rows), dtype=DataType.Int), fd.define_scalar(0))
        columns = fd.ops.mul(fd.define_scalar(192), fd.ops.reciprocal(rows))
        columns = fd.ops.sub(columns, fd.ops.cast(fd.ops.bitwise_and(negative, rest), dtype=DataType.Int))
        fd.add_output(fd.ops.sum(fd.ops.reshape(x, [rows, columns]), [1]))

    nvfuser_direct_test.exec_nvfuser(fusion_func, inputs)


def test_definition():
    with FusionDefinition() as fd:
        x = fd.define_tensor([4, 8])
        y = fd.ops.add(fd.ops.exp(x), 1.0)
        fd.add_output(fd.ops.neg(y.definition().input(0)))


def test_expected_errors(nvfuser_direct_test):
    """The first fusions are refused, as the test expects."""

    def bad_stride(fd: FusionDefinition) -> None:
        fd.add_output(fd.ops.slice(fd.define_tensor([10]), start_indices=[0], end_indices=[5], strides=[5]))

    def bad_axes(fd: FusionDefinition) -> None:
        fd.add_output(fd.ops.slice(fd.define_tensor([10]), start_indices=[0, 0], end_indices=[4, 4]))

    def good(fd: FusionDefinition) -> None:
        fd.add_output(fd.ops.slice(fd.define_tensor([10]), start_indices=[6], end_indices=[8]))

    for check, message in ((bad_stride, "strides"), (bad_axes, "dimensions"), (good, None)):
        if message is None:
            nvfuser_direct_test.exec_nvfuser(check, [torch.randn(10, device="cuda")])
        else:
            with pytest.raises(RuntimeError, match=message):
                nvfuser_direct_test.exec_nvfuser(check, [torch.randn(10, device="cuda")])


@dataclasses.dataclass
class Sizes:
    rows: int
    columns: int = 6


def test_dataclasses():
    (sizes,) = itertools.starmap(Sizes, [(4, 8)])
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.define_tensor(list(dataclasses.astuple(sizes)))))
    assert fd.execute.__name__ == "execute"
