"""How wide a bin may be, by the sheets of the vendors and the placement of the samplers.

The sheets bound duty and phase of a PLL's outputs: ECP5 duty 45 to 55 % and phase within 5 %
(Lattice FPGA-DS-02012 1.9, table 3.23); iCE40 HX duty 35 to 65 % above 175 MHz and taps of 147 to
195 ps (Lattice DS1040, p. 3-16); UP5K duty 40 to 60 % (Lattice FPGA-DS-02008, table 4.22). The
bounds are those bins with one common duty error.
"""

from __future__ import annotations

from plexor.model.identity import Identity

_BY_BOARD: dict[str, tuple[int, int, int]] = {
    **dict.fromkeys(
        ("ulx3s12f", "ulx3s25f", "ulx3s85f", "clighti5", "ecpix5", "orngcrab"), (500, 281, 714)
    ),
    "hx8kevn": (1042, 93, 1679),
    "icebrkr": (2604, 1767, 3850),
}
"""By a board's name: the tick for which the bounds hold, least and greatest width, in ps."""
OTHERS_TICKS = (0.05, 2.0)
"""The same of another instrument, in ticks: more is a defect, less a flip-flop without an edge."""
FS_PER_PS = 1000


def widths_ps(identity: Identity) -> tuple[float, float]:
    """Return the least and greatest width of a sound bin, in ps."""
    tick_ps = identity.tick_fs / FS_PER_PS
    known = _BY_BOARD.get(identity.board)
    if known is None:
        least, most = OTHERS_TICKS
        return least * tick_ps, most * tick_ps
    tick, low, high = known
    return low * tick_ps / tick, high * tick_ps / tick
