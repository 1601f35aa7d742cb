# SPDX-License-Identifier: Apache-2.0
"""The front-end as the LiteX systems have it: of its time, on its tick, and wired to the core.

What of a system is between the pads and the core is simulated in picoseconds.
"""

from __future__ import annotations

import bisect
from pathlib import Path
from types import SimpleNamespace

import pytest
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from migen import Cat, ClockDomain, Replicate, Signal

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import InputSelect
from plexor_hdl.build.emit import verilog_of
from plexor_hdl.front import ecp5
from plexor_hdl.front.phases import LOOP_CLOCKS
from plexor_soc.boards import BOARDS
from plexor_soc.front_end import NAME, Pins

from .fronts import Bench, Family, bits, built_of, check, played, random_edges

SOME = ("colorlight-i5", "orangecrab")
"""Two boards, of different clocks."""
WIDTH = 16
MASK = (1 << WIDTH) - 1
MASK_OF_BOTH = (1 << 2 * WIDTH) - 1


def family_of(name: str) -> Family:
    """Return the family at the clocks of a board's system."""
    board = BOARDS[name]
    fast_ps, tick_ps = 10**12 / board.fast_hz, board.geometry.tick_fs / 1000
    return Family(
        name="ecp5",
        module=ecp5,
        pll=board.pll,
        reference_ps=10**12 / board.clock_hz,
        fast_ps=fast_ps,
        phases_ps=tuple(tick_ps * phase for phase in range(ecp5.PHASES)),
        primitives=("ecp5",),
    )


class Alone(LiteXModule):
    """Pins of a core with two channels, a strike and the load, by the ports of the test bench.

    Output 0 of the bench is the strike, the lowest bit of each word of output 1 the load. The gate
    is the pin of channel 0; what the core has of it is shown as the word of a third channel.
    """

    def __init__(self, family: Family) -> None:
        self.reference, self.core = Signal(name="reference"), Signal(name="core")
        self.channels, self.outputs = Signal(3, name="channels"), Signal(2, name="outputs")
        self.samples = Signal(3 * WIDTH, name="samples")
        self.drives = Signal(2 * WIDTH, name="drives")
        self.selection = Signal(2, name="input_select"), Signal(name="loopback_output")
        core = SimpleNamespace(
            geometry=Geometry(channels=2, strikes=1, samples=WIDTH, phases=ecp5.PHASES),
            clock_domain="core",
            samples=Signal(2 * WIDTH),
            strikes=Signal(WIDTH),
            load=Signal(),
            gate=Signal(),
            clock_lost=Signal(),
            input_select=self.selection[0],
            loopback_output=self.selection[1],
        )
        pads = SimpleNamespace(
            channels=self.channels[:2], outputs=self.outputs, gate=self.channels[0]
        )
        self.pins = Pins(core, family.pll, pads, self.reference)
        self.cd_core = ClockDomain(reset_less=True)
        self.comb += [
            self.core.eq(self.pins.core_clock),
            self.cd_core.clk.eq(self.pins.core_clock),
            core.strikes.eq(self.drives[:WIDTH]),
            core.load.eq(self.drives[WIDTH]),
            self.samples.eq(Cat(core.samples, Replicate(core.gate, WIDTH))),
        ]

    def text(self) -> str:
        """Return the Verilog, top `front`, in which the front-end is `front`."""
        ios = {self.reference, self.core, self.channels, self.outputs, self.samples, self.drives}
        top = convert(self, ios | set(self.selection), name="front").main_source
        return top + verilog_of(self.pins.component, NAME)


def bench_of(name: str, folder: Path) -> Bench:
    """Build the test bench of a board's pins."""
    family = family_of(name)
    return built_of(family, folder, Alone(family).text(), channels=3)


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Bench:
    """Return the test bench of the first board's pins."""
    return bench_of(SOME[0], tmp_path_factory.mktemp("front"))


@pytest.mark.full
def test_each_sample_is_the_pins_level_at_its_time(bench, tmp_path):
    check(bench, tmp_path, 2_000)
    check(bench, tmp_path, 500, lag_ps=100.0)


@pytest.mark.full
def test_each_sample_is_the_pins_level_at_its_time_by_another_clock(tmp_path):
    bench = bench_of(SOME[1], tmp_path)
    check(bench, tmp_path, 2_000)
    check(bench, tmp_path, 500, lag_ps=100.0)


@pytest.mark.full
@pytest.mark.parametrize("output", [0, 1])
def test_a_strike_and_the_load_looped_back_are_seen_loop_clocks_later(bench, output, tmp_path):
    edges = random_edges(200, seed=2)
    words = played(bench, tmp_path, edges, select=InputSelect.LOOPBACK, output=output)
    strikes = (word.drives & MASK for word in words)
    loads = (MASK * (word.drives >> WIDTH & 1) for word in words)
    sent = bits(loads if output else strikes, WIDTH)
    assert sent.bit_count() > 500
    # What changes at a tick is a sample of the next one.
    late = sent << LOOP_CLOCKS * WIDTH + 1
    for channel in range(2):
        seen = bits((word.samples >> channel * WIDTH & MASK for word in words), WIDTH)
        assert seen == late & (1 << len(words) * WIDTH) - 1


@pytest.mark.full
def test_the_oscillator_comes_to_both_channels_at_once(bench, tmp_path):
    words = played(bench, tmp_path, random_edges(200, seed=2), select=InputSelect.ASYNCHRONOUS)
    first, second = (
        bits((word.samples >> shift & MASK for word in words), WIDTH) for shift in (0, WIDTH)
    )
    assert first == second
    ticks = len(words) * WIDTH
    changes = (first ^ first >> 1).bit_count()
    assert changes * 3226.7 * 64 == pytest.approx(ticks * 1000, rel=0.01)


@pytest.mark.full
def test_nothing_is_seen_of_pins_that_are_not_chosen(bench, tmp_path):
    words = played(bench, tmp_path, random_edges(200, seed=2), select=InputSelect.LOW)
    assert not any(word.samples & MASK_OF_BOTH for word in words)


@pytest.mark.full
def test_the_core_has_the_gate_as_it_is(bench, tmp_path):
    edges = random_edges(500, seed=3)
    words = played(bench, tmp_path, edges)
    levels = [bisect.bisect_left(edges, word.time_ps) & 1 for word in words]
    assert 100 < sum(levels) < len(levels) - 100
    assert [word.samples >> 2 * WIDTH for word in words] == [MASK * bit for bit in levels]
