import nvfuser_direct
from nvfuser_direct import DataType, FusionDefinition

other = nvfuser_direct.FusionDefinitoin


def negated():
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[4], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.neg(x))
    return fd


def never_run():
    return negate()


def reached():
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[4], contiguity=True, dtype=DataTyp.Float)
        fd.add_output(fd.ops.neg(x))
    return fd
