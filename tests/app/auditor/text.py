"""Reads a printed host program: statements with their lines, tensors with their axes."""
import re

START = re.compile(r"T\d+_|FOR |IF |ELSE:|SetCurrentStream|GetCurrentStream|Synchronize|Wait\b|Communication |P2PCommunication |"
                   r"CollectivePermute |StartCoalescing|EndCoalescing|PostOnStream|Deallocate|Stream \w+ = |LaunchKernel|"
                   r"ShareMemHandles|[ibdf]\d+ = ")
AXIS = re.compile(r"(?P<kind>[irbsnv?])(?P<par>[sS]treamIdx|Stream|(?:device|block|thread)Idx\.[xyz]|S|V|UR|US|MMA|G|B)"
                  r"(?P<number>\d+)\{(?P<extent>.*)\}(?:rf)?(?:_p)?(?:_c)?$")
STREAMS = ("StreamIdx", "streamIdx", "Stream")


class Unsupported(Exception):
    """The auditor does not model this program."""


class Axis:
    def __init__(self, text):
        match = AXIS.match(text.strip())
        if not match:
            raise Unsupported(f"axis {text}")
        self.kind, self.par, self.number, self.extent = match["kind"], match["par"], int(match["number"]), match["extent"]
        self.is_stream, self.is_device = self.par in STREAMS, self.par.startswith("deviceIdx")


class Tensor:
    """A tensor as printed; two are the same value if number and domain are (docs/host-ir.md#name-collisions)."""

    def __init__(self, number, domain, mesh):
        self.number, self.mesh = number, mesh
        self.key = (number, domain)
        self.axes = [Axis(part) for part in split_top(domain)]
        # Numbers follow the logical order; a run-time tensor has no reduction axes.
        self.dims = sorted((a for a in self.axes if a.kind != "r"), key=lambda a: a.number)


class Statement:
    def __init__(self, text, line, indent):
        self.text, self.line, self.indent = text, line, indent
        self.body, self.orelse = [], []
        self.tensors = tensors_in(text)


class Program:
    def __init__(self, lines):
        self.lines = lines
        self.inputs, self.outputs, self.statements, self.body = [], [], [], []
        text = "\n".join(lines)
        self.is_2026 = bool(re.search(r"SetCurrentStream\(|istreamIdx|Wait\(|GetCurrentStream\(\)|Synchronize\(", text))
        self.is_select = bool(re.search(r"[irb]Stream\d", text))
        self.named_streams = set(re.findall(r"GetCurrentStream into Stream (\w+)", text) +
                                 re.findall(r"Stream (\w+) = GetCurrentStream", text))
        devices = [int(n) for group in re.findall(r"DeviceMesh(\{[{}\d ]*\})", text) for n in re.findall(r"\d+", group)]
        self.n_ranks = 1 + max(devices, default=0)
        self._read()

    def _read(self):
        at = next((i for i, line in enumerate(self.lines) if line.startswith("%HostIrContainer")), None)
        if at is None:
            raise Unsupported("no host program")
        head, _, tail = self.lines[at].partition(") -> (")
        self.inputs, self.outputs = tensors_in(head), tensors_in(tail)
        for i in range(at + 1, len(self.lines)):
            line = self.lines[i].rstrip("\n")
            if line.startswith("} //") or line.startswith("HostUnit"):
                break
            words = line.strip()
            if not words:
                continue
            last = self.statements[-1] if self.statements else None
            if last and (not is_balanced(last.text) or not START.match(words)):
                last.text += " " + words
            else:
                self.statements.append(Statement(words, i + 1, (len(line) - len(line.lstrip())) // 2))
        for s in self.statements:
            s.tensors = tensors_in(s.text)
        self._nest()

    def _nest(self):
        """Put the statements into the bodies of loops and branches by their indentation."""
        scopes = [(0, self.body)]
        for s in self.statements:
            while len(scopes) > 1 and s.indent <= scopes[-1][0]:
                scopes.pop()
            if s.text == "ELSE:":
                scopes.append((s.indent, scopes[-1][1][-1].orelse))
                continue
            scopes[-1][1].append(s)
            if s.text.startswith(("FOR ", "IF ")):
                scopes.append((s.indent, s.body))


def is_balanced(text):
    return all(text.count(a) <= text.count(b) for a, b in ("()", "[]", "{}"))


def split_top(text, comma=","):
    """Return the parts of @text between commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "([{"
        depth -= c in ")]}"
        if c == comma and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    rest = text[start:].strip()
    return [p.strip() for p in parts] + ([rest] if rest else [])


def tensors_in(text):
    """Return the tensors that @text names, in order."""
    found = []
    for match in re.finditer(r"\bT(\d+)_(?:g|l|s|t|sym)_[^\[\s]*\[", text):
        depth, i = 1, match.end()
        while i < len(text) and depth:
            depth += text[i] == "["
            depth -= text[i] == "]"
            i += 1
        mesh = re.match(r" \(DeviceMesh(\{[{}\d ]*\})\)", text[i:])
        devices = [int(n) for n in re.findall(r"\d+", mesh[1])] if mesh else []
        found.append(Tensor(int(match[1]), text[match.end():i - 1], devices))
    return found


def evaluate(text, env):
    """Return the value of a scalar expression; names are those of @env."""
    text = re.sub(r"deviceIdx\.[xyz]", "rank", text).replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"(?<!/)/(?!/)", "//", text)
    try:
        return int(eval(text, {"__builtins__": {}}, {"ceilDiv": lambda a, b: -(-a // b), "max": max, "min": min, **env}))
    except (NameError, SyntaxError) as error:
        raise Unsupported(f"scalar {text}: {error}") from error


def instruction_name(text):
    for word in ("SetCurrentStream", "GetCurrentStream", "Synchronize", "Wait", "P2PCommunication", "Communication", "CollectivePermute",
                 "PostOnStream", "Deallocate", "FOR", "IF", "StartCoalescing", "EndCoalescing", "Stream"):
        if text.startswith(word):
            return "Communication" if word == "CollectivePermute" else word
    for word in ("ALLOCATE(", "HirAliasSelect(", "ShardByStream("):
        if f"= {word}" in text:
            return word[:-1]
    return "op"
