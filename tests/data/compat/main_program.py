"""A helper whose parameters are the defaults of the command line."""
import argparse

import torch
from nvfuser_direct import FusionDefinition


def chain(dims, *, n, negate):
    with FusionDefinition() as fd:
        first, *rest = [fd.define_tensor(shape=list(dims), contiguity=True) for _ in range(n)]
        for t in rest:
            first = fd.ops.add(first, t)
        fd.add_output(fd.ops.neg(first) if negate else first)
    return fd


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--number-of-inputs", type=int, default=3)
    parser.add_argument("--negate", action="store_true")
    args = parser.parse_args()
    fd = chain((4, 8), n=args.number_of_inputs, negate=args.negate)
    out = fd.execute([torch.ones(4, 8, device="cuda") for _ in range(args.number_of_inputs)])
    print(f"max={out[0].max().item():.3f}")
