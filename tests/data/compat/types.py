"""Types that no back end computes with: they are lowered, drawn and checked."""
import torch
from nvfuser_direct import DataType, FusionDefinition


def test_packed_type(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        x = fd.define_tensor([4, 8], dtype=DataType.Float4_e2m1fn)
        fd.add_output(fd.ops.cast(fd.ops.set(x), DataType.Float))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_result_of_small_type(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition):
        x = fd.define_tensor([4, 8])
        fd.add_output(fd.ops.cast(x, DataType.Float8_e4m3fn))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [])


def test_complex_type(nvfuser_direct_test):
    inputs = [torch.randn(4, 8, device="cuda", dtype=torch.complex64)]

    def fusion_func(fd: FusionDefinition):
        fd.add_output(fd.ops.exp(fd.from_pytorch(inputs[0])))

    nvfuser_direct_test.exec_nvfuser(fusion_func, inputs)
