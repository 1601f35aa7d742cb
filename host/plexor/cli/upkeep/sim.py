# SPDX-License-Identifier: Apache-2.0
"""`plexor board sim`: the simulated instrument as a program of its own."""

from __future__ import annotations

import os
import sys

from plexor.library.upkeep.desk import need_simulator


def serve(arguments: tuple[str, ...]) -> None:
    """Become the simulated instrument: signals and exit codes need no middleman."""
    need_simulator()
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "plexor_sim.serve", *arguments])
