from nvfuser_direct import DataType, FusionDefinition

def f():  # all elements of t1 have the same rounding error
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[33, 33], contiguity=True, dtype=DataType.Half)
        t1 = fd.ops.add(t0, 0.220)
        t2 = fd.define_tensor(shape=[33, 33], contiguity=True, dtype=DataType.Half)
        t3 = fd.ops.maximum(t1, t2)
        t4 = fd.ops.sinh(t3)
        t5 = fd.ops.frac(t3)
        t6 = fd.define_tensor(shape=[33, 33], contiguity=True, dtype=DataType.Half)
        t7 = fd.ops.matmul(t4, t6)
        t8 = fd.ops.fmod(t5, fd.ops.add(fd.ops.abs(t4), 1.0))
        fd.add_output(t1)
        fd.add_output(t5)
        fd.add_output(t8)
    return fd

