"""What an instrument says it is."""

from __future__ import annotations

from dataclasses import dataclass

from plexor.protocol.geometry import PROTOCOL_VERSION, Feature, Geometry


@dataclass(frozen=True, slots=True)
class Identity:
    """What an instrument says it is."""

    geometry: Geometry
    gateware_hash: int
    protocol_version: int = PROTOCOL_VERSION

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return Feature.SIMULATED in self.geometry.features

    @property
    def tick_fs(self) -> int:
        """One tick in femtoseconds."""
        return self.geometry.tick_fs

    @property
    def board(self) -> str:
        """The board's name."""
        return self.geometry.board
