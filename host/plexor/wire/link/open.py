# SPDX-License-Identifier: Apache-2.0
"""Opens links by URI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from plexor.base.errors import UsageError
from plexor.base.meant import suggestion
from plexor.wire.link.base import Link
from plexor.wire.link.file import FileLink
from plexor.wire.link.rates import rate_at
from plexor.wire.link.serial_port import SerialLink
from plexor.wire.link.sim import SimLink, sim_arguments, sim_command
from plexor.wire.link.tcp import TcpLink
from plexor.wire.link.udp import UdpLink
from plexor.wire.link.written import link_meant, usual_link

DEFAULT_DUT = "freertos"
_DUT = "dut="
_SIM_OPTIONS = (
    *("board", "build", "channels", "strikes", "samples", "phases", "tick-fs"),
    *("front-end", "clock-lost", "corrupt", "stall", "pace", "core"),
)
"""Options of the simulated instrument that its URI may have, as `plexor board sim` has them."""
_FORMS = (
    "sim:DUT?OPTION=VALUE, tcp://HOST:PORT, udp://HOST:PORT, serial:PORT?baud=RATE or file:PATH"
)

_DEVICE_FORMS = "serial:PORT?baud=RATE or tcp://HOST:PORT"


def open_link(
    uri: str, dut: str | None = None, simulation: Sequence[str] = (), *, again: bool = False
) -> Link:
    """Return the link that a URI names; `dut` and `simulation`, its arguments, are for `sim:`.

    `again`: this process will open more such links, so what starts a simulated instrument may stay.
    Raises UsageError for a URI that is not a link, LinkError for a link that cannot be opened.
    """
    uri = usual_link(uri)
    scheme, _, address = uri.partition(":")
    if scheme == "sim":
        device = device_of(uri, dut)
        query = without_device(uri).partition("?")[2]
        options = _sim_options(uri, query)
        planted = [item for item in query.split("&") if item.startswith("front-end=")]
        command = sim_arguments if again else sim_command
        return SimLink(
            command(device, (*options, *simulation)),
            f"sim:{device}?{query}" if query else f"sim:{device}",
            "?".join(["sim", *planted]),
            starter=again,
        )
    if scheme == "tcp":
        return TcpLink(*_address(uri))
    if scheme == "udp":
        return UdpLink(*_address(uri))
    if scheme == "serial":
        return _instrument_at(*_serial(uri, address))
    if scheme == "file":
        return FileLink(Path(address.removeprefix("//")))
    raise UsageError(f"link: {uri!r}; {link_meant(uri) or f'must be {_FORMS}'}")


def sim_device(uri: str) -> str:
    """Return the device that a `sim:` URI names: `sim:NAME` or `sim:?dut=NAME`; empty if none.

    Raises UsageError if it names two.
    """
    named, _, query = uri.removeprefix("sim:").partition("?")
    names = [item.removeprefix(_DUT) for item in query.split("&") if item.startswith(_DUT)]
    names = [name for name in (named, *names) if name]
    if len(names) > 1:
        raise UsageError(f"link: {uri!r}; name the device once")
    return names[0] if names else ""


def device_of(uri: str, dut: str | None) -> str:
    """Return the simulated device that a `sim:` URI or `dut` names, or the default one.

    Raises UsageError if they name two.
    """
    named = sim_device(uri)
    if named and dut and named != dut:
        raise UsageError(f"link: {uri!r} and --dut {dut!r}; name the device once")
    return usual_name(named or dut or DEFAULT_DUT)


def usual_name(dut: str) -> str:
    """Return a device's text with its name as it is written: of those here, in lower case.

    A manifest has a suffix, and keeps its name.
    """
    name, colon, options = dut.partition(":")
    return f"{name if {'.', '/'} & {*name} else name.lower()}{colon}{options}"


def without_device(uri: str) -> str:
    """Return a `sim:` URI with its options other than the device; any other URI as it is."""
    if not uri.startswith("sim:"):
        return uri
    items = uri.partition("?")[2].split("&")
    query = "&".join(item for item in items if not item.startswith(_DUT))
    return f"sim:?{query}" if query else "sim:"


def _sim_options(uri: str, query: str) -> list[str]:
    """Return the options after the question mark of a `sim:` URI as arguments."""
    arguments: list[str] = []
    for item in filter(None, query.split("&")):
        name, _, value = item.partition("=")
        if name not in _SIM_OPTIONS or not value:
            known = ", ".join(f"{option}=" for option in _SIM_OPTIONS)
            near = suggestion(name, _SIM_OPTIONS) if name not in _SIM_OPTIONS else ""
            raise UsageError(f"link: {uri!r}: {item!r}; must be one of {known}{near}")
        arguments += [f"--{name}", value]
    return arguments


def _address(uri: str) -> tuple[str, int]:
    try:
        url = urlsplit(uri)
        host, port = url.hostname, url.port
    except ValueError as error:
        raise UsageError(f"link: {uri!r}: {error}") from error
    if not host or not port:
        wrong = "has no port; " if host else link_meant(uri)
        right = "" if wrong.endswith("?") else f"must be {uri[:3]}://HOST:PORT"
        raise UsageError(f"link: {uri!r}; {wrong}{right}")
    return host, port


def open_device_line(uri: str, default_baud: int) -> Link:
    """Return the serial line to a device under test: `serial:PORT?baud=RATE` or `tcp://HOST:PORT`.

    Raises UsageError for a URI that is neither, LinkError for a line that cannot be opened.
    """
    uri = usual_link(uri)
    scheme, _, address = uri.partition(":")
    if scheme == "tcp":
        return TcpLink(*_address(uri))
    if scheme == "serial":
        port, baud = _serial(uri, address)
        return SerialLink(port, baud or default_baud, is_instrument=False)
    raise UsageError(f"device's line: {uri!r}; must be {_DEVICE_FORMS}")


def _instrument_at(port: str, baud: int | None) -> SerialLink:
    """Return the link to an instrument at a port; `baud` None: the rate is found, and noted."""
    if baud is not None:
        return SerialLink(port, baud)
    baud_found, reason = rate_at(port)
    link = SerialLink(port, baud_found)
    link.note = f"{link.name}: the rate {reason}"
    return link


def _serial(uri: str, address: str) -> tuple[str, int | None]:
    """Return port and rate of a `serial:` URI; None: it has no rate."""
    port, question, query = address.partition("?")
    options = parse_qs(query, keep_blank_values=True)
    unknown = sorted(set(options) - {"baud"})
    baud = options.get("baud", [""])[-1]
    fits = baud.isdecimal() and len(baud) <= 9
    if not port or unknown or not (fits or not question):
        raise UsageError(f"link: {uri!r}; must be serial:PORT or serial:PORT?baud=RATE")
    return port, int(baud) if question else None
