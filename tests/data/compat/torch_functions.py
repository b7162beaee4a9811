"""Shapes of the results of torch functions, layers and methods of tensors."""
import torch
import torch.nn.functional as F
from nvfuser_direct import FusionDefinition


def check(*cases):
    """Raise an error for a shape that is unknown or not the expected one."""
    for x, shape in cases:
        sizes = [size for size in x.shape]
        if sizes != list(shape):
            raise ValueError(sizes, shape)


def test_shapes():
    a, c, v = torch.randn(4, 6), torch.randn(2, 4, 5), torch.randn(6)
    check((torch.linspace(0, 1, steps=8), [8]), (torch.arange(0.0, 4.0, 0.5), [8]), (torch.arange(end=5), [5]),
          (torch.empty_strided((4, 6), (1, 4)), [4, 6]), (torch.empty_permuted((4, 6, 8), (2, 0, 1)), [4, 6, 8]),
          (torch.where(a > 0, a, v), [4, 6]), (torch.bmm(c, c.mT), [2, 4, 4]), (torch.mv(a, v), [4]), (torch.outer(v, v), [6, 6]),
          (torch.einsum("ij, kj -> ik", a, a), [4, 4]), (F.linear(c, torch.randn(3, 5)), [2, 4, 3]), (F.pad(a, (1, 2)), [4, 9]),
          (torch.max(a, dim=1).values, [4]), (a.max(dim=0, keepdim=True)[0], [1, 6]), (torch.topk(a, 2)[1], [4, 2]),
          (torch.var_mean(a, dim=1)[1], [4]), (torch.diag(v), [6, 6]), (c.diagonal(dim1=1, dim2=2), [2, 4]),
          (torch.gather(a, 1, torch.zeros(4, 2, dtype=torch.int64)), [4, 2]), (torch.hstack([a, a]), [4, 12]),
          (torch.vstack([v, v]), [2, 6]), (torch.meshgrid(v, torch.ones(3), indexing="xy")[0], [3, 6]),
          (torch.tensor_split(a, 4, dim=1)[0], [4, 2]), (torch.compile(lambda x: x)(a), [4, 6]),
          (torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU())(a), [4, 8]),
          (torch.nn.Embedding(10, 6)(torch.zeros(4, 3, dtype=torch.long)), [4, 3, 6]))
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.from_pytorch(torch.bmm(c, c.mT).cuda()), [1]))
    fd.execute([])


def test_methods():
    a, c = torch.randn(4, 6), torch.randn(2, 4, 5)
    check((a.new_zeros(3, 4), [3, 4]), (a.new_full((2, 3), 1.0), [2, 3]), (a.repeat(2, 1, 3), [2, 4, 18]),
          (a.repeat_interleave(2, dim=0), [8, 6]), (c.movedim(0, -1), [4, 5, 2]), (c.swapaxes(0, 2), [5, 4, 2]),
          (a.narrow(1, 2, 3), [4, 3]), (c.select(1, 0), [2, 5]), (c.unbind(1)[0], [2, 5]), (a[..., None], [4, 6, 1]),
          (a[:, None, 1:4], [4, 1, 3]), (c[None, ..., 0], [1, 2, 4]), (a[torch.tensor([0, 1, 3])], [3, 6]),
          (a.unflatten(1, (2, -1)), [4, 2, 3]), (a.data.ravel(), [24]), (a.argmax(-1), [4]), (a.eq(0), [4, 6]), (a.pow(2), [4, 6]),
          (a.masked_fill(a > 0, 0.0), [4, 6]), (a.cumsum(0), [4, 6]), (a.broadcast_to(2, 4, 6), [2, 4, 6]))
    assert a.argmax(-1).dtype == torch.int64 and (a[None].stride() == (24, 6, 1))
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.from_pytorch(a.new_ones((2, 3), dtype=torch.bfloat16, device="cuda").expand(4, 2, 3))))
    fd.execute([])


def test_layer():
    x = torch.nn.Linear(6, 8)(torch.randn(4, 6)).cuda()
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.relu(fd.from_pytorch(x)))
    fd.execute([x])
