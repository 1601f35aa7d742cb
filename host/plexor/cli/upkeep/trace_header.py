# SPDX-License-Identifier: Apache-2.0
"""`plexor lab trace-header`: the C headers with which firmware sends codes."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

from plexor.library.files import write_text, writing


def trace_header(folder: Path) -> None:
    """Write the headers into a folder."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("plexor_trace.h", "plexor_freertos.h"):
        text = (files("plexor") / "firmware" / name).read_text(encoding="utf-8")
        write_text(folder / name, text)
        print(f"plexor: wrote {folder / name}", file=sys.stderr)
