# SPDX-License-Identifier: Apache-2.0
"""Serves the page on this machine until it is interrupted."""

from __future__ import annotations

import logging
import socket
import ssl
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from plexor.base.errors import UsageError, unexpected
from plexor.scope.app import app
from plexor.scope.conductor import Conductor
from plexor.scope.guard import Guard, hosts_of, new_token, own_names
from plexor.scope.hub import Hub
from plexor.scope.interface import Rig
from plexor.scope.messages import MOST_BYTES

_LOGGERS = ("asyncio", "uvicorn", "websockets")
"""Where the server says what went wrong: a visitor's handshake, a fault, its own end."""


@dataclass(frozen=True, slots=True)
class ServedAt:
    """Where the page is served, and where runs are kept."""

    host: str = "127.0.0.1"
    port: int = 0
    """0: one that is free."""
    certificate: Path | None = None
    key: Path | None = None
    folder: Path = Path()

    @property
    def secure(self) -> bool:
        """Whether the connection is encrypted."""
        return self.certificate is not None

    @property
    def local(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


class Door:
    """Where a page will be served: it listens already. Raises UsageError if that cannot be."""

    def __init__(self, served_at: ServedAt) -> None:
        _check_pair(served_at)
        self.where = served_at
        self.socket = _listening(served_at)
        port = self.socket.getsockname()[1]
        self.guard = Guard(
            new_token(), hosts_of(served_at.host, port, secure=served_at.secure), served_at.secure
        )
        host = f"[{served_at.host}]" if ":" in served_at.host else served_at.host
        scheme = "https" if served_at.secure else "http"
        self.address = f"{scheme}://{host}:{port}/{self.guard.token}/"
        self.elsewhere = None
        """Its address on other machines, where `address` names none."""
        if served_at.host in ("0.0.0.0", "::"):
            self.elsewhere = self.address.replace(host, own_names()[0], 1)


class Server:
    """A server of an application, in a thread until it is closed."""

    def __init__(self, application: Starlette, door: Door) -> None:
        self.address = door.address
        self._socket = door.socket
        self._server = uvicorn.Server(_config(application, door.where))
        self._thread = threading.Thread(target=self._run, name="server", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the server."""
        self._server.should_exit = True
        self.end()
        self._thread.join()
        self._socket.close()

    def end(self) -> None:
        """End what the server was for, while it ends itself."""

    def _run(self) -> None:
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [_Faults()], False
        self._server.run([self._socket])


class PageServer(Server):
    """A server of the page of an instrument. Closing it ends the run under way."""

    def __init__(self, rig: Rig, door: Door) -> None:
        self.hub = Hub()
        self.conductor = Conductor(rig, self.hub, door.where.folder)
        super().__init__(app(door.guard, self.hub, self.conductor), door)

    def end(self) -> None:
        """End the run under way, and let the instrument go."""
        self.conductor.close()


class _Faults(logging.Handler):
    """Reports faults of this program, and none of its visitors: a broken connection is not one."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a fault as one line."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception) and not isinstance(error, OSError):
            print(f"plexor: {unexpected(error)}", file=sys.stderr)


def serve(
    started: Callable[[Door], Server],
    served_at: ServedAt,
    say: Callable[[str], None],
    *,
    show: bool,
) -> None:
    """Serve by the server that `started` returns, until interrupted.

    `say` gets its address, and `show` opens a browser with it.
    """
    door = Door(served_at)
    try:
        served = started(door)
    except BaseException:
        door.socket.close()
        raise
    try:
        say(f"listening {served.address}")
        if door.elsewhere is not None:
            say(f"from other machines: {door.elsewhere}")
        if not (served_at.local or served_at.secure):
            say(
                "warning: this address is open to the network and not encrypted; whoever reads it "
                "can use the page; give --certificate and --key"
            )
        if show:
            webbrowser.open(served.address)
        _wait()
    except KeyboardInterrupt:
        pass
    finally:
        served.close()


def _wait() -> None:
    threading.Event().wait()


def _listening(served_at: ServedAt) -> socket.socket:
    family = socket.AF_INET6 if ":" in served_at.host else socket.AF_INET
    # asyncio sends small messages at once only where the protocol is named.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((served_at.host, served_at.port))
        listener.listen()
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise UsageError(
            f"cannot listen at {served_at.host} port {served_at.port}: {reason}"
        ) from error
    return listener


def _check_pair(served_at: ServedAt) -> None:
    """Raise UsageError unless certificate and key are a pair, or neither is given."""
    if (served_at.certificate is None) != (served_at.key is None):
        raise UsageError("--certificate and --key belong together; give both")
    if served_at.certificate is not None and served_at.key is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
                served_at.certificate, served_at.key
            )
        except OSError as error:
            raise UsageError(
                f"{served_at.certificate}, {served_at.key}: not a certificate and its key: {error}"
            ) from error


def _config(application: object, served_at: ServedAt) -> uvicorn.Config:
    return uvicorn.Config(
        application,  # pyright: ignore
        ws="websockets-sansio",
        ws_max_size=MOST_BYTES,
        ws_per_message_deflate=False,
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        ssl_certfile=served_at.certificate,
        ssl_keyfile=served_at.key,
        timeout_graceful_shutdown=1,
    )
