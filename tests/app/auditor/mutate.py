"""Makes mutants of a printed program: one or two edits of lines that concern streams, waits, order and slices."""
import re

from .text import Program, instruction_name

ORDERING = ("Synchronize", "Wait", "SetCurrentStream")
LEAVES = (*ORDERING, "Communication", "PostOnStream", "op", "ALLOCATE", "HirAliasSelect", "ShardByStream", "Deallocate")


class Part:
    """The lines of one statement."""

    def __init__(self, statement, lines):
        self.text, self.indent, self.lines = statement.text, statement.indent, lines
        self.name = instruction_name(statement.text)

    def moved_to(self, indent):
        change = 2 * (indent - self.indent)
        lines = [" " * change + line if change >= 0 else line[-change:] for line in self.lines]
        part = object.__new__(Part)
        part.text, part.indent, part.lines, part.name = self.text, indent, lines, self.name
        return part

    def replaced(self, old, new):
        part = object.__new__(Part)
        part.text, part.indent, part.name = self.text.replace(old, new), self.indent, self.name
        part.lines = [line.replace(old, new) for line in self.lines]
        return part


def take_apart(lines):
    """Return the lines before the statements, the statements, and the lines after them."""
    statements = Program(lines).statements
    starts = [s.line - 1 for s in statements]
    end = next(i for i in range(starts[-1] + 1, len(lines)) if not lines[i].startswith("  ") or lines[i].strip() == "")
    parts = [Part(s, lines[a:b]) for s, a, b in zip(statements, starts, starts[1:] + [end])]
    return lines[:starts[0]], parts, lines[end:]


def of(parts, *names):
    return [i for i, part in enumerate(parts) if part.name in names]


def delete(random, parts):
    at = random.choice(of(parts, *ORDERING))
    return parts[:at] + parts[at + 1:]


def move(random, parts):
    """Move a statement before another one, into or out of loops, too."""
    at = random.choice(of(parts, *LEAVES))
    rest = parts[:at] + parts[at + 1:]
    near = random.random() < 0.7
    choices = [i for i in range(len(rest)) if not near or abs(i - at) <= 4]
    to = random.choice(choices)
    if rest[to].text == "ELSE:":
        return None
    return rest[:to] + [parts[at].moved_to(rest[to].indent)] + rest[to:]


def to_end(random, parts):
    """Move an ordering statement to the end of the program."""
    at = random.choice(of(parts, *ORDERING))
    return parts[:at] + parts[at + 1:] + [parts[at].moved_to(1)]


def swap(random, parts):
    at = random.choice([i for i in range(len(parts) - 1) if parts[i].indent == parts[i + 1].indent and
                        parts[i].name in LEAVES and parts[i + 1].name in LEAVES])
    return parts[:at] + [parts[at + 1], parts[at]] + parts[at + 2:]


def stream_of(part):
    text = part.text.removesuffix(")") if "(Stream" in part.text else part.text
    return re.search(r"Stream (?!.*Stream )(.*)$", text)[1] if part.name != "GetCurrentStream" else None


def stream(random, parts):
    """Name another stream in a SetCurrentStream or Synchronize."""
    at = random.choice(of(parts, "Synchronize", "SetCurrentStream"))
    old = stream_of(parts[at])
    choices = {stream_of(parts[i]) for i in of(parts, "Synchronize", "SetCurrentStream")}
    loop = re.search(r"[sS]treamIdx|\bi\d+", old)
    if loop:
        choices |= {f"( ( {loop[0]} + 1 ) % numberOfStreams )", f"( ( {loop[0]} + 2 ) % numberOfStreams )", f"( {loop[0]} % 2 )",
                    f"( {loop[0]} + 0 )"}
    choices = sorted(choices - {old})
    if not choices:
        return None
    return parts[:at] + [parts[at].replaced(f"Stream {old}", f"Stream {random.choice(choices)}")] + parts[at + 1:]


def copy(random, parts):
    """Repeat an ordering statement in another place."""
    part = parts[random.choice(of(parts, "Synchronize", "SetCurrentStream"))]
    to = random.randrange(len(parts))
    if parts[to].text == "ELSE:":
        return None
    return parts[:to] + [part.moved_to(parts[to].indent)] + parts[to:]


def drop(random, parts):
    """Delete any statement."""
    at = random.choice(of(parts, *LEAVES))
    return parts[:at] + parts[at + 1:]


def repeat(random, parts):
    """Execute work or a communication twice."""
    part = parts[random.choice(of(parts, "op", "Communication", "PostOnStream", "ALLOCATE"))]
    to = random.randrange(len(parts))
    if parts[to].text == "ELSE:":
        return None
    number = re.match(r"(?:Communication|CollectivePermute) (\d+) ", part.text)
    if number:
        unused = 1 + max(int(n) for p in parts for n in re.findall(r"^\w+ (\d+) ", p.text))
        part = part.replaced(number[0], number[0].replace(number[1], str(unused)))
    return parts[:to] + [part.moved_to(parts[to].indent)] + parts[to:]


def index(random, parts):
    """Take another slice."""
    at = random.choice(of(parts, "HirAliasSelect"))
    old = re.search(r"index = (.*?) \)$", parts[at].text)[1]
    if old.isdigit():
        return None
    new = random.choice("012")
    return parts[:at] + [parts[at].replaced(f"index = {old} )", f"index = {new} )")] + parts[at + 1:]


def operand(random, parts):
    """Let an op use another tensor of the same type and shape."""
    ops = [i for i in of(parts, "op", "Communication") if i > 0]
    at = random.choice(ops)
    names = sorted(set(re.findall(r"T\d+_[a-z]+_\S*\[[^\]]*\](?: \(DeviceMesh\{[\d ]*\}\))?", parts[at].text)))
    other = sorted({n for i in ops for n in re.findall(r"T\d+_[a-z]+_\S*\[[^\]]*\](?: \(DeviceMesh\{[\d ]*\}\))?", parts[i].text)} - set(names))

    def shape(name):
        return re.sub(r"rS\d+\{.*?\}|T\d+_[a-z]+|(?:S|[sS]treamIdx|Stream)?\d+(?=\{)|, ", "", name)
    pairs = [(a, b) for a in names for b in other if shape(a) == shape(b)]
    if not pairs:
        return None
    return parts[:at] + [parts[at].replaced(*random.choice(pairs))] + parts[at + 1:]


def is_readable(parts):
    """Return whether each body of a loop or branch has a statement, and each loop index is used in its loop only."""
    if any(part.text.startswith(("FOR ", "IF ", "ELSE:")) and after.indent <= part.indent for part, after in zip(parts, [*parts[1:], parts[0]])):
        return False
    all_indices = {part.text.split()[1] for part in parts if part.text.startswith("FOR ")}
    open_loops = []
    for part in parts:
        while open_loops and part.indent <= open_loops[-1][0]:
            open_loops.pop()
        if part.text.startswith("FOR "):
            open_loops.append((part.indent, part.text.split()[1]))
        used = {word for word in re.findall(r"(?<![\w.])\w+", re.sub(r"\[.*?\]", "", part.text)) if word in all_indices}
        if not used <= {index for _, index in open_loops}:
            return False
    return True


EDITS = (delete, delete, move, move, to_end, swap, stream, stream, copy, copy, drop, repeat, index, operand)


def mutant(random, lines):
    """Return a mutant of @lines and the names of its edits."""
    names = []
    for _ in range(1 if random.random() < 0.6 else random.randint(2, 3)):
        for _ in range(20):
            edit = random.choice(EDITS)
            before, parts, after = take_apart(lines)
            try:
                changed = edit(random, parts)
            except IndexError:  # nothing to choose from
                continue
            if changed and changed != parts and is_readable(changed):
                lines = before + [line for part in changed for line in part.lines] + after
                names.append(edit.__name__)
                break
    return lines, names
