# SPDX-License-Identifier: Apache-2.0
"""The codes of a code port: each is two events, its time and its value. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from plexor.model.code_array import CODE_DTYPE, CodeArray
from plexor.protocol.frames import (
    CODE_BITS,
    SKEW_BITS,
    SKEW_SHIFT,
    SOURCE_CODE,
    SOURCE_CODE_VALUE,
    TORN,
)
from plexor.wire.decode.batch import EventBatch


def codes_in(batches: Iterable[EventBatch]) -> CodeArray:
    """Return the codes of consecutive batches (CODE_DTYPE). Half a code is left out."""
    arrays: list[CodeArray] = [np.empty(0, CODE_DTYPE)]
    stretches: list[np.ndarray] = [np.empty(0, np.int64)]
    last_index, stretch = -1, 0
    for batch in batches:
        if not len(batch):
            continue
        sources, indices = batch.sources(), batch.indices().astype(np.int64)
        stretch_of = stretch + np.cumsum(np.diff(indices, prepend=last_index) != 1)
        last_index, stretch = int(indices[-1]), int(stretch_of[-1])
        positions = np.flatnonzero(
            (sources[:-1] == SOURCE_CODE) & (sources[1:] == SOURCE_CODE_VALUE)
        )
        values = batch.values()[positions + 1]
        codes = np.empty(len(positions), CODE_DTYPE)
        codes["time_ticks"] = batch.time_ticks()[positions]
        codes["index"] = indices[positions]
        codes["code"] = values & ((1 << CODE_BITS) - 1)
        codes["skew_clocks"] = values >> SKEW_SHIFT & ((1 << SKEW_BITS) - 1)
        codes["torn"] = values & TORN != 0
        arrays.append(codes)
        stretches.append(stretch_of[positions])
    all_codes = np.concatenate(arrays)
    all_codes["gap"] = np.diff(np.concatenate(stretches), prepend=0) != 0
    return all_codes
