# SPDX-License-Identifier: Apache-2.0
"""Links as people write them: as they are written here, and what one that is none was meant to be.

It imports no link, so that it may be asked before one is opened.
"""

from __future__ import annotations

import re
from pathlib import Path

from plexor.wire.link.boards import is_board

_SCHEMES = ("sim", "tcp", "udp", "serial", "file")
_DEVICES = ("freertos", "bare", "synthetic")
_PORT = re.compile(r"(?!.*:\d{4,7}$)/dev/.+|COM\d+(?:\?.*)?", re.IGNORECASE)
_WITH_BAUD = re.compile(r"(/dev/.+|COM\d+):(\d{4,7})", re.IGNORECASE)
"""A port with its rate behind a colon, as other programs take it."""
_DOS_PORT = re.compile(r"\\\\\.\\(COM\d+)", re.IGNORECASE)
_SIMULATED = ("simulator", "simulation", "simulated")
_UNIX_PORT = re.compile(r"tty\w+|cu\.\S+")
_HOST = re.compile(r"(?:https?:/*|(tcp|udp):/?)?((?:[\w-]+\.)*[\w-]+:\d{1,5})/?", re.IGNORECASE)
_ALONE = re.compile(r"localhost|\d{1,3}(?:\.\d{1,3}){3}", re.IGNORECASE)


def usual_link(uri: str) -> str:
    """Return a link as it is written here.

    Its scheme may be in any case of letters. A port alone, such as `/dev/ttyUSB0` or `COM3`, as
    other programs take it, is a serial one, and `sim` alone is the simulated instrument.
    """
    uri = uri.strip()
    if _PORT.fullmatch(uri):
        return f"serial:{uri}"
    scheme, colon, address = uri.partition(":")
    if scheme.lower() == "sim":
        return f"sim:{address}"
    return f"{scheme.lower()}:{address}" if colon and scheme.lower() in _SCHEMES else uri


def link_meant(uri: str) -> str:
    """Return what a link was meant to be; empty if that is not known."""
    if _UNIX_PORT.fullmatch(uri):
        return f"did you mean /dev/{uri}?"
    if with_baud := _WITH_BAUD.fullmatch(uri):
        return f"did you mean serial:{with_baud[1]}?baud={with_baud[2]}?"
    if dos := _DOS_PORT.fullmatch(uri):
        return f"did you mean {dos[1]}?"
    if uri.lower() in _SIMULATED:
        return "did you mean sim:?"
    if uri.lower() in _DEVICES:
        return f"did you mean sim:{uri.lower()}?"
    if is_board(uri):
        return f"must be the board's serial port; sim:?board={uri.lower()} simulates one"
    if _ALONE.fullmatch(uri):
        return f"has no port; must be tcp://{uri}:PORT or udp://{uri}:PORT"
    host = _HOST.fullmatch(uri)
    if host is not None:
        return f"did you mean {(host[1] or 'tcp').lower()}://{host[2]}?"
    if uri and "\0" not in uri and Path(uri).exists():
        return f"did you mean file:{uri}? A folder of --out is shown by `plexor show {uri}`"
    return ""
