# SPDX-License-Identifier: Apache-2.0
"""Mutates the contents of files: bytes, JSON, TOML, tables, and frames with a correct CRC.

Each function takes a random generator first, so that a case can be repeated from its number.
Mutations insert what has done harm before: other types, extremes, what JSON and Unicode barely
allow, and values of the right type that contradict their neighbours.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from random import Random
from typing import Any, cast

from plexor.protocol.frames import MAX_WORDS, Frame, cobs_decode, to_stream

INTEGERS = (0, 1, -1, 2, 3, 7, 255, 256, 65535, 10**6, 2**31 - 1, 2**31, 2**32, 2**53 + 1)
EXTREMES = (2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**31), -(2**63), -(2**64), 10**30)
TEXTS = (
    *("", " ", "0", "-1", "1/0", "1/3", "-1/3", "1e999999999", "1e400", "nan", "inf", "9" * 4000),
    *("\0", "\ud800", "a\udfffb", "\u202e", "💥", "x" * 300, "<b>&\"'", "a\nb", "%s{}", "\x1b[2J"),
    *("ch0", "ch0.fall", "ch7.fall", "ch9", "strike0", "strike7", "load", "rise", "period", "step"),
)
FLOATS = (0.5, -1.5, 1e-320, 1e308, math.nan, math.inf, -math.inf)
_AGAIN = "\x07"
"""Marks the end of a key that is to appear twice. It is removed from the final text."""
_LONG = 987_654_321_123_456_789
"""Placeholder for an integer longer than Python converts."""


def some_integer(random: Random, near: int = 0) -> int:
    """Return a small integer, an extreme one, or one near another."""
    choice = random.randrange(4)
    if choice == 0:
        return random.choice(INTEGERS)
    if choice == 1:
        return random.choice(EXTREMES)
    if choice == 2:
        return near + random.choice((-2, -1, 1, 2, 1000))
    return random.choice((near * 2, -near, near ^ 1 << random.randrange(64), near // 3))


def some_value(random: Random) -> Any:
    """Return a value of any type that JSON has."""
    choice = random.randrange(8)
    if choice == 0:
        return random.choice(TEXTS)
    if choice == 1:
        return random.choice(FLOATS)
    if choice == 2:
        return random.choice((None, True, False))
    if choice == 3:
        containers: tuple[Any, ...] = ([], {}, [[]], [None], {"a": 1}, [1, 2, 3], {"": ""})
        return random.choice(containers)
    if choice == 4:
        return _LONG
    return some_integer(random)


def flipped(random: Random, data: bytes) -> bytes:
    """Return bytes of which some are flipped, cut, doubled, moved or inserted."""
    found = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        at = random.randrange(len(found) + 1)
        length = min(random.choice((1, 1, 2, 4, 8, 64, 1024)), len(found) - at)
        choice = random.randrange(8)
        if choice < 3 and at < len(found):
            found[at] ^= 1 << random.randrange(8)
        elif choice == 3:
            del found[at : at + length]
        elif choice == 4:
            found[at:at] = found[at : at + length]
        elif choice == 5:
            found[at:at] = random.randbytes(random.choice((1, 2, 8, 100)))
        elif choice == 6:
            found[at : at + length] = random.choice((b"\0", b"\xff", b"\x80")) * length
        elif random.randrange(4) == 0:
            del found[at:]
    return bytes(found)


# JSON.


def json_mutated(random: Random, data: bytes) -> bytes:
    """Return a JSON document with a few of its values, keys or bytes changed."""
    if random.randrange(10) == 0:
        return flipped(random, data)
    document = [json.loads(data)]
    for _ in range(random.choice((1, 1, 1, 1, 2, 3, 8))):
        _edit(random, document)
    text = json.dumps(document[0], ensure_ascii=True)
    text = text.replace(json.dumps(_AGAIN)[1:-1], "")
    text = text.replace(str(_LONG), "9" * 5000)
    if random.randrange(40) == 0:
        depth = random.choice((50, 5000, 100_000))
        nested = random.choice(("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth))
        text = re.sub(r"null|\btrue\b|\bfalse\b", lambda _: nested, text, count=1)
    return text.encode()


def lines_mutated(random: Random, data: bytes) -> bytes:
    """Return a file with one JSON document on each line, with a few lines changed, moved or cut."""
    lines = data.splitlines()
    at = random.randrange(len(lines))
    choice = random.randrange(6)
    if choice == 0:
        lines.insert(random.randrange(len(lines) + 1), lines[at])
    elif choice == 1:
        lines[at] = random.choice((b"", b"{}", b"[]", b"null", lines[at][: len(lines[at]) // 2]))
    else:
        lines[at] = json_mutated(random, lines[at])
    end = b"" if random.randrange(8) == 0 else b"\n"
    return b"\n".join(lines) + end


def _edit(random: Random, root: list[Any]) -> None:
    """Change one place of a document in a list."""
    parent, key = _place(random, root)
    value = parent[key]
    choice = random.randrange(16)
    if choice < 7 and value is not None and not isinstance(value, dict | list):
        parent[key] = _alike(random, value)
    elif choice < 9:
        parent[key] = some_value(random)
    elif choice == 9:
        other, place = _place(random, root)
        # Copies prevent a document that contains itself.
        one, two = json.dumps(value), json.dumps(other[place])
        parent[key] = json.loads(two)
        if random.randrange(2) and other is not parent:
            other[place] = json.loads(one)
    elif choice == 10 and isinstance(parent, list) and parent is not root:
        cast("list[Any]", parent).insert(key, json.loads(json.dumps(value)))
    elif choice < 13 and parent is not root:
        del parent[key]
    elif isinstance(parent, dict):
        _rename(random, cast("dict[str, Any]", parent), key)
    else:
        parent[key] = some_value(random)


def _rename(random: Random, parent: dict[str, Any], key: str) -> None:
    choice = random.randrange(3)
    if choice == 0:
        parent[key + _AGAIN] = some_value(random)
    elif choice == 1:
        parent[random.choice(TEXTS)] = some_value(random)
    else:
        parent[random.choice(TEXTS)] = parent.pop(key)


def _alike(random: Random, value: Any) -> Any:
    """Return a value of the same type, or nearly."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return some_integer(random, value)
    if isinstance(value, float):
        return random.choice((*FLOATS, value * 1e6, -value))
    if not isinstance(value, str):
        return some_value(random)
    fraction = re.fullmatch(r"(-?\d+)(?:/(\d+))?", value)
    if fraction and random.randrange(3):
        above, below = int(fraction[1]), int(fraction[2] or 1)
        changed = some_integer(random, above), max(some_integer(random, below), 0)
        return "{}/{}".format(*random.choice((changed, (changed[0], below), (above, changed[1]))))
    return random.choice(TEXTS)


def _place(random: Random, root: list[Any]) -> tuple[Any, Any]:
    """Return a container and one of its keys, found by a walk that tends to go deep."""
    parent: Any = root
    key: Any = 0
    while True:
        value = parent[key]
        here = parent is not root and random.randrange(12) == 0
        if not isinstance(value, dict | list) or not value or here:
            return parent, key
        container = cast("dict[str, Any] | list[Any]", value)
        parent, key = container, random.choice(_keys(container))


def _keys(container: dict[str, Any] | list[Any]) -> Sequence[Any]:
    return list(container) if isinstance(container, dict) else range(len(container))


# TOML is mutated line by line. Invalid documents are cases as well.

_TOML_VALUES = (
    *("0", "1", "-1", "9223372036854775808", "1" * 30, "9" * 5000, "0x7fff_ffff", "1e400", "1.5"),
    *("nan", "-inf", "true", '""', '"1e999999999 us"', '"0"', '"-5 us"', '"100 us"', '"7"'),
    *('"\\uD800"', '"\\u0000"', '"a\\nb"', "'''x'''", "1979-05-27T07:32:00Z", "[]", "{}", "[1, 2]"),
    *('{ goal = "1 us" }', "{ goal = {} }", '[["a"]]', "[" * 3000 + "]" * 3000, '"../x"', '"."'),
)
_TOML_KEYS = (
    *("max", "min", "p999", '"p99.99"', "p9999999", '"p1e-99999999"', '"p0.0"', '"p100"', "mean"),
    *("rms", "jitter128", "missed", "late", "title", "sources", "top", "port", "period_ps", "load"),
    *("", '""', '"\\uDFFF"', "a.b.c", "p99.9", "strikes", "[all]", "[channel.x]", "[[all]]"),
)


def toml_mutated(random: Random, data: bytes) -> bytes:
    """Return a TOML document with a few of its lines changed."""
    if random.randrange(6) == 0:
        return flipped(random, data)
    lines = data.decode().splitlines()
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        at = random.randrange(len(lines))
        key, sign, value = lines[at].partition("=")
        choice = random.randrange(8)
        if choice < 3 and sign:
            lines[at] = f"{key}= {random.choice(_TOML_VALUES)}"
        elif choice == 3 and sign:
            lines[at] = f"{random.choice(_TOML_KEYS)} ={value}"
        elif choice == 4:
            lines.insert(at, f"{random.choice(_TOML_KEYS)} = {random.choice(_TOML_VALUES)}")
        elif choice == 5:
            lines.insert(random.randrange(len(lines)), lines[at])
        elif choice == 6:
            lines.insert(random.randrange(len(lines)), lines.pop(at))
        else:
            lines[at] = ""
    return "\n".join(lines).encode()


# Tables are the columns of a Parquet file.

Columns = dict[str, list[Any]]


def table_mutated(random: Random, columns: Columns) -> Columns:
    """Return a table with a few of its rows or columns changed."""
    rows = len(next(iter(columns.values())))
    for _ in range(random.choice((1, 1, 2, 8))):
        name = random.choice(list(columns))
        at = random.randrange(rows) if rows else 0
        choice = random.randrange(10)
        if choice < 5 and rows:
            value = columns[name][at]
            columns[name][at] = (
                some_integer(random, value) if isinstance(value, int) else random.choice(TEXTS)
            )
        elif choice == 5 and rows:
            other = random.randrange(rows)
            for column in columns.values():
                column[at], column[other] = column[other], column[at]
        elif choice == 6 and rows:
            for column in columns.values():
                del column[at]
            rows -= 1
        elif choice == 7 and rows:
            for column in columns.values():
                column.insert(at, column[at])
            rows += 1
        elif choice == 8 and len(columns) > 1:
            columns[random.choice((*TEXTS[:4], name))] = columns.pop(name)
        elif choice == 9 and len(columns) > 1:
            columns.pop(name)
    return columns


# Frames.


def frames_of(data: bytes) -> list[Frame]:
    """Return the frames of an undamaged recording."""
    return [Frame.decode(cobs_decode(part)) for part in data.split(b"\0") if part]


def lying(random: Random, data: bytes) -> bytes:
    """Return a recording of intact frames with impossible contents."""
    frames = frames_of(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at = random.randrange(len(frames))
        choice = random.randrange(10)
        if choice < 4:
            frames[at] = _word_changed(random, frames[at])
        elif choice < 6:
            frames[at] = _field_changed(random, frames[at])
        elif choice == 6:
            del frames[at : at + random.choice((1, 1, 1, 3, 20))]
        elif choice == 7:
            frames.insert(random.randrange(len(frames)), frames[at])
        elif choice == 8:
            frames.insert(random.randrange(len(frames)), frames.pop(at))
        else:
            frames.insert(at, _any_frame(random, frames[at]))
        if not frames:
            break
    if random.randrange(2):
        # New numbers hide what was cut or added.
        frames = [_with(frame, sequence=number) for number, frame in enumerate(frames)]
    return b"".join(map(to_stream, frames))


_MASKS = {"type": 0xFF, "flags": 0xFF, "tag": 0xFFFF, "sequence": 2**32 - 1}


def _with(frame: Frame, **fields: int) -> Frame:
    values = {name: getattr(frame, name) for name in (*_MASKS, "index", "base_ticks")} | fields
    masked = {name: value & _MASKS.get(name, 2**64 - 1) for name, value in values.items()}
    return Frame(**masked, payload=frame.payload)


def _field_changed(random: Random, frame: Frame) -> Frame:
    name = random.choice((*_MASKS, "index", "index", "base_ticks", "base_ticks"))
    return _with(frame, **{name: some_integer(random, getattr(frame, name))})


def _bit(random: Random) -> int:
    return 1 << random.randrange(32)


def _word_changed(random: Random, frame: Frame) -> Frame:
    words = bytearray(frame.payload)
    if not words:
        return _field_changed(random, frame)
    for _ in range(random.choice((1, 1, 2, 16))):
        at = 4 * random.randrange(len(words) // 4)
        word = int.from_bytes(words[at : at + 4], "little")
        changed = some_integer(random, word) if random.randrange(2) else word ^ _bit(random)
        words[at : at + 4] = (changed & 0xFFFFFFFF).to_bytes(4, "little")
    choice = random.randrange(12)
    if choice == 0:
        del words[-4 * random.randrange(1, len(words) // 4 + 1) :]
    elif choice == 1:
        words = (words + words)[: MAX_WORDS * 4]
    return _payload(frame, bytes(words))


def _any_frame(random: Random, near: Frame) -> Frame:
    """Return a frame of any type, with another type's words or random ones."""
    frame = _with(near, type=random.randrange(9), tag=random.choice((0, 1, 2, 3, 4, 5, 6, 7)))
    if random.randrange(2):
        frame = _payload(frame, random.randbytes(4 * random.randrange(MAX_WORDS + 1)))
    return _field_changed(random, frame) if random.randrange(2) else frame


def _payload(frame: Frame, payload: bytes) -> Frame:
    names = (*_MASKS, "index", "base_ticks")
    return Frame(**{name: getattr(frame, name) for name in names}, payload=payload)
