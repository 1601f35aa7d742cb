"""`plexor selftest`: a test of the instrument itself."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import chain

import click

from plexor.commands.parameters import (
    RATE,
    json_option,
    jumper_option,
    option_name,
    usage,
)
from plexor.commands.specs import one_of
from plexor.library.pins import wiring_of
from plexor.library.specs.options import Target


@click.command()
@one_of(Target, "link")
@jumper_option(
    help="A wire from a strike's pin to a channel's pin, which tests both pins. Repeat it for each "
    "wire, or part wires by commas.",
)
@click.option(
    "--link-rate",
    type=RATE,
    metavar="RATE",
    help="Bytes per second that the link must carry, such as 300k. Default: what its baud rate "
    "allows.",
)
@json_option
def selftest(
    link: str,
    jumpers: tuple[tuple[tuple[int, int], ...], ...],
    link_rate: Fraction | None,
    as_json: bool,
) -> int:
    """Test an instrument: link, registers, memories, every channel, phase and strike output.

    Nothing needs to be connected. A device that is connected sees strikes. With jumpers the pins
    are tested too. The exit code is 1 if a defect was found.
    """
    wires = list(chain.from_iterable(jumpers))
    with usage():
        wiring_of(wires, option_name)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.library.open import open_any  # noqa: PLC0415
    from plexor.library.upkeep.selftest import selftested  # noqa: PLC0415

    with open_any(link) as instrument, usage():
        for note in instrument.notes:
            _say(note)
        found = selftested(instrument.device, wires, link_rate, _say, option_name)
    show(found, as_json, indent=2)
    return found.exit_code()


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
