# SPDX-License-Identifier: Apache-2.0
"""Idle clocks: names the registers of the core that count clocks while nothing else changes.

The core has no ports for a simulation. Its flip-flops are public to C++, and runtime/idle.h looks
at all of them. If for 16 clocks only the registers in WATCHED have changed, as their models say,
many clocks can pass at once. A register that is missing in WATCHED makes the simulation slow, not
wrong. If the core lacks a register of WATCHED, the build fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from plexor.protocol.frames import MAX_STRIKES
from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.capture.timebase import IDLE_CLOCKS
from plexor_hdl.lib.split_sum import CHUNK_BITS
from plexor_hdl.match.trigger import POST_CLOCKS_BITS
from plexor_sim.netlist import Member, Module, matching, split, unnumbered
from plexor_sim.toolchain import BuildError


class MissingRegisterError(BuildError):
    """The core has no register of that name, or several."""


@dataclass(frozen=True)
class Watched:
    """Registers that change with time even if nothing else does."""

    module: str
    """Names of submodules from the instrument on. Amaranth's additions to a name may be omitted."""
    model: str = ""
    """A class of runtime/idle.h. Its arguments are `registers`, then `numbers`."""
    registers: tuple[str, ...] = ()
    numbers: Callable[[Geometry], tuple[int, ...]] = lambda _: ()
    passing: tuple[str, ...] = ()
    """Patterns of registers that others set within 16 clocks. Nothing uses them earlier."""
    settles: tuple[str, ...] = ()
    """Registers that may differ after a skip. They are correct again before anything uses them."""
    there: Callable[[Geometry], bool] = lambda _: True


_COUNTDOWN = ("count", "on", "pool.chunk_0")


def _with(feature: Feature) -> Callable[[Geometry], bool]:
    return lambda geometry: feature in geometry.features


def _stimuli(part: str, needs: Feature) -> list[Watched]:
    return [
        Watched(
            f"outputs.stimulus{number}.{part}",
            "CountdownCount",
            _COUNTDOWN,
            there=lambda geometry, number=number: (
                number < geometry.strikes and needs in geometry.features
            ),
        )
        for number in range(MAX_STRIKES)
    ]


def _without_match(geometry: Geometry) -> bool:
    return Feature.MATCH not in geometry.features


def _rounds(each: int, steps: int) -> Callable[[Geometry], tuple[int, int]]:
    return lambda geometry: (each * len(geometry.merged), steps)


def _counts() -> list[Watched]:
    """Return the visits of the sources' counts with the words they update."""
    low = ("left", "asked", "counts.clear_busy")
    between = ("due", "visited", "counts.live", "counts.writing", "counts.visiting")
    both = ("visit_place", "last_line", "watched")
    both += tuple(f"counts.{name}" for name in ("row", "word", "addend", r"\$signature__\w+"))
    visits = (
        # Two for each source, one in a unit of clocks: what it generated, and what was dropped.
        (_rounds(2, 1), ("odd", "pick[0-9]+", "sample[0-9]+"), _with(Feature.MATCH)),
        # One for each, two in a unit.
        (_rounds(1, 2), ("chosen",), _without_match),
    )
    return [
        *(
            Watched(
                "counts",
                "Round",
                ("line",),
                of,
                passing=(*both, *passing),
                settles=("counts.memory",),
                there=there,
            )
            for of, passing, there in visits
        ),
        *(Watched("counts", "Low", (name,)) for name in low),
        *(Watched("counts", "Low", (name,), there=_with(Feature.MATCH)) for name in between),
    ]


def _positions() -> list[Watched]:
    """Return the positions in fast bursts: they advance without bursts; each burst resets them."""
    names = ("position", "placed", "position_r")
    return [
        Watched(
            f"outputs.stimulus{number}.scheduler.bursts",
            passing=names,
            settles=names,
            there=lambda geometry, number=number: (
                number < geometry.strikes and Feature.BURST in geometry.features
            ),
        )
        for number in range(MAX_STRIKES)
    ]


WATCHED = (
    Watched("timebase", "PeriodicCount", ("low",), lambda _: (IDLE_CLOCKS,)),
    Watched("capture", "Count", ("clock",)),
    Watched("run.settle_left.left", "CountdownCount", _COUNTDOWN),
    Watched(
        "run.time_left",
        "PeriodicCount",
        ("chunk0_(?!32)[0-9]+",),
        lambda _: (1 << CHUNK_BITS,),
    ),
    Watched(
        "trigger",
        "PeriodicCount",
        ("clocks",),
        lambda _: (1 << POST_CLOCKS_BITS,),
        there=_with(Feature.MATCH),
    ),
    Watched(
        "snapshots.report.left",
        "CountdownCount",
        _COUNTDOWN,
        there=_with(Feature.SNAPSHOT),
    ),
    *_counts(),
    *_stimuli("scheduler.timer", Feature(0)),
    *_stimuli("scheduler.bursts.burst", Feature.BURST),
    *_stimuli("painter.tail", Feature(0)),
    *_positions(),
)
"""Registers that count clocks, or follow such registers."""

FOLLOWS = (
    r"pins\.words",
    r"capture\.word[0-9]+_[0-9]+",
    r"capture\.(mend|filter|long_filter|edges)[0-9]+\..*",
    r"capture\.(codes|strobe)[0-9]+",
    r"capture\.(code_port|code_values)\..*",
    r"capture\.trigger[0-9]+",
)
"""Registers that follow the pins, which may change between runs. They matter only in a run."""
BUSY = ("run.running", "snapshots.busy", "dumper.busy")
"""Signals that are high during a run or a dump, when time passes; the first one in a run alone."""


def observed(text: str, geometry: Geometry) -> tuple[str, str]:
    """Return the core's Verilog with public registers, and the C++ that shows them to Idle.

    Raises MissingRegisterError.
    """
    before, modules = split(text)
    members = [member for module in modules for member, _ in module.places]
    by_name: dict[str, list[Member]] = {}
    for member in members:
        by_name.setdefault(unnumbered(member.path), []).append(member)

    def one(path: str) -> Member:
        named = matching(path, by_name)
        found = [member for member in named if member.is_flip_flop] or named
        if len(found) != 1:
            names = ", ".join(member.path for member in found) or "none"
            raise MissingRegisterError(
                f"{path}: the core must have one such register; it has {names}"
            )
        return found[0]

    written: set[str] = set()
    read: set[str] = set()
    free: set[str] = set()
    lines: list[str] = []

    def register(member: Member) -> str:
        return f"Register(core.{member.cpp}, {member.bits})"

    for watched in WATCHED:
        if not watched.there(geometry):
            continue
        chosen = [one(f"{watched.module}.{name}") for name in watched.registers]
        for member in chosen:
            free.add(member.path)
            (written if watched.model != "Low" and member.is_flip_flop else read).add(member.path)
        numbers = [str(number) for number in watched.numbers(geometry)]
        if watched.model:
            arguments = ", ".join([*map(register, chosen), *numbers])
            lines.append(f"  idle.watch<{watched.model}>({arguments});\n")
        for name in watched.passing:
            path = f"{watched.module}.{name}"
            passing = {m.path for m in matching(path, by_name) if m.is_flip_flop}
            if not passing:
                raise MissingRegisterError(f"{path}: the core has no such register")
            free |= passing
        for name in watched.settles:
            member = one(f"{watched.module}.{name}")
            lines.append(f"  idle.settles(core.{member.cpp});\n")
    busy = BUSY if Feature.MATCH in geometry.features else BUSY[:1]
    for path in busy:
        lines.append(f"  idle.busy({register(one(path))});\n")
        read.add(one(path).path)

    lines += [
        f'  idle.still(core.{member.cpp}, "{member.path}");\n'
        for member in members
        if member.is_flip_flop and member.path not in free
    ]
    follows = re.compile("|".join(f"(?:{names})" for names in FOLLOWS))
    for member in members:
        path = re.sub(r"\$[0-9]+\.", ".", member.path)
        if member.is_flip_flop and follows.fullmatch(path):
            lines.append(f"  idle.follows(core.{member.cpp});\n")
    time = register(one("timebase.low"))
    staged = "".join(_public(module, written, read) for module in modules)
    cpp = (
        '#include "Vplexor.h"\n#include "Vplexor___024root.h"\n#include "idle.h"\n\n'
        "namespace plexor {\n\nvoid observe(Vplexor& model, Idle& idle) {\n"
        f"  auto& core = *model.rootp;\n  idle.begin(&core, sizeof core, {time});\n"
        f"{''.join(lines)}  idle.end();\n}}\n\n}}  // namespace plexor\n"
    )
    return before + staged, cpp


def _public(module: Module, written: set[str], read: set[str]) -> str:
    """Return a module whose flip-flops C++ can read, as well as `read`, and write if `written`."""
    text, end = "", 0
    for member, place in module.places:
        if not (member.is_flip_flop or member.path in read):
            continue
        access = "rw" if member.path in written and member.is_flip_flop else "rd"
        text += f"{module.text[end : place.end(3)]} /*verilator public_flat_{access}*/{place[4]}"
        end = place.end()
    return text + module.text[end:]
