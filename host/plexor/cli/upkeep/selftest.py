# SPDX-License-Identifier: Apache-2.0
"""`plexor board selftest`: a test of the instrument itself."""

from __future__ import annotations

import sys
from dataclasses import replace

from plexor.cli.conclude import show
from plexor.cli.options import AsJson
from plexor.cli.parameters import usage
from plexor.library.open import open_any
from plexor.library.upkeep.specs import SelfTestSpec


def selftest(link: str, asked: SelfTestSpec, shown: AsJson) -> int:
    """Test an instrument, print what was found and return the exit code."""
    with open_any(link) as instrument, usage():
        for note in instrument.notes:
            _say(note)
        found = instrument.selftest(**replace(asked, on_line=_say).keywords())
    show(found, shown.as_json)
    return found.exit_code()


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
