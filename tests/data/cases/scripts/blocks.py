import nvfuser_direct as nvf
from nvfuser_direct import FusionDefinition, ParallelType


def on_mesh(d, *tensors):
    for tv in tensors:
        tv.set_device_mesh(nvf.multidevice.DeviceMesh(range(d)))


def blocks(d):
    """Each device has the same third of both halves."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, 3])
        y = fd.ops.neg(x)
        fd.add_output(y)
        on_mesh(d, x)
        x.outer_split(0, 2)
        x.outer_split(1, d)
        x.axis(1).parallelize(ParallelType.mesh_x)


def summed(d):
    with FusionDefinition() as fd:
        x = fd.define_tensor([4, -1])
        y = fd.ops.sum(x, [0])
        fd.add_output(y)
        on_mesh(d, x, y)
        for tv, axis in ((x, 1), (y, 1)):
            tv.outer_split(axis, 2)
            tv.outer_split(axis + 1, d)
            tv.axis(axis + 1).parallelize(ParallelType.mesh_x)


def gathered(d):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, 3])
        y = fd.ops.set(x)
        fd.add_output(y)
        on_mesh(d, x, y)
        x.outer_split(0, 2)
        x.outer_split(1, d)
        x.axis(1).parallelize(ParallelType.mesh_x)


def gathered_inner(d):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, 3])
        y = fd.ops.set(x)
        fd.add_output(y)
        on_mesh(d, x, y)
        x.inner_split(0, d)
        x.axis(1).parallelize(ParallelType.mesh_x)
