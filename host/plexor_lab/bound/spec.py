# SPDX-License-Identifier: Apache-2.0
"""What a bound, its check, a fit and a trace are asked."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from plexor.cli.options import paths
from plexor.library.specs.spec import Named, Spec, maybe, option
from plexor.library.specs.values import choice, each, flag, path_of, seconds, whole
from plexor_lab.bound.formula import MOST

OF = ("latency", "on-width")
"""What of a channel is compared with an estimate."""
FETCHED = "text"
"""The region whose reads are fetches, where nobody says otherwise."""
PINS = 8
"""Pins that a firmware may keep high while a service runs."""
MOST_INTERRUPTS = 1000
SWEPT = "{N}"
"""Stands for N where a sweep puts it."""
_n = whole(0, MOST)


def ns_of(value: int | str | Sequence[int | str]) -> tuple[int, ...]:
    """Return each N once; raise ValueError for one out of range."""
    return tuple(dict.fromkeys(map(_n, [value] if isinstance(value, int | str) else value)))


class OnPlatform(Spec):
    """The platform that a bound is of."""

    platform: Path = option(
        converter=path_of,
        metavar="FILE",
        help="Nanoseconds of each access on the platform, by region and kind: a TOML or CSV file.",
    )


class Mapped(Spec):
    """Where a model's regions lie."""

    region_map: Path | None = option(
        converter=maybe(path_of),
        default=None,
        flag="--map",
        metavar="FILE",
        help="Regions of the platform in which the model's regions lie: a TOML or CSV file. "
        "Default: those with the same names.",
    )


class AtEach(Spec):
    """At which N a bound is shown."""

    ns: tuple[int, ...] = option(
        converter=ns_of,
        default=(),
        many=True,
        flag="--n",
        metavar="N",
        help="Show all values at this N too. Repeat it for each N.",
    )


class AtN(Named):
    """At which N a bound is checked."""

    n: int | None = option(
        converter=maybe(_n),
        default=None,
        metavar="N",
        help="N of this run. Default: what --label N=... said of it.",
    )


class Compared(Spec):
    """What of a channel is compared with a bound."""

    kind: str = option(
        converter=choice(OF),
        default=OF[0],
        shows_default=True,
        choices=OF,
        flag="--of",
        help="What took that long: from the strike to the response, or while the pin was active.",
    )


class OfRun(AtN, Compared):
    """What of a run a bound is checked by."""

    channel: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="NAME",
        help="Channel of the run that answers when the service is done, or is high while it runs. "
        "Default: the only one.",
    )


class Modelled(Spec):
    """The model of a service that is checked."""

    model: Path = option(
        converter=path_of,
        metavar="FILE",
        help="Accesses of the service, section by section: a TOML or CSV file.",
    )


class Maximum(Spec):
    """A maximum that is known, and how its worst case is shown."""

    measured: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="The maximum itself, in place of RUN.",
    )
    scan: Path | None = option(
        converter=maybe(path_of),
        default=None,
        flag="--phase",
        metavar="SCAN",
        help="Phase scan of the worst case, from the --out of `plexor phase`, to show on --page.",
    )


class TableFile(Spec):
    """A file that is written."""

    out: Path | None = option(
        flag="--to",
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Write a TOML or CSV file:",
    )


class FitSpec(
    Mapped,
    TableFile,
    told={"region_map": "It is for --model.", "out": "these times."},
):
    """What a fit is asked."""

    tried: tuple[Path, ...] = option(
        converter=paths,
        default=(),
        many=True,
        flag="--try",
        metavar="FILE",
        help="Services to try the fit on, which are not fitted: a CSV file like MEASURED. "
        "Repeatable.",
    )
    fetched: tuple[str, ...] = option(
        converter=each(str, str),
        default=(FETCHED,),
        shows_default=True,
        many=True,
        flag="--fetch",
        metavar="REGION",
        help="Region of the models whose reads are fetches. Repeat it for each region.",
    )
    platform: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Platform for which --to has the time of each access, with what the core adds.",
    )
    models: tuple[Path, ...] = option(
        converter=paths,
        default=(),
        many=True,
        flag="--model",
        metavar="FILE",
        help="Model whose accesses --to has too, beside those of MEASURED. Repeat it for each.",
    )
    bound: bool = option(
        converter=flag,
        default=False,
        help="Write times with a margin, so that none of the services took longer.",
    )


class TraceSpec(Named):
    """What the log of a bus is asked."""

    elf: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="The firmware that ran. Default: the file that the simulated device left beside LOG. "
        "A CSV file needs it.",
    )
    pin: int = option(
        converter=whole(0, PINS - 1),
        default=0,
        shows_default=True,
        metavar="N",
        help=f"Pin that the firmware keeps high while the service runs, 0 to {PINS - 1}.",
    )
    interrupts: int = option(
        converter=whole(0, MOST_INTERRUPTS),
        default=0,
        shows_default=True,
        metavar="N",
        help="Number of interrupts that may come during one call, up to "
        f"{MOST_INTERRUPTS}. What one adds is then a section.",
    )
    title: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="TEXT",
        help="Name of the service. Default: the name of LOG.",
    )


class TracedFiles(TableFile, told={"out": "the model."}):
    """Files of a trace."""

    map_out: Path | None = option(
        converter=maybe(path_of),
        default=None,
        flag="--map",
        metavar="FILE",
        help="Write in which sections of the linker its regions lie: a TOML or CSV file.",
    )
