# SPDX-License-Identifier: Apache-2.0
"""xorshift64 in bulk: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.

A step is linear over bits. So table look-ups advance a whole block of states by any number of
steps, and a sequence is doubled until it is long enough.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

States = npt.NDArray[np.uint64]
MASK = (1 << 64) - 1


def step(state: int) -> int:
    """Return the state after one step, shifts 13, 7 and 17."""
    state ^= state << 13 & MASK
    state ^= state >> 7
    return state ^ (state << 17 & MASK)


def _tables(columns: States) -> States:
    """Return the contribution of each value of each byte of a state."""
    tables = np.zeros((8, 256), np.uint64)
    for byte in range(8):
        for bit in range(8):
            span = 1 << bit
            tables[byte, span : 2 * span] = tables[byte, :span] ^ columns[8 * byte + bit]
    return tables


def _moved(states: States, tables: States) -> States:
    octets = states.astype("<u8").view(np.uint8).reshape(-1, 8)
    result = tables[0][octets[:, 0]]
    for byte in range(1, 8):
        result ^= tables[byte][octets[:, byte]]
    return result


class Xorshift64:
    """A generator. `seed` 0 acts as 1."""

    def __init__(self, seed: int) -> None:
        self.state = seed or 1

    def take(self, count: int) -> States:
        """Step `count` times and return the state after each step."""
        states = np.empty(count, np.uint64)
        if not count:
            return states
        states[0] = step(self.state)
        columns = np.array([step(1 << bit) for bit in range(64)], np.uint64)
        filled = 1
        while filled < count:
            tables = _tables(columns)
            more = min(filled, count - filled)
            states[filled : filled + more] = _moved(states[:more], tables)
            columns = _moved(columns, tables)
            filled += more
        self.state = int(states[-1])
        return states
