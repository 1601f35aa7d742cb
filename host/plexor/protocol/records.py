# SPDX-License-Identifier: Apache-2.0
"""Declarations of fields and records, and their packing in little-endian bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FIELD_BITS = (8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record: `bits` wide (8, 16, 32 or 64), one LSB worth one `unit`."""

    name: str
    bits: int
    unit: str
    meaning: str
    signed: bool = False

    def __post_init__(self) -> None:
        if self.bits not in FIELD_BITS:
            raise ValueError(f"field {self.name}: {self.bits} bits; must be one of {FIELD_BITS}")

    @property
    def minimum(self) -> int:
        """The smallest value that fits."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def maximum(self) -> int:
        """The largest value that fits."""
        return (1 << (self.bits - self.signed)) - 1

    def check(self, owner: str, value: int) -> int:
        """Return `value`; raise ValueError where it does not fit."""
        if not self.minimum <= value <= self.maximum:
            kind = "signed bits" if self.signed else "bits"
            raise ValueError(f"{owner}.{self.name}: {value} does not fit in {self.bits} {kind}")
        return value


@dataclass(frozen=True, slots=True)
class Record:
    """A sequence of fields, packed in order without padding, little-endian."""

    name: str
    meaning: str
    fields: tuple[Field, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of one packed record."""
        return sum(field.bits for field in self.fields) // 8

    def pack(self, values: Mapping[str, int]) -> bytes:
        """Pack one record; raise ValueError for a missing, an unknown or an oversized value."""
        wrong = {field.name for field in self.fields} ^ set(values)
        if wrong:
            raise ValueError(f"{self.name}: fields {sorted(wrong)} missing or unknown")
        return b"".join(
            field.check(self.name, values[field.name]).to_bytes(
                field.bits // 8, "little", signed=field.signed
            )
            for field in self.fields
        )

    def unpack(self, data: bytes) -> dict[str, int]:
        """Unpack one record of `size_bytes` bytes; raise ValueError for another length."""
        if len(data) != self.size_bytes:
            raise ValueError(f"{self.name}: {len(data)} bytes; must be {self.size_bytes}")
        values: dict[str, int] = {}
        offset = 0
        for field in self.fields:
            end = offset + field.bits // 8
            values[field.name] = int.from_bytes(data[offset:end], "little", signed=field.signed)
            offset = end
        return values
