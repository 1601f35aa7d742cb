# SPDX-License-Identifier: Apache-2.0
"""What an archive and a farm are asked, and what results are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from plexor.library.specs.options import Elsewhere, Replaced
from plexor.library.specs.spec import Named, Spec, maybe, option
from plexor.library.specs.values import choice, path_of, whole

if TYPE_CHECKING:
    from plexor.figures.judge.gate import FailOn
    from plexor.files.archive.figures import FigureColumn
    from plexor.files.archive.query import RunFilter
    from plexor.library.farm import OnCell

JUDGES = ("interval", "estimate")
MORE = ("variance", "all")
"""Figures of a comparison that are shown when they are asked for."""
GROUPS = ("commit", "board", "load")
KINDS = ("rise", "fall", "width", "period")
FOLDER = Path("archive")
"""The archive that is meant where none is named."""
_MOST_RUNS = 1_000_000


def _listed(value: object) -> list[object]:
    return [value] if isinstance(value, str) or not isinstance(value, Sequence) else [*value]


# What reads these values needs arrays. It is imported where there is one, so that --help and wrong
# options answer at once.
def _where(value: str | RunFilter | Sequence[str | RunFilter]) -> tuple[RunFilter, ...]:
    """Return choices such as `branch=main`; raise ValueError."""
    if not (texts := _listed(value)):
        return ()
    from plexor.files.archive.query import RunFilter, parse_where  # noqa: PLC0415

    return tuple(text if isinstance(text, RunFilter) else parse_where(str(text)) for text in texts)


def _figures(value: str | FigureColumn | Sequence[str | FigureColumn]) -> tuple[FigureColumn, ...]:
    """Return figures such as `max` or `p99.9`; raise ValueError."""
    if not (names := _listed(value)):
        return ()
    from plexor.files.archive.figures import FigureColumn, parse_figure  # noqa: PLC0415

    return tuple(
        name if isinstance(name, FigureColumn) else parse_figure(str(name)) for name in names
    )


def _conditions(value: str | FailOn | Sequence[FailOn]) -> tuple[FailOn, ...]:
    """Return the conditions of `p99.9>+5%,missed>+10%`; raise ValueError."""
    if not value:
        return ()
    from plexor.figures.judge.gate import FailOn, parse_fail_on  # noqa: PLC0415

    if isinstance(value, str):
        return parse_fail_on(value)
    return (value,) if isinstance(value, FailOn) else tuple(value)


def _keys(value: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(map(str, _listed(value)))


class InArchive(Spec):
    """The archive that is meant."""

    archive: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="DIR",
        help="Folder of the archive. It may be on shared storage.",
    )

    @property
    def folder(self) -> Path:
        """Its folder."""
        return FOLDER if self.archive is None else self.archive


class Archiving(InArchive, told={"archive": f"Default: {FOLDER}."}):
    """The archive that is meant, which has a default."""


class AddSpec(Spec):
    """What the device was of which runs are added."""

    commit: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="NAME",
        help="Commit of the device. Default: what git says.",
    )
    branch: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="NAME",
        help="Branch of the device. Default: what git says.",
    )


class Chosen(Spec):
    """Runs that are chosen from all."""

    where: tuple[RunFilter, ...] = option(
        converter=_where,
        default=(),
        many=True,
        metavar="KEY=VALUE",
        help="Only runs like this: commit, run and build (which may be cut short), branch, dirty, "
        "valid and interrupted (yes or no), and each entry of a configuration, such as rate, load "
        "or os. Repeat it for each choice.",
    )


class Alike(Chosen):
    """Runs of one configuration."""

    across: tuple[str, ...] = option(
        converter=_keys,
        default=(),
        many=True,
        metavar="KEY",
        help="An entry of the configuration that may differ, such as gateware. Repeat it for each.",
    )


class LastRuns(Spec):
    """How many runs."""

    last: int | None = option(
        converter=maybe(whole(1, _MOST_RUNS)),
        default=None,
        metavar="N",
        help="Number of the newest runs.",
    )


class LogSpec(Chosen, LastRuns, told={"last": "Default on the command line: 20."}):
    """What the list of an archive's runs is asked."""


class TrendSpec(Alike, LastRuns, told={"last": "It is that of each history. Default: 1000."}):
    """What the histories of a channel's figures are asked."""

    figures: tuple[FigureColumn, ...] = option(
        converter=_figures,
        default=(),
        many=True,
        flag="--figure",
        metavar="NAME",
        help="A figure: min, mean, max, peak_to_peak, a percentile such as p99.9, or a share of "
        "strikes, such as missed. Repeat it for each. Default: p99 and max.",
    )
    by: str = option(
        converter=choice(GROUPS),
        default=GROUPS[0],
        shows_default=True,
        choices=GROUPS,
        help="commit: runs in the order of commits, and changes between commits only. board, load: "
        "runs in the order of time, boards or loads in different colours.",
    )
    kind: str = option(
        converter=choice(KINDS),
        default=KINDS[0],
        shows_default=True,
        choices=KINDS,
        help="What is measured: latency of the rising or falling edge, on-width or period.",
    )


class GateSpec(Named):
    """Which changes are too large."""

    fail_on: tuple[FailOn, ...] = option(
        converter=_conditions,
        default=(),
        metavar="LIST",
        help="Changes that are too large, such as "
        "'p99.9>+5%,mean>+10%,missed>+10%,saturation<-2%'.",
    )
    judge: str = option(
        converter=choice(JUDGES),
        default=JUDGES[0],
        shows_default=True,
        choices=JUDGES,
        help="What --fail-on judges: the interval of a change, or its estimate, however uncertain.",
    )
    columns: str | None = option(
        converter=maybe(choice(MORE)),
        default=None,
        choices=MORE,
        help="Show more figures: the variance.",
    )


class LastGoodSpec(Alike, GateSpec):
    """What a run is asked that is compared with the last good one."""


class FarmSpec(
    Archiving,
    Elsewhere,
    Replaced,
    told={
        "out": "Default: the file's name. Cells whose runs are there are not measured again.",
        "force": "The farm begins anew.",
    },
):
    """What a farm is asked."""

    on_cell: OnCell | None = option(default=None, flag=None)
    """Gets each cell that is done."""
