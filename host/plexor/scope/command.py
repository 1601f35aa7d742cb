# SPDX-License-Identifier: Apache-2.0
"""`plexor scope`: a live page of an instrument, on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

from plexor.library.specs.options import CodeNames, Target
from plexor.library.specs.scope_spec import Runs, Serving
from plexor.scope.instrument import open_rig
from plexor.scope.serve import ServedAt, serve


def scope(target: Target, serving: Serving, runs: Runs, names: CodeNames) -> None:
    """Serve the page until Ctrl-C."""
    where = ServedAt(
        serving.host, serving.port, serving.certificate, serving.key, runs.out or Path()
    )
    serve(
        lambda: open_rig(target.link, target.dut, names.codes),
        where,
        _say,
        show=not serving.no_open,
    )


def _say(line: str) -> None:
    if line.startswith("listening "):
        print(line, flush=True)
    else:
        print(f"plexor: {line}", file=sys.stderr)
