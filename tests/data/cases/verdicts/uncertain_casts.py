from nvfuser_direct import DataType, FusionDefinition


def f():  # some sums are representable in bfloat16, but a run sums other, rounded terms
    with FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[64, 4, 1024], contiguity=True, dtype=DataType.BFloat16)
        t1 = fd.define_tensor(shape=[64, 4, 1024], contiguity=True, dtype=DataType.BFloat16)
        t2 = fd.ops.cast(fd.ops.mul(t0, t1), DataType.BFloat16)
        t3 = fd.ops.sum(fd.ops.cast(t2, DataType.Float), [1])
        fd.add_output(fd.ops.cast(t3, DataType.BFloat16))
    return fd
