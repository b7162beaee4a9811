"""Fusions that only communicate, for each kind of communication. num_devices must be at least 2."""
import nvfuser_direct as nvfuser
from nvfuser_direct import DataType, FusionDefinition, ParallelType


def mesh(devices):
    return nvfuser.multidevice.DeviceMesh(devices)


def everyone(num_devices):
    return mesh(range(num_devices))


def last(num_devices):
    return mesh([num_devices - 1])


def others(num_devices):
    return mesh(range(num_devices - 1))


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
    return move(2, everyone(num_devices), mesh([1]), True, False)


def gather_from_others(num_devices: int):
    return move(2, others(num_devices), last(num_devices), True, False)


def scatter(num_devices: int):
    return move(2, mesh([1]), everyone(num_devices), False, True)


def broadcast(num_devices: int):
    return move(2, mesh([0]), everyone(num_devices), False, False)


def broadcast_to_others(num_devices: int):
    return move(2, last(num_devices), others(num_devices), False, False)


def send_recv(num_devices: int):
    return move(2, mesh([0]), mesh([1]), False, False)


def allgather(num_devices: int):
    return move(2, everyone(num_devices), everyone(num_devices), True, False)


def all_to_all(num_devices: int):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[num_devices, num_devices * 5], contiguity=True, dtype=DataType.Float)
        tv1 = fd.ops.set(tv0)
        fd.add_output(tv1)
        tv0.set_device_mesh(everyone(num_devices))
        tv1.set_device_mesh(everyone(num_devices))
        tv0.outer_split(0, num_devices)
        tv0.axis(0).parallelize(ParallelType.mesh_x)
        tv1.outer_split(1, num_devices)
        tv1.axis(1).parallelize(ParallelType.mesh_x)
    return fd


def reduced(source, target, shard_target, op="sum", dtype=DataType.Float):
    with FusionDefinition() as fd:
        tv0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=True, dtype=dtype)
        if op == "max":
            tv1 = fd.ops.max(tv0, dims=[0])
        elif op == "min":
            tv1 = fd.ops.min(tv0, dims=[0])
        elif op == "prod":
            tv1 = fd.ops.prod(tv0, dims=[0])
        else:
            tv1 = fd.ops.sum(tv0, dims=[0])
        fd.add_output(tv1)
        tv0.set_device_mesh(source)
        tv1.set_device_mesh(target)
        tv0.axis(0).parallelize(ParallelType.mesh_x)
        if shard_target:
            tv1.axis(1).parallelize(ParallelType.mesh_x)
    return fd


def reduce(num_devices: int):
    return reduced(everyone(num_devices), mesh([1]), False)


def reduce_to_other(num_devices: int):
    return reduced(others(num_devices), last(num_devices), False)


def allreduce(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), False)


def allreduce_max(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), False, "max")


def allreduce_min(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), False, "min")


def allreduce_prod(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), False, "prod")


def allreduce_int32(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), False, "max", DataType.Int32)


def allreduce_int(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), False, "sum", DataType.Int)


def allreduce_bool(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), False, "min", DataType.Bool)


def reduce_scatter(num_devices: int):
    return reduced(everyone(num_devices), everyone(num_devices), True)
