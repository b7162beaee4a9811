"""Parameters that variables, decorators of the script and pytestmark apply."""
import functools

import pytest
from nvfuser_direct import DataType, FusionDefinition

rows_mark = pytest.mark.parametrize("rows", [3, 5], ids="rows={}".format)
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.parametrize("columns", [7])]


class over:
    def __init__(self, **choices):
        self.choices = choices

    def __call__(self, function):
        for name, values in self.choices.items():
            function = pytest.mark.parametrize(name, values)(function)
        return function


def with_types(*types):
    def decorate(function):
        @pytest.mark.parametrize("dtype", types)
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return pytest.mark.parametrize("dtype", types)(function)

    return decorate


@rows_mark
def test_variable(nvfuser_direct_test, rows, columns):
    assert (rows, columns) == (3, 7)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.relu(fd.define_tensor([rows, columns], contiguity=True)))


@over(n=[4, 6], scale=[0.5])
def test_instance(nvfuser_direct_test, n, scale, columns):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.mul(fd.define_tensor([n, columns], contiguity=True), scale))


@with_types(DataType.Double, DataType.Float)
def test_function(nvfuser_direct_test, dtype, columns):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.define_tensor([columns], dtype=dtype, contiguity=True)))
