"""Changes the times of events in a recording, without Hirscope's code (tracer/trace/recording)."""
import shutil
import sqlite3

MASK = (1 << 64) - 1
TAGS = {type(None): 1, int: 2, str: 3, bytes: 4}


def mix(digest, word):
    z = ((digest ^ word) + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def get_digest(table, values):
    """Return the checksum of a row."""
    digest = 0
    for byte in table.encode():
        digest = mix(digest, byte)
    digest = mix(digest, len(table))
    for value in values:
        digest = mix(digest, TAGS[type(value)])
        if value is None or isinstance(value, int):
            digest = mix(digest, (value or 0) & MASK)
            continue
        data = value.encode() if isinstance(value, str) else value
        digest = mix(digest, len(data))
        for i in range(0, len(data), 8):
            digest = mix(digest, int.from_bytes(data[i:i + 8], "little"))
    return (digest ^ digest >> 32) & 0xFFFFFFFF


def unpack(blob, n):
    width = len(blob) // n
    return [int.from_bytes(blob[i * width:(i + 1) * width], "big") for i in range(n)]


def pack(values):
    largest = max(values)
    width = next(w for w in (1, 2, 4, 8) if largest < 1 << 8 * w) if largest else 0
    return b"".join(value.to_bytes(width, "big") for value in values) if width else b""


def change_times(path, out, change):
    """Copy the recording @path to @out. @change(rank, is_issue, name, start_ns) returns (start_ns, end_ns), or None to keep an event."""
    shutil.copy(path, out)
    with sqlite3.connect(out) as db:
        ranks = dict(db.execute("SELECT id, rank FROM tracks"))
        names = dict(db.execute("SELECT id, text FROM strings"))
        columns = [row[1] for row in db.execute("PRAGMA table_info(chunks)")][:-1]
        for row in db.execute(f"SELECT {', '.join(columns)} FROM chunks").fetchall():
            chunk = dict(zip(columns, row))
            n = chunk["n"]
            old = {name: unpack(chunk[name], n) for name in ("start", "duration", "track", "kind", "name")}
            times = []
            for start, ns, track, kind, name in zip(old["start"], old["duration"], old["track"], old["kind"], old["name"]):
                start += chunk["start_ns"]
                times.append(change(ranks[track], kind == 5, names[name], start) or (start, start + ns))
            chunk["start_ns"] = min(start for start, _ in times)
            chunk["start"] = pack([start - chunk["start_ns"] for start, _ in times])
            chunk["duration"] = pack([end - start for start, end in times])
            values = [chunk[name] for name in columns]
            db.execute(f"UPDATE chunks SET {', '.join(f'{name} = ?' for name in columns)}, digest = ? WHERE id = ?",
                       [*values, get_digest("chunks", values), chunk["id"]])
