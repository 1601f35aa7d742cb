# SPDX-License-Identifier: Apache-2.0
"""`plexor why`: which answers of a stored run were late, and how they recur."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.commands.parameters import json_option
from plexor.commands.specs import asks
from plexor.library.explain.specs import WhySpec


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path), metavar="RUN")
@asks(asked=WhySpec)
@json_option
def why(run: Path, asked: WhySpec, as_json: bool) -> int:
    """Find the late answers of RUN, the clusters in which they lie, and how each cluster recurs.

    RUN is a folder of --out, or the raw bytes of a link. A cluster is parted from earlier answers
    by a gap that chance does not leave. It recurs at each n-th answer, at a period, or irregularly.

    \b
      plexor why run1
      plexor why run1 --over 50us
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run  # noqa: PLC0415

    found = load(run)
    if not isinstance(found, Run):
        raise UsageError(f"{run}: holds a {found.what}; only runs have late answers")
    show(found.why(**asked.keywords()), as_json)
    return found.exit_code()
