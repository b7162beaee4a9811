import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def f():
    with FusionDefinition() as fd:
        t2 = fd.define_tensor([2, 2], True)
        t3 = fd.ops.sum(t2, [1])  # unused: its axes take the numbers of the gap
        t4 = fd.ops.mul(t2, t2)
        t5 = fd.ops.add(t4, t2)
        t6 = fd.ops.set(t5)
        fd.add_output(t6)
        mesh = nvfuser.multidevice.DeviceMesh(range(2))
        for t in [t2, t3, t4, t5, t6]:
            t.set_device_mesh(mesh)
        t4.axis(0).parallelize(ParallelType.mesh_x)
        t6.axis(0).parallelize(ParallelType.mesh_x)
        t6.axis(1).parallelize(ParallelType.stream)
