"""Opens links by URI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from plexor.errors import UsageError
from plexor.link.base import Link
from plexor.link.file import FileLink
from plexor.link.serial_port import DEFAULT_BAUD, SerialLink
from plexor.link.sim import SimLink, sim_command
from plexor.link.tcp import TcpLink
from plexor.link.udp import UdpLink

DEFAULT_DUT = "freertos"
_FORMS = "sim:, sim:DUT, tcp://HOST:PORT, udp://HOST:PORT, serial:PORT?baud=RATE or file:PATH"


def open_link(uri: str, dut: str | None = None, sim_arguments: Sequence[str] = ()) -> Link:
    """Return the link that a URI names; `dut` and `sim_arguments` are for `sim:`.

    Raises UsageError for a URI that names none, LinkError for a link that cannot be opened.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon:
        raise UsageError(f"link: {uri!r}; must be {_FORMS}")
    if scheme == "sim":
        if rest and dut and rest != dut:
            raise UsageError(f"link: {uri!r} and --dut {dut!r}; name the device once")
        device = rest or dut or DEFAULT_DUT
        return SimLink(sim_command(device, sim_arguments), f"sim:{device}")
    if scheme == "tcp":
        return TcpLink(*_address(uri))
    if scheme == "udp":
        return UdpLink(*_address(uri))
    if scheme == "serial":
        return _serial(uri, rest)
    if scheme == "file":
        return FileLink(Path(rest.removeprefix("//")))
    raise UsageError(f"link: {uri!r}; must be {_FORMS}")


def _address(uri: str) -> tuple[str, int]:
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"link: {uri!r}: {error}") from error
    if not host or not port:
        raise UsageError(f"link: {uri!r}; must be {uri[:3]}://HOST:PORT")
    return host, port


def _serial(uri: str, rest: str) -> SerialLink:
    port, _, query = rest.partition("?")
    options = parse_qs(query, keep_blank_values=True)
    unknown = sorted(set(options) - {"baud"})
    baud = options.get("baud", [str(DEFAULT_BAUD)])[-1]
    if not port or unknown or not baud.isdecimal() or len(baud) > 9:
        raise UsageError(f"link: {uri!r}; must be serial:PORT or serial:PORT?baud=RATE")
    return SerialLink(port, int(baud))
