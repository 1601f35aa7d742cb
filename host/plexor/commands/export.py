# SPDX-License-Identifier: Apache-2.0
"""`plexor export`: a stored run as files of other tools."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plexor.commands.parameters import budget_option, files_option

SUFFIXES = (
    ".csv, .parquet, .npz (events); .vcd, .sr (waveforms); .pftrace (Perfetto); .hlog "
    "(HdrHistogram); .om, .prom (metrics); .md (Markdown); .xml (JUnit, with --budget)"
)


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path), metavar="RUN")
@files_option("the run", SUFFIXES)
@budget_option
def export(run: Path, files: tuple[Path, ...], budget: str | None) -> None:
    """Write RUN as files of other tools.

    RUN is a folder of --out, or the raw bytes of a link (wire.bin). A file appears when it is
    complete.

    \b
      plexor export run1 --to run1.vcd --to run1.pftrace
      plexor export run1 --to checks.xml --budget budget.toml
    """
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run  # noqa: PLC0415

    if not files:
        raise UsageError(f"--to: names no file; its suffix is one of {SUFFIXES}")
    found = load(run)
    if not isinstance(found, Run):
        raise UsageError(f"{run}: holds a {found.what}; only runs can be exported")
    found.export(*files, budget=budget)
    for path in files:
        print(f"plexor: wrote {path}", file=sys.stderr)
