"""What the registers of an instrument were last seen to hold."""

from __future__ import annotations

from plexor.protocol.frames import OPERATION, Frame, OpStatus
from plexor.protocol.registers import address, register


class RegisterImage:
    """Register words by address, from the responses of an instrument."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}

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
