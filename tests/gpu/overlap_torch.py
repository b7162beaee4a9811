#!/usr/bin/env python3
"""overlap_torch.py ag|ar|rs serial|fused DEVICES M K N: PyTorch's variants of tests/gpu/overlap.py, one process per GPU.

Runs once per line of standard input and prints "ran in N ns" with the time of the slowest rank.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def random_matrix(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def make_gathered(kind, world, m, k, n, group_name):
    """Return a function that gathers [M/D, K] of each device and multiplies the result by [K, N]."""
    part, weight = random_matrix(m // world, k), random_matrix(k, n)
    gathered = torch.empty(m, k, dtype=part.dtype, device="cuda")
    if kind == "fused":
        return lambda: torch.ops.symm_mem.fused_all_gather_matmul(part, [weight], gather_dim=0, group_name=group_name)

    def run():
        dist.all_gather_into_tensor(gathered, part)
        return gathered @ weight
    return run


def make_reduced(program, kind, world, m, k, n, group_name):
    """Return a function that sums [M, K/D] @ [K/D, N] over the devices; with rs each device keeps only its rows."""
    part, weight = random_matrix(m, k // world), random_matrix(k // world, n)
    rows = torch.empty(m // world, n, dtype=part.dtype, device="cuda")
    if kind == "fused":
        return lambda: torch.ops.symm_mem.fused_matmul_reduce_scatter(part, weight, "sum", scatter_dim=0,
                                                                      group_name=group_name)

    def run():
        product = part @ weight
        if program == "ar":
            dist.all_reduce(product)
        else:
            dist.reduce_scatter_tensor(rows, product)
    return run


def make_form(program, kind, world, sizes, group_name):
    if kind == "fused":
        import torch.distributed._symmetric_memory as symmetric
        symmetric.enable_symm_mem_for_group(group_name)
    if program == "ag":
        return make_gathered(kind, world, *sizes, group_name)
    return make_reduced(program, kind, world, *sizes, group_name)


def worker(rank, program, kind, world, sizes, port):
    torch.cuda.set_device(rank)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(world))
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=torch.device("cuda", rank))
    torch.manual_seed(rank)
    run = make_form(program, kind, world, sizes, dist.group.WORLD.group_name)
    go = torch.ones(1, dtype=torch.int64)
    if rank == 0:
        print("ready", flush=True)
        sys.stdin.readline()
    while go.item():
        torch.cuda.synchronize()
        dist.broadcast(go, 0)
        start = time.perf_counter_ns()
        run()
        torch.cuda.synchronize()
        took = torch.tensor([time.perf_counter_ns() - start])
        dist.all_reduce(took, dist.ReduceOp.MAX)
        if rank == 0:
            print(f"ran in {took.item()} ns", flush=True)
            go[0] = 1 if sys.stdin.readline() else 0
        dist.broadcast(go, 0)
    dist.destroy_process_group()


def main():
    program, kind = sys.argv[1:3]
    world, *sizes = map(int, sys.argv[3:7])
    context = mp.get_context("spawn")
    port = 29500 + os.getpid() % 2000
    others = [context.Process(target=worker, args=(rank, program, kind, world, sizes, port), daemon=True)
              for rank in range(1, world)]
    for other in others:
        other.start()
    worker(0, program, kind, world, sizes, port)
    for other in others:
        other.join(20)


if __name__ == "__main__":
    main()
