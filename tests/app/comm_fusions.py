"""Each kind of communication between meshes and alone, for test-comm-cuda.py: nothing is computed."""
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def mesh(devices):
    return nvfuser.multidevice.DeviceMesh(devices)


def move(rank, source, target, shard_source, shard_target):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        tv0.set_device_mesh(source)
        tv1.set_device_mesh(target)
        if shard_source:
            tv0.axis(0).parallelize(ParallelType.mesh_x)
        if shard_target:
            tv1.axis(0).parallelize(ParallelType.mesh_x)
    return fd


def gather(num_devices: int):
    return move(2, mesh([0, 1, 2]), mesh([1]), True, False)


def gather_from_others(num_devices: int):
    return move(2, mesh([0, 1]), mesh([2]), True, False)


def scatter(num_devices: int):
    return move(2, mesh([1]), mesh([0, 1, 2]), False, True)


def broadcast(num_devices: int):
    return move(2, mesh([0]), mesh([0, 1, 2]), False, False)


def broadcast_to_others(num_devices: int):
    return move(2, mesh([2]), mesh([0, 1]), False, False)


def send_recv(num_devices: int):
    return move(2, mesh([0]), mesh([1]), False, False)


def allgather(num_devices: int):
    return move(2, mesh([0, 1, 2]), mesh([0, 1, 2]), True, False)


def summed(source, target, shard_target):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        tv0.set_device_mesh(source)
        tv1.set_device_mesh(target)
        tv0.axis(0).parallelize(ParallelType.mesh_x)
        if shard_target:
            tv1.axis(1).parallelize(ParallelType.mesh_x)
    return fd


def reduce(num_devices: int):
    return summed(mesh([0, 1, 2]), mesh([1]), False)


def reduce_to_other(num_devices: int):
    return summed(mesh([0, 1]), mesh([2]), False)


def allreduce(num_devices: int):
    return summed(mesh([0, 1, 2]), mesh([0, 1, 2]), False)


def reduce_scatter(num_devices: int):
    return summed(mesh([0, 1, 2]), mesh([0, 1, 2]), True)
