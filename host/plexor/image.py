"""What the registers of an instrument were last seen to hold."""

from __future__ import annotations

from plexor.protocol.frames import OPERATION, Frame, FrameType, LogCode, OpStatus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import LANE, SOURCE, STATUS, address, register

Place = tuple[str, int, str]
"""Block, copy and name of a register."""


def end_places(geometry: Geometry) -> list[Place]:
    """Return the registers that a run's result is made of, to be read once it has ended."""
    return [
        *(
            ("status", 0, entry.name)
            for entry in STATUS.registers
            if entry.name != "step" or Feature.SWEEP in geometry.features
        ),
        *(
            ("lane", channel, entry.name)
            for channel in range(geometry.channels)
            for entry in LANE.registers
        ),
        *(
            ("source", source, entry.name)
            for source in geometry.sources
            for entry in SOURCE.registers
        ),
    ]


class RegisterImage:
    """Register words by address, from the responses of an instrument.

    `simulated_bytes_s` is what a simulated board said of its link; None: it said nothing.
    """

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.simulated_bytes_s: int | None = None

    def hear(self, frame: Frame) -> None:
        """Take what a LOG frame says of the instrument itself."""
        if frame.type == FrameType.LOG and frame.tag == LogCode.SIMULATED:
            self.simulated_bytes_s = frame.index

    def update(self, response: Frame) -> None:
        """Take the values of a RESPONSE frame; what was refused changes nothing."""
        size = OPERATION.size_bytes
        for start in range(0, len(response.payload) - size + 1, size):
            operation = OPERATION.unpack(response.payload[start : start + size])
            if operation["status"] == OpStatus.OK:
                self.words[operation["address"]] = operation["value"]

    def has(self, block: str, name: str, copy: int = 0) -> bool:
        """Whether every word of a register is known."""
        base = address(block, name, copy)
        return all(base + n in self.words for n in range(register(block, name).words))

    def forget(self, block: str, name: str, copy: int = 0) -> None:
        """Forget a register."""
        for offset in range(register(block, name).words):
            self.words.pop(address(block, name, copy) + offset, None)

    def value(self, block: str, name: str, copy: int = 0) -> int:
        """Return a register's value; raise KeyError where it was never seen."""
        entry, base = register(block, name), address(block, name, copy)
        bits = 0
        for offset in range(entry.words):
            bits |= self.words[base + offset] << 32 * offset
        bits &= (1 << entry.bits) - 1
        if entry.signed and bits >> (entry.bits - 1):
            bits -= 1 << entry.bits
        return bits

    def get(self, block: str, name: str, copy: int = 0) -> int:
        """Return a register's value, 0 where it was never seen."""
        return self.value(block, name, copy) if self.has(block, name, copy) else 0
