from nvfuser_direct import DataType, FusionDefinition


def variance_of_one():
    with FusionDefinition() as fd:
        x = fd.ops.cast(fd.define_tensor([-1, 1, -1], dtype=DataType.Half), dtype=DataType.Float)
        var, mean = fd.ops.var_mean(x, dims=[1], correction=0)
        fd.add_output(fd.ops.cast(var, dtype=DataType.Half))
        fd.add_output(mean)


def sum_of_none():
    with FusionDefinition() as fd:
        x = fd.define_tensor([5, 0])
        fd.add_output(fd.ops.sum(fd.ops.exp(x), dims=[1]))


def difference_of_powers():
    """Products with powers of two are exact, even if a compiler contracts them."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([16])
        fd.add_output(fd.ops.sub(fd.ops.mul(x, 0.25), fd.ops.div(x, 4.0)))


def difference_of_products():
    with FusionDefinition() as fd:
        x = fd.define_tensor([16])
        y = fd.ops.mul(x, 0.3)
        fd.add_output(fd.ops.sub(y, y))
