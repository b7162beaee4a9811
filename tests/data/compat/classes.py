"""Classes with operators, flags, dataclasses that inherit, named tuples, and what formats strings."""
import dataclasses
from collections import Counter, OrderedDict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from typing import ClassVar, NamedTuple

import pytest
import torch
from nvfuser_direct import FusionDefinition

Case = namedtuple("Case", ["shape", "dims", "name"], defaults=[[0], "case"])


class Extent:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return Extent(self.n + getattr(other, "n", other))

    def __rmul__(self, other):
        return Extent(self.n * other)

    def __eq__(self, other):
        return self.n == getattr(other, "n", other)

    def __lt__(self, other):
        return self.n < other.n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return range(self.n)[index]

    def __iter__(self):
        return iter(range(self.n))

    def __contains__(self, item):
        return 0 <= item < self.n

    def __repr__(self):
        return f"Extent({self.n})"


class Mode(Flag):
    NONE = 0
    RELU = auto()
    NEG = auto()
    EXP = auto()
    SOFT = RELU | EXP


class Shape(NamedTuple):
    rows: int
    columns: int = 4

    @property
    def size(self):
        return self.rows * self.columns


@dataclass
class Base:
    known: ClassVar[int] = 7
    rows: int
    columns: int = 4


@dataclass
class Derived(Base):
    depth: int = 2
    total: int = field(init=False, default=0)

    def __post_init__(self):
        self.total = self.rows * self.columns * self.depth


def test_operators(nvfuser_direct_test):
    wide = Extent(2) + 3 * Extent(2)
    assert wide == 8 and wide == Extent(8) and Extent(1) < wide and wide != 3
    assert len(wide) == 8 and wide[-1] == 7 and list(wide)[2] == 2 and 7 in wide and 8 not in wide
    assert str(wide) == "Extent(8)" and f"{wide}" == "Extent(8)"
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.relu(fd.define_tensor([len(wide), sum(wide)], contiguity=True)))


@pytest.mark.parametrize("mode", [Mode.SOFT, Mode.NONE], ids=str)
def test_flags(nvfuser_direct_test, mode):
    assert Mode.EXP.value == 4 and Mode.SOFT.value == 5 and not Mode.NONE
    assert Mode.RELU in mode and Mode.NEG not in mode and mode & Mode.EXP == Mode.EXP
    with FusionDefinition() as fd:
        x = fd.define_tensor([mode.value, 3], contiguity=True)
        for flag, op in [(Mode.RELU, fd.ops.relu), (Mode.NEG, fd.ops.neg), (Mode.EXP, fd.ops.exp)]:
            x = op(x) if flag & mode else x
        fd.add_output(x)


def test_records(nvfuser_direct_test):
    shape = Shape(3)._replace(columns=5)
    rows, columns = shape
    assert shape.size == 15 and len(shape) == 2 and Shape(1, 2) == Shape(1, 2) and Shape(1, 9) < Shape(2, 0)
    assert {Shape(1): "a"}[Shape(1, 4)] == "a"
    whole = Derived(2)
    assert whole.total == 16 and whole == Derived(2) and Base.known == 7
    assert dataclasses.asdict(dataclasses.replace(whole, depth=3))["depth"] == 3
    assert Case((2, 3)).dims == [0] and Case((2, 3), name="x").name == "x"
    with FusionDefinition() as fd:
        x = fd.define_tensor([rows, columns, whole.total], contiguity=True)
        fd.add_output(fd.ops.sum(x, Case(x.shape()).dims if callable(x.shape) else Case(()).dims))


def test_collections(nvfuser_direct_test):
    queue = deque([torch.ones(2, 6)] * 2)
    queue.appendleft(torch.zeros(1, 6))
    counts = Counter(tuple(t.shape) for t in queue)
    assert counts[(2, 6)] == 2 and counts[(9, 9)] == 0
    assert {1, 2}.intersection([2, 3]) == {2} and {1}.issubset([1, 2]) and {1, 2}.difference([1]) == {2}
    order = OrderedDict(rows=sum(t.size(0) for t in queue), columns=queue.popleft().size(1))
    size = torch.Size([order["rows"]]) + torch.Size((order["columns"],))
    assert size.numel() == 30 and size == (5, 6)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.define_tensor(list(size), contiguity=True)))


NAMES = {"%d x %-4s|%.2f%%" % (2, "ab", 0.5): 3, "{} {1!r} {name:>3}".format("a", "b", name=7): 4}


def test_formats(nvfuser_direct_test):
    assert list(NAMES) == ["2 x ab  |0.50%", "a 'b'   7"], NAMES
    assert "test_relu".removeprefix("test_") == "relu"
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.relu(fd.define_tensor(list(NAMES.values()), contiguity=True)))
