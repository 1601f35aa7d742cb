# SPDX-License-Identifier: Apache-2.0
"""The rate of a serial link: by the board's USB product, or one at which an instrument answers.

Gateware with a set rate hears nothing at another one. Gateware that measures its rate does so after
each break, and so takes any.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from plexor.base.errors import LinkError
from plexor.protocol.frames import (
    DELIMITER,
    OPERATION,
    Frame,
    FrameType,
    OpCode,
    cobs_decode,
    to_stream,
)
from plexor.protocol.registers import address
from plexor.wire.link.boards import BOARDS, at_port
from plexor.wire.link.serial_port import DEFAULT_BAUD, SerialLink

RATES = tuple(sorted({DEFAULT_BAUD, *(b.baud for b in BOARDS if b.baud)}, reverse=True))
"""The rates that boards have, and the default one."""
ANSWER_S = 0.2
"""Time in which an instrument answers one command; a latency timer of 16 ms is well within."""
_MOST_BYTES = 4096


def rate_at(port: str) -> tuple[int, str]:
    """Return the rate of the instrument at a port, and how it is known.

    Tries rates only where the port's USB product does not tell the board. If nothing answers, the
    first of them. Raises LinkError if the port cannot be opened.
    """
    device = at_port(port)
    rates = device.rates if device is not None and device.rates else RATES
    if device is not None and len(rates) == 1:
        return rates[0], f"that of {device.name}"
    for rate in answering(port, rates):
        return rate, "at which it answers"
    return rates[0], f"because nothing answers at {rates_text(rates)} baud"


def answering(port: str, rates: Iterable[int]) -> Iterable[int]:
    """Yield the rates at which an instrument at a port answers a command; others are skipped.

    Raises LinkError if the port cannot be opened at any rate.
    """
    failures: list[LinkError] = []
    tried = 0
    for rate in rates:
        tried += 1
        try:
            link = SerialLink(port, rate, ahead=False)
        except LinkError as error:
            failures.append(error)
            continue
        try:
            heard = _answers(link)
        except LinkError:
            heard = False
        finally:
            link.close()
        if heard:
            yield rate
    if failures and len(failures) == tried:
        raise failures[0]


def rates_text(rates: Iterable[int]) -> str:
    """Return rates as words."""
    words = [f"{rate:,}" for rate in rates]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1] if words else "")))


def _answers(link: SerialLink) -> bool:
    operation = {"address": address("identity", "magic"), "code": OpCode.READ}
    payload = OPERATION.pack({**operation, "status": 0, "value": 0})
    link.write(to_stream(Frame(FrameType.COMMAND, 0, 0, 0, 0, 0, payload)))
    deadline = time.monotonic() + ANSWER_S
    heard = b""
    while (left_s := deadline - time.monotonic()) > 0 and len(heard) < _MOST_BYTES:
        heard += link.read(_MOST_BYTES, left_s)
        if any(map(_is_response, heard.split(bytes([DELIMITER])))):
            return True
    return False


def _is_response(stretch: bytes) -> bool:
    try:
        return Frame.decode(cobs_decode(stretch)).type == FrameType.RESPONSE
    except ValueError:
        return False
