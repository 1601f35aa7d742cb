# SPDX-License-Identifier: Apache-2.0
"""`plexor board prove`: the acceptance of an instrument, guided."""

from __future__ import annotations

import sys
from dataclasses import replace

from plexor.base.errors import PlexorError, StoreError
from plexor.cli.conclude import show
from plexor.cli.declared.upkeep import WiresInPlace
from plexor.cli.options import HtmlShown
from plexor.cli.output import check_outputs, raise_first
from plexor.cli.parameters import usage
from plexor.library.files import write_text
from plexor.library.upkeep.prove import check_wired, proven
from plexor.library.upkeep.specs import ProveSpec


def prove(link: str, asked: ProveSpec, wires: WiresInPlace, shown: HtmlShown) -> int:
    """Prove an instrument, print what holds, write the page and return the exit code."""
    page = shown.page
    with usage():
        if wires.wired:
            check_wired(asked.only)
        check_outputs(asked.path, page)
        asked = replace(asked, ask=_there if wires.wired else _ask, on_line=_say)
        found = proven(link, **asked.keywords())
    show(found, shown.as_json)
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
