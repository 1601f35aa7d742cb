# SPDX-License-Identifier: Apache-2.0
"""Named options of `plexor measure`: those with which a published measurement was taken.

Options given with the preset override it. A preset that names a device sets `dut` and `channels`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import click
from click.core import ParameterSource


@dataclass(frozen=True, slots=True)
class Preset:
    """Its meaning, and its options: parameter name to text, or to a list of texts."""

    meaning: str
    options: Mapping[str, str | list[str]]


PRESETS: Mapping[str, Preset] = {
    # C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in Windows CE", COTS Journal.
    "cots5k": Preset(
        "COTS Journal's square wave, 40 µs wide every 200 µs", {"rate": "5k", "width": "40us"}
    ),
}
_INSTEAD = {"duty": "width"}
"""Options that replace another one of a preset: new name to old name."""


def _apply(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    del parameter
    if name is not None:
        context.default_map = {**(context.default_map or {}), **PRESETS[name].options}
    return name


preset_option = click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    is_eager=True,
    expose_value=False,
    callback=_apply,
    help="; ".join(f"{name}: {preset.meaning}" for name, preset in PRESETS.items())
    + ". Other options override it.",
)


def overridden(context: click.Context) -> list[str]:
    """Return the options of a preset that others on the command line override."""
    given = ParameterSource.COMMANDLINE
    return [
        old
        for new, old in _INSTEAD.items()
        if context.get_parameter_source(new) == given
        and context.get_parameter_source(old) == ParameterSource.DEFAULT_MAP
    ]
