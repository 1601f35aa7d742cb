# SPDX-License-Identifier: Apache-2.0
"""`plexor prove`: the acceptance of an instrument, guided."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from plexor.commands.parameters import json_option, only_page_option, usage
from plexor.commands.specs import asks, one_of
from plexor.library.specs.options import Target
from plexor.library.upkeep.specs import ProveSpec


@click.command()
@one_of(Target, "link")
@asks(asked=ProveSpec)
@click.option(
    "--wired",
    is_flag=True,
    help="The wires of the steps in --only are in place: ask nothing. All need the same ones.",
)
@only_page_option
@json_option
def prove(link: str, asked: ProveSpec, wired: bool, page: Path | None, as_json: bool) -> int:
    """Prove an instrument: what holds, with which error, and what was not proven.

    Without a wire: selftest, bins (against the sheets), soak (the link under more than it carries).
    With a jumper from strike0 to ch0: jumper (the way through the pins, both edges). With a longer
    wire: wire. With wires of one length to all channels: tee (skew and RMS). With a reference: pps
    (the oscillator's rate). On a terminal each wiring is asked for; elsewhere those steps are left
    out, but for --wired. A simulated instrument has its wires at once.

    The document is sealed with its SHA-256, and later runs of the same board and build name it. The
    exit code is 1 if a step failed, 4 if nothing was proven.

    \b
      plexor prove --link serial:/dev/ttyUSB1 --wire 1m --page proof.html
      plexor prove --link serial:/dev/ttyUSB1 --only selftest --only bins
    """
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs, raise_first  # noqa: PLC0415
    from plexor.errors import PlexorError, StoreError  # noqa: PLC0415
    from plexor.library.files import write_text  # noqa: PLC0415
    from plexor.library.upkeep.prove import check_wired, proven  # noqa: PLC0415

    with usage():
        if wired:
            check_wired(asked.only)
        check_outputs(asked.path, page)
        asked = replace(asked, ask=_there if wired else _ask, on_line=_say)
        found = proven(link, **asked.keywords())
    show(found, as_json, indent=2)
    failures: list[PlexorError] = [] if found.unsaved is None else [found.unsaved]
    if page is not None:
        try:
            write_text(page, found.page())
            _say(f"page {page}")
        except StoreError as error:
            failures.append(error)
    if found.path is not None and found.unsaved is None:
        _say(f"proof kept in {found.path}")
    raise_first(failures)
    return found.exit_code()


def _there(_text: str) -> bool:
    return True


def _ask(text: str) -> bool:
    """Ask for wires on a terminal; elsewhere nobody can put them."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    prompt = f"plexor: {text}, then press Enter; s and Enter leaves the step out: "
    print(prompt, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() not in ("s", "skip", "n", "no")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
