"""Skipping idle clocks: how a simulation passes time in which nothing but counters would change.

In one clock with `skip` = n everything does what it does in a clock, and counters of clocks count
n x SKIP_CLOCKS more. `room` is how large n may be without a counter running out: never more than
what its next event leaves, often less, 0 where the counter cannot tell at once. Where `skip` is not
connected it is 0 and synthesis removes it: only simulated instruments have it.
"""

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from plexor_hdl import SKIP_BITS, SKIP_CLOCKS

SKIP_SHIFT = SKIP_CLOCKS.bit_length() - 1
MOST = (1 << SKIP_BITS) - 1
MARGIN = 1
"""Units kept back, for a `room` that is some clocks old."""
CALM_CLOCKS = 12
"""Clocks from the last activity seen to all that depends on when it comes: to the trigger."""
WAKE_CLOCKS = 1024
"""The same after reset."""


def room_of(left: Value) -> Value:
    """Return the room of a counter with `left` units of SKIP_CLOCKS to go."""
    rest = (left - MARGIN)[: len(left)]
    return Mux(left <= MARGIN, 0, Mux(rest > MOST, MOST, rest))


def least(rooms: list[Value]) -> Value:
    """Return the least of several rooms."""
    while len(rooms) > 1:
        pairs = [rooms[place : place + 2] for place in range(0, len(rooms), 2)]
        rooms = [Mux(p[0] < p[1], p[0], p[1]) if len(p) > 1 else p[0] for p in pairs]
    return rooms[0]


def allow_skips(m: Module, instrument, moving, counters) -> None:
    """Say how far the time can be skipped, and tell every counter of clocks by how much."""
    awake = Signal(range(WAKE_CLOCKS), init=WAKE_CLOCKS - 1)
    room = least([counter.room for counter in counters])
    # A counter near its end is about to do something.
    with m.If(Cat(*moving).any() | (room == 0)):
        m.d.sync += awake.eq(CALM_CLOCKS - 1)
    with m.Elif(awake.any()):
        m.d.sync += awake.eq(awake - 1)
    # In the clock of a skip the rooms do not know of it yet.
    m.d.sync += instrument.quiet.eq(Mux(awake.any() | instrument.skip.any(), 0, room))
    m.d.comb += [counter.skip.eq(instrument.skip) for counter in counters]
