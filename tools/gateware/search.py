# SPDX-License-Identifier: Apache-2.0
"""Find places and routes for a front-end's cells that give even bins: constraints/front/.

    .venv/bin/python -m tools.gateware.search ecp5 [--runs N] [--seed N]

The search places each channel's and output's flip-flops at random around its look-up table, and
nextpnr places and routes the rest. It changes the best results a little and tries again. Every
build locks the best routes. Progress goes to stderr.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from dataclasses import dataclass, replace
from fractions import Fraction

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, Module, Mux, Signal

from plexor_hdl.build.emit import rtlil_for_synthesis
from plexor_hdl.front.front_end import FrontEnd
from plexor_hdl.front.sampler import first_name, seen_name
from plexor_hdl.front.serialiser import last_name, table_names
from tools.gateware import hop_places, macro
from tools.gateware.board import CONSTRAINTS
from tools.gateware.families import FAMILIES, Family
from tools.gateware.flow import BUILD, ToolError, run, synthesise
from tools.gateware.sdf import Delays
from tools.gateware.skew import SAMPLER, SERIALISER, bins, lags_ps

COPIES = 8
KEPT = 16
"""Number of the best places so far that are changed and tried again."""
AGAIN = 0.7
"""Share of trials that change one of these."""


class Alone(Elaboratable):
    """A front-end between shift registers, only for the places of its cells."""

    def __init__(self, family: Family, copies: int) -> None:
        self.front = FrontEnd(
            family.module, family.pll(*map(Fraction, family.clocks_mhz)), copies, copies
        )
        self.given = Signal()
        self.taken = Signal()
        front = self.front
        self.ports = [front.reference, front.channels, front.outputs, self.given, self.taken]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.front = front = self.front
        m.domains.sync = ClockDomain(reset_less=True)
        seen, shown, beat = Signal(len(front.samples)), Signal(len(front.drives)), Signal(4)
        m.d.sync += [
            beat.eq(beat + 1),
            seen.eq(Mux(beat == 0, front.samples, Cat(self.given, seen))),
            shown.eq(Cat(self.given, shown)),
        ]
        m.d.comb += [
            ClockSignal().eq(front.core),
            front.drives.eq(shown),
            front.input_select.eq(shown),
            front.loopback_output.eq(shown[2:]),
            self.taken.eq(seen[-1]),
        ]
        return m


Place = tuple[int, int, str]
"""Place of a cell: tiles from the origin, and position in the tile."""


@dataclass(frozen=True)
class Found:
    """Places that were routed, and their routes. `spread_ps` is the spread of the lags."""

    spread_ps: int
    places: list[Place]
    macro: macro.Macro


@dataclass(frozen=True)
class Names:
    """Names of a macro's cells, tables first, with macro.NUMBER, and of its nets."""

    tables: list[str]
    flip_flops: list[str]
    nets: list[str]

    @property
    def cells(self) -> list[str]:
        return [*self.tables, *self.flip_flops]


def names(family: Family, kind: str) -> Names:
    """Return the names of a kind's macro."""
    number, phases = macro.NUMBER, range(family.phases)
    if kind == "sampler":
        seen = f"{SAMPLER}.{seen_name(number)}"
        firsts = [family.flip_flop(f"{SAMPLER}.{first_name(number, n)}", n) for n in phases]
        return Names([seen + family.table], firsts, [seen])
    nets = [f"{SERIALISER}.{last_name(number, n)}" for n in phases]
    flip_flops = [family.flip_flop(net, n) for n, net in enumerate(nets)]
    tables = dict.fromkeys(name for n in phases for name in table_names(number, len(phases), n))
    inner = [f"{SERIALISER}.{table.removesuffix('_table')}" for table in tables][: len(tables) - 1]
    return Names([f"{SERIALISER}.{table}" for table in tables], flip_flops, [*nets, *inner])


def drawn(rnd: random.Random, family: Family, kind: str) -> list[Place]:
    """Return random places of each phase's flip-flop, and of the tables, one below the other."""
    places = [(0, row, family.table_bel) for row in range(len(names(family, kind).tables))]
    for _ in range(family.phases):
        places.append(_free(rnd, family, places))
    return places


def changed(rnd: random.Random, family: Family, kind: str, places: list[Place]) -> list[Place]:
    """Return the places with one or two flip-flops moved."""
    places = list(places)
    for _ in range(rnd.choice((1, 1, 2))):
        at = rnd.randrange(len(names(family, kind).tables), len(places))
        places[at] = _free(rnd, family, places)
    return places


def _free(rnd: random.Random, family: Family, places: list[Place]) -> Place:
    """Return a place in an unused tile, because a tile's flip-flops share clock and edge."""
    taken = {place[:2] for place in places}
    while True:
        x, y = (rnd.randint(-family.reach, family.reach) for _ in range(2))
        if (x, y) not in taken:
            return x, y, rnd.choice(family.flip_flop_bels)


class Search:
    """Tries places, many at once, and keeps the best of each kind with their routes."""

    def __init__(self, family: Family, seed: int) -> None:
        self._family, self._random = family, random.Random(seed)
        self._folder = BUILD / "search" / family.name
        self._copies = len(family.origins) // 2
        top = Alone(family, self._copies)
        self._netlist = synthesise(
            self._folder, rtlil_for_synthesis(top, "top", top.ports), family.name
        )
        self.best: dict[str, list[Found]] = {"sampler": [], "serialiser": []}

    def trial(self) -> None:
        """Place and route a design with different places in each copy; keep improvements."""
        family, netlist = self._family, copy.deepcopy(self._netlist)
        tried: list[tuple[str, int, tuple[int, int], list[Place]]] = []
        for at, origin in enumerate(family.origins):
            kind, number = ("sampler", "serialiser")[at % 2], at // 2
            places = self._next(kind)
            cells = dict(zip(names(family, kind).cells, places, strict=True))
            macro.Macro(cells, {}).put(netlist["modules"]["top"], number, origin)
            tried.append((kind, number, origin, places))
        (self._folder / "trial.json").write_text(json.dumps(netlist))
        if family.clock_site:
            (self._folder / "trial.pcf").write_text(f"set_io reference {family.clock_site}\n")
        code, _ = run(
            self._folder,
            "trial.log",
            f"yowasp-nextpnr-{family.tool}",
            *(*family.device, *family.options, "--json", "trial.json"),
            *("--write", "placed.json", "--sdf", "placed.sdf", "--timing-allow-fail"),
        )
        if code:
            return
        delays = Delays(self._folder / "placed.sdf")
        placed = json.loads((self._folder / "placed.json").read_text())["modules"]["top"]
        for kind, number, origin, places in tried:
            lags = lags_ps(kind, family, delays, number)
            of = names(family, kind)
            called = {name: family.after(name, table=name in of.tables) for name in of.cells}
            taken = macro.taken(placed, number, origin, called, of.nets)
            taken = replace(taken, lags_ps=tuple(lags))
            found = Found(max(lags) - min(lags), places, taken)
            self.best[kind] = sorted([*self.best[kind], found], key=lambda one: one.spread_ps)[
                :KEPT
            ]

    def _next(self, kind: str) -> list[Place]:
        best = self.best[kind]
        if best and self._random.random() < AGAIN:
            chosen = self._random.choice(best).places
            return changed(self._random, self._family, kind, chosen)
        return drawn(self._random, self._family, kind)


def main() -> int:
    """Search, and write the best of each kind."""
    parser = argparse.ArgumentParser(prog="python -m tools.gateware.search", description=__doc__)
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--runs", type=int, default=40, help="number of designs to place and route")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    family = FAMILIES[options.family]
    try:
        search = Search(family, options.seed)
        for number in range(1, options.runs + 1):
            search.trial()
            spreads = (
                f"{kind} {best[0].spread_ps} ps" for kind, best in search.best.items() if best
            )
            print(f"search: run {number} of {options.runs}: {', '.join(spreads)}", file=sys.stderr)
    except ToolError as error:
        print(f"search: {error}", file=sys.stderr)
        return 1
    pll = family.pll(*map(Fraction, family.clocks_mhz))
    times_ps = [pll.phase_ps(phase) for phase in range(family.phases)]
    for kind, best in search.best.items():
        if not best:
            print(
                f"search: {kind}: none of {options.runs} placements could be routed",
                file=sys.stderr,
            )
            return 1
        lags = best[0].macro.lags_ps
        found = bins(times_ps, lags, 1e6 / family.clocks_mhz[1])
        figures = f"widest {found.widest_ps:.0f} ps, RMS {found.rms_ps():.0f} ps"
        print(f"{kind}: lags {lags} ps, {figures}")
    chosen: dict[str, macro.Macro] = {}
    for kind, best in search.best.items():
        found = best[0].macro
        behind = hop_places.places(family, kind, found) if family.hop_bels else {}
        chosen[kind] = replace(found, cells=found.cells | behind)
    macro.write(CONSTRAINTS / "front" / f"{family.name}.json", chosen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
