# SPDX-License-Identifier: Apache-2.0
"""`plexor board flash`: a board gets its bitstream, and says which build it has."""

from __future__ import annotations

import sys
from dataclasses import replace

from plexor.cli.conclude import show
from plexor.cli.options import AsJson
from plexor.cli.parameters import usage
from plexor.library.upkeep.flash import flashed
from plexor.library.upkeep.specs import FlashSpec


def flash(board: str | None, asked: FlashSpec, shown: AsJson) -> None:
    """Write a board's bitstream, and print what answers."""
    with usage():
        written = flashed(board or "", **replace(asked, on_line=_say).keywords())
    show(written, shown.as_json)


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
