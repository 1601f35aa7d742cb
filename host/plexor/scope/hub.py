# SPDX-License-Identifier: Apache-2.0
"""The pages that watch: each gets what is newest, and one of them steers.

All of this runs in the server's event loop. Any thread calls `Hub.show` and `Hub.frame`; before
the loop runs, one thread alone.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol

MOST_FRAMES_S = 40.0
"""Frames a second that a page gets at most."""
_EACH_S = 1 / MOST_FRAMES_S
MOST_UNSEEN = 2
"""Frames that a page may not yet have said it has seen. A slow page gets fewer, newer ones."""


class Wire(Protocol):
    """A connection to a page."""

    async def send_text(self, data: str) -> None:
        """Send JSON; return once the connection has taken it."""
        ...

    async def send_bytes(self, data: bytes) -> None:
        """Send a frame; return once the connection has taken it."""
        ...


class Page:
    """What one page has still to get: of each kind of document, and of frames, the newest only."""

    def __init__(self, number: int, wire: Wire) -> None:
        self.number = number
        self.sent = 0
        self._wire = wire
        self._documents: dict[str, str] = {}
        self._notices: deque[str] = deque(maxlen=4)
        self._frame: bytes | None = None
        self._number = 0
        self._unseen: deque[int] = deque()
        self._next = 0.0
        self._wake = asyncio.Event()

    def put(self, kind: str, text: str) -> None:
        """Take a document in the place of an earlier one of its kind, behind all others."""
        self._documents.pop(kind, None)
        self._documents[kind] = text
        self._wake.set()

    def notice(self, text: str) -> None:
        """Take a line for this page alone."""
        self._notices.append(json.dumps({"kind": "notice", "text": text}))
        self._wake.set()

    def frame(self, number: int, data: bytes) -> None:
        """Take a frame in the place of one that has not been sent yet."""
        self._number, self._frame = number, data
        self._wake.set()

    def seen(self, number: int) -> bool:
        """Take that a frame has come; return whether it was sent and not seen yet."""
        if number not in self._unseen:
            return False
        while self._unseen.popleft() != number:
            pass
        self._wake.set()
        return True

    async def send(self) -> None:
        """Send whatever comes, until cancelled or the connection fails."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._notices:
                await self._wire.send_text(self._notices.popleft())
            while self._documents:
                kind = next(iter(self._documents))
                await self._wire.send_text(self._documents.pop(kind))
            if self._frame is None or len(self._unseen) >= MOST_UNSEEN:
                continue
            wait_s = self._next - time.monotonic()
            if wait_s > 0:
                asyncio.get_running_loop().call_later(wait_s, self._wake.set)
                continue
            # A frame that was late does not delay those behind it.
            self._next = max(self._next, time.monotonic() - _EACH_S) + _EACH_S
            data, self._frame = self._frame, None
            self._unseen.append(self._number)
            await self._wire.send_bytes(data)
            self.sent += 1


class Hub:
    """All pages, and what a new one is told first."""

    def __init__(self) -> None:
        self.pages: dict[int, Page] = {}
        self.steering: int | None = None
        self._documents: dict[str, str] = {}
        self._last: tuple[int, bytes] | None = None
        self._count = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve from an event loop."""
        self._loop = loop

    def show(self, kind: str, document: Mapping[str, Any]) -> None:
        """Show a document to all pages, from any thread."""
        self._call(self._show, kind, json.dumps({"kind": kind, **document}, ensure_ascii=False))

    def frame(self, number: int, data: bytes) -> None:
        """Show a frame to all pages, from any thread."""
        self._call(self._show_frame, number, data)

    def enter(self, wire: Wire) -> Page:
        """Return a new page, which gets all documents; it steers if no other does."""
        self._count += 1
        page = Page(self._count, wire)
        self.pages[page.number] = page
        if self.steering is None:
            self.steering = page.number
        for kind, text in self._documents.items():
            page.put(kind, text)
        if self._last is not None:
            page.frame(*self._last)
        self._tell()
        return page

    def leave(self, page: Page) -> None:
        """Forget a page. If it steered, nobody does until one takes over."""
        self.pages.pop(page.number, None)
        if self.steering == page.number:
            self.steering = None
        self._tell()

    def steer(self, page: Page) -> None:
        """Let a page steer in the place of another."""
        self.steering = page.number
        self._tell()

    def _tell(self) -> None:
        for page in self.pages.values():
            seats = {"pages": len(self.pages), "steers": self.steering == page.number}
            seats["free"] = self.steering is None
            page.put("seats", json.dumps({"kind": "seats", **seats}))

    def _show(self, kind: str, text: str) -> None:
        self._documents[kind] = text
        for page in self.pages.values():
            page.put(kind, text)

    def _show_frame(self, number: int, data: bytes) -> None:
        self._last = (number, data)
        for page in self.pages.values():
            page.frame(number, data)

    def _call(self, function: Any, *arguments: Any) -> None:
        if self._loop is None:
            function(*arguments)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)
