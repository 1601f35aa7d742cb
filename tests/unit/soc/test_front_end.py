"""The coarse pins: words to pins and back, tick by tick, and what is sampled in place of pins."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterable
from types import SimpleNamespace

import pytest
from migen import Signal
from migen.sim import run_simulation

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import InputSelect
from plexor_soc.front_end import LOOP_CLOCKS, SAMPLES, CoarsePins

GEOMETRY = Geometry(channels=3, strikes=2, samples=SAMPLES, phases=1)
TICK, TICKS = 10, 400
CLOCKS = {"fast": TICK, "core": (SAMPLES * TICK, SAMPLES * TICK // 2 - TICK // 2), "sys": TICK}
"""Every edge of the core's clock is one of `fast`."""
FULL = 12
"""Core clocks until every word is of a time after the start."""


class Bench:
    """Pins with a core and pads of signals; each strike's pad is read back as it is driven."""

    def __init__(self, select: InputSelect, output: int = 0) -> None:
        channels, strikes = GEOMETRY.channels, GEOMETRY.strikes
        self.core = SimpleNamespace(
            geometry=GEOMETRY,
            clock_domain="core",
            samples=Signal(channels * SAMPLES),
            strikes=Signal(strikes * SAMPLES),
            load=Signal(),
            gate=Signal(),
            input_select=Signal(2, reset=select),
            loopback_output=Signal(3, reset=output),
        )
        self.pads = SimpleNamespace(
            channels=Signal(channels),
            strikes=Signal(strikes),
            backs=Signal(strikes),
            source=Signal(),
            load=Signal(),
            gate=Signal(),
        )
        self.pins = CoarsePins(self.core, self.pads)
        self.pins.comb += self.pads.backs.eq(self.pads.strikes)
        self.random = random.Random(7)
        self.sent: list[int] = []
        self.seen: list[int] = []
        self.ticks: list[SimpleNamespace] = []

    def run(self) -> None:
        run_simulation(
            self.pins, {"core": [self._words()], "fast": [self._levels()]}, clocks=CLOCKS
        )

    def _words(self) -> Generator:
        """Strike at random, by words; the load changes with every fourth."""
        core = self.core
        for clock in range(TICKS // SAMPLES):
            yield core.strikes.eq(self.random.getrandbits(GEOMETRY.strikes * SAMPLES))
            yield core.load.eq(clock >> 2 & 1)
            yield
            self.sent.append((yield core.strikes))
            self.seen.append((yield core.samples))

    def _levels(self) -> Generator:
        """Drive channels and the source at random, and note every pad, tick by tick."""
        pads = self.pads
        for _ in range(TICKS):
            yield pads.channels.eq(self.random.getrandbits(GEOMETRY.channels))
            yield pads.source.eq(self.random.getrandbits(1))
            yield
            self.ticks.append(
                SimpleNamespace(
                    channels=(yield pads.channels),
                    source=(yield pads.source),
                    strikes=(yield pads.strikes),
                    load=(yield pads.load),
                )
            )

    def samples(self, channel: int) -> list[int]:
        """Return a channel's samples, the oldest first."""
        return bits(word >> channel * SAMPLES for word in self.seen)


def bits(words: Iterable[int]) -> list[int]:
    return [word >> tick & 1 for word in words for tick in range(SAMPLES)]


def delay(earlier: list[int], later: list[int]) -> int:
    """Return by how many ticks one is behind the other; there is just one such number."""
    start, end = FULL * SAMPLES, TICKS - FULL * SAMPLES
    (ticks,) = (
        ticks
        for ticks in range(FULL * SAMPLES)
        if later[start + ticks : end + ticks] == earlier[start:end]
    )
    return ticks


@pytest.mark.parametrize("output", range(GEOMETRY.strikes))
def test_strikes_looped_back_are_the_samples_of_every_channel_loop_clocks_later(output):
    bench = Bench(InputSelect.LOOPBACK, output)
    bench.run()
    sent = bits(word >> output * SAMPLES for word in bench.sent)
    for channel in range(GEOMETRY.channels):
        assert delay(sent, bench.samples(channel)) == LOOP_CLOCKS * SAMPLES


def test_each_tick_of_a_pin_is_a_sample_of_its_channel():
    bench = Bench(InputSelect.PINS)
    bench.run()
    delays = {
        delay([tick.channels >> channel & 1 for tick in bench.ticks], bench.samples(channel))
        for channel in range(GEOMETRY.channels)
    }
    assert len(delays) == 1


def test_the_oscillator_comes_to_all_channels_at_once():
    bench = Bench(InputSelect.ASYNCHRONOUS)
    bench.run()
    source = [tick.source for tick in bench.ticks]
    assert len({delay(source, bench.samples(n)) for n in range(GEOMETRY.channels)}) == 1


@pytest.mark.parametrize(
    ("select", "output"), [(InputSelect.LOW, 0), (InputSelect.LOOPBACK, GEOMETRY.strikes)]
)
def test_nothing_is_seen_of_pins_that_are_not_chosen(select, output):
    bench = Bench(select, output)
    bench.run()
    assert not any(bench.seen)


def test_the_load_comes_to_its_pad_with_the_strikes_of_its_clock():
    bench = Bench(InputSelect.PINS)
    bench.run()
    strike = delay(bits(bench.sent), [tick.strikes & 1 for tick in bench.ticks])
    changes = [n for n in range(1, TICKS) if bench.ticks[n].load != bench.ticks[n - 1].load]
    assert changes
    # With the first tick of every fourth word.
    assert {(change - strike) % (4 * SAMPLES) for change in changes} == {0}
