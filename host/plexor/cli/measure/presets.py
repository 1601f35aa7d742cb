# SPDX-License-Identifier: Apache-2.0
"""Named options of `plexor measure`: those with which a published measurement was taken.

Options given with the preset override it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from plexor.cli.parameters import given
from plexor.library.run_spec import RunSpec
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import choice


@dataclass(frozen=True, slots=True)
class Published:
    """Its meaning, and its options of a run, as texts."""

    meaning: str
    options: Mapping[str, str]


PRESETS: Mapping[str, Published] = {
    # C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in Windows CE", COTS Journal.
    "cots5k": Published(
        "COTS Journal's square wave, 40 µs wide every 200 µs", {"rate": "5k", "width": "40us"}
    ),
}
_INSTEAD = {"duty": "width"}
"""Options that replace another one of a preset: new name to old name."""


class Preset(Spec, topic="Strikes"):
    """The preset that is asked for."""

    preset: str | None = option(
        converter=maybe(choice(PRESETS)),
        default=None,
        choices=tuple(PRESETS),
        help="; ".join(f"{name}: {known.meaning}" for name, known in PRESETS.items())
        + ". Other options override it.",
    )

    def applied(self, asked: RunSpec) -> RunSpec:
        """Return what is asked of a run with the preset, where the command line is silent."""
        if self.preset is None:
            return asked
        options = PRESETS[self.preset].options
        typed = given((*options, *_INSTEAD))
        kept = {*typed, *(_INSTEAD[name] for name in typed if name in _INSTEAD)}
        return replace(asked, **{name: text for name, text in options.items() if name not in kept})
