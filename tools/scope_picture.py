# SPDX-License-Identifier: Apache-2.0
"""Takes the picture of the live page in docs/do/scope.md: a simulated FreeRTOS, after a run.

    .venv/bin/python -m tools.scope_picture

Writes docs/do/scope.png. The run is the same each time, so its figures are too; how long it took is
left out. The file says from which sources it was drawn, so a test tells when it is too old. Takes a
minute.
"""

from __future__ import annotations

import hashlib
import re
import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
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
_TIMED = (
    "for (const each of document.querySelectorAll('#now div'))"
    " if (/wall|slower/.test(each.textContent)) each.remove()"
)
_EXTREMES = "return [plexor.feed.channels[0].min, plexor.feed.channels[1].min]"


SCOPE, SHOW = (ROOT / "host" / "plexor" / room / "assets" for room in ("scope", "show"))
_IMPORT = re.compile(r'from "\./(draw/)?([a-z]+\.js)"')
_KEY = b"drawn-from\0"
_SIGNATURE_BYTES, _HEADER_BYTES = 8, 25
"""Of a PNG: its signature, and the first chunk, IHDR (PNG specification, 5.2 and 11.2.2)."""


def sources() -> set[Path]:
    """Return the files that the picture is drawn by: those of the page, the table's, and this."""
    found = {SCOPE / "scope.html", SCOPE / "scope.css", SHOW / "draw.css", Path(__file__)}
    found.add(ROOT / "host" / "plexor" / "scope" / "figures.py")
    waiting = [SCOPE / "live.js"]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for drawn, name in _IMPORT.findall(path.read_text(encoding="utf-8")):
            module = (SHOW if drawn else path.parent) / name
            if module.exists():  # some are made of the host's own tables
                waiting.append(module)
    return found


def digest() -> str:
    """Return the digest of all sources."""
    whole = hashlib.sha256()
    for path in sorted(sources()):
        whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def mark(path: Path, text: str) -> None:
    """Write a text into a PNG, behind its header."""
    content = path.read_bytes()
    end = _SIGNATURE_BYTES + _HEADER_BYTES
    kept = b"tEXt" + _KEY + text.encode()
    chunk = struct.pack(">I", len(kept) - 4) + kept + struct.pack(">I", zlib.crc32(kept))
    path.write_bytes(content[:end] + chunk + content[end:])


def drawn_from(path: Path) -> str:
    """Return the digest of the sources that a picture was drawn by; empty if it does not say."""
    return next((data.decode() for data in _texts(path.read_bytes())), "")


def _texts(content: bytes) -> Iterator[bytes]:
    at = _SIGNATURE_BYTES
    while at < len(content):
        (size,) = struct.unpack_from(">I", content, at)
        kind, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + size]
        if kind == b"tEXt" and data.startswith(_KEY):
            yield data.removeprefix(_KEY)
        at += size + 12


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
            chromium.run(_TIMED)
            chromium.picture(PICTURE)
            mark(PICTURE, digest())
        finally:
            chromium.driver.get("about:blank")
            served.close()
    print(f"scope: {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
