"""Who may see the page: its address has a token, and its requests come from the page itself.

A page of another site may send requests to a server on this machine, and open WebSockets; a browser
then names that site as their origin. Another site may also let its own name lead to this machine;
the browser then names that host.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def new_token() -> str:
    """Return a token that nobody guesses, as a part of an address."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Guard:
    """The addresses under which the page is served, and its token."""

    token: str
    hosts: frozenset[str]
    """As browsers name them: `127.0.0.1:7550`."""
    secure: bool = False
    origins: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        scheme = "https" if self.secure else "http"
        object.__setattr__(self, "origins", frozenset(f"{scheme}://{host}" for host in self.hosts))

    def refuses(self, token: str, headers: Mapping[str, str], *, socket: bool) -> str | None:
        """Return why a request is refused, or None. A WebSocket must name its origin."""
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return "the address lacks its token; use the one that plexor scope printed"
        if headers.get("host", "").lower() not in self.hosts:
            return "the address names another host; use the one that plexor scope printed"
        origin = headers.get("origin")
        if origin is None:
            return "only the page itself may connect" if socket else None
        return None if origin.lower() in self.origins else "only the page itself may connect"


def hosts_of(host: str, port: int) -> frozenset[str]:
    """Return what browsers may name a server that listens at a host and port."""
    named = f"[{host}]" if ":" in host else host.lower()
    names = LOOPBACK if named in LOOPBACK else (named, *LOOPBACK)
    return frozenset(f"{name}:{port}" for name in names)
