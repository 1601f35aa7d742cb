# SPDX-License-Identifier: Apache-2.0
"""What a run is asked that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import cast

from plexor.library.specs.options import Base
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import Time, choice, count, seconds

VIEWS = ("top", "modules", "tree", "butterfly", "graph", "trace")
ORDERS = ("time", "count")


def _times(value: Time | Sequence[Time]) -> tuple[Fraction, ...]:
    """Return the exact seconds of one time or of several; raise ValueError."""
    several = isinstance(value, Sequence) and not isinstance(value, str)
    return tuple(map(seconds, cast("Sequence[Time]", value if several else [value])))


class WhySpec(Spec):
    """Which answers are late."""

    over: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Latency above which an answer is late. Default: beyond the first wide gap above the "
        "median.",
    )


class TimelineSpec(Spec):
    """What of a run is drawn. Times count from the start of the run."""

    start: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        flag="--from",
        metavar="TIME",
        help="First time to draw, from the start of the run.",
    )
    end: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        flag="--until",
        metavar="TIME",
        help="Last time to draw. Default: the end of the run.",
    )
    cursors: tuple[Fraction, ...] = option(
        converter=_times,
        default=(),
        many=True,
        flag="--cursor",
        metavar="TIME",
        help="A time to measure from or to. Give two; the time between them is printed.",
    )


class ProfileSpec(Base, told={"base": "It is that of an empty call, and each is a call."}):
    """How a profile is shown."""

    view: str = option(converter=choice(VIEWS), default=VIEWS[0], flag=None)
    """One of VIEWS."""
    by: str = option(
        converter=choice(ORDERS),
        default=ORDERS[0],
        shows_default=True,
        choices=ORDERS,
        help="Order of the view profile: by own time, or by number of calls.",
    )
    most: int | None = option(
        converter=maybe(count),
        default=None,
        metavar="N",
        help="Lines of the view profile. Default: all.",
    )
    function: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="NAME",
        help="The function that the view butterfly is about.",
    )
