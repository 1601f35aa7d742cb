# SPDX-License-Identifier: Apache-2.0
"""From the registers of a recording back to settings."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from plexor.base.units import seconds_of
from plexor.model.settings import (
    Channel,
    OnChip,
    RegisterWrite,
    Settings,
    Stall,
    Stimulus,
    TableStep,
    on_chip,
)
from plexor.model.sources import source_name
from plexor.protocol.frames import SOURCES
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import (
    CHANNEL,
    STEP,
    STIMULUS,
    Block,
    InputSelect,
    Policy,
    StopOn,
    Stream,
    Trigger,
    register,
)
from plexor.run.plan.codes import codes_asked
from plexor.run.plan.strikes import FRACTION_BITS
from plexor.wire.decode.register_image import (
    RegisterImage,
    common_registers,
    enabled,
    setup_keys,
    setup_registers,
    step_count_of,
)


def registers_in(image: RegisterImage, geometry: Geometry) -> tuple[RegisterWrite, ...]:
    """Return the registers that set up a run, as far as the recording has them."""
    return tuple(
        RegisterWrite(block, copy, name, image.value(block, name, copy))
        for block, copy, name in setup_registers(image, geometry)
        if image.has(block, name, copy) and not _is_wrong(image, block, name, copy)
    )


def wrong_in(image: RegisterImage, geometry: Geometry) -> list[str]:
    """Return a sentence for each register value that no host writes; the settings omit it."""
    tick_fs = geometry.tick_fs
    wrong = [
        f"strike{output} was asked to strike every 0 ticks"
        for output in _triggered(image, geometry)
        if not _strikes(_stimulus(image, output, tick_fs))
    ]
    wrong += [
        f"{block}{f'[{copy}]' if block == 'stimulus' else ''}.{name} was "
        f"{image.value(block, name, copy)}, which is not a {name}"
        for block, copy, name in setup_registers(image, geometry)
        if image.has(block, name, copy) and _is_wrong(image, block, name, copy)
    ]
    if any(step.period_s <= 0 for step in _steps(image, tick_fs)):
        wrong.append("a step of the table was asked to strike every 0 ticks")
    return wrong


_KINDS: Mapping[tuple[str, str], frozenset[int]] = {
    ("matcher", "policy"): frozenset(Policy),
    ("stimulus", "trigger"): frozenset(Trigger),
}
"""Valid values of registers with more bits than values."""


def _is_wrong(image: RegisterImage, block: str, name: str, copy: int) -> bool:
    kinds = _KINDS.get((block, name))
    return kinds is not None and image.value(block, name, copy) not in kinds


def _strikes(stimulus: Stimulus) -> bool:
    return stimulus.period_s is None or stimulus.period_s > 0


def settings_in(image: RegisterImage, geometry: Geometry) -> Settings:
    """Return the settings that the registers hold, without names and rounding.

    An output or channel with an unknown register is left out. If a common register is unknown, only
    outputs and channels are returned.
    """
    tick_fs = geometry.tick_fs
    known = _triggered(image, geometry)
    strikes = tuple(filter(_strikes, (_stimulus(image, output, tick_fs) for output in known)))
    channels = tuple(
        _channel(image, number, geometry) for number in _known(image, CHANNEL, geometry.channels)
    )
    if image.unknown(common_registers(geometry)):
        return Settings(strikes=strikes, channels=channels)
    stop_on = StopOn(image.value("control", "stop_on") & sum(StopOn))
    steps = _steps(image, tick_fs) if strikes and strikes[0].output == 0 else ()
    stream = image.value("control", "stream")
    return Settings(
        strikes=strikes,
        channels=channels,
        policy=Policy.OLDEST
        if _is_wrong(image, "matcher", "policy", 0)
        else Policy(image.value("matcher", "policy")),
        timeout_s=seconds_of(image.value("matcher", "timeout_ticks"), tick_fs),
        window_min_s=seconds_of(image.value("matcher", "window_min_ticks"), tick_fs),
        early_s=seconds_of(image.value("matcher", "early_ticks"), tick_fs),
        time_s=_if(StopOn.TIME in stop_on, image.value("control", "run_time_ticks"), tick_fs),
        latency_over_s=_if(
            StopOn.LATENCY in stop_on, image.value("control", "trigger_latency_ticks"), tick_fs
        ),
        stop_on_missed=StopOn.MISSED in stop_on,
        stall=_stall(image, tick_fs) if StopOn.STALL in stop_on else None,
        stop_code=_code(image, "stop_code") if StopOn.CODE in stop_on else None,
        stream=Stream(stream) if stream in set(Stream) else Stream.LIVE,
        active_only=Feature.MATCH not in geometry.features
        and bool(image.value("control", "active_only")),
        load=bool(image.value("control", "load")),
        input_select=InputSelect(image.value("control", "input_select")),
        loopback_output=image.value("control", "loopback_output"),
        settle_s=seconds_of(image.value("control", "settle_ticks"), tick_fs),
        table=steps if all(step.period_s > 0 for step in steps) else (),
        codes=codes_asked(image, geometry),
    )


def _triggered(image: RegisterImage, geometry: Geometry) -> list[int]:
    """Return the known outputs with a valid trigger."""
    return [
        output
        for output in _known(image, STIMULUS, geometry.strikes)
        if not _is_wrong(image, "stimulus", "trigger", output)
    ]


def _known(image: RegisterImage, block: Block, copies: int) -> list[int]:
    """Return the copies of a block that are enabled and of which every register is known."""
    return [
        copy
        for copy in range(copies)
        if enabled(image, block, copy) and not image.unknown(setup_keys(block, copy))
    ]


def _steps(image: RegisterImage, tick_fs: int) -> tuple[TableStep, ...]:
    """Return the sweep table; empty if a register of it is not known."""
    steps = range(step_count_of(image))
    keys = [
        *setup_keys(STIMULUS),
        *(key for number in steps for key in setup_keys(STEP, number)),
    ]
    if image.unknown(keys):
        return ()
    return tuple(_step(image, number, tick_fs) for number in steps)


def _step(image: RegisterImage, number: int, tick_fs: int) -> TableStep:
    """Return a step. It has the bursts and dither of output 0."""
    return TableStep(
        seconds_of(_period(image, ("step", number), 0), tick_fs),
        image.value("step", "strike_count", number),
        width_s=seconds_of(image.value("step", "width_ticks", number), tick_fs),
        guard_s=seconds_of(image.value("step", "guard_ticks", number), tick_fs),
    )


def _period(image: RegisterImage, interval: tuple[str, int], output: int) -> Fraction:
    """Return the mean period in ticks of an output with the interval of a copy of a block."""
    block, copy = interval
    interval_ticks = image.value(block, "interval_ticks", copy)
    exact = interval_ticks + Fraction(
        image.value(block, "interval_fraction", copy), 1 << FRACTION_BITS
    )
    spacing = image.value("stimulus", "spacing_ticks", output)
    burst = image.value("stimulus", "burst_count", output)
    dither = (1 << image.value("stimulus", "dither_bits", output)) - 1
    return exact + spacing * (burst - 1) + Fraction(dither, 2)


def _stall(image: RegisterImage, tick_fs: int) -> Stall | None:
    """Return the source that may stall, as far as it is known."""
    if image.unknown([("code", 0, "stall_source"), ("code", 0, "stall_ticks")]):
        return None
    source = image.value("code", "stall_source")
    limit_s = seconds_of(image.value("code", "stall_ticks"), tick_fs)
    return Stall(source, limit_s) if source < SOURCES else None


def _limit(image: RegisterImage, tick_fs: int) -> Fraction | None:
    """Return the latency over which strikes are started, if it is known."""
    known = image.has("control", "trigger_latency_ticks")
    return _if(known, image.value("control", "trigger_latency_ticks") if known else 0, tick_fs)


def _code(image: RegisterImage, name: str) -> int | None:
    """Return the code of a register, if it is known."""
    return image.value("code", name) if image.has("code", name) else None


def _if(is_set: bool, ticks: int, tick_fs: int) -> Fraction | None:
    return seconds_of(ticks, tick_fs) if is_set else None


def _stimulus(image: RegisterImage, output: int, tick_fs: int) -> Stimulus:
    def value(name: str) -> int:
        return image.value("stimulus", name, output)

    burst, spacing, count = value("burst_count"), value("spacing_ticks"), value("strike_count")
    dither = 1 << value("dither_bits") if value("dither_bits") else 0
    period = _period(image, ("stimulus", output), output)
    if burst == 0:
        period, burst, spacing = Fraction(spacing), 1, 0
    # The threshold of Poisson intervals is of their free clocks, and no interval follows one burst.
    unknown = value("poisson_threshold") or 0 < count <= burst
    trigger = Trigger(value("trigger"))
    return Stimulus(
        output=output,
        period_s=None if unknown else seconds_of(period, tick_fs),
        width_s=seconds_of(value("width_ticks"), tick_fs),
        phase_s=seconds_of(value("phase_ticks"), tick_fs),
        burst=burst,
        spacing_s=seconds_of(spacing, tick_fs) if spacing else None,
        count=count,
        dither_s=seconds_of(dither, tick_fs),
        poisson=bool(value("poisson_threshold")),
        trigger=trigger,
        trigger_source=value("trigger_source"),
        trigger_code=(_code(image, "trigger_code") or 0) if trigger == Trigger.CODE else 0,
        trigger_over_s=_limit(image, tick_fs) if trigger == Trigger.LATENCY else None,
        invert=bool(value("invert")),
        seed=value("seed"),
    )


def _channel(image: RegisterImage, number: int, geometry: Geometry) -> Channel:
    def value(name: str) -> int:
        return image.value("channel", name, number)

    falls = "" if value("reference_polarity") else ".fall"
    asked = {
        name: _asked(how, _longer(image, number, how) or value(how.register), geometry)
        for name, how in on_chip()
    }
    return Channel(number, reference=source_name(value("reference_source")) + falls, **asked)


def _longer(image: RegisterImage, number: int, how: OnChip) -> int:
    """Return the value of the register that a field's longer times are in; 0 where it has none."""
    if how.longer is None or not image.has(how.longer.block, how.longer.register, number):
        return 0
    return image.value(how.longer.block, how.longer.register, number)


def _asked(how: OnChip, value: int, geometry: Geometry) -> Any:
    """Return what a channel's register says: a time, a number, or whether it is set."""
    entry = register("channel", how.register)
    if not entry.unit:
        return bool(value) if entry.bits == 1 else value
    if how.unset and value == how.unset:
        return None
    return seconds_of(value * (geometry.samples if entry.unit == "clocks" else 1), geometry.tick_fs)
