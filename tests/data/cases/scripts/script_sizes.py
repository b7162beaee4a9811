import torch
from nvfuser_direct import DataType, FusionDefinition


def test_numbers_fit(nvfuser_direct_test):
    """Chosen sizes would not fit the numbers of pad and full."""

    def fusion_func(fd: FusionDefinition):
        rows, columns = fd.define_scalar(None, dtype=DataType.Int), fd.define_scalar(None, dtype=DataType.Int)
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True])
        t1 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True])
        padded = fd.ops.pad(t1, [0, 0, 0, 3])
        fd.add_output(fd.ops.add(t0, fd.ops.full((rows, columns), 2.5, DataType.Float)))
        fd.add_output(fd.ops.add(padded, t0))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [5, 7, torch.randn(5, 7, device="cuda"), torch.randn(2, 7, device="cuda")])


def test_executed():
    inputs = [torch.randn(3, 5, device="cuda"), torch.randn(2, 5, device="cuda")]
    with FusionDefinition() as fd:
        t0, t1 = (fd.from_pytorch(t) for t in inputs)
        fd.add_output(fd.ops.cat([fd.ops.pad(t0, [0, 0, 0, 1]), fd.ops.pad(t1, [0, 0, 0, 2])], 1))
    fd.execute(inputs)
