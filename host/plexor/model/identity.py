# SPDX-License-Identifier: Apache-2.0
"""The identity of an instrument, as it reports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from plexor.base.constraints import Ge, Lt, Word
from plexor.protocol.geometry import PROTOCOL_VERSION, Feature, Geometry


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of an instrument, as it reports it."""

    geometry: Geometry
    gateware_hash: Word
    protocol_version: Annotated[int, Ge(0), Lt(1 << 32)] = PROTOCOL_VERSION
    build_id: Word = 0
    """Build: one placement of the gateware; 0 if the instrument does not know it."""

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return Feature.SIMULATED in self.geometry.features

    @property
    def placement(self) -> int:
        """The number that calibrations are stored under: the build, or else the gateware."""
        return self.build_id or self.gateware_hash

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        return self.geometry.tick_fs

    @property
    def board(self) -> str:
        """The board's name."""
        return self.geometry.board

    def check_pin(self, name: str, number: int) -> None:
        """Raise ValueError if there is no such pin; `name` is `strike` or `ch`."""
        count = self.geometry.strikes if name == "strike" else self.geometry.channels
        if not 0 <= number < count:
            has = f"{name}0 to {name}{count - 1}" if count > 1 else f"{name}0 alone"
            raise ValueError(f"{name}{number}: this instrument has {has}")
