"""Shapes that depend on the elements of small tensors, which the script writes as numbers."""
import torch
from nvfuser_direct import FusionDefinition, DataType


def build(shape):
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape)
        fd.add_output(fd.ops.neg(x))
    return fd


def test_literal():
    t = torch.tensor([[1, 2], [3, 4]])
    assert t.tolist() == [[1, 2], [3, 4]] and t.T.tolist() == [[1, 3], [2, 4]]
    assert t[1].tolist() == [3, 4] and t[:, 1].tolist() == [2, 4] and t[1, 0].item() == 3
    assert t[-1][-1] == 4 and t[0:2:1, None].shape == (2, 1, 2)
    u = torch.tensor([1.5, 2.5], dtype=torch.float32, device="cuda")
    assert float(u[1]) == 2.5 and u.to(torch.int32).tolist() == [1, 2] and int(u[0]) == 1
    assert t.flatten().tolist() == [1, 2, 3, 4] and t.view(4)[2].item() == 3
    v = t.clone()
    v[0, 0] = 9
    assert t[0, 0].item() == 1 and v[0, 0].item() == 9
    w = t.view(-1)
    w[3] = 40
    assert t[1, 1].item() == 40
    build([int(t[1, 1]), t[0][1].item(), 3])


def test_offsets():
    offsets = torch.empty((3,), dtype=torch.int32, device="cuda:0")
    table = torch.zeros((3, 2), dtype=torch.int64)
    at = 0
    for i, n in enumerate([4, 6, 8]):
        offsets[i] = at
        at += n
        table[i][0] = n
        table[i, 1] = n * n
    rest = (30 - offsets[2] + 7) // 8 * 8
    x = torch.randn(64, 5)[offsets[1]:offsets[2]]
    assert x.shape == (6, 5) and rest.item() == 24
    if offsets[1] > 3:
        rest = rest + 1
    build([rest, x.size(0), table[2, 1].item()])
