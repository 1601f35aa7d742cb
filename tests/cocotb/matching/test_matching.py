"""Matcher and measure with thousands of random events; random_events.py has the claims."""

from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import CHANNEL, MATCHER
from plexor_hdl.interfaces import Beat, block_layout
from plexor_hdl.matcher import Matcher
from plexor_hdl.measure import Measure
from plexor_hdl.outcome import LaneCounts

from ..bench import check
from ..clocked import Seen

HERE = Path(__file__).parent


class Matching(wiring.Component):
    """Matcher and measure, their ports as streams."""

    def __init__(self, geometry: Geometry) -> None:
        self._matcher = Matcher(geometry, 1)
        self._measure = Measure(geometry)
        channels = geometry.channels
        super().__init__(
            {
                "clear": In(1),
                "settings": In(block_layout(MATCHER)),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), channels)),
                "i_beats": In(stream.Signature(Beat(geometry))),
                "o_latencies": Out(Seen(self._measure.o_latency.shape())),
                "o_intervals": Out(Seen(self._measure.o_interval.shape())),
                "o_classes": Out(Seen(self._measure.o_class.shape())),
                "finished": Out(1),
                "counts": Out(data.ArrayLayout(LaneCounts, channels)),
                "pending": Out(data.ArrayLayout(32, channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.matcher = matcher = self._matcher
        m.submodules.measure = measure = self._measure
        m.d.comb += [
            matcher.clear.eq(self.clear),
            matcher.settings.eq(self.settings),
            matcher.channels.eq(self.channels),
            matcher.i_valid.eq(self.i_beats.valid),
            self.i_beats.ready.eq(matcher.i_ready),
            matcher.i_beat.eq(self.i_beats.payload),
            measure.i_outcome.eq(matcher.o_outcome),
            measure.i_coming.eq(matcher.o_coming),
            self.o_latencies.valid.eq(measure.o_latency_valid),
            self.o_latencies.payload.eq(measure.o_latency),
            self.o_intervals.valid.eq(measure.o_interval_valid),
            self.o_intervals.payload.eq(measure.o_interval),
            self.o_classes.valid.eq(measure.o_class_valid),
            self.o_classes.payload.eq(measure.o_class),
            self.finished.eq(matcher.final),
            self.counts.eq(matcher.counts[0]),
            self.pending.eq(matcher.pending),
        ]
        for channel, deadline in zip(self.channels, measure.deadlines, strict=True):
            m.d.comb += deadline.eq(channel.deadline_ticks)
        return m


def matched(channels: int, events: int) -> None:
    """Run the claims of random_events.py with so many events each."""
    geometry = Geometry(channels=channels, strikes=2, queue_depth=8)
    environment = {"EVENTS": str(events), "CHANNELS": str(channels)}
    test = HERE / "random_events.py"
    check(Matching(geometry), f"matching_{channels}", test, environment=environment)


def test_thousands_of_random_events_are_matched_as_the_golden_model_does():
    matched(3, 2500)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("channels", [1, 3, 8])
def test_tens_of_thousands_of_random_events_are_matched_as_the_golden_model_does(channels):
    matched(channels, 30_000)
