from nvfuser_direct import DataType, FusionDefinition


def f():  # t0 has few distinct values, so the sums of t4 have few distinct rounding errors
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[3, 33, 128, 8], contiguity=True, dtype=DataType.BFloat16)
        t1 = fd.ops.gelu(t0)
        t2 = fd.define_tensor(shape=[3, 33, 128, 8], contiguity=True, dtype=DataType.BFloat16)
        t3 = fd.ops.div(t1, fd.ops.add(fd.ops.abs(t2), 1.0))
        t4 = fd.ops.cast(t1, dtype=DataType.Float)
        fd.add_output(fd.ops.sum(t4, dims=[3], keepdim=True))
        fd.add_output(fd.ops.pow(fd.ops.abs(t4), t3))
    return fd
