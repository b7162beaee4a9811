"""Axes that are expanded broadcasts, tensors without elements, sizes that only the script knows."""
import torch
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition


def test_reshape_of_expanded(nvfuser_direct_test):
    inputs = [torch.randn(2, 3, 5, device="cuda")]

    def fusion_func(fd: FusionDefinition) -> None:
        x = fd.define_tensor(shape=[2, 3, 5], contiguity=True)
        wide = fd.ops.broadcast_in_dim(x, shape=[2, 3, 4, 5], broadcast_dims=[0, 1, 3])
        fd.add_output(fd.ops.reshape(wide, [2, 12, 5]))

    nvfuser_direct_test.exec_nvfuser(fusion_func, inputs)


def test_pad_of_expanded(nvfuser_direct_test):
    inputs = [torch.randn(4, device="cuda").as_strided((3, 4), (0, 1))]

    def fusion_func(fd: FusionDefinition) -> None:
        fd.add_output(fd.ops.pad(fd.from_pytorch(inputs[0]), [1, 0, 2, 1], 1.5))

    nvfuser_direct_test.exec_nvfuser(fusion_func, inputs)


def test_pad_of_nothing(nvfuser_direct_test):
    inputs = [torch.randn((0,), dtype=torch.float64, device="cuda").as_strided((2, 0, 3), (0, 0, 0))]

    def fusion_func(fd: FusionDefinition) -> None:
        fd.add_output(fd.ops.pad(fd.from_pytorch(inputs[0]), [0, 0, 1, 1, 1, 0], -3.5))

    nvfuser_direct_test.exec_nvfuser(fusion_func, inputs)


def test_reshape_of_nothing(nvfuser_direct_test):
    inputs = [torch.randint(0, 9, (0, 1, 3), dtype=torch.int64, device="cuda")]

    def fusion_func(fd: FusionDefinition) -> None:
        x = fd.define_tensor(shape=[-1, 1, -1], contiguity=[False, None, True], dtype=DataType.Int)
        fd.add_output(fd.ops.reshape(x, [5, 0]))

    nvfuser_direct_test.exec_nvfuser(fusion_func, inputs)


def test_size_of_expanded_is_ignored(nvfuser_direct_test):
    """The size of an expanded axis does not count beside an axis with data."""
    with FusionDefinition() as fd:
        mask = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Bool)
        x = fd.define_tensor(shape=[-1, -1, 12], contiguity=True)
        shape = [fd.ops.size(x, 0), fd.ops.size(x, 1), 6]
        wide = fd.ops.broadcast_in_dim(mask, shape=shape, broadcast_dims=[0, 1])
        fd.add_output(fd.ops.where(wide, x, 0.0))


def test_slice_up_to_a_size(multidevice_test):
    """The sizes of sharded inputs, created after the fusion, decide where the slices end."""
    d = multidevice_test.size
    with FusionDefinition() as fd:
        x_tv = fd.define_tensor(shape=[-1, -1, 8], contiguity=True)
        w_tv = fd.define_tensor(shape=[8], contiguity=True)
        rows, columns = fd.ops.size(x_tv, 0), fd.ops.size(x_tv, 1)
        y = fd.ops.mul(x_tv, fd.ops.broadcast_in_dim(w_tv, fd.ops.shape(x_tv), [-1]))
        fd.add_output(fd.ops.slice(y, [0, 0, 4], [rows, columns, 8]))
        mesh = nvfuser.multidevice.DeviceMesh(torch.arange(d))
        for tv in [x_tv, w_tv]:
            tv.set_device_mesh(mesh)
        x_tv.outer_split(0, d)
        x_tv.axis(0).parallelize(nvfuser.ParallelType.mesh_x)

    rows_per_rank = 3
    x_ref = torch.testing.make_tensor(rows_per_rank * d, 5, 8, dtype=torch.float32, device="cpu")
    x = multidevice_test.shard_tensor(x_ref, x_tv)
    w = torch.testing.make_tensor(8, dtype=torch.float32, device="cuda")
    (out,) = fd.execute([x, w], _enable_options=["host_ir_lowering"])
    assert out.shape == (rows_per_rank, 5, 4)


def test_sliced():
    """The other operand of where must have the size of the slice, which is less than that of its input."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1])
        mask = fd.define_tensor([1, -1])
        part = fd.ops.slice(mask, [0, 2], [1, 12])
        wide = fd.ops.broadcast_in_dim(fd.ops.eq(part, 0.0), [16, 10], [0, 1])
        fd.add_output(fd.ops.where(wide, 0.0, x))
