# SPDX-License-Identifier: Apache-2.0
"""Identifies one build of the gateware: the identity registers, and identity.build_id."""

import hashlib

from plexor.protocol.geometry import BOARD_BYTES, MAGIC, PLACED, PROTOCOL_VERSION, Geometry
from plexor.protocol.registers import IDENTITY


def placed(gateware_hash: int, *made_with: str | bytes) -> int:
    """Return the id of a bitstream, from its gateware and all that its placement depends on."""
    return _of("placed", gateware_hash, made_with) | PLACED


def simulated(gateware_hash: int) -> int:
    """Return the id of a gateware's simulation, which has no placement."""
    return _of("simulated", gateware_hash, ()) & ~PLACED


def _of(kind: str, gateware_hash: int, made_with: tuple[str | bytes, ...]) -> int:
    digest = hashlib.sha256(kind.encode() + gateware_hash.to_bytes(8, "little"))
    for part in made_with:
        text = part if isinstance(part, bytes) else part.encode()
        digest.update(len(text).to_bytes(8, "little") + text)
    return int.from_bytes(digest.digest()[:8], "little")


def identity_values(geometry: Geometry, gateware_hash: int, build_id: int = 0) -> dict[str, int]:
    """Return the identity's registers. Raises ValueError if hash or id exceed 64 bits."""
    for name, value in (("gateware_hash", gateware_hash), ("build_id", build_id)):
        if not 0 <= value < 1 << 64:
            raise ValueError(f"{name}: {value:#x}; must be 64 bits")
    values = {
        "magic": MAGIC,
        "protocol_version": PROTOCOL_VERSION,
        "gateware_hash": gateware_hash,
        "build_id": build_id,
        "board": int.from_bytes(geometry.board.encode().ljust(BOARD_BYTES, b"\0"), "little"),
    }
    for register in IDENTITY.registers:
        if register.name not in values:
            values[register.name] = int(getattr(geometry, register.name))
    return values
