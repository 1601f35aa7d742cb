# SPDX-License-Identifier: Apache-2.0
"""Two folders that change places at once, where the system can do that.

Linux: renameat2(2) with RENAME_EXCHANGE, since 3.15; not every file system has it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def exchange(first: Path, second: Path) -> bool:
    """Have two folders change places; return False where the system cannot do that at once."""
    if sys.platform != "linux":
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    sys.audit("plexor.exchange", first, second)
    return (
        call(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0
    )
