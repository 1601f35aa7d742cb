# SPDX-License-Identifier: Apache-2.0
"""From settings of codes to the registers of the code port, and back."""

from __future__ import annotations

from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.units import seconds_of
from plexor.model.codes import SETTLE_CLOCKS, SKEW_CLOCKS, Codes, Port
from plexor.model.settings import RegisterWrite
from plexor.protocol.codes import CLASS_BITS, LEAST_BITS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import CODE, MOST_SETTLE_CLOCKS, CodeMode
from plexor.run.plan.rounding import Quantities
from plexor.wire.decode.register_image import RegisterImage

PORT_REGISTERS = (
    "mode", "settle_clocks", "skew_clocks", "mask", "strobe_channel", "zone_mask",
)  # fmt: skip
"""Registers of the block `code` that set up the port."""


def code_registers(codes: Codes | None, quantities: Quantities) -> list[RegisterWrite]:
    """Return the writes to the code port's registers; none for an instrument without it.

    Raises ValueError for a port that the instrument does not have or cannot set.
    """
    port = None if codes is None else codes.port
    geometry = quantities.geometry
    if port is not None:
        quantities.need(Feature.CODES, "code port")
    if Feature.CODES not in geometry.features:
        return []
    values = dict.fromkeys(PORT_REGISTERS, 0)
    if codes is not None and port is not None:
        if codes.bits > geometry.code_bits:
            raise ValueError(
                f"code port: {counted(codes.bits, 'bit')}; this instrument has "
                f"{geometry.code_bits} code pins:"
                f" send codes of at most {counted(geometry.code_bits, 'bit')}"
            )
        if port.strobe is not None and port.strobe >= geometry.channels:
            raise ValueError(
                f"code port: ch{port.strobe}; this instrument has channels ch0 to"
                f" ch{geometry.channels - 1}"
            )
        values |= {
            "mode": int(CodeMode.CHANGE if port.strobe is None else CodeMode.STROBED),
            "settle_clocks": _clocks("settle", port.settle_s, SETTLE_CLOCKS, 1, quantities),
            "skew_clocks": _clocks("skew", port.skew_s, SKEW_CLOCKS, 0, quantities),
            "mask": (1 << codes.bits) - 1,
            "strobe_channel": port.strobe or 0,
            "zone_mask": sum(1 << number for number in set(port.without)),
        }
    return [RegisterWrite(CODE.name, 0, name, value) for name, value in values.items()]


def _clocks(
    name: str, seconds: Fraction | None, usual: int, least: int, quantities: Quantities
) -> int:
    """Return a time in whole core clocks."""
    if seconds is None:
        return usual
    samples = quantities.geometry.samples
    clocks = round(quantities.ticks(seconds) / samples)
    quantities.check(
        f"code port {name}", clocks * samples, least * samples, MOST_SETTLE_CLOCKS * samples
    )
    quantities.note(f"code port {name}", seconds, clocks * samples)
    return clocks


def codes_asked(image: RegisterImage, geometry: Geometry) -> Codes | None:
    """Return the code settings of a recording; None without a code port, or if they are unknown."""
    keys = [(CODE.name, 0, name) for name in PORT_REGISTERS]
    if Feature.CODES not in geometry.features or image.unknown(keys):
        return None

    def clocks(name: str) -> Fraction:
        return seconds_of(image.value(CODE.name, name) * geometry.samples, geometry.tick_fs)

    mode = image.value(CODE.name, "mode")
    bits = image.value(CODE.name, "mask").bit_length()
    if mode not in (CodeMode.CHANGE, CodeMode.STROBED) or bits < LEAST_BITS:
        return None
    strobe = image.value(CODE.name, "strobe_channel") if mode == CodeMode.STROBED else None
    zones = image.value(CODE.name, "zone_mask")
    without = tuple(number for number in range(1 << CLASS_BITS) if zones >> number & 1)
    port = Port(strobe, clocks("settle_clocks"), clocks("skew_clocks"), without)
    return Codes(port=port, bits=bits)
