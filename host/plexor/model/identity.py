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
    build_id: int = 0
    """Of one placement of that gateware; 0 where the instrument does not know."""

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return Feature.SIMULATED in self.geometry.features

    @property
    def placement(self) -> int:
        """What its calibration is kept by: its build, or its gateware where it knows no more."""
        return self.build_id or self.gateware_hash

    @property
    def tick_fs(self) -> int:
        """One tick in femtoseconds."""
        return self.geometry.tick_fs

    @property
    def board(self) -> str:
        """The board's name."""
        return self.geometry.board

    def check_pin(self, name: str, number: int) -> None:
        """Raise ValueError where there is no such pin of a kind, `strike` or `ch`."""
        count = self.geometry.strikes if name == "strike" else self.geometry.channels
        if not 0 <= number < count:
            has = f"{name}0 to {name}{count - 1}" if count > 1 else f"{name}0 alone"
            raise ValueError(f"{name}{number}: this instrument has {has}")
