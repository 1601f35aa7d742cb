"""Skipping idle clocks: how a simulation passes time in which nothing but counters would change.

In one clock with `skip` = n everything does what it does in a clock, and counters of clocks count
n x SKIP_CLOCKS more. `room` is how large n may be without a counter running out: never more than
what its next event leaves, often less, 0 where the counter cannot tell at once. Where `skip` is not
connected it is 0 and synthesis removes it: only simulated instruments have it.
"""

from amaranth.hdl import Mux, Value

from plexor_hdl import SKIP_BITS, SKIP_CLOCKS

SKIP_SHIFT = SKIP_CLOCKS.bit_length() - 1
MOST = (1 << SKIP_BITS) - 1
MARGIN = 1
"""Units kept back, for a `room` that is some clocks old."""


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
