import torch
import nvfuser_direct as nvf
from nvfuser_direct import DataType, FusionDefinition


def streams():
    with FusionDefinition() as fd:
        x = fd.define_tensor([8, 4])
        fd.add_output(fd.ops.relu(x))
    params = nvf.multidevice.MultiDeviceExecutorParams()
    params.number_of_streams = 2
    executor = nvf.multidevice.MultiDeviceExecutor(fd.fusion, params)
    executor.run([torch.randn(8, 4, device="cuda")])


def host_ir_lowering():
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], contiguity=True, dtype=DataType.Float)
        w = fd.define_tensor([-1, -1], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.matmul(x, w))
    x, w = torch.testing.make_tensor(5, 7, dtype=torch.float32), torch.testing.make_tensor(7, 6, dtype=torch.float32)
    fd.execute([x, w], _enable_options=["host_ir_lowering", "fuse_matmul"])
