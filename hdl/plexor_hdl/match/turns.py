# SPDX-License-Identifier: Apache-2.0
"""The matcher's turns: chooses the next channel to look at or to strike, and ends beats.

A beat takes 2 clocks, and 2 more for each further channel that it strikes. A response takes
LOOK_CLOCKS, and a measured trailing edge BACK_CLOCKS. Both take 2 more for each channel that they
strike.

If a strike finds a channel's queue full, the channel is looked at first, for LOOK_CLOCKS + 2 more.
Each strike that has expired there, or before a response, takes LOOK_CLOCKS. So does each held
response. A held response that is joined to a strike takes LOOK_CLOCKS + 2.

A beat without an event makes the matcher look at all channels. So does one event in 2**ROUND_BIT
ticks. In a build that measures several kinds it is one event in 2**PROMPT_ROUND_BIT ticks. Such a
build also looks at all waiting channels before any event at which something may have expired. It
then takes 9 clocks more to find the next time when that can be. Nothing can have expired while all
that waits is answered within half the time-out.

In such a build a beat that looks at other channels first takes a clock more. In other builds a beat
with a measured response does.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.capture.merge import encode, lowest
from plexor_hdl.interfaces import several_kinds
from plexor_hdl.match.horizon import Horizon

LOOK_CLOCKS = 8
"""Clocks from the choice of a channel to the decision about its oldest strike and its response."""
BACK_CLOCKS = 4
"""Clocks for a trailing edge that is measured."""


class Look:
    """State that the parts of the matcher share: the beat, the present look, and its results."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        # Whether a beat can give values of several kinds. Only such a build knows early responses,
        # labels its results with events, and lets strikes expire promptly.
        self.several = several_kinds(geometry)
        count, channel_bits = geometry.channels, max(geometry.key_bits, 1)

        def signal(name: str, width: int = 1, init: int = 0) -> Signal:
            return Signal(width, name=name, init=init)

        # Channels still to be looked at, channels to be struck, and the channel that responds.
        self.looks, self.strikes = signal("looks", count), signal("strikes", count)
        self.channel, self.responds = signal("channel", channel_bits), signal("responds")
        self.time_n, self.final = signal("time_n", VALUE_BITS), signal("final_beat")
        # The first channel to be struck is registered: `strikes` changes at least 2 clocks before.
        self.first, self.struck = signal("first", count), signal("struck", count)
        self.number = signal("number", channel_bits)
        self.idle, self.choosing = signal("idle", init=1), signal("choosing")
        self.pushing = signal("pushing")
        # `holding`: the look is at a held response. `joining`: it is at one that this beat's strike
        # answers. `fresh`: it is the beat's first look.
        self.holding, self.joining = signal("holding"), signal("joining")
        self.fresh, self.kept = signal("fresh"), signal("kept")
        self.step, self.back = signal("looked", LOOK_CLOCKS), signal("back", BACK_CLOCKS)
        # Results of the look, in its last clock. `done` is the beat's last clock.
        self.decided, self.expired = signal("decided"), signal("expired")
        self.matched, self.responded = signal("matched"), signal("responded")
        self.settled, self.joins, self.hold = signal("settled"), signal("joins"), signal("hold")
        self.done = signal("done")
        self.takes, self.may, self.room = signal("takes"), signal("may"), signal("has_room")
        # Whether the looked-at channel holds its response; whether its last match was a joined one.
        self.holds_here, self.joined_here = signal("holds_here"), signal("joined_here")
        # Channels with outstanding strikes, with a full queue, with a held response, and the one
        # whose oldest strike leaves its queue.
        self.some, self.full = signal("some", count), signal("full", count)
        self.popped, self.holds = signal("popped_here", count), signal("holds", count)
        self.early, self.latest = signal("early"), signal("latest")
        self.windowed = signal("windowed")
        # Strobes when the horizon must be found again.
        self.renews = signal("renews")


def take_turns(m: Module, s: Look, accepted: data.View, horizon: Horizon | None) -> None:
    """Take beats, choose the channels to look at and to strike, and end the beats."""
    numbers = range(s.geometry.channels)
    count = len(numbers)
    looking, left, joinable = Signal(), Signal(), Signal(count)
    # These delay the choice if the channels to look at are found in a clock of its own.
    soon, picked_r = Signal(), Signal(count)
    # High in the clock after a push, and after a trailing edge.
    upper, backed = Signal(), Signal()
    m.d.comb += [
        s.decided.eq(s.step[-1]),
        s.struck.eq(s.first & s.pushing.replicate(count)),
    ]
    m.d.sync += [
        s.kept.eq(s.decided),
        upper.eq(s.pushing),
        backed.eq(s.back[-1]),
        s.step.eq(s.step << 1),
        s.back.eq(s.back << 1),
        looking.eq(s.looks.any()),
        left.eq(s.looks.any() | s.strikes.any()),
        s.choosing.eq(soon),
        soon.eq(0),
        s.pushing.eq(0),
        s.first.eq(lowest(s.strikes)),
        s.number.eq(encode(lowest(s.strikes), numbers)),
        s.idle.eq(s.done | (s.idle & ~s.takes)),
    ]
    # `asked` are the channels to be looked at first. The responding channel is looked at anyway.
    own, is_back, asked = Signal(), Signal(), Signal(count)
    wanted = accepted.struck & (s.full | s.holds)
    if s.several:
        # It includes what the previous beat has pushed or held.
        waits = Signal(count)
        here = Cat(s.decided & (s.channel == number) for number in numbers)
        m.d.sync += waits.eq(s.some | s.holds | s.struck | here)
        wanted = wanted | (waits & horizon.beyond.replicate(count))
    m.d.comb += [
        own.eq(accepted.own.any()),
        asked.eq((accepted.whole_round.replicate(count) | wanted) & ~accepted.own),
    ]
    stored = s.kept & (accepted.channel == s.channel)
    joined_here = Const(0)
    if s.several:
        m.d.comb += is_back.eq(accepted.back)
        joined = _joined(m, s)
        joined_here = joined.bit_select(accepted.channel, 1)
        with m.If(s.takes):
            m.d.sync += s.joined_here.eq(joined_here)
    with m.If(s.takes):
        others = ~own & ~is_back
        m.d.sync += [
            s.looks.eq(asked),
            looking.eq(asked.any()),
            s.strikes.eq(accepted.struck),
            s.first.eq(lowest(accepted.struck)),
            s.number.eq(encode(lowest(accepted.struck), numbers)),
            s.channel.eq(accepted.channel),
            s.responds.eq(own),
            s.fresh.eq(own),
            # Normally this is step 1. If the channel's last match is still being stored, or is a
            # joined one elsewhere in the memory, it is step 0.
            s.step[:2].eq(Mux(stored | joined_here, own, own << 1)),
            s.back[1].eq(is_back),
            (soon if s.several else s.choosing).eq(asked.any() & others),
            s.pushing.eq(~asked.any() & others),
            s.final.eq(accepted.beat.final),
            s.time_n.eq(~accepted.beat.event.time_ticks),
        ]
    picked = lowest(s.looks)
    if s.several:
        m.d.comb += joinable.eq(s.strikes & s.holds)
        with m.If(s.takes):
            m.d.sync += s.holding.eq(own & s.holds.bit_select(accepted.channel, 1))
        m.d.sync += picked_r.eq(lowest(Mux(looking, s.looks, joinable)))
        picked = picked_r
    with m.If(s.choosing & s.room):
        m.d.sync += [
            s.channel.eq(encode(picked, numbers)),
            s.looks.eq(s.looks & ~picked),
            s.step[0].eq(1),
        ]
        if s.several:
            m.d.sync += [
                s.holding.eq(looking & (picked & s.holds).any()),
                s.joining.eq(~looking),
                s.joined_here.eq((picked & joined).any()),
                s.strikes.eq(s.strikes & ~(picked & ~looking.replicate(count))),
            ]
    with m.Elif(s.choosing):
        m.d.sync += s.choosing.eq(1)
    with m.If(s.pushing):
        m.d.comb += s.done.eq(~(s.strikes & ~s.first).any())
        m.d.sync += s.strikes.eq(s.strikes & ~s.first)
    again = s.expired | (s.decided & s.holding)
    with m.If(again):
        m.d.sync += [s.step[0].eq(1), s.holding.eq(0)]
    with m.Elif(s.decided):
        m.d.comb += s.done.eq(~left)
        m.d.sync += [s.responds.eq(0), s.joining.eq(0)]
    with m.If(s.decided):
        m.d.sync += s.fresh.eq(0)
    with m.If(s.back[-1]):
        m.d.comb += s.done.eq(~left)
    with m.If(~s.idle & (upper | backed | (s.kept & ~s.step[0]))):
        more = looking | joinable.any()
        m.d.sync += [s.choosing.eq(more), s.pushing.eq(~more)]


def _joined(m: Module, s: Look):
    """Return a flag for each channel: whether its last matched strike was a joined one."""
    joined = Signal(len(s.holds))
    for number in range(len(joined)):
        with m.If((s.joins | s.matched) & (s.channel == number)):
            m.d.sync += joined[number].eq(s.joins)
    return joined
