# SPDX-License-Identifier: Apache-2.0
"""The codes of a run, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plexor.model.code_array import CodeArray
from plexor.protocol.codes import CLASS_BITS


class PlainCode(NamedTuple):
    """One code, as Python's own numbers."""

    time_ticks: int
    code_class: int
    number: int
    """Its id."""
    torn: bool
    gap: bool


def plain_codes(codes: CodeArray, bits: int) -> Iterator[PlainCode]:
    """Yield codes (CODE_DTYPE) of `bits` bits, one by one."""
    columns = (
        codes["time_ticks"],
        classes_of(codes, bits),
        ids_of(codes, bits),
        codes["torn"],
        codes["gap"],
    )
    yield from map(PlainCode, *(column.tolist() for column in columns))


def classes_of(codes: CodeArray, bits: int) -> NDArray[np.int64]:
    """Return the class of each code."""
    return codes["code"].astype(np.int64) >> (bits - CLASS_BITS)


def ids_of(codes: CodeArray, bits: int) -> NDArray[np.int64]:
    """Return the id of each code."""
    return codes["code"].astype(np.int64) & ((1 << (bits - CLASS_BITS)) - 1)
