"""What names one build of a gateware: identity.build_id."""

import hashlib

from plexor.protocol.geometry import PLACED


def placed(gateware_hash: int, *made_with: str | bytes) -> int:
    """Return the id of a bitstream: of its gateware, and of all that its placement depends on."""
    return _of("placed", gateware_hash, made_with) | PLACED


def simulated(gateware_hash: int) -> int:
    """Return the id of a simulation of a gateware, which is placed nowhere."""
    return _of("simulated", gateware_hash, ()) & ~PLACED


def _of(kind: str, gateware_hash: int, made_with: tuple[str | bytes, ...]) -> int:
    digest = hashlib.sha256(kind.encode() + gateware_hash.to_bytes(8, "little"))
    for part in made_with:
        text = part if isinstance(part, bytes) else part.encode()
        digest.update(len(text).to_bytes(8, "little") + text)
    return int.from_bytes(digest.digest()[:8], "little")
