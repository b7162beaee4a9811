"""Names of other files of a package, and fixtures of its conftest.py."""
from functools import partial

import pytest
from nvfuser_direct import DataType, FusionDefinition

from . import names
from .names import COLUMNS, Kind
from .sub import N_ROWS

BUILDERS = {"double": partial(names.define, factor=2.0), "triple": partial(names.define, factor=3.0)}


@pytest.mark.parametrize("kind", list(Kind), ids=lambda k: k.value)
def test_relative_imports(kind):
    with FusionDefinition() as fd:
        x = fd.define_tensor([N_ROWS, COLUMNS], dtype=DataType.Half)
        if names.promotes(DataType.Half) and kind is Kind.A:
            x = fd.ops.cast(x, dtype=DataType.Float)
        fd.add_output(fd.ops.neg(x))


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS.keys())
def test_table(build):
    build((4, 8))


def test_fixtures(runner, shape, depth, tensors):
    def fusion_func(fd):
        x = fd.from_pytorch(tensors[0])
        for _ in range(depth):
            x = fd.ops.neg(x)
        fd.add_output(x)

    runner.exec_nvfuser(fusion_func, tensors)
