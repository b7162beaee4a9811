from nvfuser_direct import DataType, FusionDefinition


def dropout():
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1])
        lo, hi = fd.define_scalar(0.0), fd.define_scalar(1.0)
        keep = fd.ops.lt(fd.ops.uniform(lo, hi, x.shape(), dtype=DataType.Float), 0.9)
        fd.add_output(fd.ops.mul(fd.ops.mul(x, keep), 1.0 / 0.9))


def same_seed():
    """Both tensors have the same numbers."""
    with FusionDefinition() as fd:
        seed, offset = fd.define_scalar(None, dtype=DataType.Int), fd.define_scalar(None, dtype=DataType.Int)
        a = fd.ops.normal(1.0, 2.0, [4, 6], rng_seed=seed, rng_offset=offset, dtype=DataType.Double)
        b = fd.ops.normal(1.0, 2.0, [4, 6], rng_seed=seed, rng_offset=offset, dtype=DataType.Double)
        fd.add_output(fd.ops.cast(fd.ops.eq(a, b), dtype=DataType.Int))
        fd.add_output(fd.ops.randn_like(a))
        fd.add_output(fd.ops.rand_like(fd.ops.cast(b, dtype=DataType.BFloat16)))
