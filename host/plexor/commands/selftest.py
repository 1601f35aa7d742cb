"""`plexor selftest`: a test of the instrument itself."""

from __future__ import annotations

import json
import re
import shutil
import sys
from fractions import Fraction

import click

from plexor.commands.parameters import RATE, Parsed, json_option, link_option
from plexor.errors import ExitCode

_JUMPER = re.compile(r"strike([0-7])=ch([0-7])")


def parse_jumper(text: str) -> tuple[int, int]:
    """Return (0, 2) for `strike0=ch2`; raise ValueError."""
    match = _JUMPER.fullmatch(text)
    if match is None:
        raise ValueError(f"jumper: {text!r}; must be strikeN=chM, such as strike0=ch2")
    return int(match[1]), int(match[2])


@click.command()
@link_option("Link to the instrument: sim:, tcp://HOST:PORT, udp://HOST:PORT or serial:PORT.")
@click.option(
    "--jumper",
    "jumpers",
    type=Parsed("strikeN=chM", parse_jumper),
    multiple=True,
    metavar="strikeN=chM",
    help="A wire from a strike's pin to a channel's pin, which tests both pins. Repeat it for each "
    "wire.",
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
    link: str, jumpers: tuple[tuple[int, int], ...], link_rate: Fraction | None, as_json: bool
) -> int:
    """Test an instrument: link, registers, memories, every channel, phase and strike output.

    Nothing needs to be connected. A device that is connected sees strikes. With jumpers the pins
    are tested too. The exit code is 1 if a defect was found.
    """
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.device.device import Device  # noqa: PLC0415
    from plexor.jsonable import to_json  # noqa: PLC0415
    from plexor.link.open import instrument_link  # noqa: PLC0415
    from plexor.render.terminal.selftest import selftest_text  # noqa: PLC0415
    from plexor.selftest.run import Wanted  # noqa: PLC0415
    from plexor.selftest.run import selftest as run  # noqa: PLC0415

    channels = [channel for _, channel in jumpers]
    twice = [channel for channel in channels if channels.count(channel) > 1]
    if twice:
        raise click.UsageError(f"--jumper: ch{twice[0]} is given twice")
    wiring: dict[int, list[int]] = {}
    for output, channel in jumpers:
        wiring.setdefault(output, []).append(channel)
    with Device(instrument_link(link)) as device:
        try:
            found = run(device, Wanted(wiring, link_rate), _say)
        except ValueError as error:
            raise click.UsageError(f"--jumper: {error}") from error
    if as_json:
        click.echo(json.dumps({"passed": found.passed, **to_json(found)}, indent=2))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        click.echo(selftest_text(found, width=width, colour=wants_colour()), nl=False)
    return ExitCode.PASS if found.passed else ExitCode.BUDGET


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
