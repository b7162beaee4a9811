from nvfuser_direct import DataType, FusionDefinition


def select():
    with FusionDefinition() as fd:
        x, i = fd.define_tensor([-1, 6]), fd.define_tensor([-1], dtype=DataType.Int)
        fd.add_output(fd.ops.neg(fd.ops.index_select(x, i, dim=-1)))


def gather():
    with FusionDefinition() as fd:
        x, i = fd.define_tensor([5, 6]), fd.define_tensor([4, 3], dtype=DataType.Int32)
        fd.add_output(fd.ops.gather(x, i, 1))


def scatter():
    with FusionDefinition() as fd:
        x, i, s = fd.define_tensor([5, 6]), fd.define_tensor([4, 3], dtype=DataType.Int), fd.define_tensor([4, 4])
        fd.add_output(fd.ops.scatter(fd.ops.exp(x), i, fd.ops.sin(s), 0))


def scatter_number():
    with FusionDefinition() as fd:
        x, i = fd.define_tensor([5, 6], dtype=DataType.BFloat16), fd.define_tensor([4, 3], dtype=DataType.Int)
        fd.add_output(fd.ops.scatter(x, i, 0.3, 0))


def out_of_range():
    with FusionDefinition() as fd:
        x, i = fd.define_tensor([5, 6]), fd.define_tensor([3], dtype=DataType.Int)
        fd.add_output(fd.ops.index_select(x, fd.ops.add(i, 5), 0))
