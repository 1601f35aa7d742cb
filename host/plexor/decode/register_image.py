# SPDX-License-Identifier: Apache-2.0
"""The last known contents of an instrument's registers."""

from __future__ import annotations

from collections.abc import Iterable

from plexor.model.identity import Identity
from plexor.protocol.frames import OPERATION, Frame, FrameType, LogCode, OpStatus
from plexor.protocol.geometry import MAX_STEPS, Feature, Geometry
from plexor.protocol.registers import (
    CHANNEL,
    CHANNEL_STATUS,
    CODE,
    CONTROL,
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

Place = tuple[str, int, str]
"""Block, copy and name of a register."""
_LOAD = ("control", 0, "load")
"""The one register of a run's settings that may be written during the run."""
_MOST_NAMES = 4


def set_up(block: Block, copy: int = 0) -> list[Place]:
    """Return the registers of one copy of a block that hold a run's settings."""
    places = ((entry.access, (block.name, copy, entry.name)) for entry in block.registers)
    return [place for access, place in places if access == Access.SETUP or place == _LOAD]


def common_places(geometry: Geometry) -> list[Place]:
    """Return the registers that control the run and the matching of responses."""
    places = [*set_up(MATCHER), *set_up(CONTROL)]
    swept = Feature.SWEEP in geometry.features
    return [place for place in places if swept or place[2] != "step_count"]


def end_places(identity: Identity) -> list[Place]:
    """Return the registers that a run's result needs. They are read after its end."""
    geometry, minor = identity.geometry, identity.protocol_version & 0xFFFF
    return [
        *(
            ("status", 0, entry.name)
            for entry in STATUS.registers
            if entry.since <= minor and (entry.name != "step" or Feature.SWEEP in geometry.features)
        ),
        *(
            ("channel_status", channel, entry.name)
            for channel in range(geometry.channels)
            for entry in CHANNEL_STATUS.registers
        ),
        *(
            ("source", source, entry.name)
            for source in geometry.sources
            for entry in SOURCE.registers
        ),
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
        """Take what a LOG frame says about the instrument itself."""
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

    def forget(self, places: Iterable[Place]) -> None:
        """Forget the values of registers."""
        for block, copy, name in places:
            for offset in range(register(block, name).words):
                self.words.pop(address(block, name, copy) + offset, None)

    def value(self, block: str, name: str, copy: int = 0) -> int:
        """Return a register's value. Raises KeyError if a word of it was never seen."""
        entry, base = register(block, name), address(block, name, copy)
        bits = 0
        for offset in range(entry.words):
            bits |= self.words[base + offset] << 32 * offset
        bits &= (1 << entry.bits) - 1
        if entry.signed and bits >> (entry.bits - 1):
            bits -= 1 << entry.bits
        return bits

    def unknown(self, places: Iterable[Place]) -> list[Place]:
        """Return those of `places` that have a word that was never seen."""
        return [place for place in places if not self.has(place[0], place[2], place[1])]


def enabled(image: RegisterImage, block: Block, copy: int) -> bool | None:
    """Return whether an output or channel is enabled; None if that is not known."""
    known = image.has(block.name, "enable", copy)
    return bool(image.value(block.name, "enable", copy)) if known else None


def set_up_places(image: RegisterImage, geometry: Geometry) -> list[Place]:
    """Return the registers that hold a run's settings, as far as the image knows.

    An output or channel that is disabled or unknown has only `enable` here. Its other registers may
    still hold the settings of an earlier run.
    """
    found = common_places(geometry)
    for block, copies in ((STIMULUS, geometry.strikes), (CHANNEL, geometry.channels)):
        for copy in range(copies):
            on = enabled(image, block, copy)
            found += set_up(block, copy) if on else [(block.name, copy, "enable")]
    for copy in range(steps_asked(image)):
        found += set_up(STEP, copy)
    return found + (set_up(CODE) if Feature.CODES in geometry.features else [])


def steps_asked(image: RegisterImage) -> int:
    """Return how many steps of the sweep table a run has, as far as known."""
    if not image.has("control", "step_count"):
        return 0
    told = image.has("identity", "table_steps") and image.value("identity", "table_steps")
    return min(image.value("control", "step_count"), told or MAX_STEPS)


def named(places: Iterable[Place]) -> str:
    """Return registers as text, the first few by name."""
    single = (CONTROL.name, MATCHER.name, STATUS.name)
    names = [
        f"{block}.{name}" if block in single else f"{block}[{copy}].{name}"
        for block, copy, name in places
    ]
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
