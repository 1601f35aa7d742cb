"""Reads the core's Verilog: its modules, their signals, and the names of these in C++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

TOP = "plexor"
_SCOPE = "plexor_top__DOT__core"
_MODULE = re.compile(r"(?m)^(?=module )")
_MODULE_NAME = re.compile(r"module \\?([^\s(]+)")
_DECLARED = re.compile(
    r"(?m)^(  (?:reg|wire) (?:\[(\d+):0\] )?)(\\?\S+)( ?(?: = [^;\n]+)?;| +\[\d+:0\];)$"
)
_ASSIGNED = re.compile(r"(?m)^ +(\\?\S+?) *(?:\[[^\]\n]*\] *)?<= ")
_SAFE = re.compile(r"[A-Za-z0-9]")
_NAMES = re.compile(r"[\w.]+")


@dataclass(frozen=True)
class Member:
    """A signal of the core."""

    scope: str
    name: str
    bits: int
    is_flip_flop: bool
    is_memory: bool = False

    @property
    def path(self) -> str:
        """Names of submodules, and the signal's own."""
        return f"{self.scope}.{self.name}" if self.scope else self.name

    @property
    def cpp(self) -> str:
        """Name in Verilator's C++."""
        parts = [_SCOPE, *(self.scope.split(".") if self.scope else ()), self.name]
        return "__DOT__".join([parts[0], *(_encoded(part) for part in parts[1:])])


def _encoded(name: str) -> str:
    """Return a Verilog identifier as Verilator encodes it in C++."""
    text = ""
    for place, letter in enumerate(name):
        safe = _SAFE.match(letter) or (letter == "_" and name[place - 1 : place] != "_")
        text += letter if safe else f"__0{ord(letter):02X}"
    return text


@dataclass(frozen=True)
class Module:
    """A module of the core."""

    name: str
    text: str

    @cached_property
    def path(self) -> str:
        """Names of submodules from the instrument on; "" is the instrument."""
        return self.name[len(TOP) + 1 :]

    @cached_property
    def above(self) -> str | None:
        """The path of the module that this one is a part of, None for the instrument."""
        return self.path.rpartition(".")[0] if self.path else None

    @cached_property
    def places(self) -> list[tuple[Member, re.Match[str]]]:
        """The signals and memories that the module declares, with their places in its text."""
        return list(self._places())

    def _places(self) -> Iterator[tuple[Member, re.Match[str]]]:
        flip_flops = set(_ASSIGNED.findall(self.text))
        for place in _DECLARED.finditer(self.text):
            is_memory = "[" in place[4]
            yield (
                Member(
                    self.path,
                    place[3].removeprefix("\\"),
                    int(place[2] or 0) + 1,
                    is_flip_flop=place[3] in flip_flops and not is_memory,
                    is_memory=is_memory,
                ),
                place,
            )


def split(text: str) -> tuple[str, list[Module]]:
    """Return what precedes the core's modules, and the modules. Their texts make the whole."""
    before, *rest = _MODULE.split(text)
    named = [(_MODULE_NAME.match(module), module) for module in rest]
    return before, [Module(found[1] if found else "", module) for found, module in named]


def unnumbered(path: str) -> str:
    """Return a path without the numbers that Amaranth puts behind names."""
    return re.sub(r"\$[0-9]+(?=\.|$)", "", path)


def matching(pattern: str, members: Mapping[str, Sequence[Member]]) -> list[Member]:
    """Return the members, by their unnumbered paths, that match a pattern of names."""
    if _NAMES.fullmatch(pattern):
        return list(members.get(pattern, ()))
    parts = [rf"{part}(?:\$[0-9]+)?" for part in pattern.split(".")]
    whole = re.compile(r"\.".join(parts))
    return [member for same in members.values() for member in same if whole.fullmatch(member.path)]
