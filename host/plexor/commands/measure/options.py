"""The options of `plexor measure`, and the settings of an instrument that they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from plexor.commands.parameters import option_name, usage
from plexor.library.asked import Asked, Settings, settings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Asked):
    """The options of `plexor measure`, by the names of their parameters."""

    link: str
    dut: str | None
    fallback: bool
    calibration: Path | None
    base: Fraction
    velocity: Fraction | None
    budget: str | None
    keys: tuple[tuple[str, str], ...]
    live: bool
    as_json: bool
    page: Path | None
    out: Path | None
    wire: bool
    force: bool


def settings_asked(options: Options) -> Settings:
    """Return the settings that the options ask for, channels as named.

    Raises click.UsageError for options that cannot be combined.
    """
    with usage():
        return settings_of(options, option_name)
