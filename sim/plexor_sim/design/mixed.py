# SPDX-License-Identifier: Apache-2.0
"""VHDL and Verilog in one design: entities in Verilog, and modules as components in VHDL.

GHDL makes a module of each entity that Verilog instantiates, one for each set of generics, and of
an entity at the top. A component to which no entity is bound stays an instance of a module. GHDL
spells names as entities and components declare them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plexor_sim.design.text import bare, without_comments
from plexor_sim.design.vhdl import verilog_of
from plexor_sim.packages import make_once, sha256

_ENTITY = re.compile(r"(?im)^\s*entity\s+(\w+)\s+is\b")
_MODULE = re.compile(r"\b(?:macro)?module\s+(?:automatic\s+|static\s+)?(\w+)")
_MADE = re.compile(r"(?ms)^module (\w+)\b.*?^endmodule\n?")
_EMPTY = re.compile(r"module [^;]*\boutput\b[^;]*;\s*endmodule\s*")
"""What GHDL makes of a component to which no entity is bound."""
_GENERIC = re.compile(r"\s*\.(\w+)\s*\(\s*([^()]*?)\s*\)\s*(?:,|$)")
_NUMBER = re.compile(r"(-?)(?:(?:\d+\s*)?'[sS]?([bodhBODH])\s*)?([\da-fA-F_]+)")
_BASES = {"": 10, "b": 2, "o": 8, "d": 10, "h": 16}


class MixedError(ValueError):
    """What cannot be in VHDL and Verilog at once, and what would be right."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A design in VHDL and Verilog as Verilog alone."""

    files: tuple[Path, ...]
    is_entity: bool
    """Whether its top is an entity, whose generics are set."""


@dataclass(frozen=True, slots=True)
class _Instance:
    """An instance of an entity in Verilog."""

    entity: str
    begin: int
    end: int
    """Its place in the text: the entity's name and its generics."""
    generics: Mapping[str, int | str]

    @property
    def module(self) -> str:
        """The name of its module."""
        words = [f"{name}_{value}" for name, value in sorted(self.generics.items())]
        return re.sub(r"\W", "_", "__".join((self.entity, *words)))


def as_verilog(
    vhdl: Sequence[Path],
    verilog: Sequence[Path],
    top: str,
    generics: Mapping[str, int | str],
    folder: Path,
    cache: Path,
    libraries: Mapping[Path, str] | None = None,
) -> Mixed:
    """Return a design in VHDL and Verilog, or in VHDL, as Verilog alone.

    `generics` are those of an entity at the top. Messages name files from `folder`. Raises as
    `verilog_of`, and MixedError.
    """
    texts = {path: path.read_bytes().decode(errors="surrogateescape") for path in verilog}
    modules = {name for text in texts.values() for name in _MODULE.findall(bare(text))}
    entities = {name for path in vhdl for name in _ENTITY.findall(path.read_text(errors="replace"))}
    entities -= modules
    made: dict[str, str] = {}
    is_entity = top not in modules
    if is_entity:
        _take(made, verilog_of(vhdl, top, generics, cache, libraries), modules)
    files: list[Path] = []
    for path, text in texts.items():
        instances = list(_instances(path, text, sorted(entities)))
        for instance in instances:
            if instance.module not in made:
                source = verilog_of(vhdl, instance.entity, instance.generics, cache, libraries)
                _take(made, source, modules, {instance.entity: instance.module})
        files.append(_renamed(path, text, instances, folder, cache))
    whole = "`timescale 1ns/1ps\n" + "".join(made.values())

    def fill(directory: Path) -> None:
        (directory / "vhdl.v").write_text(whole)

    first = make_once(cache / "mixed" / sha256(whole.encode())[:32], fill) / "vhdl.v"
    return Mixed((first, *files), is_entity)


def _take(
    made: dict[str, str], source: Path, modules: set[str], names: Mapping[str, str] | None = None
) -> None:
    """Add the modules that GHDL made, without those that are in Verilog.

    Raises MixedError if there is another one of the same name.
    """
    for module in _MADE.finditer(source.read_text()):
        if module[1] in modules:
            continue
        if _EMPTY.fullmatch(module[0]):
            raise MixedError(
                f"no file has the entity or module {module[1]}; must be spelled as its component"
            )
        name = (names or {}).get(module[1], module[1])
        text = f"module {name}{module[0].removeprefix(f'module {module[1]}')}"
        if made.setdefault(name, text) != text:
            raise MixedError(
                f"entity {module[1]}: GHDL makes two modules of this name; must be one entity alone"
            )


def _instances(path: Path, text: str, entities: Sequence[str]) -> Iterator[_Instance]:
    """Yield the instances of entities in a file of Verilog."""
    if not entities:
        return
    code = bare(text)
    begins = re.compile(rf"(?<![\w.$`])({'|'.join(entities)})\b\s*(#\s*\()?")
    for found in begins.finditer(code):
        end = found.end()
        generics: dict[str, int | str] = {}
        if found[2]:
            end = _closed(code, found.end())
            generics = _generics(path, found[1], without_comments(text)[found.end() : end - 1])
        # Behind it is the name of an instance.
        if re.match(r"\s*[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)?\(", code[end:]):
            yield _Instance(found[1], found.start(), end, generics)


def _closed(code: str, begin: int) -> int:
    """Return the place behind the parenthesis that closes one before a place."""
    depth = 1
    for found in re.finditer(r"[()]", code[begin:]):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return begin + found.end()
    return len(code)


def _generics(path: Path, entity: str, text: str) -> dict[str, int | str]:
    """Return the generics that an instance sets. Raises MixedError for what is no literal."""
    found: dict[str, int | str] = {}
    place = 0
    text = text.strip()
    while place < len(text):
        generic = _GENERIC.match(text, place)
        if generic is None:
            raise MixedError(
                f"{path.name}: generics of the entity {entity} are {text[place:].strip()!r}; must "
                "be by name, such as .DEPTH(4)"
            )
        name, value = generic[1], generic[2]
        number = _NUMBER.fullmatch(value)
        if number is not None:
            base = _BASES[number[2].lower() if number[2] else ""]
            try:
                found[name] = int(number[1] + number[3].replace("_", ""), base)
            except ValueError:
                number = None
        if number is None:
            if not re.fullmatch(r'"[^"]*"', value):
                raise MixedError(
                    f"{path.name}: generic {name} of the entity {entity} is {value!r}; must be a "
                    "number or a text, where Verilog has the entity"
                )
            found[name] = value[1:-1]
        place = generic.end()
    return found


def _renamed(
    path: Path, text: str, instances: Sequence[_Instance], folder: Path, cache: Path
) -> Path:
    """Return a file in which each instance with generics is one of its own module."""
    parts: list[str] = []
    end = 0
    for instance in instances:
        if instance.generics:
            lines = "\n" * text.count("\n", instance.begin, instance.end)
            parts += [text[end : instance.begin], instance.module, lines or " "]
            end = instance.end
    if not parts:
        return path
    line = f'`line 1 "{os.path.relpath(path, folder)}" 0\n'
    data = "".join((line, *parts, text[end:])).encode(errors="surrogateescape")

    def fill(directory: Path) -> None:
        (directory / path.name).write_bytes(data)

    return make_once(cache / "mixed" / sha256(data)[:32], fill) / path.name
