# SPDX-License-Identifier: Apache-2.0
"""The matcher with thousands of random events; random_events.py has the claims."""

from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import CHANNEL, MATCHER
from plexor_hdl.interfaces import Beat, Decision, Measured, block_layout
from plexor_hdl.match.matcher import Matcher

from ..bench import check
from ..clocked import Seen

HERE = Path(__file__).parent


class Matching(wiring.Component):
    """The matcher, its ports as streams; there is always room, and every step goes on."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        channels = geometry.channels
        super().__init__(
            {
                "clear": In(1),
                "settings": In(block_layout(MATCHER)),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), channels)),
                "i_beats": In(stream.Signature(Beat(geometry))),
                "o_values": Out(stream.Signature(Measured(geometry))),
                "o_decisions": Out(Seen(Decision(geometry))),
                "finished": Out(1),
                "pending": Out(data.ArrayLayout(32, channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.matcher = matcher = Matcher(self._geometry)
        m.d.comb += [
            matcher.clear.eq(self.clear),
            matcher.settings.eq(self.settings),
            matcher.channels.eq(self.channels),
            matcher.i_valid.eq(self.i_beats.valid),
            self.i_beats.ready.eq(matcher.i_ready),
            matcher.i_beat.eq(self.i_beats.payload),
            matcher.room.eq(1),
            self.o_decisions.valid.eq(matcher.o_decision_valid),
            self.o_decisions.payload.eq(matcher.o_decision),
            self.finished.eq(matcher.final),
            self.pending.eq(matcher.pending),
        ]
        wiring.connect(m, matcher.o_measured, wiring.flipped(self.o_values))
        for channel, deadline in zip(self.channels, matcher.deadlines, strict=True):
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


@pytest.mark.full
@pytest.mark.parametrize("features", [ALL_FEATURES, Feature.EVENTS])
def test_thousands_of_random_events_are_matched_as_the_golden_model_does(features):
    matched(3, 1000, features)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("features", [ALL_FEATURES, Feature.EVENTS])
@pytest.mark.parametrize("channels", [1, 3, 8])
def test_tens_of_thousands_of_random_events_are_matched_as_the_golden_model_does(
    channels, features
):
    matched(channels, 30_000, features)
