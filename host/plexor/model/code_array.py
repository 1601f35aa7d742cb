# SPDX-License-Identifier: Apache-2.0
"""Codes of a run as an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CodeArray = NDArray[np.void]

CODE_DTYPE = np.dtype(
    [
        ("time_ticks", "<i8"),
        ("index", "<u8"),
        ("code", "<u2"),
        ("skew_clocks", "u1"),
        ("torn", "?"),
        ("gap", "?"),
    ]
)
"""One code: its time, the index of its first event, its value, the core clocks from its first bit
that changed to its last, whether its value is in doubt, and whether events are missing between it
and the code before."""
