# SPDX-License-Identifier: Apache-2.0
"""Arrays made from their memory are those that pyarrow makes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from plexor.files.store.arrow import array, values

_COLUMNS = (
    ([0, 1, 255], pa.uint8()),
    (np.array([2**63 - 1, 0, 5], np.uint64), pa.int64()),
    (np.arange(7, dtype=np.int64)[::2], pa.int64()),
    (np.array([True, False, True] * 7), pa.bool_()),
    (["latency", "", "µ"], pa.string()),
    ([], pa.string()),
    (np.empty(0, np.int32), pa.int32()),
)


@pytest.mark.parametrize(("given", "kind"), _COLUMNS)
def test_an_array_is_pyarrows_own(given, kind):
    made = array(given, kind)
    made.validate(full=True)
    assert made.equals(pa.array(given, kind))


@pytest.mark.parametrize(("given", "kind"), [one for one in _COLUMNS if one[1] != pa.string()])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_values_are_those_that_pyarrow_reads(given, kind, first):
    column = pa.array(given, kind).slice(first)
    assert values(column).dtype == column.to_numpy(zero_copy_only=False).dtype
    assert values(column).tolist() == column.to_pylist()
