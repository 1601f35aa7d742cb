# SPDX-License-Identifier: Apache-2.0
"""Writes the contract as a C++ header: what plexor.protocol declares, declared once.

The header has each register's address and width, the words of the register map with their access,
the members of the enumerations, the fields of the records, and some constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, IntFlag

from plexor.protocol import frames, geometry, memory, registers
from plexor.protocol.frames import EventFlag, FrameType, LogCode, MemoryFlag, OpCode, OpStatus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import (
    HISTOGRAM_SPACES,
    IntervalKind,
    LatencyKind,
    ResponseClass,
    Space,
)
from plexor.protocol.records import Record
from plexor.protocol.register_kinds import Access
from plexor.protocol.registers import (
    BASE_ADDRESSES,
    BLOCKS,
    Action,
    CodeMode,
    InputSelect,
    Policy,
    RunState,
    StatusFlag,
    StopOn,
    StopReason,
    Stream,
    Trigger,
)

_ENUMERATIONS = (
    *(Action, StopOn, Stream, RunState, StopReason, Policy, Trigger, InputSelect, CodeMode),
    *(StatusFlag, Feature, FrameType, EventFlag, MemoryFlag, LogCode, OpCode, OpStatus, Space),
    *(ResponseClass, LatencyKind, IntervalKind),
)
_CONSTANTS = (
    (frames, ("MAX_WORDS", "MAX_OPERATIONS", "MAX_DELTA_TICKS", "DELTA_BITS", "SOURCE_SHIFT")),
    (frames, ("POLARITY_SHIFT", "SOURCE_STEP", "SOURCE_CODE")),
    (frames, ("SOURCE_CODE_VALUE", "SOURCES", "MAX_CHANNELS", "MAX_STRIKES", "ZEROS_SHIFT")),
    (frames, ("SKEW_SHIFT", "TORN")),
    (geometry, ("MAGIC", "PROTOCOL_VERSION", "TRIGGER_CLOCKS", "CODE_TRIGGER_CLOCKS")),
    (geometry, ("STEP_CLOCKS", "SCHEDULE_ENTRIES", "DUE_CLOCKS", "LONG_FILTER_CLOCKS")),
    (geometry, ("LEAST_HOLD_CLOCKS", "HOLD_STEP_CLOCKS")),
    (memory, ("VALUE_MOST", "CLASSES", "KINDS", "CODE_TABLE_BITS")),
    (registers, ("ENTRY_ID_BITS", "ENTRY_NUMBER_BITS")),
)
_RECORDS = {
    "Header": frames.HEADER,
    "Statistics": memory.STATISTICS,
    "Step": memory.STEP,
    "CodeFigures": memory.CODE_FIGURES,
}
_ACCESS = {Access.READ: "kRead", Access.SETUP: "kSetup", Access.WRITE: "kWrite"}


def _banked() -> int:
    shape = Geometry(features=Feature.SNAPSHOT)
    return sum(1 << space for space in Space if memory.banks(shape, space) > 1)


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.lower().split("_"))


def _enumeration(kind: type[IntEnum] | type[IntFlag]) -> Iterator[str]:
    for member in kind:
        yield f"constexpr uint32_t k{kind.__name__}{_camel(member.name or '')} = {member.value};"


def _record(name: str, record: Record) -> Iterator[str]:
    offset = 0
    for field in record.fields:
        yield f"constexpr int k{name}{_camel(field.name)} = {offset};"
        offset += field.bits // 8
    yield f"constexpr int k{name}Bytes = {offset};"


def _registers() -> Iterator[str]:
    for block in BLOCKS:
        offset = BASE_ADDRESSES[block.name]
        for entry in block.registers:
            name = f"k{_camel(block.name)}{_camel(entry.name)}"
            signed = str(entry.signed).lower()
            yield (
                f"constexpr Reg {name}{{{offset}, {entry.bits}, {signed}, {block.stride_words}}};"
            )
            offset += entry.words


def _words() -> Iterator[str]:
    yield "constexpr Word kWords[] = {"
    for number, block in enumerate(BLOCKS):
        for copy in range(block.count):
            place = BASE_ADDRESSES[block.name] + copy * block.stride_words
            for entry in block.registers:
                for word in range(entry.words):
                    mask = (1 << entry.bits) - 1 >> 32 * word & 0xFFFFFFFF
                    reset = entry.reset >> 32 * word & 0xFFFFFFFF
                    access = _ACCESS[entry.access]
                    yield f"    {{{place}, {access}, {number}, {copy}, {mask}u, {reset}u}},"
                    place += 1
    yield "};"


def header() -> str:
    """Return the header's text."""
    parts = [
        "// Generated from plexor.protocol.\n#pragma once\n#include <cstdint>\nnamespace plexor {",
        "struct Reg {\n  uint16_t address;\n  uint8_t bits;\n  bool is_signed;\n"
        "  uint16_t stride;\n};",
        "enum Access : uint8_t { kRead, kSetup, kWrite };",
        "struct Word {\n  uint16_t address;\n  Access access;\n  uint8_t block, copy;\n"
        "  uint32_t mask, reset;\n};",
        *(line for kind in _ENUMERATIONS for line in _enumeration(kind)),
        *(
            f"constexpr int64_t k{_camel(name)} = {getattr(module, name)};"
            for module, names in _CONSTANTS
            for name in names
        ),
        f"constexpr int kSpaces = {len(Space)};",
        f"constexpr uint32_t kHistogramSpaces = {sum(1 << space for space in HISTOGRAM_SPACES)};",
        f"constexpr uint32_t kSpaceMask = {frames.SPACE_MASK};",
        f"constexpr uint32_t kBankedSpaces = {_banked()};  // with Feature.SNAPSHOT",
        f"constexpr int kBinBits = {memory.bin_bits(0)};  // of a key, besides the mantissa's",
        f"constexpr int kRegisterWords = {1 << registers.ADDRESS_BITS};",
        *(
            f"constexpr int kBlock{_camel(block.name)} = {number};"
            for number, block in enumerate(BLOCKS)
        ),
        *(line for name, record in _RECORDS.items() for line in _record(name, record)),
        *_registers(),
        *_words(),
        "}  // namespace plexor\n",
    ]
    return "\n".join(parts)


def geometry_text(shape: Geometry, gateware_hash: int, build_id: int) -> str:
    """Return a geometry as the twin takes it: `name=value` for each parameter and space."""
    numbers = ("channels", "strikes", "samples", "tick_fs", "latency_mantissa_bits")
    numbers += ("fall_mantissa_bits", "interval_mantissa_bits", "zoom_bits", "queue_depth")
    numbers += ("word_fifo_depth", "upload_depth", "ring_depth", "phases", "deep_depth")
    numbers += ("table_steps", "code_bits", "timecode_bits", "lamps", "key_bits")
    values = {name: getattr(shape, name) for name in numbers}
    values |= {"features": int(shape.features)}
    values |= {"board": int.from_bytes(shape.board.encode(), "little")}
    values |= {"gateware_hash": gateware_hash, "build_id": build_id}
    sources = sum(1 << source for source in shape.sources)
    values |= {"sources": sources, "indexed": int(shape.indexed)}
    for space in Space:
        values[f"entries{int(space)}"] = memory.entries(shape, space)
        values[f"words{int(space)}"] = memory.entry_words(space)
        values[f"banks{int(space)}"] = memory.banks(shape, space)
    return ",".join(f"{name}={value}" for name, value in values.items())
