# SPDX-License-Identifier: Apache-2.0
"""The page's requests: its files, and the WebSocket over which it watches and steers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from plexor.base.errors import PlexorError
from plexor.scope.conductor import Conductor
from plexor.scope.finished import headers
from plexor.scope.guard import Guard
from plexor.scope.hub import Hub, Page
from plexor.scope.messages import NOTE, STEERING, Allowance, MessageError, PageCommand, parse
from plexor.scope.wire import layout
from plexor.show.html import colours_css
from plexor.show.inline import GENERATED

REFUSED, TOO_MANY, WRONG = 4403, 4429, 4400
"""Codes with which a WebSocket is closed, after those of HTTP."""
MOST_PAGES = 16
_MOST_REASON_BYTES = 123
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_FOLDERS = {"": "plexor.scope", "draw": "plexor.show"}
"""Where the files of the page come from, by the first part of their path."""
_DRAWN = {f"draw/{name}": text for name, text in GENERATED.items()}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def app(guard: Guard, hub: Hub, conductor: Conductor) -> Starlette:
    """Return the application."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        hub.attach(asyncio.get_running_loop())
        yield

    async def file(request: Request) -> Response:
        refused = _refused(guard, request, request.path_params["token"])
        if refused is not None:
            return PlainTextResponse(f"{refused}\n", 403, _HEADERS)
        return asset(request.path_params["path"])

    async def kept(request: Request) -> Response:
        refused = _refused(guard, request, request.path_params["token"])
        if refused is not None:
            return PlainTextResponse(f"{refused}\n", 403, _HEADERS)
        names = request.query_params.getlist("run")
        try:
            page = await asyncio.to_thread(conductor.kept.page, names)
        except PlexorError as error:
            return PlainTextResponse(f"{error}\n", 404, _HEADERS)
        return HTMLResponse(page, headers=headers("report", "page"))

    async def curves(request: Request) -> Response:
        refused = _refused(guard, request, request.path_params["token"])
        if refused is not None:
            return PlainTextResponse(f"{refused}\n", 403, _HEADERS)
        names = request.query_params.getlist("run")
        try:
            found = await asyncio.to_thread(conductor.kept.curves, names)
        except PlexorError as error:
            return PlainTextResponse(f"{error}\n", 404, _HEADERS)
        return JSONResponse(found, headers=_HEADERS)

    async def without_token(request: Request) -> Response:
        refused = _refused(guard, request, "")
        return PlainTextResponse(f"{refused}\n", 403, _HEADERS)

    async def socket(connection: WebSocket) -> None:
        token = connection.path_params["token"]
        refused = _refused(guard, connection, token)
        if refused is not None or len(hub.pages) >= MOST_PAGES:
            await connection.close(REFUSED, refused or f"{MOST_PAGES} pages watch already")
            return
        await connection.accept()
        await _serve(connection, hub, conductor)

    routes = [
        WebSocketRoute("/{token}/live", socket),
        Route("/{token}/kept", kept),
        Route("/{token}/curves", curves),
        Route("/{token}/{path:path}", file),
        Route("/{path:path}", without_token),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def _refused(guard: Guard, connection: HTTPConnection, token: str) -> str | None:
    reached = connection.scope.get("server")
    socket = connection.scope["type"] == "websocket"
    return guard.refuses(token, connection.headers, socket=socket, reached=reached)


def asset(path: str) -> Response:
    """Return a file of the page; `draw/` has those that reports have too."""
    path = path or "scope.html"
    if path == "colours.css":
        return Response(colours_css(), headers=_HEADERS, media_type="text/css")
    if path in _DRAWN:
        return Response(_DRAWN[path](), headers=_HEADERS, media_type=_TYPES[".js"])
    content = _assets().get(path)
    if content is None:
        return PlainTextResponse("there is no such file\n", 404, _HEADERS)
    kind = _TYPES[PurePosixPath(path).suffix]
    return Response(content.read_bytes(), headers=_HEADERS, media_type=kind)


@cache
def _assets() -> Mapping[str, Traversable]:
    """Return the files of the page by their paths. A path from outside meets no file system."""
    return {
        f"{above}/{path.name}".lstrip("/"): path
        for above, package in _FOLDERS.items()
        for path in (files(package) / "assets").iterdir()
        if PurePosixPath(path.name).suffix in _TYPES
    }


async def _serve(connection: WebSocket, hub: Hub, conductor: Conductor) -> None:
    await connection.send_json({"kind": "hello", "layout": layout()})
    page = hub.enter(connection)
    sender = asyncio.create_task(page.send())
    listener = asyncio.create_task(_listen(connection, page, hub, conductor))
    try:
        await asyncio.wait((sender, listener), return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.leave(page)
        for task in (sender, listener):
            task.cancel()
        await asyncio.gather(sender, listener, return_exceptions=True)


async def _listen(connection: WebSocket, page: Page, hub: Hub, conductor: Conductor) -> None:
    """Do what a page asks, until it leaves or breaks the rules."""
    allowance = Allowance()
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            received = await connection.receive()
            if received["type"] == "websocket.disconnect":
                return
            if not allowance.take():
                await connection.close(TOO_MANY, "too many messages")
                return
            try:
                message = parse(received.get("text"))
            except MessageError as error:
                await connection.close(WRONG, _reason(error))
                return
            if message.do == "seen":
                page.seen(message.frame)
            elif message.do == "steer":
                hub.steer(page)
            elif message.do in STEERING and hub.steering != page.number:
                page.notice("another page steers; take over first")
            else:
                await _command(message, page, conductor)


def _reason(error: MessageError) -> str:
    """Return why a WebSocket is closed, in as many bytes as there may be (RFC 6455, 5.5)."""
    return str(error).encode()[:_MOST_REASON_BYTES].decode(errors="ignore")


async def _command(message: PageCommand, page: Page, conductor: Conductor) -> None:
    """Do one command of the page that steers; tell it what is wrong with it."""
    commands = {
        "run": lambda: conductor.run(message.options),
        "single": lambda: conductor.run(message.options, single=True),
        "check": lambda: conductor.check(message.options),
        "sweep": lambda: conductor.sweep(message.options),
        "stop": conductor.stop,
        "clear": conductor.clear,
        "keep": lambda: conductor.keep(message.options.get("session", "")),
        "note": lambda: conductor.note(*(message.options.get(name, "") for name in NOTE)),
    }
    try:
        await asyncio.to_thread(commands[message.do])
    except PlexorError as error:
        page.notice(str(error))
    else:
        if message.do == "check":
            page.notice("")
