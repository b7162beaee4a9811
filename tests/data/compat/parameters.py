"""Parameters of pytest in all of its spellings."""
import itertools
from enum import Enum, IntEnum
from typing import NamedTuple

import pytest
import torch
from nvfuser_direct import CommunicatorBackend, FusionDefinition


class Mode(Enum):
    ADD = "add"
    NEG = "neg"

    def apply(self, fd, x):
        return fd.ops.add(x, x) if self is Mode.ADD else fd.ops.neg(x)


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Shape(NamedTuple):
    m: int
    n: int = 8


SIZES = {"small": (4, 8), "big": (8, 16)}


def define(shape):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.define_tensor(list(shape))))


@pytest.mark.parametrize("mode", [Mode.ADD, Mode.NEG])
def test_enum_with_method(mode):
    with FusionDefinition() as fd:
        fd.add_output(mode.apply(fd, fd.define_tensor([4, 8])))


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("shape", [Shape(4), pytest.param(Shape(8, 2), id="wide", marks=pytest.mark.slow)], ids=str)
def test_nested(level, shape):
    define([shape.m * level, shape.n])


@pytest.mark.skipif(torch.cuda.get_device_capability() < (9, 0), reason="needs Hopper")
@pytest.mark.parametrize("a,b", itertools.product((4, 8), (2, 3)), ids=lambda v: f"v{v}")
@pytest.mark.parametrize(("x", "y"), [(1, 2), pytest.param(3, 4, id="p")])
def test_product_of_rows(a, b, x, y):
    define([a * x, b * y])


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
def test_values_of_a_dict(size):
    define(size)


@pytest.mark.parametrize("backend", [CommunicatorBackend.nccl, CommunicatorBackend.ucc], ids=["nccl", "ucc"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
def test_ids(backend, dtype):
    x = torch.empty((4, 8), dtype=dtype, device="cuda")
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.from_pytorch(x)))


@pytest.mark.parametrize("k", [1, 2])
class TestOfParameters:
    rows = 4

    @classmethod
    def setup_class(cls):
        cls.columns = 8

    def setup_method(self, method):
        self.shape = [self.rows, self.columns]

    @pytest.fixture(autouse=True)
    def prepare(self):
        self.factor = 3
        yield

    @pytest.mark.parametrize("j", [3])
    def test_method(self, k, j):
        define([self.shape[0] * k * self.factor, self.shape[1] + j])


@pytest.fixture(params=[2, 3], ids=["two", "three"])
def width(request):
    return request.param


@pytest.fixture
def shape(width):
    return [width, 4]


@pytest.fixture(params=["row", "column"])
def side(request):
    return request.param


@pytest.mark.parametrize("n", [1, 5])
def test_fixtures(n, shape, side):
    define([*shape, n] if side == "row" else [n, *shape])
