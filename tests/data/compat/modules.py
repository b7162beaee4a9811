"""Shapes and types of the parameters of torch.nn modules, and gradients of torch.autograd.Function."""
import torch
import torch.nn as nn
from nvfuser_direct import DataType, FusionDefinition


class Block(nn.Module):
    def __init__(self, size, dtype=torch.float32):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))
        self.register_buffer("mask", torch.zeros(size, dtype=torch.bool))
        self.up = nn.Linear(size, 2 * size, dtype=dtype)
        self.layers = nn.ModuleList([nn.Linear(2 * size, 2 * size, bias=False) for _ in range(2)])
        self.down = nn.Sequential(nn.GELU(), nn.Linear(2 * size, size))
        self.act = nn.functional.gelu


def test_block():
    block = Block(8).cuda()
    assert len(dict(block.named_parameters())) == 7
    assert sum(p.numel() for p in block.parameters()) == 8 + 16 * 9 + 2 * 256 + 8 * 17
    inputs = [torch.randn(4, 8, device="cuda"), block.scale, block.up.weight, block.up.bias,
              *(layer.weight for layer in block.layers), block.down[1].weight]
    with FusionDefinition() as fd:
        x, scale, weight, bias, *weights = map(fd.from_pytorch, inputs)
        y = fd.ops.linear(fd.ops.mul(x, scale), weight, bias)
        for w in weights:
            y = fd.ops.linear(fd.ops.relu(y), w)
        fd.add_output(y)
    fd.execute(inputs)


def define_linear(fd, linear: nn.Linear):
    x = fd.define_tensor([-1, linear.in_features], contiguity=True)
    w = fd.define_tensor(list(linear.weight.shape), contiguity=True)
    y = fd.ops.linear(x, w)
    if linear.bias is not None:
        y = fd.ops.add(y, fd.define_tensor([linear.out_features], contiguity=True))
    fd.add_output(y)


def test_linear():
    linear = nn.Linear(6, 10, device="cuda")
    with FusionDefinition() as fd:
        define_linear(fd, linear)
    fd.execute([torch.randn(3, 6, device="cuda"), linear.weight.data, linear.bias.detach()])


def test_norm():
    norm = nn.LayerNorm(32, eps=1e-3).to("cuda").to(torch.bfloat16)
    x = torch.randn(4, 32, device="cuda", dtype=torch.bfloat16)
    with FusionDefinition() as fd:
        t, w, b = (fd.ops.cast(fd.from_pytorch(v), DataType.Float) for v in (x, norm.weight, norm.bias))
        var, mean = fd.ops.var_mean(t, dims=[1], correction=0, keepdim=True)
        y = fd.ops.mul(fd.ops.sub(t, mean), fd.ops.rsqrt(fd.ops.add(var, fd.define_scalar(norm.eps))))
        fd.add_output(fd.ops.add(fd.ops.mul(y, w), b))
    fd.execute([x, norm.weight, norm.bias])


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        with FusionDefinition() as fd:
            fd.add_output(fd.ops.mul(fd.from_pytorch(a), fd.from_pytorch(b)))
        ctx.save_for_backward(a, b)
        ctx.n = a.dim()
        return fd.execute([a, b])[0]

    @staticmethod
    def backward(ctx, grad):
        return product_gradients(ctx.n, *ctx.saved_tensors, grad)


def product_gradients(n, a, b, grad):
    with FusionDefinition() as fd:
        x, y, z = (fd.from_pytorch(t) for t in (a, b, grad))
        fd.add_output(fd.ops.mul(z, y))
        fd.add_output(fd.ops.mul(z, x))
    return fd.execute([a, b, grad])


def test_product():
    a, b = (torch.randn(4, 6, device="cuda", requires_grad=True) for _ in range(2))
    Product.apply(a, b).backward(torch.ones_like(a))
