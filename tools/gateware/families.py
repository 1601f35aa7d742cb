"""What the build must know of a device family: how cells are called, where they stand, its bounds."""

from __future__ import annotations

from dataclasses import dataclass

from tools.gateware.sdf import Delays
from tools.gateware.skew import sampler_lags_ps, serialiser_lags_ps


@dataclass(frozen=True)
class Family:
    """`table`, `flip_flop`: what yosys adds to a net's name for its cell; bounds in ps."""

    name: str
    phases: int
    table: str
    flip_flop: str
    output: str
    widest_ps: int
    rms_ps: int
    # The search: a device, where its copies stand, and where cells can be in a tile.
    device: tuple[str, ...]
    options: tuple[str, ...]
    period_ps: int
    origins: tuple[tuple[int, int], ...]
    table_bel: str
    flip_flop_bels: tuple[str, ...]

    def lags_ps(self, kind: str, delays: Delays, number: int) -> list[int]:
        """Return the lags of the phases of a channel (`sampler`) or an output (`serialiser`)."""
        if kind == "sampler":
            return sampler_lags_ps(delays, number, self.phases, self.table, self.flip_flop)
        return serialiser_lags_ps(delays, number, self.phases, self.flip_flop, self.output)


FAMILIES = {
    "ecp5": Family(
        name="ecp5",
        phases=8,
        table="_LUT4_Z",
        flip_flop="_TRELLIS_FF_Q",
        output="F",
        widest_ps=800,
        rms_ps=200,
        device=("--25k", "--package", "CABGA381", "--speed", "6"),
        options=("--lpf-allow-unconstrained",),
        period_ps=4000,
        # Rows 13, 25 and 37 are of DSPs and memories.
        origins=tuple((8 + 14 * column, row) for row in (7, 19, 31, 43) for column in range(4)),
        table_bel="SLICEA.K0",
        flip_flop_bels=tuple(f"SLICE{letter}.FF0" for letter in "ABCD"),
    )
}
