# SPDX-License-Identifier: Apache-2.0
"""From settings to registers: pure and exact. Rejects settings that the instrument cannot apply."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.base.units import format_seconds, whole_ticks
from plexor.model.identity import Identity
from plexor.model.on_host import replaced
from plexor.model.settings import (
    MODES,
    AppliedSetting,
    Channel,
    OnChip,
    RegisterWrite,
    Settings,
    on_chip,
    parse_reference,
    trailing_needed,
)
from plexor.model.timeouts import default_timeout_s
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import DECISIONS_SINCE, Feature, Geometry
from plexor.protocol.memory import Space, entries
from plexor.protocol.registers import CHANNEL, StopOn, Stream, Trigger, register
from plexor.run.plan.coded import coded_registers
from plexor.run.plan.codes import code_registers
from plexor.run.plan.rounding import Quantities
from plexor.run.plan.strikes import step_registers, stimulus_registers
from plexor.wire.device.features import board_of, knows, lack, refusal, timecode_is_switched

MAX_TIMEOUT_TICKS = (1 << 31) - 1
LEAST_DEFAULT_TIMEOUT_TICKS = 1024
COUNTED_SPACES = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS, Space.LATENCY_STATISTICS)
"""Classes, edges, drops and statistics, without histograms."""
REPORT_SPACES = (*COUNTED_SPACES, Space.LATENCY_BINS)
"""What automatic snapshots hold."""
"""Small enough for ten snapshots a second on the slowest link."""


@dataclass(frozen=True, slots=True)
class RegisterPlan:
    """Registers to write, and how the settings were rounded."""

    registers: tuple[RegisterWrite, ...]
    echo: tuple[AppliedSetting, ...]

    def value(self, block: str, name: str, copy: int = 0) -> int:
        """Return what is written to a register; raise KeyError if nothing is."""
        for write in self.registers:
            if (write.block, write.copy, write.name) == (block, copy, name):
                return write.value
        raise KeyError(f"{block}[{copy}].{name}")


def plan_of(settings: Settings, identity: Identity) -> RegisterPlan:
    """Return registers and echo of settings on one instrument.

    Raises ValueError with what is wrong, its value and what would be right.
    """
    quantities = Quantities(identity.geometry)
    _check_numbers(settings, identity)
    if settings.table:
        _check_table(settings, quantities)
    writes: list[RegisterWrite] = []
    for copy in range(identity.geometry.strikes):
        writes += stimulus_registers(settings, copy, quantities)
    timeout_ticks = _timeout_ticks(settings, quantities)
    writes += _matcher(settings, quantities, timeout_ticks)
    by_number = {channel.number: channel for channel in settings.channels}
    for copy in range(identity.geometry.channels):
        channel = by_number.get(copy, Channel(copy, enable=False))
        writes += _channel(channel, settings, identity, quantities)
    counted = any(
        write.name == "strike_count"
        and write.value
        and settings_trigger(settings, write.copy) == Trigger.RUN
        for write in writes
    )
    settle_ticks = 2 * timeout_ticks
    if settings.settle_s is not None:
        settle_ticks = quantities.rounded("settle", settings.settle_s, 0, (1 << 48) - 1)
    for number in range(len(settings.table)):
        writes += step_registers(settings, number, settle_ticks, quantities)
    _check_decisions(settings, identity)
    writes += code_registers(settings.codes, quantities)
    writes += coded_registers(settings, quantities)
    if timecode_is_switched(identity):
        # Only a run that asks for the timecode has it driven.
        writes.append(RegisterWrite("schedule", 0, "timecode_on", 0))
    settings = replace(settings, stream=stream_of(settings, identity))
    writes += _control(settings, quantities, settle_ticks, counted or bool(settings.table))
    for write in writes:
        register(write.block, write.name).check(write.value)
    return RegisterPlan(tuple(writes), tuple(dict.fromkeys(quantities.echo)))


def stream_of(settings: Settings, identity: Identity) -> Stream:
    """Return when events go over the link; raise ValueError if they must, but cannot."""
    able = Feature.EVENTS in identity.geometry.features
    if settings.stream is None:
        return Stream.LIVE if able else Stream.OFF
    if settings.stream == Stream.OFF and Feature.MATCH not in identity.geometry.features:
        raise ValueError(refusal(identity.geometry, Feature.MATCH, "mode: dump"))
    if settings.stream and not able:
        mode = next(name for name, stream in MODES.items() if stream == settings.stream)
        raise ValueError(refusal(identity.geometry, Feature.EVENTS, f"mode: {mode}"))
    if settings.stream == Stream.AFTER and not identity.geometry.deep_depth:
        raise ValueError(
            f"mode: deep; {board_of(identity.geometry)} has no deep memory (its deep_depth is 0);"
            " measure with --mode stream or dump"
        )
    return settings.stream


def quiet_stream(identity: Identity) -> Stream:
    """Return how a run counts with the least on the link: without events, if the chip counts."""
    return Stream.OFF if Feature.MATCH in identity.geometry.features else Stream.LIVE


def computes_snapshots(settings: Settings, geometry: Geometry) -> bool:
    """Return whether the host computes a run's snapshots from events; `stream` must be set."""
    on_chip = settings.report_on_chip and Feature.SNAPSHOT in geometry.features
    return not on_chip and settings.stream == Stream.LIVE


def need_events(identity: Identity, purpose: str) -> None:
    """Raise UsageError if the instrument does not send events; `purpose` needs them."""
    _need(identity, Feature.EVENTS, f"{purpose}: needs every event", "sends them")


def need_dither(identity: Identity, purpose: str) -> None:
    """Raise UsageError if the instrument cannot dither strikes; `purpose` names the option."""
    _need(identity, Feature.DITHER, purpose, "has it")


def need_zoom(identity: Identity, purpose: str) -> None:
    """Raise UsageError if the instrument has no windows of one-tick bins; `purpose` needs one."""
    _need(identity, Feature.ZOOM, purpose, "has them")


def _need(identity: Identity, feature: Feature, purpose: str, has: str) -> None:
    if feature not in identity.geometry.features | replaced(identity.geometry):
        raise UsageError(
            f"{purpose}; {lack(identity.geometry, feature)}; use a board of docs/features.md that "
            f"{has}"
        )


def settings_trigger(settings: Settings, output: int) -> Trigger | None:
    """Return an output's trigger; None if it is disabled."""
    return next(
        (stimulus.trigger for stimulus in settings.strikes if stimulus.output == output), None
    )


def _check_numbers(settings: Settings, identity: Identity) -> None:
    for kind, numbers in (
        ("strike", [stimulus.output for stimulus in settings.strikes]),
        ("ch", [channel.number for channel in settings.channels]),
    ):
        for number in numbers:
            identity.check_pin(kind, number)
            if numbers.count(number) > 1:
                raise ValueError(
                    f"{kind}{number}: given {numbers.count(number)} times; give it once"
                )
    identity.check_pin("strike", settings.loopback_output)
    if settings.count is not None and settings.count < 1:
        raise ValueError(f"count: {settings.count}; must be 1 or more")
    if settings.count is not None and not any(
        stimulus.trigger == Trigger.RUN for stimulus in settings.strikes
    ):
        raise ValueError(
            f"count: {counted(settings.count, 'strike')}, but no output strikes; enable one"
        )


def _check_decisions(settings: Settings, identity: Identity) -> None:
    """Raise ValueError if the instrument cannot start strikes by decisions as asked."""
    asked = [s for s in settings.strikes if s.trigger in (Trigger.LATENCY, Trigger.MISSED)]
    minor = identity.protocol_version & 0xFFFF
    for stimulus in asked:
        label = f"strike{stimulus.output}.start: {stimulus.trigger.name.lower()}"
        if minor < DECISIONS_SINCE:
            raise ValueError(
                f"{label}; the gateware of {board_of(identity.geometry)} speaks protocol 2.{minor},"
                f" must be 2.{DECISIONS_SINCE} or later; build and flash it anew"
            )
        if Feature.MATCH not in identity.geometry.features:
            raise ValueError(refusal(identity.geometry, Feature.MATCH, label))
        if identity.geometry.strikes < 2:
            raise ValueError(
                f"{label}; {board_of(identity.geometry)} has one output, which strikes; must be a "
                "board with two or more: docs/features.md lists them"
            )
    limits = {settings.latency_over_s, *(stimulus.trigger_over_s for stimulus in asked)} - {None}
    if len(limits) > 1:
        texts = " and ".join(
            f"latency>{format_seconds(limit)}" for limit in sorted(filter(None, limits))
        )
        raise ValueError(f"{texts}: the instrument has one limit of latency; give one")


def _check_table(settings: Settings, quantities: Quantities) -> None:
    quantities.need(Feature.SWEEP, "table")
    most = quantities.geometry.table_steps
    if len(settings.table) > most:
        raise ValueError(
            f"table: {counted(len(settings.table), 'step')}; this instrument takes at most {most}"
        )
    stimulus = next((candidate for candidate in settings.strikes if candidate.output == 0), None)
    if stimulus is None or stimulus.trigger != Trigger.RUN or stimulus.poisson:
        raise ValueError(
            "table: strike0 runs it, so strike0 must start with the run and be periodic"
        )
    if stimulus.count or settings.count is not None:
        count = stimulus.count or settings.count
        raise ValueError(
            f"count: {counted(count or 0, 'strike')} for a table; give each step its own count"
        )


def _timeout_ticks(settings: Settings, quantities: Quantities) -> int:
    if settings.timeout_s is not None:
        return quantities.rounded("timeout", settings.timeout_s, 1, MAX_TIMEOUT_TICKS)
    periods = [stimulus.within_s for stimulus in settings.strikes if stimulus.within_s is not None]
    periods += [step.period_s for step in settings.table if not _bursts(settings)]
    ticks = math.ceil(quantities.ticks(default_timeout_s(periods)))
    ticks = max(ticks, LEAST_DEFAULT_TIMEOUT_TICKS)
    return min(ticks, MAX_TIMEOUT_TICKS)


def _bursts(settings: Settings) -> bool:
    """Return whether output 0 strikes in bursts."""
    return any(stimulus.output == 0 and stimulus.burst > 1 for stimulus in settings.strikes)


def _matcher(settings: Settings, quantities: Quantities, timeout_ticks: int) -> list[RegisterWrite]:
    if settings.early_s:
        quantities.need(Feature.EARLY, "early")
    values = {
        "policy": int(settings.policy),
        "timeout_ticks": timeout_ticks,
        "window_min_ticks": quantities.rounded(
            "window_min", settings.window_min_s, 0, MAX_TIMEOUT_TICKS
        ),
        "early_ticks": quantities.rounded("early", settings.early_s, 0, MAX_TIMEOUT_TICKS),
    }
    return [RegisterWrite("matcher", 0, name, value) for name, value in values.items()]


def _reference(channel: Channel, settings: Settings) -> tuple[int, int]:
    source, polarity = parse_reference(channel.reference)
    label = f"{channel.label}.reference: {channel.reference}"
    if source == SOURCE_CHANNEL + channel.number:
        raise ValueError(f"{label} is the channel itself; must be another source")
    if source >= SOURCE_STRIKE and source != SOURCE_LOAD:
        outputs = [stimulus.output for stimulus in settings.strikes]
        # A free-running device has no strikes, and nothing is matched.
        if outputs and source - SOURCE_STRIKE not in outputs:
            raise ValueError(f"{label} is not enabled; enabled strikes: {outputs}")
    elif source < SOURCE_STRIKE:
        numbers = [
            other_channel.number for other_channel in settings.channels if other_channel.enable
        ]
        if source - SOURCE_CHANNEL not in numbers:
            raise ValueError(f"{label} is not enabled; enabled channels: {numbers or 'none'}")
        if not polarity and any(
            other.either and other.number == source - SOURCE_CHANNEL for other in settings.channels
        ):
            raise ValueError(
                f"{label}: with edge=either each edge of that channel is an answer; must be "
                f"after=ch{source - SOURCE_CHANNEL}, which follows each of them"
            )
    return source, polarity


def _channel(
    channel: Channel, settings: Settings, identity: Identity, quantities: Quantities
) -> list[RegisterWrite]:
    values = {"enable": int(channel.enable)}
    longer: list[RegisterWrite] = []
    if channel.enable:
        source, polarity = _reference(channel, settings)
        values |= {"reference_source": source, "reference_polarity": polarity}
        for name, how in on_chip():
            value = _on_chip(channel, name, how, quantities)
            if how.longer is not None and how.longer.needs in quantities.geometry.features:
                value, more = _parted(value, how, quantities.geometry)
                longer.append(
                    RegisterWrite(how.longer.block, channel.number, how.longer.register, more)
                )
            if knows(identity, "channel", how.register):
                values[how.register] = value
            elif value != how.unset:
                raise ValueError(_too_old(f"{channel.label}.{name}", how, identity))
    return [
        RegisterWrite("channel", channel.number, entry.name, values[entry.name])
        for entry in CHANNEL.registers
        if entry.name in values
    ] + longer


def _parted(value: int, how: OnChip, geometry: Geometry) -> tuple[int, int]:
    """Return the values of a field's register and of its longer one; one of them is 0."""
    fits = how.most is None or value <= how.most(geometry)
    return (value, 0) if fits else (0, value)


def _on_chip(channel: Channel, name: str, how: OnChip, quantities: Quantities) -> int:
    """Return the value of the register that has a field of a channel."""
    asked = getattr(channel, name)
    label = f"{channel.label}.{name.removesuffix('_s')}"
    if asked and how.needs is not None:
        quantities.need(how.needs, f"{channel.label}.{how.option}")
    entry = register("channel", how.register)
    if asked is None:
        return how.unset
    if not entry.unit:
        return int(asked)
    if entry.unit == "clocks":
        return quantities.clocks(label, asked) if asked else 0
    if entry.signed:
        return quantities.signed(label, asked)
    most = how.most(quantities.geometry) if how.most else (1 << entry.bits) - 1
    if how.longer is not None and whole_ticks(asked, quantities.geometry.tick_fs) > most:
        quantities.need(how.longer.needs, f"{label}: {format_seconds(asked)}")
        most = how.longer.most(quantities.geometry)
    return quantities.rounded(label, asked, 0, most)


def _active_only(settings: Settings, geometry: Geometry) -> int:
    """Return the mask of sources whose trailing edges no channel needs."""
    if not settings.active_only:
        return 0
    needed = trailing_needed(settings.channels)
    return sum(1 << source for source in geometry.levels if source not in needed)


def _too_old(label: str, how: OnChip, identity: Identity) -> str:
    minor, since = identity.protocol_version & 0xFFFF, register("channel", how.register).since
    instead = f", or {how.instead}" if how.instead else ""
    return (
        f"{label}; the gateware of {board_of(identity.geometry)} speaks protocol 2.{minor}, must "
        f"be 2.{since} or later; build and flash it anew{instead}"
    )


def _control(
    settings: Settings, quantities: Quantities, settle_ticks: int, counted: bool
) -> list[RegisterWrite]:
    stop_on = StopOn.STRIKES if counted else StopOn(0)
    run_time_ticks = latency_ticks = report_clocks = 0
    if settings.time_s is not None:
        stop_on |= StopOn.TIME
        run_time_ticks = quantities.rounded("time", settings.time_s, 1, (1 << 63) - 1)
    if settings.latency_over_s is not None:
        stop_on |= StopOn.LATENCY
    starts = [stimulus.trigger_over_s for stimulus in settings.strikes]
    over_s = next(
        (limit for limit in (settings.latency_over_s, *starts) if limit is not None), None
    )
    if over_s is not None:
        latency_ticks = quantities.signed("latency_over", over_s)
    if settings.stop_on_missed:
        stop_on |= StopOn.MISSED
    if settings.stall is not None:
        stop_on |= StopOn.STALL
    if settings.stop_code is not None:
        stop_on |= StopOn.CODE
    if settings.report_s is not None:
        computed = computes_snapshots(settings, quantities.geometry)
        if not computed:
            quantities.need(Feature.SNAPSHOT, "every")
        every_clocks = quantities.clocks("every", settings.report_s)
        report_clocks = 0 if computed else every_clocks
    enabled = [channel.number for channel in settings.channels if channel.enable]
    triggers = enabled if settings.trigger_channels is None else settings.trigger_channels
    for number in triggers:
        if number not in enabled:
            raise ValueError(f"trigger: ch{number} is not enabled; enabled: {enabled or 'none'}")
    spaces = Space if settings.spaces is None else set(settings.spaces)
    final = [space for space in spaces if entries(quantities.geometry, space)]
    values = {
        "stream": int(settings.stream or Stream.OFF),
        "stop_on": int(stop_on),
        "run_time_ticks": run_time_ticks,
        "settle_ticks": settle_ticks,
        "report_clocks": report_clocks,
        "report_spaces": sum(1 << space for space in REPORT_SPACES) if report_clocks else 0,
        "final_spaces": sum(1 << space for space in final),
        "trigger_latency_ticks": latency_ticks,
        "trigger_channels": sum(1 << number for number in set(triggers)),
        "load": int(settings.load),
        "input_select": int(settings.input_select),
        "loopback_output": settings.loopback_output,
    }
    if Feature.MATCH not in quantities.geometry.features:
        values["active_only"] = _active_only(settings, quantities.geometry)
    elif settings.active_only:
        name = board_of(quantities.geometry)
        raise ValueError(
            f"edges: active; {name} matches and counts on the chip, at rates that no link carries;"
            " must be all"
        )
    if Feature.SWEEP in quantities.geometry.features:
        values["step_count"] = len(settings.table)
    return [RegisterWrite("control", 0, name, value) for name, value in values.items()]
