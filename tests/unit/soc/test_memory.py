# SPDX-License-Identifier: Apache-2.0
"""The deep memory on an SDRAM: how that is started, and that words come back in order."""

from __future__ import annotations

import random
from collections.abc import Generator
from itertools import pairwise
from types import SimpleNamespace

import pytest
from litedram.modules import M12L64322A, MT48LC16M16
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen.sim import passive, run_simulation

from plexor_soc.core import WORD
from plexor_soc.memory import POWER_UP_S, DeepMemory, Sequencer

from .sdram import ALL_BANKS, CAS_LATENCY, Sdram

CLOCK_HZ = 50_000_000
CLOCK_NS = 20
CLOCKS = {"sys": CLOCK_NS, "core": CLOCK_NS // 2}
MODULES = pytest.mark.parametrize(
    ("module", "bits"), [(M12L64322A, 32), (MT48LC16M16, 16)], ids=["i5", "ulx3s"]
)


class Bench(LiteXModule):
    """A deep memory, a core of two endpoints, and an SDRAM."""

    def __init__(self, module, bits: int, depth: int, words=()) -> None:
        self.core = SimpleNamespace(
            geometry=SimpleNamespace(deep_depth=depth),
            clock_domain="core",
            kept=stream.Endpoint(WORD),
            fetched=stream.Endpoint(WORD),
        )
        timing = module(CLOCK_HZ, "1:1")
        self.sdram = Sdram(timing, bits, CLOCK_NS)
        self.memory = DeepMemory(self.core, self.sdram, timing, CLOCK_HZ, power_up_s=1e-7)
        self.words, self.found = words, []

    def last(self, clocks: int) -> Generator:
        """Go on until all words have come back, but not longer than so many clocks."""
        while clocks and len(self.found) < len(self.words):
            clocks -= 1
            yield

    @passive
    def send(self, density: float) -> Generator:
        kept, rng = self.core.kept, random.Random(1)
        for word in self.words:
            while rng.random() >= density:
                yield
            yield kept.data.eq(word)
            yield kept.valid.eq(1)
            yield
            while not (yield kept.ready):
                yield
            yield kept.valid.eq(0)
        while True:
            yield

    @passive
    def receive(self, density: float) -> Generator:
        fetched, rng = self.core.fetched, random.Random(2)
        while True:
            ready = rng.random() < density
            yield fetched.ready.eq(ready)
            yield
            if ready and (yield fetched.valid):
                self.found.append((yield fetched.data))


@MODULES
def test_the_sdram_is_started_as_its_data_sheet_says_before_anything_else(module, bits):
    sdram = Sdram(module(CLOCK_HZ, "1:1"), bits, CLOCK_NS)
    # A controller that wants to refresh all the time.
    wants = Sdram(module(CLOCK_HZ, "1:1"), bits, CLOCK_NS).dfi
    bench = Sequencer(SimpleNamespace(dfi=wants), sdram, CLOCK_HZ, POWER_UP_S)
    bench.comb += [wants.p0.cs_n.eq(0), wants.p0.ras_n.eq(0), wants.p0.cas_n.eq(0)]
    done_clock = []

    def follow() -> Generator:
        clock = 0
        while not (yield bench.done):
            assert (yield sdram.dfi.p0.cke)
            clock += 1
            yield
        done_clock.append(clock)

    run_simulation(bench, [sdram.serve(), follow()])
    start = [command for command in sdram.commands if command.clock < done_clock[0]]
    # ESMT M12L64322A, "Power Up Sequence"; Micron MT48LC16M16A2, "Initialization".
    assert (start[0].name, start[0].address) == ("precharge", ALL_BANKS)
    assert start[0].clock * CLOCK_NS >= 200_000
    names = [command.name for command in start]
    assert names[1:-1] == ["refresh"] * (len(names) - 2)
    assert len(names) >= 4
    assert names[-1] == "mode"
    # Bursts of one word, sequential, CAS latency 2.
    assert sdram.mode == CAS_LATENCY << 4
    clocks = [command.clock for command in start] + done_clock
    # The longest of what must lie between two of them, at 100 MHz.
    assert all(10 * (after - before) >= 66 for before, after in pairwise(clocks))


@pytest.mark.full
@pytest.mark.parametrize(
    ("module", "bits"),
    [(M12L64322A, 32), (MT48LC16M16, 16)],
    ids=["i5", "ulx3s"],
)
def test_words_come_back_as_they_went_through_every_place_of_the_memory(module, bits):
    rng, depth = random.Random(bits), 8
    words = [rng.getrandbits(32) for _ in range(24)]
    bench = Bench(module, bits, depth, words)
    core = [bench.send(0.9), bench.receive(0.5)]
    scripts = {"core": core, "sys": [bench.last(800), bench.sdram.serve()]}
    run_simulation(bench, scripts, clocks=CLOCKS)
    assert bench.found == words
    assert len(bench.sdram.words) == depth * 32 // bits


def test_a_memory_deeper_than_the_sdram_is_refused():
    with pytest.raises(ValueError, match="deep_depth: 4194304; the SDRAM holds 2097152"):
        Bench(M12L64322A, 32, 1 << 22)
