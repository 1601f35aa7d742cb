# SPDX-License-Identifier: Apache-2.0
"""What a table of systems is asked."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import Time, choice, flag, seconds


class Jitter(StrEnum):
    """The jitter that a table shows."""

    SPAN_128 = "jitter128"
    PEAK_TO_PEAK = "peak-to-peak"
    RMS = "rms"


JITTERS = tuple(map(str, Jitter))


def _jitter(value: str) -> Jitter:
    return Jitter(choice(JITTERS)(value))


def _interval(value: Time) -> Fraction:
    """Return an interval; raise ValueError unless it is above 0."""
    interval_s = seconds(value)
    if interval_s <= 0:
        raise ValueError(f"'{value}'; must be above 0, such as 10us")
    return interval_s


class TableSpec(Spec):
    """What a table shows."""

    jitter: Jitter = option(
        converter=_jitter,
        default=JITTERS[0],
        shows_default=True,
        choices=JITTERS,
        help="Measure of jitter: the span (maximum minus minimum) of the last 128 latencies or of "
        "all, or the standard deviation.",
    )
    reference: bool = option(
        converter=flag,
        default=True,
        shows_default=True,
        flag="--reference/--no-reference",
        help="Show separately what a published study says of Windows CE 3.0 and CE .NET.",
    )
    interval: Fraction | None = option(
        converter=maybe(_interval),
        default=None,
        metavar="TIME",
        help="Show the study's advice for a system that must react at this interval.",
    )
