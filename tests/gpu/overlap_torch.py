#!/usr/bin/env python3
"""overlap_torch.py serial|fused A B: PyTorch's forms of tests/gpu/overlap.py, two processes.

Runs once for each line on standard input and prints "ran in N ns", the slower rank's time.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def make_form(kind, part, weight, group_name):
    gathered = torch.empty(part.shape[0] * 2, part.shape[1], dtype=part.dtype, device=part.device)
    if kind == "serial":
        def run():
            dist.all_gather_into_tensor(gathered, part)
            return gathered @ weight
    else:
        import torch.distributed._symmetric_memory as symmetric
        symmetric.enable_symm_mem_for_group(group_name)

        def run():
            return torch.ops.symm_mem.fused_all_gather_matmul(part, [weight], gather_dim=0, group_name=group_name)
    return run


def worker(rank, kind, a, b, port):
    torch.cuda.set_device(rank)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=torch.device("cuda", rank))
    torch.manual_seed(rank)
    part = torch.randn(a[0] * a[2], a[3], device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(*b, device="cuda", dtype=torch.bfloat16)
    run = make_form(kind, part, weight, dist.group.WORLD.group_name)
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
    kind = sys.argv[1]
    a, b = ([int(n) for n in text.split("x")] for text in sys.argv[2:4])
    context = mp.get_context("spawn")
    port = 29500 + os.getpid() % 2000
    other = context.Process(target=worker, args=(1, kind, a, b, port), daemon=True)
    other.start()
    worker(0, kind, a, b, port)
    other.join(20)


if __name__ == "__main__":
    main()
