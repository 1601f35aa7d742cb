"""Either matcher with thousands of random events; random_events.py has the claims."""

from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import CHANNEL, MATCHER
from plexor_hdl.interfaces import Beat, Sample, block_layout, paced
from plexor_hdl.matcher import Matcher
from plexor_hdl.measure import ClassBeat, Measure
from plexor_hdl.outcome import LaneCounts
from plexor_hdl.paced_matcher import PacedMatcher

from ..bench import check
from ..clocked import Seen

HERE = Path(__file__).parent


class Matching(wiring.Component):
    """The build's matcher and what measures its outcomes, their ports as streams."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        channels = geometry.channels
        sample = Sample(geometry.key_bits + 1)
        intervals = Feature.INTERVALS in geometry.features
        super().__init__(
            {
                **({"o_intervals": Out(Seen(sample))} if intervals else {}),
                "clear": In(1),
                "settings": In(block_layout(MATCHER)),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), channels)),
                "i_beats": In(stream.Signature(Beat(geometry))),
                "o_latencies": Out(Seen(sample)),
                "o_classes": Out(Seen(ClassBeat(max(geometry.key_bits, 1)))),
                "finished": Out(1),
                "counts": Out(data.ArrayLayout(LaneCounts, channels)),
                "pending": Out(data.ArrayLayout(32, channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        if paced(self._geometry):
            m.submodules.matcher = matcher = measure = PacedMatcher(self._geometry)
            for counts, strobes in zip(self.counts, matcher.strobes, strict=True):
                for name in LaneCounts.as_shape().members:
                    with m.If(self.clear):
                        m.d.sync += counts[name].eq(0)
                    with m.Elif(strobes[name]):
                        m.d.sync += counts[name].eq(counts[name] + 1)
        else:
            m.submodules.matcher = matcher = Matcher(self._geometry, 1)
            m.submodules.measure = measure = Measure(self._geometry)
            m.d.comb += [
                measure.i_outcome.eq(matcher.o_outcome),
                measure.i_coming.eq(matcher.o_coming),
                self.counts.eq(matcher.counts[0]),
                self.o_intervals.valid.eq(measure.o_interval_valid),
                self.o_intervals.payload.eq(measure.o_interval),
            ]
        m.d.comb += [
            matcher.clear.eq(self.clear),
            matcher.settings.eq(self.settings),
            matcher.channels.eq(self.channels),
            matcher.i_valid.eq(self.i_beats.valid),
            self.i_beats.ready.eq(matcher.i_ready),
            matcher.i_beat.eq(self.i_beats.payload),
            self.o_latencies.valid.eq(measure.o_latency_valid),
            self.o_latencies.payload.eq(measure.o_latency),
            self.o_classes.valid.eq(measure.o_class_valid),
            self.o_classes.payload.eq(measure.o_class),
            self.finished.eq(matcher.final),
            self.pending.eq(matcher.pending),
        ]
        for channel, deadline in zip(self.channels, measure.deadlines, strict=True):
            m.d.comb += deadline.eq(channel.deadline_ticks)
        return m


def matched(channels: int, events: int, features: Feature = ALL_FEATURES) -> None:
    """Run the claims of random_events.py with so many events each."""
    geometry = Geometry(channels=channels, strikes=2, queue_depth=8, features=features)
    environment = {
        "EVENTS": str(events),
        "CHANNELS": str(channels),
        "FEATURES": str(int(features)),
    }
    test = HERE / "random_events.py"
    name = f"matching_{channels}_{int(features)}"
    check(Matching(geometry), name, test, environment=environment)


@pytest.mark.parametrize(
    "features", [ALL_FEATURES, pytest.param(Feature(0), marks=pytest.mark.full)]
)
def test_thousands_of_random_events_are_matched_as_the_golden_model_does(features):
    matched(3, 1000, features)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("features", [ALL_FEATURES, Feature(0)])
@pytest.mark.parametrize("channels", [1, 3, 8])
def test_tens_of_thousands_of_random_events_are_matched_as_the_golden_model_does(
    channels, features
):
    matched(channels, 30_000, features)
