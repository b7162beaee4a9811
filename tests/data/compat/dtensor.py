"""A fusion whose inputs are sharded like DTensors."""
import torch
import torch.distributed as dist
from nvfuser_direct import FusionDefinition, ParallelType, execute_with_dtensors
from nvfuser_direct.multidevice import DeviceMesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


def schedule(fd, dtensors):
    for tv, dtensor in zip(fd.fusion.inputs(), dtensors):
        mesh = DeviceMesh(dtensor.device_mesh.mesh)
        tv.set_device_mesh(mesh)
        (placement,) = dtensor.placements
        if placement.is_shard():
            tv.outer_split(placement.dim, mesh.size)
            tv.axis(placement.dim).parallelize(ParallelType.mesh_x)


def test_column_parallel(setup_default_process_group):
    d = dist.get_world_size()
    mesh = dist.device_mesh.init_device_mesh("cuda", [d], mesh_dim_names=["tp"])
    x = distribute_tensor(torch.randn(2, 3, 5), mesh, [Replicate()])
    w = distribute_tensor(torch.randn(4 * d, 5), mesh, [Shard(0)])
    assert w.to_local().shape == (4, 5) and w.size(0) == 4 * d
    with FusionDefinition() as fd:
        inputs = [fd.define_tensor([-1] * x.dim()), fd.define_tensor(list(w.shape))]
        fd.add_output(fd.ops.linear(*inputs))
        schedule(fd, [x, w])
    execute_with_dtensors(fd, [x, w])
