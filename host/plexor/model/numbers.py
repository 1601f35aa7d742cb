# SPDX-License-Identifier: Apache-2.0
"""Numbers of an instrument's pins and of its tick, by their bounds."""

from __future__ import annotations

from typing import Annotated

from plexor.base.constraints import Ge, Le
from plexor.protocol.frames import MAX_CHANNELS, MAX_STRIKES
from plexor.protocol.geometry import MOST_TICK_FS

ChannelNumber = Annotated[int, Ge(0), Le(MAX_CHANNELS - 1)]
OutputNumber = Annotated[int, Ge(0), Le(MAX_STRIKES - 1)]
"""Number of a strike output."""
TickFs = Annotated[int, Ge(1), Le(MOST_TICK_FS)]
"""Length of a tick, in femtoseconds."""
