# SPDX-License-Identifier: Apache-2.0
"""Reads the core's Verilog: its modules, their signals, and what the next state depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from plexor_sim.toolchain import BuildError

TOP = "plexor"
_SCOPE = "plexor_top__DOT__core"
_MODULE = re.compile(r"(?m)^(?=module )")
_MODULE_NAME = re.compile(r"module \\?([^\s(]+)")
_DECLARED = re.compile(
    r"(?m)^(  (?:reg|wire) (?:\[(\d+):0\] )?)(\\?\S+)( ?(?: = [^;\n]+)?;| +\[\d+:0\];)$"
)
_ASSIGNED = re.compile(r"(?m)^ +(\\?\S+?) *(?:\[[^\]\n]*\] *)?<= ")
_INPUT = re.compile(r"(?m)^  input (?:\[\d+:0\] )?\\?(\S+) ?;$")
_ASSIGN = re.compile(r"(?m)^  assign (.+) = (.+);$")
_LOGIC = re.compile(r"(?m)^  always @\* begin\n((?:    .*\n)*)  end$")
_CLOCKED = re.compile(r"(?m)^  always @\((posedge clk)\)(.*\n(?:    .*\n)*)")
_GATED = re.compile(r" begin\n    if \((\\?\S+?) ?\)(?: begin)?\n(?:      .*\n)+(?:    end\n)?")
_INSTANCE = re.compile(r"(?m)^  \\?(\S+) +\\?\S+ +\(\n((?:    \..*\n)+)  \);$")
_PORT = re.compile(r"(?m)^    \.\\?(\S+?) ?\((.*)\),?$")
_NAME = re.compile(r"\\(\S+)|(?<![\w$'.\\])([A-Za-z_$][\w$]*)")
_KEYWORDS = frozenset(("begin", "casez", "default", "else", "end", "endcase", "if", "$signed"))
_COMMENT = "/* empty */"
_CONSTANT = re.compile(r"(.*\.)?(clk|rst|\$auto\$.*)")
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
        return "__DOT__".join([parts[0], *(encoded(part) for part in parts[1:])])


def encoded(name: str) -> str:
    """Return a Verilog identifier as Verilator encodes it in C++."""
    return re.sub(r"__|\W", lambda found: f"{found[0][:-1]}__0{ord(found[0][-1]):02X}", name)


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
    def places(self) -> list[tuple[Member, re.Match[str]]]:
        """The signals and memories that the module declares, with their places in its text."""
        return list(self._places())

    def names(self, text: str) -> set[str]:
        """Return the paths of the signals in a piece of the module's text."""
        prefix = f"{self.path}." if self.path else ""
        found = _NAME.findall(text.replace(_COMMENT, ""))
        return {prefix + (name or word) for name, word in found if word not in _KEYWORDS}

    def assigned(self, body: str, sign: str) -> tuple[set[str], set[str]]:
        """Return the signals that a block's text assigns by `sign`, and all others in it."""
        targets, sources = set[str](), set[str]()
        for line in body.splitlines():
            target, found, source = line.partition(sign)
            if found and not target.lstrip().startswith("if"):
                name, _, place = target.lstrip().partition("[")
                targets |= self.names(name)
                sources |= self.names(place) | self.names(source)
            else:
                sources |= self.names(line)
        return targets, sources

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


@dataclass(frozen=True)
class Block:
    """What is clocked together: registers, or a memory's port for writing."""

    place: tuple[int, int]
    """Where its clock begins and ends in the module's text."""
    targets: frozenset[str]
    cone: int
    """What the next state depends on, as bits of Logic.leaves."""
    gate: str = ""
    """A signal: while it is low, nothing changes."""


class Logic:
    """The clocked blocks of a core, each with the leaves that it depends on through any logic.

    A leaf is a flip-flop, a memory or an input of the core. A signal depends on all that its bits
    depend on. Signals are named by their paths. Raises BuildError for one that nothing assigns.
    """

    def __init__(self, modules: Sequence[Module]) -> None:
        declared = [member for module in modules for member, _ in module.places]
        self.flip_flops = {m.path: m for m in declared if m.is_flip_flop}
        self.memories = {m.path: m for m in declared if m.is_memory}
        inputs = {module.name: set(_INPUT.findall(module.text)) for module in modules}
        self.inputs = inputs[TOP] - {"clk", "rst"}
        leaves = (*self.flip_flops, *self.memories, *self.inputs)
        self.leaves = {path: number for number, path in enumerate(leaves)}
        self._sources: dict[str, set[str]] = {}
        for module in modules:
            self._read(module, inputs)
        asynchronous = set[str]().union(*self._sources.values())
        self.read_at_once = {path: m for path, m in self.memories.items() if path in asynchronous}
        """Memories that are read without a clock."""
        self._cones = dict.fromkeys(self._sources, 0)
        self._cones |= {path: 1 << number for path, number in self.leaves.items()}
        self._propagate()
        self.blocks = {module.name: list(self._blocks(module)) for module in modules}
        """The blocks of each module."""
        self.all_blocks = [block for blocks in self.blocks.values() for block in blocks]

    def bits(self, paths: Iterable[str]) -> int:
        """Return these leaves as bits."""
        return sum(1 << self.leaves[path] for path in set(paths))

    def members(self, cone: int) -> Iterator[str]:
        """Yield the leaves of a cone."""
        return (path for path, number in self.leaves.items() if cone >> number & 1)

    def _read(self, module: Module, inputs: Mapping[str, set[str]]) -> None:
        def depends(targets: set[str], sources: set[str]) -> None:
            for target in targets:
                self._sources.setdefault(target, set()).update(sources)

        inside = module.names
        for target, source in _ASSIGN.findall(module.text):
            depends(inside(target), inside(source))
        for body in _LOGIC.findall(module.text):
            depends(*module.assigned(body, " = "))
        for name, ports in _INSTANCE.findall(module.text):
            path = name[len(TOP) + 1 :]
            for port, text in _PORT.findall(ports):
                inner = {f"{path}.{port}"}
                if port in inputs[name]:
                    depends(inner, inside(text))
                else:
                    depends(inside(text), inner)

    def _propagate(self) -> None:
        """Extend the cones of all signals to what they depend on."""
        signals = [path for path in self._sources if path not in self.leaves]
        changed = True
        while changed:
            changed = False
            for path in signals:
                cone = self._reached(self._sources[path])
                changed |= cone != self._cones[path]
                self._cones[path] = cone

    def _reached(self, sources: Iterable[str]) -> int:
        cone = 0
        for path in sources:
            if path in self._cones:
                cone |= self._cones[path]
            elif not _CONSTANT.fullmatch(path):
                raise BuildError(f"{path}: nothing in the core's Verilog assigns it")
        return cone

    def _blocks(self, module: Module) -> Iterator[Block]:
        for found in _CLOCKED.finditer(module.text):
            targets, sources = module.assigned(found[2], " <= ")
            gated = _GATED.fullmatch(found[2])
            gate = "".join(module.names(gated[1])) if gated else ""
            yield Block(found.span(1), frozenset(targets), self._reached(sources), gate)
