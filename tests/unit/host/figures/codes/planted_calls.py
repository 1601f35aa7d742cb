# SPDX-License-Identifier: Apache-2.0
"""Trees of calls at random, with the time that each function spent, kept while they are made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from plexor.protocol.codes import CodeClass


@dataclass
class PlantedCalls:
    """Codes of calls, and the truth: times by path, and each call's (path, enter, exit, own)."""

    seed: int
    functions: int = 6
    codes: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    now: int = 100
    calls: list[tuple[tuple[int, ...], int, int, int]] = field(
        default_factory=list[tuple[tuple[int, ...], int, int, int]]
    )
    interrupts: bool = False

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        for _ in range(30):
            self._work(())
            self._call(())
        self.codes.sort()

    def _work(self, path: tuple[int, ...]) -> int:
        """Let the function at the end of a path run, perhaps with an interrupt in it."""
        own = int(self._random.integers(1, 50))
        self.now += own
        if self.interrupts and path and self._random.random() < 0.3:
            self.codes.append((self.now, CodeClass.ISR_ENTER, 0))
            self.now += int(self._random.integers(1, 30))
            self.codes.append((self.now, CodeClass.ISR_EXIT, 0))
            last = int(self._random.integers(1, 9))
            self.now += last
            own += last
        return own

    def _call(self, above: tuple[int, ...]) -> None:
        path = (*above, int(self._random.integers(self.functions)))
        enter = self.now
        self.codes.append((enter, CodeClass.ENTER, path[-1]))
        own = self._work(path)
        while len(path) < 5 and self._random.random() < 0.45:
            self._call(path)
            own += self._work(path)
        self.codes.append((self.now, CodeClass.EXIT, path[-1]))
        self.calls.append((path, enter, self.now, own))
        self.now += 1

    def own_by_function(self) -> dict[int, int]:
        """Own time of each function."""
        found: Counter[int] = Counter()
        for path, _, _, own in self.calls:
            found[path[-1]] += own
        return dict(found)
