# SPDX-License-Identifier: Apache-2.0
"""The last known contents of an instrument's registers."""

from __future__ import annotations

from collections.abc import Iterable

from plexor.model.identity import Identity
from plexor.protocol.frames import OPERATION, Frame, FrameType, LogCode, OpStatus
from plexor.protocol.geometry import MAX_STEPS, PROTOCOL_MINOR, Feature, Geometry
from plexor.protocol.registers import (
    CHANNEL,
    CHANNEL_STATUS,
    CODE,
    CONTROL,
    LONG_FILTER,
    MATCHER,
    SOURCE,
    STATUS,
    STEP,
    STIMULUS,
    Access,
    Block,
    address,
    register,
)

RegisterKey = tuple[str, int, str]
"""Block, copy and name of a register."""
_LOAD = ("control", 0, "load")
"""The one register of a run's settings that may be written during the run."""
_REMOVED = ("long_filter_status", 0, "removed")
_MOST_NAMES = 4


def setup_keys(block: Block, copy: int = 0) -> list[RegisterKey]:
    """Return the registers of one copy of a block that hold a run's settings."""
    keys = ((register.access, (block.name, copy, register.name)) for register in block.registers)
    return [key for access, key in keys if access == Access.SETUP or key == _LOAD]


def common_registers(geometry: Geometry) -> list[RegisterKey]:
    """Return the registers that control the run and the matching of responses."""
    keys = [*setup_keys(MATCHER), *setup_keys(CONTROL)]
    needs = {"step_count": Feature.SWEEP in geometry.features}
    needs["active_only"] = Feature.MATCH not in geometry.features
    return [key for key in keys if needs.get(key[2], True)]


def channel_registers(geometry: Geometry, number: int) -> list[RegisterKey]:
    """Return the registers of a channel, of every block."""
    longer = Feature.LONG_FILTER in geometry.features
    return setup_keys(CHANNEL, number) + (setup_keys(LONG_FILTER, number) if longer else [])


def end_registers(identity: Identity) -> list[RegisterKey]:
    """Return the registers that a run's result needs. They are read after its end."""
    geometry, minor = identity.geometry, identity.protocol_version & 0xFFFF
    return [
        *(
            ("status", 0, register.name)
            for register in STATUS.registers
            if register.since <= minor
            and (register.name != "step" or Feature.SWEEP in geometry.features)
        ),
        *(
            ("channel_status", channel, register.name)
            for channel in range(geometry.channels)
            for register in CHANNEL_STATUS.registers
        ),
        *(
            ("source", source, register.name)
            for source in geometry.sources
            for register in SOURCE.registers
        ),
        *([_REMOVED] if Feature.LONG_FILTER in geometry.features else []),
    ]


class RegisterImage:
    """Register words by address, taken from an instrument's responses.

    `simulated_bytes_s` is the link speed that a simulated board reports, in bytes per second; None
    if it reported none.
    """

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.simulated_bytes_s: int | None = None

    def hear(self, frame: Frame) -> None:
        """Take the link speed from a LOG frame with tag SIMULATED; ignore others."""
        if frame.type == FrameType.LOG and frame.tag == LogCode.SIMULATED:
            self.simulated_bytes_s = frame.index

    def update(self, response: Frame) -> None:
        """Take the values of a RESPONSE frame. Rejected operations change nothing."""
        size = OPERATION.size_bytes
        for start in range(0, len(response.payload) - size + 1, size):
            operation = OPERATION.unpack(response.payload[start : start + size])
            if operation["status"] == OpStatus.OK:
                self.words[operation["address"]] = operation["value"]

    def has(self, block: str, name: str, copy: int = 0) -> bool:
        """Return whether every word of a register is known."""
        base = address(block, name, copy)
        return all(base + n in self.words for n in range(register(block, name).words))

    def forget(self, keys: Iterable[RegisterKey]) -> None:
        """Forget the values of registers."""
        for block, copy, name in keys:
            for offset in range(register(block, name).words):
                self.words.pop(address(block, name, copy) + offset, None)

    def value(self, block: str, name: str, copy: int = 0) -> int:
        """Return a register's value, at reset for one that is newer than the instrument.

        Raises KeyError if a word of it was never seen.
        """
        described, base = register(block, name), address(block, name, copy)
        if described.since and base not in self.words and self._lacks(block, name):
            return described.reset
        bits = 0
        for offset in range(described.words):
            bits |= self.words[base + offset] << 32 * offset
        bits &= (1 << described.bits) - 1
        if described.signed and bits >> (described.bits - 1):
            bits -= 1 << described.bits
        return bits

    def unknown(self, keys: Iterable[RegisterKey]) -> list[RegisterKey]:
        """Return the registers among `keys` with a word that was never seen.

        Those that are newer than the instrument are at their reset value.
        """
        return [
            key
            for key in keys
            if not self.has(key[0], key[2], key[1]) and not self._lacks(key[0], key[2])
        ]

    def _lacks(self, block: str, name: str) -> bool:
        """Return whether a register is newer than the protocol that the instrument speaks."""
        if not self.has("identity", "protocol_version"):
            return register(block, name).since > PROTOCOL_MINOR
        minor = self.value("identity", "protocol_version") & 0xFFFF
        return register(block, name).since > minor


def enabled(image: RegisterImage, block: Block, copy: int) -> bool | None:
    """Return whether an output or channel is enabled; None if that is not known."""
    known = image.has(block.name, "enable", copy)
    return bool(image.value(block.name, "enable", copy)) if known else None


def setup_registers(image: RegisterImage, geometry: Geometry) -> list[RegisterKey]:
    """Return the registers that hold a run's settings, as far as the image knows.

    An output or channel that is disabled or unknown has only `enable` here. Its other registers may
    still hold the settings of an earlier run.
    """
    keys = common_registers(geometry)
    for block, copies in ((STIMULUS, geometry.strikes), (CHANNEL, geometry.channels)):
        for copy in range(copies):
            if not enabled(image, block, copy):
                keys.append((block.name, copy, "enable"))
            elif block is CHANNEL:
                keys += channel_registers(geometry, copy)
            else:
                keys += setup_keys(block, copy)
    for copy in range(step_count_of(image)):
        keys += setup_keys(STEP, copy)
    return keys + (setup_keys(CODE) if Feature.CODES in geometry.features else [])


def step_count_of(image: RegisterImage) -> int:
    """Return the number of steps in the run's sweep table; 0 if it is not known."""
    if not image.has("control", "step_count"):
        return 0
    most_steps = image.has("identity", "table_steps") and image.value("identity", "table_steps")
    return min(image.value("control", "step_count"), most_steps or MAX_STEPS)


def named(keys: Iterable[RegisterKey]) -> str:
    """Return a text that names the first registers and counts the rest."""
    single = (CONTROL.name, MATCHER.name, STATUS.name)
    names = [
        f"{block}.{name}" if block in single else f"{block}[{copy}].{name}"
        for block, copy, name in keys
    ]
    unnamed = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {unnamed} more" if unnamed > 0 else "")
