"""Printed host programs of one device, for tests that carry them out statement by statement."""
import re

TENSOR = r"T\d+_\w+\[[^\]]*\]"


class Tensor:
    """A printed tensor: its number, and the symbols of its axes without reductions."""

    def __init__(self, text):
        self.name = int(re.match(r"T(\d+)_", text).group(1))
        axes = re.search(r"\[(.*)\]", text).group(1).split(", ")
        self.axes = [re.search(r"\{(\w+)\}", a).group(1) for a in axes if not a.startswith("r")]


class Statement:
    """line: where it begins; kind: loop, set_stream, synchronize, allocate, select, set, matmul, reduction, binary or
    other; tensors: the output, then the operands."""

    def __init__(self, line, indent, text):
        self.line, self.indent, self.text = line, indent, text
        self.tensors = [Tensor(t) for t in re.findall(TENSOR, text)]
        self.of_index = "%" in text  # the stream of the loop index, not of the caller
        self.op = None
        forms = [(r"^FOR ", "loop"), (r"^SetCurrentStream", "set_stream"), (r"^Synchronize", "synchronize"),
                 (r"= ALLOCATE\(", "allocate"), (r"HirAliasSelect\(", "select"), (r"= Set\(", "set"),
                 (r"= matmul\(", "matmul"), (r"= reduction\(", "reduction"), (r"\] ([-+*/]) T", "binary")]
        self.kind = next((kind for form, kind in forms if re.search(form, text)), "other")
        if self.kind == "binary":
            self.op = re.search(r"\] ([-+*/]) T", text).group(1)

    def get_axis(self):
        """The axis of a select: its position in the operand."""
        return self.tensors[1].axes.index(re.search(r"axis = \w+\{(\w+)\}", self.text).group(1))

    def get_reduced(self):
        """The axes of the operand that a reduction sums."""
        return [k for k, axis in enumerate(self.tensors[1].axes) if axis not in self.tensors[0].axes]


def read_statements(text):
    """Return the Statements; continued lines are joined."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        body = line.strip()
        if not body or body.startswith(("%HostIrContainer", "}")):
            continue
        indent = len(line) - len(line.lstrip())
        is_open = rows and (body[0] in "=+-*/" or not rows[-1][2].endswith((":", ")")))
        if is_open and indent > rows[-1][1]:
            rows[-1][2] += " " + body
        else:
            rows.append([number, indent, body])
    return [Statement(*row) for row in rows]


class Walker:
    """Walks through a program. Subclasses implement do(statement), called with `iteration` (-1 outside of loops)."""

    def __init__(self, text, shapes):
        self.statements, self.sizes, self.iteration = read_statements(text), {}, -1
        self.inputs = []
        header = re.search(r"%HostIrContainer \{ \((.*?)\) ->", text).group(1)
        for tensor, shape in zip(re.findall(TENSOR, header), shapes):
            tensor = Tensor(tensor)
            self.inputs.append(tensor)
            self.sizes.update(zip(tensor.axes, shape))

    def get_shape(self, tensor):
        return [self.sizes[a] for a in tensor.axes]

    def walk(self, at=0, end=None):
        end = len(self.statements) if end is None else end
        while at < end:
            statement = self.statements[at]
            last = at + 1
            if statement.kind == "loop":
                while last < end and self.statements[last].indent > statement.indent:
                    last += 1
                for i in range(self.sizes[re.search(r"\{(\w+)\}:$", statement.text).group(1)]):
                    self.iteration = i
                    self.walk(at + 1, last)
                self.iteration = -1
            else:
                self.do(statement)
            at = last
