# SPDX-License-Identifier: Apache-2.0
"""`plexor scope`: a live page of an instrument, on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plexor.commands.specs import one_of
from plexor.errors import UsageError
from plexor.library.specs.options import Coded, InFolder, Target

_PATH = click.Path(path_type=Path)
_MISSING = "the live page needs {}, which is not installed; in a clone: pip install '.[scope]'"


@click.command()
@one_of(Target, "link")
@one_of(Target, "dut")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen at. With the default only this machine can connect.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port to listen at. Default: one that is free.",
)
@click.option("--certificate", type=_PATH, metavar="FILE", help="Encrypt: a certificate, in PEM.")
@click.option("--key", type=_PATH, metavar="FILE", help="The private key of --certificate, in PEM.")
@one_of(
    InFolder,
    "out",
    default=Path(),
    help="Each kept run is a folder in it. Default: the current one.",
)
@one_of(Coded, "codes")
@click.option("--no-open", is_flag=True, help="Print the address; open no browser.")
def scope(
    link: str,
    dut: str | None,
    host: str,
    port: int,
    certificate: Path | None,
    key: Path | None,
    out: Path,
    codes: Path | None,
    no_open: bool,
) -> None:
    """Show a live page: strike a device, and watch its reflexes.

    The address has a token, without which nobody sees the page. Ctrl-C ends it.

    \b
      plexor scope
      plexor scope --link serial:/dev/ttyUSB1 --out runs
    """
    try:
        from plexor.scope.serve import ServedAt, serve  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(_MISSING.format(error.name)) from error
    from plexor.scope.instrument import open_bench  # noqa: PLC0415

    where = ServedAt(host, port, certificate, key, out)
    serve(lambda: open_bench(link, dut, codes), where, _say, show=not no_open)


def _say(line: str) -> None:
    if line.startswith("listening "):
        print(line, flush=True)
    else:
        print(f"plexor: {line}", file=sys.stderr)
