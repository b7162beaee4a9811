import nvfuser_direct as nvf
from nvfuser_direct import FusionDefinition, ParallelType


def parts(d, op):
    """A product whose sum over K is split by the script: each device computes a part."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, d * 8], contiguity=True)
        w = fd.define_tensor([d * 8, 5] if op == "matmul" else [5, d * 8], contiguity=True)
        out = fd.ops.matmul(x, w) if op == "matmul" else fd.ops.linear(x, w)
        fd.add_output(out)
        mesh = nvf.multidevice.DeviceMesh(range(d))
        for tv in (x, w, out):
            tv.set_device_mesh(mesh)
        x.outer_split(-1, d)
        x.axis(-2).parallelize(ParallelType.mesh_x)
        k = 0 if op == "matmul" else 1
        w.outer_split(k, d)
        w.axis(k).parallelize(ParallelType.mesh_x)
        out.outer_split(-1, d)
        local = out.rfactor(axes=[-1])
        local.set_device_mesh(mesh)
        local.axis(-2).parallelize(ParallelType.mesh_x)


def row_parallel_matmul(d):
    parts(d, "matmul")


def row_parallel_linear(d):
    parts(d, "linear")
