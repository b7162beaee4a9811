"""Memory of one rank: buffers, and views of exact regions of them.

A region limits dimensions of its buffer to ranges; a dimension that is not limited is whole. Regions overlap if the
ranges of every dimension that both limit do.
"""
from .text import Unsupported


class Buffer:
    """@stream: the stream that was current at its allocation; None for memory of the caller. @n_bound: values in it."""

    def __init__(self, name, stream):
        self.name, self.stream, self.n_bound = name, stream, 0


class View:
    """A region of @buffer; @dims are the buffer's dimensions that the view's own dimensions are, in order."""

    def __init__(self, buffer, dims, limits=()):
        self.buffer, self.dims, self.limits = buffer, dims, dict(limits)

    def overlaps(self, other):
        if self.buffer is not other.buffer:
            return False
        return all(lo < other.limits[d][1] and other.limits[d][0] < hi for d, (lo, hi) in self.limits.items() if d in other.limits)

    def select(self, position, index):
        """Return the view of one element of a dimension, without that dimension."""
        dim = self.dims[position]
        limits = dict(self.limits)
        if dim in limits:
            raise Unsupported("a select of a piece")
        limits[dim] = (index, index + 1)
        return View(self.buffer, self.dims[:position] + self.dims[position + 1:], limits)

    def piece(self, dim, start, size, dims):
        """Return the view of a range of a dimension."""
        limits = dict(self.limits)
        if dim in limits:
            raise Unsupported("a piece of a piece")
        limits[dim] = (start, start + size)
        return View(self.buffer, dims, limits)


def fresh(tensor, stream):
    """Return a view of a new buffer for @tensor."""
    return View(Buffer(f"T{tensor.number}", stream), [a.number for a in tensor.dims])
