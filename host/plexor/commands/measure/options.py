"""The options of `plexor measure`, and the settings of an instrument that they ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.measure.strikes import StrikeOptions, ends_by_itself, strikes_of
from plexor.commands.parameters import StopCondition
from plexor.model.settings import MODES, Channel, Settings
from plexor.protocol.registers import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(StrikeOptions):
    """The options of `plexor measure`, by the names of their parameters."""

    link: str
    dut: str | None
    fallback: bool
    channels: tuple[Channel, ...]
    policy: str
    window: Fraction
    timeout: Fraction | None
    deadline: Fraction | None
    early: Fraction
    calibration: Path | None
    load: bool
    mode: str | None
    stops: tuple[StopCondition, ...]
    base: Fraction
    velocity: Fraction | None
    budget: str | None
    keys: tuple[tuple[str, str], ...]
    as_json: bool
    page: Path | None
    out: Path | None
    wire: bool
    force: bool


def settings_of(options: Options) -> Settings:
    """Return the settings that the options ask for, channels as named.

    Raises click.UsageError for options that cannot be combined.
    """
    strikes = strikes_of(options)
    if not strikes and options.time_s is None:
        raise click.UsageError("say how often to strike with --rate, or how long with --time")
    if not ends_by_itself(strikes) and options.time_s is None and not options.stops:
        if options.count is not None:
            raise click.UsageError(
                "--count applies to each sequence that --start begins; say when to stop with --time"
            )
        raise click.UsageError("say when to stop with --count, --time or --stop-on")
    limits = [stop.over_s for stop in options.stops if stop.over_s is not None]
    return Settings(
        strikes=strikes,
        channels=named(options.channels, options.deadline),
        policy=Policy[options.policy.upper()],
        timeout_s=options.timeout,
        window_min_s=options.window,
        early_s=options.early,
        time_s=options.time_s,
        latency_over_s=min(limits, default=None),
        stop_on_missed=any(stop.over_s is None for stop in options.stops),
        stream=None if options.mode is None else MODES[options.mode],
        load=options.load,
    )


def named(channels: tuple[Channel, ...], deadline_s: Fraction | None) -> tuple[Channel, ...]:
    """Return channels with the common deadline; raise click.UsageError if two are the same."""
    for values in ([f"ch{entry.number}" for entry in channels], [e.label for e in channels]):
        twice = [value for value in values if values.count(value) > 1]
        if twice:
            raise click.UsageError(f"--channel: {twice[0]} is given twice")
    return tuple(
        replace(channel, deadline_s=deadline_s) if channel.deadline_s is None else channel
        for channel in channels
    )
