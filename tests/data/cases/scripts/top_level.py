"""The top level builds the fusion; no function does."""
import torch
from nvfuser_direct import FusionDefinition


def scaled(t, fd, by):
    return fd.ops.mul(t, fd.define_scalar(by))


x = torch.randn(4, 6, device="cuda")
by = 2.0
if __name__ == "__main__":
    by = 3.0
    with FusionDefinition() as fd:
        fd.add_output(scaled(fd.from_pytorch(x), fd, by))
    out = fd.execute([x])
    print(f"{out[0].shape=}")
with FusionDefinition() as fd:
    fd.add_output(fd.ops.neg(fd.from_pytorch(out[0])))
