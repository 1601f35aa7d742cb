"""What the matcher hands on: responses and edges to measure, strobes and counts of its lanes."""

from amaranth.hdl import signed
from amaranth.lib import data

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.counter import COUNT_BITS
from plexor_hdl.interfaces import TIME_BITS, Beat


class Outcome(data.StructLayout):
    """What the matcher did in one clock.

    At most one response: `matched` with its `latency` (`early` where the strike came second), or
    `unmatched` (`duplicate` or spurious), on `channel`. Beside it the edge that the beat is, on the
    same channel: `active`, or `back` with `rise_answered` of the edge before; `rise_valid` and
    `rise_time` tell of the channel's edge to the active level before it. Time and index are those
    of the beat. What the build's features do not look at is 0 or has no bits.
    """

    def __init__(self, geometry: Geometry) -> None:
        beat = Beat(geometry)["event"].shape
        super().__init__(
            {
                "matched": 1,
                "early": 1,
                "unmatched": 1,
                "duplicate": 1,
                "active": 1,
                "back": 1,
                "rise_answered": 1,
                "rise_valid": 1,
                "channel": max(geometry.key_bits, 1),
                "latency": signed(VALUE_BITS),
                "rise_time": TIME_BITS if geometry.features & Beat.LONG else 0,
                "time_ticks": beat["time_ticks"].shape,
                "index": beat["index"].shape,
                "bank": 1,
            }
        )


class LaneStrobes(data.Struct):
    """What LaneCounts counts, in one clock: of each kind one in Matcher.RING clocks at most."""

    missed: 1
    early: 1
    queue_full: 1
    strikes: 1


class LaneCounts(data.Struct):
    """A channel's counts that several channels can need in one clock."""

    missed: COUNT_BITS
    early: COUNT_BITS
    queue_full: COUNT_BITS
    strikes: COUNT_BITS
