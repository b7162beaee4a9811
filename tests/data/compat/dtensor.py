"""A fusion whose inputs are sharded like DTensors."""
import torch
import torch.distributed as dist
from nvfuser_direct import FusionDefinition, ParallelType, execute_with_dtensors
from nvfuser_direct.multidevice import DeviceMesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor


def schedule(fd, dtensors):
    for tv, dtensor in zip(fd.fusion.inputs(), dtensors):
        mesh = DeviceMesh(dtensor.device_mesh.mesh)
        tv.set_device_mesh(mesh)
        (placement,) = dtensor.placements
        if placement.is_shard():
            tv.outer_split(placement.dim, mesh.size)
            tv.axis(placement.dim).parallelize(ParallelType.mesh_x)


def test_column_parallel(setup_default_process_group):
    d = dist.get_world_size()
    mesh = dist.device_mesh.init_device_mesh("cuda", [d], mesh_dim_names=["tp"])
    x = distribute_tensor(torch.randn(2, 3, 5), mesh, [Replicate()])
    w = distribute_tensor(torch.randn(4 * d, 5), mesh, [Shard(0)])
    assert w.to_local().shape == (4, 5) and w.size(0) == 4 * d
    with FusionDefinition() as fd:
        inputs = [fd.define_tensor([-1] * x.dim()), fd.define_tensor(list(w.shape))]
        fd.add_output(fd.ops.linear(*inputs))
        schedule(fd, [x, w])
    execute_with_dtensors(fd, [x, w])


def define_gradient(fd, n):
    x, grad = (fd.define_tensor([-1] * n) for _ in range(2))
    fd.add_output(fd.ops.mul(x, grad))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return DTensor.from_local(x.to_local(), x.device_mesh, x.placements)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with FusionDefinition() as fd:
            define_gradient(fd, x.dim())
            schedule(fd, [x, grad])
        return execute_with_dtensors(fd, [x, grad])


def test_gradient(setup_default_process_group):
    """The gradient of a local result is sharded like the result."""
    d = dist.get_world_size()
    mesh = dist.device_mesh.init_device_mesh("cuda", [d])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = distribute_tensor(torch.randn(4 * d, 6, device=device), mesh, [Shard(0)])
    assert torch.ones_like(x).placements == x.placements
    y = Square.apply(x)
    torch.autograd.grad(y.to_local().sum(), x)


def define_product(fd, n):
    x, w = (fd.define_tensor([-1] * k) for k in (n, 2))
    fd.add_output(fd.ops.linear(x, w))


def define_product_gradient(fd, n):
    w, grad = (fd.define_tensor([-1] * k) for k in (2, n))
    fd.add_output(fd.ops.matmul(grad, w))


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        with FusionDefinition() as fd:
            define_product(fd, x.dim())
            schedule(fd, [x, w])
        (out,) = execute_with_dtensors(fd, [x, w])
        assert out.shape == (2, 3, w.size(0)) and out.to_local().shape[2] == w.to_local().shape[0]
        ctx.save_for_backward(w, out)
        return out

    @staticmethod
    def backward(ctx, grad):
        w, out = ctx.saved_tensors
        assert grad.shape == out.shape and grad.placements[0].is_shard(2)
        with FusionDefinition() as fd:
            define_product_gradient(fd, grad.dim())
            schedule(fd, [w, grad])
        return execute_with_dtensors(fd, [w, grad])


def test_product_gradient(setup_default_process_group):
    """The output of an executed fusion is sharded like the axes that its axes come from."""
    d = dist.get_world_size()
    mesh = dist.device_mesh.init_device_mesh("cuda", [d])
    x = distribute_tensor(torch.randn(2, 3, 5), mesh, [Replicate()])
    w = distribute_tensor(torch.randn(4 * d, 5), mesh, [Shard(0)])
    y = Product.apply(x, w)
    torch.autograd.grad(y, (x, w), torch.ones_like(y))
