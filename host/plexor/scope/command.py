# SPDX-License-Identifier: Apache-2.0
"""`plexor scope`: a live page of an instrument, on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

from plexor.library.specs.options import CodeNames, Target
from plexor.library.specs.scope_spec import Runs, Serving
from plexor.scope.instrument import open_rig
from plexor.scope.serve import PageServer, ServedAt, serve


def scope(target: Target, serving: Serving, runs: Runs, names: CodeNames) -> None:
    """Serve the page until Ctrl-C."""
    where = ServedAt(
        serving.host, serving.port, serving.certificate, serving.key, runs.out or Path()
    )
    serve(
        lambda door: PageServer(open_rig(target.link, target.dut, names.codes), door),
        where,
        say,
        show=not serving.no_open,
    )


def say(line: str) -> None:
    """Print the address for programs that read it, and all else for people."""
    if line.startswith("listening "):
        print(line, flush=True)
    else:
        print(f"plexor: {line}", file=sys.stderr)
