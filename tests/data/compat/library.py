"""Python and its standard library around a fusion."""
import contextlib
import gc
import itertools
import logging
import math
import os
import subprocess
import sys
import warnings
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from functools import lru_cache, partial, wraps

import numpy as np
import pytest
import torch
from nvfuser_direct import DataType, FusionDefinition
from torch.testing import make_tensor

logger = logging.getLogger(__name__)
warnings.filterwarnings("ignore")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
Point = namedtuple("Point", ["a", "b"])


@dataclass(frozen=True)
class Config:
    m: int
    n: int = 8
    dims: list = field(default_factory=lambda: [1])

    def __post_init__(self):
        assert self.m > 0

    @property
    def shape(self):
        return [self.m, self.n]


def define(shape):
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.define_tensor(shape)))
    return fd


def test_dataclass():
    config = Config(4)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sum(fd.define_tensor(config.shape), config.dims))


def test_collections():
    point = Point(4, b=8)
    lists = defaultdict(list)
    lists["k"].append(point.a)
    define([lists["k"][0] * OrderedDict([("m", 2)])["m"], point.b])


def pairs(items):
    it = iter(items)
    while chunk := tuple(itertools.islice(it, 2)):
        yield chunk


def test_iterators():
    it = iter(range(5))
    chunks = list(pairs(range(5)))
    assert chunks == [(0, 1), (2, 3), (4,)] and list(zip(it, it)) == [(0, 1), (2, 3)] and list(it) == []
    groups = pairs([8, 4, 2])
    sizes = next(groups)
    assert [g for g in groups] == [(2,)] and list(groups) == []
    assert [x for x in itertools.islice([1, 2, 3, 4], 1, None, 2)] == [2, 4]
    define(sizes)


def test_patterns():
    match {"name": "neg", "size": (4, [8, 2])}:
        case {"name": str(name), "size": (int(m), [n, *rest])} if m > 2:
            shape = [m, n] + rest
        case _:
            shape = [1]
    match Config(3):
        case Config(4):
            shape = [2]
        case Config(3, n=8):
            logger.info(f"{shape!r:>10} {math.prod(shape):,} {name:^8}")
    define(shape)


def test_tensors():
    with torch.no_grad(), warnings.catch_warnings():
        x = torch.arange(32, device="cuda").view(4, 8).to(torch.float)
        y = torch.zeros_like(x).permute(1, 0).contiguous().T
        z = torch.cat([x, y], dim=0).split(4)[1].flatten(0, 1).view(4, -1).unsqueeze(0).squeeze()
        w = make_tensor((4, 16), dtype=torch.float, device="cuda", requires_grad=True).chunk(2, dim=1)[0]
    with FusionDefinition() as fd:
        a, b, c, d = map(fd.from_pytorch, (x, y, z, w))
        fd.add_output(fd.ops.add(fd.ops.add(a, b), fd.ops.add(c, d)))
    gc.collect()
    torch.testing.assert_close(fd.execute([x, y, z, w])[0], x + y + z + w)


def test_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("A", "1")
    os.environ.pop("B", None)
    del os.environ["A"]
    if "C" in os.environ:
        return
    define([int(os.getenv("N", "4")), int(os.environ.get("M", 8))])


def test_hardware():
    if torch.cuda.get_device_properties(0).major < 9 or torch.cuda.device_count() < 2:
        pytest.skip("needs more")
    define([4, 8])


def test_numbers():
    shape = np.array([4, 8]).tolist()
    define([int(np.prod(shape)) // 4, len(shape)])


def decorated(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@lru_cache(maxsize=None)
def cached(n):
    return [n] * 2


@decorated
def test_decorated():
    define(cached(4))


@contextlib.contextmanager
def scope(name):
    yield name


def test_scopes():
    with scope("a") as name, contextlib.suppress(ValueError), torch.cuda.stream(torch.cuda.Stream()):
        define([len(name), 4])


def test_partial(nvfuser_direct_test):
    def fusion_func(fd: FusionDefinition, *, inputs, scale=1.0) -> None:
        fd.add_output(fd.ops.mul(fd.from_pytorch(inputs[0]), scale))

    inputs = [torch.ones(4, 8, dtype=torch.float16).cuda()]
    outputs, _ = nvfuser_direct_test.exec_nvfuser(partial(fusion_func, inputs=inputs, scale=2.0), inputs)
    nvfuser_direct_test.assertEqual(outputs[0], inputs[0] * 2)


def test_benchmark(benchmark, disable_validation, disable_benchmarking):
    fd = define([4, 8])
    inputs = [torch.randn((4, 8), device="cuda", dtype=torch.float)]
    if not disable_validation:
        fd.validate(inputs, [-inputs[0]])
    if not disable_benchmarking:
        run_benchmark(benchmark, fd.execute, inputs)  # noqa: F821


def test_what_follows():
    define([4, 8])
    with open("result.txt", "w") as file:
        file.write("done")
    subprocess.run(["ls"])
    sys.exit(1)
