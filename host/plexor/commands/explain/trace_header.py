# SPDX-License-Identifier: Apache-2.0
"""`plexor trace-header`: the C headers with which firmware sends codes."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("trace-header")
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[DIR]")
def trace_header(folder: Path) -> None:
    """Write plexor_trace.h and plexor_freertos.h to DIR (the current folder).

    Firmware that includes plexor_trace.h says on spare pins what it does: for `plexor timeline`,
    `plexor profile` and `plexor why`. plexor_freertos.h has the trace hooks of FreeRTOS.

    \b
      plexor trace-header firmware/include
    """
    from importlib.resources import files  # noqa: PLC0415

    from plexor.library.files import write_text, writing  # noqa: PLC0415

    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("plexor_trace.h", "plexor_freertos.h"):
        text = (files("plexor") / "firmware" / name).read_text(encoding="utf-8")
        write_text(folder / name, text)
        print(f"plexor: wrote {folder / name}", file=sys.stderr)
