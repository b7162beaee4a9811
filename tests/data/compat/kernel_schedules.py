"""Schedules of one kernel, which also change its inputs."""
from nvfuser_direct import FusionDefinition, LoadStoreOpType, MemoryType, ParallelType


def test_transform_of_inputs(nvfuser_direct_test):
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[4, 6], contiguity=True)
        y = fd.ops.relu(x)
        fd.add_output(y)
        y.merge(0, 1)
        y.split(0, 8)
        fd.sched.transform_like(y)


def test_cache_in_shared_memory(nvfuser_direct_test):
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=[True, True])
        y = fd.ops.add(fd.ops.broadcast(fd.ops.sum(x, [1]), [False, True]), x)
        fd.add_output(y)
        cache = x.cache_after(LoadStoreOpType.tma)
        cache.set_memory_type(MemoryType.shared)
        for tv in [cache, y]:
            tv.split(-1, 16)
            tv.axis(0).parallelize(ParallelType.grid_x)
            tv.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.inline_most()


def test_bounded_transforms(nvfuser_direct_test):
    """The transforms stop before the last argument; without one, before the inputs."""
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[16, 24], contiguity=[True, True])
        y = fd.ops.permute(x, [1, 0])
        fd.add_output(y)
        loaded = x.cache_after(LoadStoreOpType.tma)
        stored = y.cache_before()
        y.split(1, 8)
        y.axis(0).parallelize(ParallelType.grid_x)
        fd.sched.bounded_transform_backward(y, -1, [loaded], propagate_parallel_type=True)
        assert len(stored.get_loop_domain()) == 3 and loaded.ndim == 2
        fd.sched.bounded_transform_backward(y, -1, [])
        assert len(loaded.get_loop_domain()) == 3 and x.ndim == 2
        fd.sched.inline_most()
