# SPDX-License-Identifier: Apache-2.0
"""Register values of a run, by the names in `plexor.protocol.registers`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plexor.protocol.registers import BLOCKS, register

_COPIES = {block.name: block.count for block in BLOCKS}


@dataclass(frozen=True, slots=True)
class Settings:
    """Register values. Registers that were not set have their reset values."""

    values: Mapping[tuple[str, int, str], int]
    """Values by block, copy and register."""

    @classmethod
    def of(cls, **blocks: Mapping[str, int] | Mapping[int, Mapping[str, int]]) -> Settings:
        """Return settings from `block={register: value}` or `block={copy: {register: value}}`.

        Raises KeyError for an unknown register and ValueError for a value or a copy out of range.
        """
        values: dict[tuple[str, int, str], int] = {}
        for block, content in blocks.items():
            copies: dict[int, dict[str, int]] = {}
            for name, value in content.items():
                if isinstance(name, str) and isinstance(value, int):
                    copies.setdefault(0, {})[name] = value
                elif isinstance(name, int) and isinstance(value, Mapping):
                    copies[name] = dict(value)
            for copy, entries in copies.items():
                for name, value in entries.items():
                    register(block, name).check(value)
                    if not 0 <= copy < _COPIES[block]:
                        raise ValueError(f"{block}[{copy}]: must be 0 to {_COPIES[block] - 1}")
                    values[block, copy, name] = value
        return cls(values)

    def get(self, block: str, name: str, copy: int = 0) -> int:
        """Return a register's value. Raises KeyError for an unknown register."""
        return self.values.get((block, copy, name), register(block, name).reset)
