# SPDX-License-Identifier: Apache-2.0
"""The matcher's input: finds what a beat means to each channel, before the beat's turn."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_STEP
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import CHANNEL
from plexor_hdl.interfaces import Beat, block_layout, several_kinds

ROUND_BIT = 14
"""Bit of the time. The first event after it changes makes the matcher look at all channels."""
PROMPT_ROUND_BIT = 20
"""The same in a build that measures several kinds: it looks for expired strikes anyway, because
they must expire no later than at the first event after their time-out. The round only keeps ages in
range."""


def round_bit(geometry: Geometry) -> int:
    """Return the bit of the time whose change makes the matcher look at all channels."""
    return PROMPT_ROUND_BIT if several_kinds(geometry) else ROUND_BIT


class Accepted(data.StructLayout):
    """A beat, and what it means.

    `whole_round`: every channel must be looked at. `own` and `struck` have a bit for each channel:
    the beat is its active edge, or its strike. `channel` is that of the source. `back`: the beat is
    a trailing edge of it that is measured. `step`: the beat is the end of a step.
    """

    def __init__(self, geometry: Geometry) -> None:
        super().__init__(
            {
                "beat": Beat(geometry),
                "whole_round": 1,
                "own": geometry.channels,
                "struck": geometry.channels,
                "channel": max(geometry.key_bits, 1),
                "back": int(several_kinds(geometry)),
                "step": int(SOURCE_STEP in geometry.sources),
            }
        )


class Accept(wiring.Component):
    """Takes a beat, finds what it is to each channel, and holds it until its turn comes.

    The next beat is taken once the one that is held has gone by `take`.

    Latency: 1 clock from `i_beat` to `o_accepted`.
    Throughput: one beat each 2 clocks.
    Reset: none is held.
    Wrap: none of its own. An event is a reason to look at all channels where the time's round_bit
        has changed, so that no time gets too old to tell.
    Full: `i_ready` is low while a beat is held.

    Ports:
        channels: The registers of each channel.
        i_valid: `i_beat` stands.
        i_ready: The beat is taken.
        i_beat: An event, or only the news of the time.
        take: The beat that is held goes, in a clock with `valid`.
        valid: A beat is held.
        o_accepted: The beat and what it is; valid with `valid`.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        channels = geometry.channels
        super().__init__(
            {
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), channels)),
                "i_valid": In(1),
                "i_ready": Out(1, init=1),
                "i_beat": In(Beat(geometry)),
                "take": In(1),
                "valid": Out(1),
                "o_accepted": Out(Accepted(geometry)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        beat, event, accepted = self.i_beat, self.i_beat.event, self.o_accepted
        ends_step = event.source == SOURCE_STEP
        whole_round = Signal()
        round_before = Signal()
        bit = event.time_ticks[round_bit(self._geometry)]
        m.d.comb += whole_round.eq(~beat.is_event | (round_before ^ bit))
        if len(accepted.step):
            m.d.comb += whole_round.eq(~beat.is_event | (round_before ^ bit) | ends_step)
        with m.If(self.i_ready):
            own = []
            for number, channel in enumerate(self.channels):
                enabled = beat.is_event & channel.enable
                own.append(enabled & (event.source == SOURCE_CHANNEL + number))
                m.d.sync += [
                    accepted.own[number].eq(own[-1] & event.polarity),
                    accepted.struck[number].eq(
                        enabled
                        & (event.source == channel.reference_source)
                        & (event.polarity == channel.reference_polarity)
                    ),
                ]
            m.d.sync += [
                accepted.beat.eq(beat),
                # The sources' numbers begin with those of channels.
                accepted.channel.eq(event.source),
                accepted.whole_round.eq(whole_round),
            ]
            if len(accepted.back):
                is_own = Signal(len(own))
                m.d.comb += [bit.eq(each) for bit, each in zip(is_own, own, strict=True)]
                m.d.sync += accepted.back.eq(is_own.any() & ~event.polarity)
            if len(accepted.step):
                m.d.sync += accepted.step.eq(beat.is_event & ends_step)
        with m.If(self.i_ready & self.i_valid):
            m.d.sync += round_before.eq(bit)
        m.d.sync += [
            self.valid.eq(Mux(self.i_ready, self.i_valid, ~self.take)),
            self.i_ready.eq(Mux(self.i_ready, ~self.i_valid, self.take)),
        ]
        return m
