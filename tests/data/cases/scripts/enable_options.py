import nvfuser_direct as nvf
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def ring(d):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, 2], contiguity=True)
        w = fd.define_tensor([8, 2], contiguity=True)
        gathered = fd.ops.set(x)
        out = fd.ops.linear(gathered, w)
        fd.add_output(out)
        mesh = nvf.multidevice.DeviceMesh(range(d))
        for tv in (x, w, gathered):
            tv.set_device_mesh(mesh)
            tv.outer_split(0, d)
        x.axis(0).parallelize(ParallelType.mesh_x)
        w.axis(0).parallelize(ParallelType.mesh_x)
        gathered.swizzle1d(0, ParallelType.mesh_x)
        gathered.axis(0).parallelize(ParallelType.stream)
    return fd


def test_ring(multidevice_test):
    fd = ring(multidevice_test.size)
    fd.execute([], _enable_options=["host_ir_lowering"], _disable_options=["infer_contiguity"])


def benchmark_ring(multidevice_test, benchmark):
    fd = ring(multidevice_test.size)
    run = lambda: fd.execute([], _enable_options=["host_ir_lowering", "id_model"])
    benchmark.pedantic(run, rounds=5)
    run()


def test_add_after(multidevice_test):
    d = multidevice_test.size
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], contiguity=True)
        y = fd.define_tensor([-1, -1], contiguity=True)
        z = fd.ops.add(x, y)
        fd.add_output(z)
        mesh = nvf.multidevice.DeviceMesh(range(d))
        for tv in (x, y, z):
            tv.set_device_mesh(mesh)
        for tv in (x, y):
            tv.outer_split(0, d)
            tv.axis(0).parallelize(ParallelType.mesh_x)
    fd.execute([], _enable_options=["host_ir_lowering", "insert_resharding_after"])
