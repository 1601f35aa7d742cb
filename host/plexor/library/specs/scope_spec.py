# SPDX-License-Identifier: Apache-2.0
"""What the live page asks: where it is served, and where it keeps runs."""

from __future__ import annotations

from pathlib import Path

from plexor.library.specs.options import InFolder
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import flag, path_of, whole


class Serving(Spec):
    """Where a page is served."""

    host: str = option(
        converter=str,
        default="127.0.0.1",
        shows_default=True,
        metavar="ADDRESS",
        help="Address to listen at. With the default only this machine can connect.",
    )
    port: int = option(
        converter=whole(0, 65535),
        default=0,
        metavar="N",
        help="Port to listen at, up to 65535. Default: one that is free.",
    )
    certificate: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Encrypt: a certificate, in PEM.",
    )
    key: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="The private key of --certificate, in PEM.",
    )
    no_open: bool = option(
        converter=flag, default=False, help="Print the address; open no browser."
    )


class Runs(InFolder, told={"out": "Each kept run is a folder in it. Default: the current one."}):
    """Where the page keeps runs."""
