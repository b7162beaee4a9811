"""Sizes from the command line, and a helper that only the main program calls."""
import argparse

import torch
from nvfuser_direct import FusionDefinition


def other_fusion():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.define_tensor([3])))
    fd.execute([torch.randn(3, device="cuda")])


def matmul_fusion(fd: FusionDefinition, inputs) -> None:
    fd.add_output(fd.ops.matmul(fd.from_pytorch(inputs[0]), fd.from_pytorch(inputs[1])))


def test_product(problem):
    m, n, k = problem
    inputs = [torch.randn(m, k, device="cuda"), torch.randn(k, n, device="cuda")]
    with FusionDefinition() as fd:
        matmul_fusion(fd, inputs)
    fd.execute(inputs)


def main():
    parser = argparse.ArgumentParser()
    for name in ("m", "n", "k"):
        parser.add_argument(name, type=int)
    args = parser.parse_args()
    other_fusion()
    test_product((args.m, args.n, args.k))


if __name__ == "__main__":
    main()
