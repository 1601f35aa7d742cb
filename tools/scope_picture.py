# SPDX-License-Identifier: Apache-2.0
"""Takes the picture of the live page in docs/do/scope.md: a simulated FreeRTOS, after a run.

    .venv/bin/python -m tools.scope_picture

Writes docs/do/scope.png. The run is the same each time, so its figures are too. Takes a minute.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from plexor.scope.instrument import open_rig
from plexor.scope.serve import Door, PageServer, ServedAt
from tools.scope_bench.browser import browser
from tools.setup import ROOT

PICTURE = ROOT / "docs" / "do" / "scope.png"
DEVICE = "freertos:load=critical"
SETTINGS = {"rate": "18k", "width": "2us", "dither": "8192ns", "count": "1000"}
_FILL = (
    "for (const [name, text] of Object.entries(arguments[0]))"
    " document.querySelector(`#settings [name=${name}]`).value = text;"
    " document.getElementById('run').click()"
)
_STEERS = "return globalThis.plexor?.now.seats.steers && plexor.now.layout !== null"
_ENDED = (
    "return plexor.now.state.phase === 'idle' && plexor.now.books.state === 'good'"
    " && !plexor.feed.frame.running && !plexor.stack.waiting"
)
_CURSORS = "plexor.view.set({cursors: {a: arguments[0], b: arguments[1]}})"
_EXTREMES = "return [plexor.feed.channels[0].min, plexor.feed.channels[1].min]"


def main() -> int:
    """Take the picture; return 0."""
    with tempfile.TemporaryDirectory() as folder, browser(dark=True) as chromium:
        served = PageServer(open_rig("sim:", DEVICE), Door(ServedAt(folder=Path(folder))))
        try:
            chromium.driver.get(served.address)
            chromium.until(_STEERS)
            chromium.run(_FILL, SETTINGS)
            chromium.until("return plexor.now.state.phase === 'running'")
            chromium.until(_ENDED, most_s=600)
            chromium.run(_CURSORS, *chromium.run(_EXTREMES))
            chromium.until("return !plexor.stack.waiting")
            chromium.picture(PICTURE)
        finally:
            chromium.driver.get("about:blank")
            served.close()
    print(f"scope: {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
