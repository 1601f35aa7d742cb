# SPDX-License-Identifier: Apache-2.0
"""Who may see the page: its address has a token, and its requests come from the page itself.

A page of another site may send requests to a server on this machine, and open WebSockets; a browser
then names that site as their origin. Another site may also let its own name lead to this machine;
the browser then names that host. An address of this machine, by which it was reached, is no name.
"""

from __future__ import annotations

import secrets
import socket as network
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_DEFAULT_PORTS = {"http": 80, "https": 443}
"""Ports that browsers leave out (RFC 9110, 4.2)."""


def new_token() -> str:
    """Return a token that nobody guesses, as a part of an address."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Guard:
    """The addresses under which the page is served, and its token."""

    token: str
    hosts: frozenset[str]
    """As browsers name them: `127.0.0.1:7550`, or without a port that is the default."""
    secure: bool = False

    def refuses(
        self,
        token: str,
        headers: Mapping[str, str],
        *,
        socket: bool,
        reached: tuple[str, int] | None = None,
    ) -> str | None:
        """Return why a request is refused, or None. A WebSocket must name its origin.

        `reached` is this machine's own address and port at which the request arrived.
        """
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return "the address lacks its token; use the one that plexor scope printed"
        scheme = "https" if self.secure else "http"
        hosts = self.hosts
        if reached is not None:
            hosts |= _authorities([_of_address(reached[0])], reached[1], scheme)
        if headers.get("host", "").lower() not in hosts:
            return "the address names another host; use the one that plexor scope printed"
        origin = headers.get("origin")
        if origin is None:
            return "only the page itself may connect" if socket else None
        ours = {f"{scheme}://{host}" for host in hosts}
        return None if origin.lower() in ours else "only the page itself may connect"


def hosts_of(host: str, port: int, *, secure: bool = False) -> frozenset[str]:
    """Return what browsers may name a server that listens at a host and port.

    One that others can reach has this machine's own names too.
    """
    named = f"[{host}]" if ":" in host else host.lower()
    names = [*LOOPBACK] if named in LOOPBACK else [named, *LOOPBACK, *own_names()]
    return _authorities(names, port, "https" if secure else "http")


def own_names() -> list[str]:
    """Return the names of this machine: in full, in short, and in the local network (mDNS)."""
    name = network.gethostname().lower()
    short = name.partition(".")[0]
    return list(dict.fromkeys((name, network.getfqdn().lower(), short, f"{short}.local")))


def _authorities(names: list[str], port: int, scheme: str) -> frozenset[str]:
    plain = names if port == _DEFAULT_PORTS[scheme] else []
    return frozenset([*(f"{name}:{port}" for name in names), *plain])


def _of_address(address: str) -> str:
    """Return an address as browsers name it; it may be one of version 4 within version 6."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address.lower()
    if isinstance(ip, IPv6Address):
        return f"[{ip}]" if ip.ipv4_mapped is None else str(ip.ipv4_mapped)
    return str(ip)
