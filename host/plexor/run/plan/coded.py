# SPDX-License-Identifier: Apache-2.0
"""Registers of the code block that do more than receive codes: latencies by code, stall, stops."""

from __future__ import annotations

from plexor.model.settings import RegisterWrite, Settings
from plexor.model.sources import source_name
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import CODE, Trigger, register
from plexor.run.plan.rounding import Quantities


def coded_registers(settings: Settings, quantities: Quantities) -> list[RegisterWrite]:
    """Return the registers, none for an instrument without a code port.

    Latencies are counted of the first enabled channel that answers strikes. Raises ValueError for
    settings that the instrument cannot apply.
    """
    geometry, stall, code = quantities.geometry, settings.stall, settings.stop_code
    if stall is not None:
        quantities.need(Feature.CODES, "stop on a stall")
    if code is not None:
        quantities.need(Feature.CODES, "stop on a code")
    starts = [s.trigger_code for s in settings.strikes if s.trigger == Trigger.CODE]
    if starts:
        quantities.need(Feature.CODES, "strikes that a code starts")
    if Feature.CODES not in geometry.features:
        return []
    carry = () if settings.codes is None else settings.codes.channels
    named = [c.number for c in settings.channels if c.enable and c.number not in carry]
    values = {
        "latency_channel": named[0] if named else 0,
        "stall_source": 0,
        "stall_ticks": 0,
        "stop_code": 0,
        "trigger_code": 0,
    }
    if stall is not None:
        most = (1 << register(CODE.name, "stall_ticks").bits) - 1
        if stall.source not in _there(settings, geometry.sources):
            name = source_name(stall.source)
            raise ValueError(f"stall: {name} is not enabled, so it would stall in any run")
        values["stall_source"] = stall.source
        values["stall_ticks"] = quantities.rounded("stall", stall.limit_s, 1, most)
    if code is not None:
        values["stop_code"] = _checked(code, geometry)
    if starts:
        if settings.codes is None or settings.codes.port is None:
            raise ValueError(
                f"start: code:{starts[0]:#x}; must come at the code port, so say how the device "
                "shows codes there"
            )
        if len(set(starts)) > 1:
            several = " and ".join(f"code:{code:#x}" for code in dict.fromkeys(starts))
            raise ValueError(f"start: {several}; one code can start strikes: give one")
        values["trigger_code"] = _checked(starts[0], geometry)
    return [RegisterWrite(CODE.name, 0, name, value) for name, value in values.items()]


def _checked(code: int, geometry: Geometry) -> int:
    most = (1 << geometry.code_bits) - 1
    if code > most:
        raise ValueError(f"code: {code:#x}; must be at most {most:#x}")
    return code


def _there(settings: Settings, sources: tuple[int, ...]) -> set[int]:
    """Return the sources that may have events."""
    on = {SOURCE_CHANNEL + channel.number for channel in settings.channels if channel.enable}
    on |= {SOURCE_STRIKE + strike.output for strike in settings.strikes}
    return {source for source in sources if source >= SOURCE_LOAD or source in on}
