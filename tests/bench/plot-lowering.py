#!/usr/bin/env python3
"""plot-lowering.py < lowering.tsv > lowering.svg

Plots the output of bench-lowering for one shape (the last one, or the given name): time of each pass
and total time against the number of ops, with logarithmic axes. A slope of 1 is linear.
"""
import csv
import math
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 64, 220, 36, 48
COLOURS = ["#1a1a1a", "#3465a4", "#4e9a06", "#ce5c00", "#75507b", "#a40000", "#0e7c7b", "#8f5902", "#555753"]


def read(lines, name):
    rows = list(csv.DictReader(lines, delimiter="\t"))
    name = name or rows[-1]["shape"]
    return name, [row for row in rows if row["shape"] == name]


def series(rows):
    """Return {label: [(ops, ms)]}, the total first."""
    labels = [key for key in rows[0] if key.endswith("_ms")]
    return {label[:-3]: [(int(r["ops"]), float(r[label])) for r in rows if float(r[label]) > 0] for label in labels}


def draw(name, rows):
    lines = series(rows)
    points = [p for line in lines.values() for p in line]
    x0, x1 = (f(math.log10(p[0]) for p in points) for f in (min, max))
    y0 = math.floor(min(math.log10(p[1]) for p in points))
    y1 = math.ceil(max(math.log10(p[1]) for p in points))
    x = lambda ops: LEFT + (math.log10(ops) - x0) / max(x1 - x0, 1e-9) * (WIDTH - LEFT - RIGHT)
    y = lambda ms: TOP + (y1 - math.log10(ms)) / max(y1 - y0, 1) * (HEIGHT - TOP - BOTTOM)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
           'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="20" font-size="14">Lowering time: {escape(name)}</text>']
    for decade in range(y0, y1 + 1):
        out += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(10 ** decade):.1f}" y2="{y(10 ** decade):.1f}" '
                'stroke="#dddddd"/>',
                f'<text x="{LEFT - 6}" y="{y(10 ** decade) + 4:.1f}" text-anchor="end">{10.0 ** decade:g}</text>']
    for ops in sorted({p[0] for p in points}):
        out += [f'<line x1="{x(ops):.1f}" x2="{x(ops):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#eeeeee"/>',
                f'<text x="{x(ops):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{ops}</text>']
    out += [f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">ops</text>',
            f'<text x="14" y="{HEIGHT / 2}" transform="rotate(-90 14 {HEIGHT / 2})" text-anchor="middle">ms</text>']
    for i, (label, line) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{x(ops):.1f},{y(ms):.1f}" for ops, ms in line)
        out += [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{2.5 if i == 0 else 1.5}"/>',
                f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 18 * i + 12}" fill="{colour}">{escape(label)}</text>']
    memory = rows[-1]
    out.append(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 18 * len(lines) + 24}" fill="#555753">'
               f'{memory["ops"]} ops: {float(memory["snapshots_MiB"]):.1f} MiB of snapshots</text>')
    return "\n".join(out + ["</svg>"])


if __name__ == "__main__":
    print(draw(*read(sys.stdin, sys.argv[1] if len(sys.argv) > 1 else None)))
