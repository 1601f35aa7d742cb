# SPDX-License-Identifier: Apache-2.0
"""An archive's pages: its runs, one run, runs that are compared, and trends."""

from __future__ import annotations

import threading
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from plexor.base.errors import PlexorError
from plexor.library.archive import Archive
from plexor.scope.finished import headers
from plexor.scope.guard import Guard
from plexor.show.archive.list_page import refused_page, with_way_back

LAST = 200
"""Runs that are listed."""
_HEADERS = headers("page")


def archive_app(guard: Guard, archive: Archive) -> Starlette:
    """Return the application."""
    asking = threading.Lock()
    """One question at a time: they share a connection."""

    def route(path: str, made: Callable[[Archive, Request], str]) -> Route:
        def answer(request: Request) -> Response:
            reached = request.scope.get("server")
            token = request.path_params["token"]
            refused = guard.refuses(token, request.headers, socket=False, reached=reached)
            if refused is not None:
                return PlainTextResponse(f"{refused}\n", 403, _HEADERS)
            try:
                with asking:
                    return HTMLResponse(made(archive, request), headers=_HEADERS)
            except PlexorError as error:
                return HTMLResponse(refused_page(str(error)), 400, _HEADERS)

        return Route(f"/{{token}}/{path}", answer)

    def without_token(_: Request) -> Response:
        text = "the address lacks its token; use the one that plexor archive serve printed\n"
        return PlainTextResponse(text, 403, _HEADERS)

    return Starlette(
        routes=[
            route("", _list),
            route("run", _run),
            route("compare", _compare),
            route("trend", _trend),
            Route("/{path:path}", without_token),
        ]
    )


def _list(archive: Archive, request: Request) -> str:
    return archive.page(where=request.query_params.getlist("where"), last=LAST)


def _run(archive: Archive, request: Request) -> str:
    return with_way_back(archive.run_page(request.query_params.get("run", "")))


def _compare(archive: Archive, request: Request) -> str:
    return with_way_back(archive.compare(request.query_params.getlist("run")).page())


def _trend(archive: Archive, request: Request) -> str:
    asked = request.query_params
    where = asked.getlist("where")
    trend = archive.trend(asked.get("channel", ""), by=asked.get("by", "commit"), where=where)
    return with_way_back(trend.page(), where)
