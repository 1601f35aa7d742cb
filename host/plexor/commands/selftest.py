# SPDX-License-Identifier: Apache-2.0
"""`plexor selftest`: a test of the instrument itself."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from plexor.commands.parameters import json_option, usage
from plexor.commands.specs import asks, one_of
from plexor.library.specs.options import Target
from plexor.library.upkeep.specs import SelfTestSpec


@click.command()
@one_of(Target, "link")
@asks(asked=SelfTestSpec)
@json_option
def selftest(link: str, asked: SelfTestSpec, as_json: bool) -> int:
    """Test an instrument: link, registers, memories, every channel, phase and strike output.

    Nothing needs to be connected. A device that is connected sees strikes. With jumpers the pins
    are tested too. The exit code is 1 if a defect was found.
    """
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.library.open import open_any  # noqa: PLC0415

    with open_any(link) as instrument, usage():
        for note in instrument.notes:
            _say(note)
        found = instrument.selftest(**replace(asked, on_line=_say).keywords())
    show(found, as_json, indent=2)
    return found.exit_code()


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
