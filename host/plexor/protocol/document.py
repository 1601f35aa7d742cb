# SPDX-License-Identifier: Apache-2.0
"""PROTOCOL.md from the declarations: `python -m plexor.protocol.document` prints it.

Meanings come from where they are declared: the text beside a field or register, the comment beside
an enumeration's member, the docstring below a constant.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, IntFlag
from types import ModuleType

from plexor.protocol import frames, geometry, memory, registers, rows
from plexor.protocol.records import Record

_COMMENT = re.compile(r"^\s+([A-Z][A-Z0-9_]*) = .*?(?:#\s*(.*))?$")
_ADDRESS_DIGITS = (registers.ADDRESS_BITS + 3) // 4


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; `|` in a cell is escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


def _code(text: str) -> str:
    return f"`{text}`"


def members(kind: type[IntEnum] | type[IntFlag]) -> Iterator[tuple[str, int, str]]:
    """Yield (name, value, comment beside it) of each member of an enumeration."""
    found = (_COMMENT.match(line) for line in inspect.getsource(kind).splitlines())
    comments = {match[1]: match[2] or "" for match in found if match}
    for member in kind:
        yield member.name or "", member.value, comments[member.name or ""]


def constants(module: ModuleType) -> dict[str, str]:
    """Return the docstring of each constant of a module, and of each field of its classes."""
    texts: dict[str, str] = {}

    def collect(prefix: str, body: Sequence[ast.stmt]) -> None:
        for statement, following in zip(body, [*body[1:], ast.Pass()], strict=True):
            if isinstance(statement, ast.ClassDef):
                collect(f"{statement.name}.", statement.body)
            target = (
                statement.target
                if isinstance(statement, ast.AnnAssign)
                else statement.targets[0]
                if isinstance(statement, ast.Assign)
                else None
            )
            if isinstance(target, ast.Name) and isinstance(following, ast.Expr):
                text = following.value
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    texts[prefix + target.id] = " ".join(text.value.split())

    collect("", ast.parse(inspect.getsource(module)).body)
    return texts


def _first_line(item: object) -> str:
    return (inspect.getdoc(item) or "").splitlines()[0]


def _text(module: ModuleType) -> str:
    """Return a module's docstring without its first line, which is the module's title."""
    return (inspect.getdoc(module) or "").split("\n", 1)[1].strip() + "\n"


def _enumeration(kind: type[IntEnum] | type[IntFlag]) -> str:
    flags = issubclass(kind, IntFlag)
    rows = ((hex(value) if flags else value, name, text) for name, value, text in members(kind))
    heads = ("bit" if flags else "value", "name", "meaning")
    return f"**{kind.__name__}**. {_first_line(kind)}\n\n{table(heads, rows)}"


def _record(record: Record) -> str:
    rows: list[Sequence[object]] = []
    offset = 0
    for field in record.fields:
        bits = f"{field.bits} signed" if field.signed else field.bits
        rows.append((offset, _code(field.name), bits, field.unit, field.meaning))
        offset += field.bits // 8
    heads = ("byte", "field", "bits", "unit", "meaning")
    return f"**{record.name}**, {offset} bytes. {record.meaning}\n\n{table(heads, rows)}"


def _values(module: ModuleType, names: Sequence[str]) -> str:
    texts = constants(module)
    rows = ((_code(name), getattr(module, name), texts.get(name, "")) for name in names)
    return table(("constant", "value", "meaning"), rows)


def _frames() -> Iterator[str]:
    yield "## Frames\n"
    yield _text(frames)
    yield _values(frames, ("MAX_WORDS", "MAX_OPERATIONS", "DELIMITER", "CRC_BYTES", "WORD_BYTES"))
    yield _record(frames.HEADER)
    for kind in (frames.FrameType, frames.EventFlag, frames.MemoryFlag, frames.LogCode):
        yield _enumeration(kind)
    yield "### Event words\n"
    high = frames.POLARITY_SHIFT
    yield table(
        ("bits", "field", "meaning"),
        (
            (f"0 to {frames.DELTA_BITS - 1}", _code("delta_ticks"), "ticks since `base_ticks`"),
            (f"{frames.SOURCE_SHIFT} to {high - 1}", _code("source"), "see below"),
            (high, _code("polarity"), "1: the active edge, 0: the trailing edge"),
        ),
    )
    channels, strikes = frames.SOURCE_CHANNEL, frames.SOURCE_STRIKE
    yield table(
        ("source", "meaning"),
        (
            (f"{channels} to {channels + frames.MAX_CHANNELS - 1}", "response channels"),
            (f"{strikes} to {strikes + frames.MAX_STRIKES - 1}", "strike outputs"),
            (frames.SOURCE_LOAD, "the load output"),
            (frames.SOURCE_STEP, "ends of steps of the sweep table, with Feature.SWEEP"),
            (frames.SOURCE_CODE, "codes, with Feature.CODES"),
            (
                frames.SOURCE_CODE_VALUE,
                "the code of the event before, of the same time. Bits 0 to 15 are the code, 16 to "
                "19 its skew in core clocks, 20 is TORN; the others are 0",
            ),
        ),
    )
    yield "### Rows\n"
    yield _text(rows)
    yield "### Commands and responses\n"
    yield "A COMMAND frame carries operations. The RESPONSE repeats them, with status and values.\n"
    yield _record(frames.OPERATION)
    yield _enumeration(frames.OpCode)
    yield _enumeration(frames.OpStatus)


def _words(count: int) -> str:
    return "word" if count == 1 else f"{count} words"


def _register_rows(block: registers.Block) -> Iterator[Sequence[object]]:
    for register in block.registers:
        address = registers.address(block.name, register.name)
        yield (
            f"0x{address:0{_ADDRESS_DIGITS}x}",
            _code(register.name),
            f"{register.bits} signed" if register.signed else register.bits,
            register.access.name.lower(),
            register.unit,
            register.reset,
            register.meaning,
        )


def _registers() -> Iterator[str]:
    yield "## Registers\n"
    yield (inspect.getdoc(registers) or "").split("\n", 1)[1].strip() + "\n"
    yield table(
        ("access", "meaning"), ((access.name.lower(), access.value) for access in registers.Access)
    )
    heads = ("address", "register", "bits", "access", "unit", "reset", "meaning")
    for block in registers.BLOCKS:
        yield f"### {block.name}\n"
        copies = (
            f" {block.count} copies, one every {_words(block.stride_words)}."
            if block.count > 1
            else ""
        )
        yield f"{block.meaning}{copies}\n"
        yield table(heads, _register_rows(block))
    for kind in (
        registers.Action,
        registers.Stream,
        registers.StopOn,
        registers.RunState,
        registers.StopReason,
        registers.Policy,
        registers.Trigger,
        registers.InputSelect,
        registers.CodeMode,
        registers.StatusFlag,
        geometry.Feature,
    ):
        yield _enumeration(kind)


def _memories() -> Iterator[str]:
    build = geometry.Geometry()
    yield "## Result memories\n"
    yield (inspect.getdoc(memory) or "").split("\n", 1)[1].strip() + "\n"
    yield (
        f"**{memory.Space.__name__}**. {_first_line(memory.Space)}\n"
        f"The entries are those of a build with default parameters ({build.channels} channels).\n"
    )
    yield table(
        ("space", "name", "words per entry", "entries", "meaning"),
        (
            (value, name, memory.entry_words(space), memory.entries(build, space), text)
            for (name, value, text), space in zip(members(memory.Space), memory.Space, strict=True)
        ),
    )
    yield "A key is kind << key bits | channel. The highest channel number sets the key bits.\n"
    yield _enumeration(memory.ResponseClass)
    yield _enumeration(memory.LatencyKind)
    yield _enumeration(memory.IntervalKind)
    yield _values(memory, ("VALUE_BITS", "STATISTICS_SETS"))
    yield _record(memory.STATISTICS)
    yield _record(memory.STEP)
    yield _record(memory.CODE_FIGURES)
    yield _enumeration(memory.ByCode)
    mantissa = build.latency_mantissa_bits
    yield "### Log-linear bins\n"
    yield (
        "With m mantissa bits, each value below 2**m has its own bin. Above, every octave has\n"
        "2**m bins. The bin is (s << m) + (value >> s), where s = max(bit length - m - 1, 0).\n"
        f"Of {1 << memory.bin_bits(mantissa)} bins with m = {mantissa}, "
        f"bin {memory.over_bin(mantissa)} is for values above the range and "
        f"bin {memory.under_bin(mantissa)} for values below 0.\n"
    )
    numbers = (0, 1, 63, 64, 127, 128, 129, 192, memory.bin_count(mantissa) - 1)
    yield table(
        ("bin", "from ticks", "below ticks"),
        ((number, *memory.bin_bounds(number, mantissa)) for number in numbers),
    )


def _parameters() -> Iterator[str]:
    yield "## Parameters of a build\n"
    texts = constants(geometry)
    yield table(
        ("parameter", "default", "meaning"),
        (
            (
                _code(field.name),
                "all" if field.default == geometry.ALL_FEATURES else field.default,
                texts.get(f"Geometry.{field.name}", "Feature"),
            )
            for field in dataclasses.fields(geometry.Geometry)
        ),
    )
    yield _values(
        geometry,
        (
            "MAGIC",
            "PROTOCOL_MAJOR",
            "PROTOCOL_MINOR",
            "TRIGGER_CLOCKS",
            "CODE_TRIGGER_CLOCKS",
            "STEP_CLOCKS",
        ),
    )


def document() -> str:
    """Return PROTOCOL.md."""
    parts = [
        "# Protocol\n",
        f"Version {geometry.PROTOCOL_MAJOR}.{geometry.PROTOCOL_MINOR}. Generated by "
        "`python -m plexor.protocol.document` from the declarations\nin `plexor.protocol`. "
        "[instrument.md](instrument.md) says what the instrument does with them.\n",
        *_frames(),
        *_registers(),
        *_memories(),
        *_parameters(),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    print(document(), end="")
