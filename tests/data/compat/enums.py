"""Enums, frozen dataclasses, patterns and itertools that choose the sizes and the op of a fusion."""
import functools
import itertools
import operator
from dataclasses import dataclass, field
from enum import Enum, Flag, StrEnum, auto

import pytest
import torch
from nvfuser_direct import DataType, FusionDefinition


class Op(str, Enum):
    RELU = "relu"
    NEG = "neg"

    def build(self, fd, x):
        return getattr(fd.ops, self.value)(x)


class Layout(StrEnum):
    ROWS = auto()
    COLUMNS = auto()


class Mode(Flag):
    FORWARD = auto()
    BACKWARD = auto()
    BOTH = FORWARD | BACKWARD


@dataclass(frozen=True)
class Config:
    batch: int = 2
    dims: tuple[int, ...] = (4, 6)
    total: int = field(init=False, default=0)

    def __post_init__(self):
        object.__setattr__(self, "total", functools.reduce(operator.mul, self.dims, self.batch))


class Spec:
    __match_args__ = ("kind", "n")

    def __init__(self, kind, n):
        self.kind, self.n = kind, n


def shape_of(spec):
    match spec:
        case Spec("vector", n):
            return [n]
        case Spec("matrix", int(n)) if n > 2:
            return [n, 2 * n]
        case Config(batch, dims):
            return [batch, *dims]
    raise NotImplementedError(spec)


class TestSpecs:
    @pytest.mark.parametrize("op", list(Op), ids=lambda op: op.name.lower())
    @pytest.mark.parametrize("spec", [Spec("matrix", 4), Config()], ids=["matrix", "config"])
    def test_spec(self, op, spec, any_fixture):
        assert len(Op) == 2 and Op("neg") is Op.NEG and Layout.ROWS == "rows" and Mode.FORWARD in Mode.BOTH
        assert Config().total == 48 and list(itertools.islice(range(9), 2, 8, 3)) == [2, 5]
        assert list(itertools.pairwise("abc")) == [("a", "b"), ("b", "c")]
        assert list(itertools.zip_longest([1, 2], [3], fillvalue=0)) == [(1, 3), (2, 0)]
        assert list(itertools.batched(range(5), 2)) == [(0, 1), (2, 3), (4,)]
        assert [(k, list(g)) for k, g in itertools.groupby([1, 1, 2])] == [(1, [1, 1]), (2, [2])]
        with FusionDefinition() as fd:
            x = fd.define_tensor(shape_of(spec), dtype=DataType.Float)
            fd.add_output(op.build(fd, x))
        fd.execute([torch.randn(shape_of(spec), device="cuda")])
