"""Complex constants and tensors."""
import torch
from nvfuser_direct import DataType, FusionDefinition


def test_constants(nvfuser_direct_test):
    z = torch.randn(4, dtype=torch.complex64, device="cuda")
    k = complex(3.0, 0.5) * (1 - 2j)
    assert k == 4 - 5.5j and k.real == 4.0 and abs(3 + 4j) == 5.0 and f"{k}" == "(4-5.5j)"

    def fusion_func(fd: FusionDefinition):
        t = fd.from_pytorch(z)
        fd.add_output(fd.ops.mul(t, fd.define_scalar(k)))
        fd.add_output(fd.ops.add(t, fd.define_scalar(1j, DataType.ComplexFloat)))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [z])


def test_parts(nvfuser_direct_test):
    x, y = torch.randn(4, device="cuda"), torch.randn(4, device="cuda")

    def fusion_func(fd: FusionDefinition):
        z = fd.ops.complex(fd.from_pytorch(x), fd.from_pytorch(y))
        fd.add_output(fd.ops.abs(z))
        fd.add_output(fd.ops.real(fd.ops.mul(z, 1j)))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [x, y])


def test_choice(nvfuser_direct_test):
    x = torch.tensor([True, False], device="cuda")

    def fusion_func(fd: FusionDefinition):
        t = fd.from_pytorch(x)
        fd.add_output(fd.ops.where(t, fd.define_scalar(complex(3.0)), fd.define_scalar(complex(5.0))))
        fd.add_output(fd.ops.where(t, fd.define_scalar(3.0), fd.define_scalar(5.0)))

    nvfuser_direct_test.exec_nvfuser(fusion_func, [x])
