"""Ops that are known by name only."""
import torch
from nvfuser_direct import DataType, FusionDefinition


def test_cumsum(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        x = fd.from_pytorch(torch.randn(4, 6, device="cuda"))
        fd.add_output(fd.ops.neg(fd.ops.cumsum(x, -1)))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_topk(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        x = fd.define_tensor([4, 6])
        values, indices = fd.ops.topk(x, 2, dim=1, largest=True, sorted=True)
        fd.add_output(values)
        fd.add_output(indices)

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_attention(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        q, k, v = (fd.define_tensor([2, 4, 8, 16], dtype=DataType.BFloat16) for _ in range(3))
        out, logsumexp, seed, offset = fd.ops.sdpfa_fwd(q, k, v, dropout_p=0.0, is_causal=True)
        fd.add_output(out)

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_grouped_product(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        a, b = fd.define_tensor([12, 8], dtype=DataType.BFloat16), fd.define_tensor([3, 8, 4], dtype=DataType.BFloat16)
        offsets = fd.define_tensor([3], dtype=DataType.Int32)
        fd.add_output(fd.ops.grouped_mm(a, b, offsets))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_index_select(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        x, index = fd.define_tensor([5, 6]), fd.define_tensor([3], dtype=DataType.Int)
        fd.add_output(fd.ops.index_select(x, index, 0))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_random(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        fd.add_output(fd.ops.uniform(0.0, 1.0, shape=[4, 8], dtype=DataType.Float))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_random_like_an_input(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        x = fd.define_tensor([-1, -1])
        mask = fd.ops.lt(fd.ops.uniform(0.0, 1.0, shape=x.shape(), dtype=DataType.Float), 0.5)
        fd.add_output(fd.ops.mul(x, fd.ops.cast(mask, DataType.Float)))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])
