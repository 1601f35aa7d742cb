# SPDX-License-Identifier: Apache-2.0
"""Names of codes, from a firmware's ELF file, or from a TOML file for a device without one."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

from plexor.base.errors import UsageError, reason_of
from plexor.base.toml_text import parse_toml
from plexor.model.codes import CodeName
from plexor.protocol.codes import NAMES_SECTION, TASK_CLASSES, CodeClass

_Family = tuple[int, ...]
_TASK: _Family = TASK_CLASSES
_ISR: _Family = (CodeClass.ISR_ENTER, CodeClass.ISR_EXIT)
_FUNCTION: _Family = (CodeClass.ENTER, CodeClass.EXIT)
PARTS: _Family = (CodeClass.VALUE_A, CodeClass.VALUE_B)
"""Classes of the parts of a value."""
_FAMILIES: Mapping[int, _Family] = {
    kind: family for family in (_TASK, _ISR, _FUNCTION) for kind in family
}
KINDS: Mapping[str, int] = {
    "task": CodeClass.RUN,
    "interrupt": CodeClass.ISR_ENTER,
    "function": CodeClass.ENTER,
    "state": CodeClass.SET,
}
"""Class of the code that begins each kind, by the kind's word in a TOML file."""
_VERBS: Mapping[int, str] = {
    CodeClass.RUN: "{} runs",
    CodeClass.READY: "{} could run",
    CodeClass.BLOCKED: "{} waits",
    CodeClass.SLEEPING: "{} sleeps",
    CodeClass.INHERIT: "{} inherits a priority",
    CodeClass.ISR_ENTER: "{} is served",
    CodeClass.ISR_EXIT: "{} was served",
    CodeClass.ENTER: "in {}",
    CodeClass.EXIT: "left {}",
}
_WORDS: Mapping[_Family, str] = {_TASK: "task", _ISR: "interrupt", _FUNCTION: "function"}


class Names:
    """Names by class and id.

    Classes of one family share names: a task's states, an interrupt's begin and end, a function's
    entry and exit.
    """

    def __init__(self, names: Iterable[CodeName] = ()) -> None:
        self._names: Mapping[tuple[int, int], str] = {
            (kind, code_name.code_id): code_name.name
            for code_name in names
            for kind in _family(code_name.code_class)
        }

    def name_of(self, code_class: int, code_id: int) -> str:
        """Return the name; without one, class and id, such as `task 3`."""
        name = self._names.get((code_class, code_id))
        if name is not None:
            return name
        if code_class in PARTS:
            return f"part {code_id:#x} of a value"
        family = _family(code_class)
        plain = "state" if code_class == CodeClass.SET else f"class {code_class} id"
        return f"{_WORDS.get(family, plain)} {code_id}"


def code_phrase(names: Names, code_class: int, code_id: int) -> str:
    """Return a code as a phrase, such as `idle runs`."""
    verb = _VERBS.get(code_class)
    name = names.name_of(code_class, code_id)
    return name if verb is None else verb.format(name)


def _family(code_class: int) -> _Family:
    return _FAMILIES.get(code_class, (code_class,))


def names_of(path: Path) -> tuple[CodeName, ...]:
    """Return the names in a firmware's ELF file, or in a .toml file.

    A TOML file has tables task, interrupt, function and state, with lines such as `3 = "motor"`.
    Raises UsageError for a file that cannot be read, is neither, or has no names.
    """
    try:
        if path.suffix == ".toml":
            return tuple(_listed(parse_toml(path.read_text(encoding="utf-8"))))
        section = _section(path.read_bytes())
        if section is None:
            raise ValueError(
                f"has no section {NAMES_SECTION}; build the firmware with plexor_trace.h"
            )
        return tuple(_named(text) for text in section.decode("utf-8").split("\0") if text)
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start} of its names is not UTF-8") from error
    except (ValueError, struct.error) as error:
        raise UsageError(f"{path}: {error}") from error


def _listed(document: Mapping[str, object]) -> Iterator[CodeName]:
    for kind, names in document.items():
        if kind not in KINDS or not isinstance(names, dict):
            raise ValueError(f"{kind}: must be a table named {', '.join(KINDS)}")
        for number, name in cast("dict[str, object]", names).items():
            if not number.isdecimal() or not isinstance(name, str):
                raise ValueError(f'{kind}: {number} = {name!r}; must be like 3 = "motor"')
            yield CodeName(KINDS[kind], int(number), name)


def _named(text: str) -> CodeName:
    fields = text.split(" ", 2)
    if len(fields) != 3 or not (fields[0].isdecimal() and fields[1].isdecimal()):
        raise ValueError(f"{NAMES_SECTION}: {text!r}; must be CLASS ID NAME")
    return CodeName(int(fields[0]), int(fields[1]), fields[2])


def _section(elf: bytes) -> bytes | None:
    """Return the section of names (ELF, Tool Interface Standard 1.2, part 1); None without one."""
    if elf[:4] != b"\x7fELF" or len(elf) < 52 or elf[4] not in (1, 2) or elf[5] not in (1, 2):
        raise ValueError("no ELF file; name the firmware's .elf")
    wide, order = elf[4] == 2, "<" if elf[5] == 1 else ">"
    (table,) = struct.unpack_from(order + ("Q" if wide else "I"), elf, 40 if wide else 32)
    sizes: tuple[int, int, int] = struct.unpack_from(order + "3H", elf, 58 if wide else 46)
    size, count, strings = sizes
    end = int(table) + (count - 1) * size + (64 if wide else 40)
    if count and end > len(elf):
        raise ValueError(
            f"damaged ELF file: its table of sections ends at byte {end} of {len(elf)}; build it "
            "again"
        )
    heads = [_head(elf, int(table) + number * size, wide, order) for number in range(count)]
    if strings >= count:
        return None
    _, first, _ = heads[strings]
    named = NAMES_SECTION.encode() + b"\0"
    for name, offset, length in heads:
        if elf[first + name : first + name + len(named)] == named:
            return elf[offset : offset + length]
    return None


def _head(elf: bytes, offset_bytes: int, wide: bool, order: str) -> tuple[int, int, int]:
    """Return (name, offset, size) of a section's header."""
    (name,) = struct.unpack_from(order + "I", elf, offset_bytes)
    fields_offset = offset_bytes + (24 if wide else 16)
    offset, size = struct.unpack_from(order + ("2Q" if wide else "2I"), elf, fields_offset)
    return int(name), int(offset), int(size)
