# SPDX-License-Identifier: Apache-2.0
"""Filter, edges, merge and stamp together, with random words; random_words.py has the claims."""

from pathlib import Path

import pytest
from amaranth.hdl import Module, Mux
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCES
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import CHANNEL
from plexor_hdl.capture.capture import Capture
from plexor_hdl.capture.timebase import LOW_BITS, Timebase
from plexor_hdl.interfaces import INDEX_BITS, Beat, block_layout
from plexor_hdl.results.count_memory import COUNT_BITS

from ..bench import check

HERE = Path(__file__).parent


class Capturing(wiring.Component):
    """A capture and its timebase: `words` and `capture` are those of the clock `low`."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(
            {
                "clear": In(1),
                "words": In(geometry.samples * len(geometry.sources)),
                "capture": In(1),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), geometry.channels)),
                "strike_enables": In(geometry.strikes),
                "low": Out(LOW_BITS),
                "idle": Out(1),
                "mended": Out(16),
                "i_end": In(stream.Signature(1)),
                "o_beats": Out(stream.Signature(Beat(geometry))),
                "next_index": Out(INDEX_BITS),
                "generated": Out(data.ArrayLayout(COUNT_BITS, SOURCES)),
                "dropped": Out(data.ArrayLayout(COUNT_BITS, SOURCES)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.timebase = timebase = Timebase(self._geometry)
        m.submodules.capture = capture = Capture(self._geometry)
        for name in ("clear", "channels", "strike_enables"):
            m.d.comb += getattr(capture, name).eq(getattr(self, name))
        for name in ("idle", "mended", "next_index"):
            m.d.comb += getattr(self, name).eq(getattr(capture, name))
        for source, amounts in zip(self._geometry.sources, capture.amounts, strict=True):
            for name in ("generated", "dropped"):
                count = getattr(self, name)[source]
                m.d.sync += count.eq(Mux(self.clear, 0, count + getattr(amounts, name)))
        m.d.sync += [capture.words.eq(self.words), capture.capture.eq(self.capture)]
        m.d.comb += [
            capture.final_valid.eq(self.i_end.valid),
            self.i_end.ready.eq(capture.final_ready),
            capture.low.eq(timebase.low),
            capture.epoch.eq(timebase.epoch),
            capture.last_epoch.eq(timebase.last_epoch),
            self.low.eq(timebase.low),
            self.o_beats.valid.eq(capture.o_valid),
            self.o_beats.payload.eq(capture.o_beat),
            capture.o_ready.eq(self.o_beats.ready),
        ]
        return m


def captured(samples: int, channels: int, clocks: int) -> None:
    """Run the claims of random_words.py with so many clocks each."""
    geometry = Geometry(channels=channels, strikes=2, samples=samples, word_fifo_depth=16)
    environment = {"SAMPLES": str(samples), "CHANNELS": str(channels), "CLOCKS": str(clocks)}
    name = f"capturing_{samples}_{channels}"
    check(Capturing(geometry), name, HERE / "random_words.py", environment=environment)


@pytest.mark.full
def test_random_words_become_the_golden_models_events():
    captured(8, 2, 800)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("samples", [4, 8, 16])
def test_random_words_of_all_channels_become_the_golden_models_events(samples):
    captured(samples, 8, 20_000)
