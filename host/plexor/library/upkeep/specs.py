# SPDX-License-Identifier: Apache-2.0
"""What a calibration, a self-test and a proof are asked, and the writing of a bitstream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from plexor.base.meant import suggestion
from plexor.base.units import format_rate
from plexor.library.specs.options import link
from plexor.library.specs.spec import Named, Spec, maybe, option
from plexor.library.specs.texts import parse_clock, parse_jumpers
from plexor.library.specs.values import Count, count, each, flag, hertz, path_of, seconds
from plexor.library.upkeep.wire import wire_ps
from plexor.model.calibration import LEAST_CLOCK_HZ, LEAST_EDGES, PPS_HZ

Jumper = str | tuple[int, int]
OnLine = Callable[[str], None]
"""Gets a line about each step."""
Ask = Callable[[str], bool]
"""Asks somebody to put wires; whether they are there."""


def _jumpers(value: str | Sequence[Jumper]) -> tuple[tuple[int, int], ...]:
    """Return jumpers as outputs with channels; raise ValueError for a channel given twice."""
    wires: list[tuple[int, int]] = []
    for jumper in [value] if isinstance(value, str) else value:
        wires += parse_jumpers(jumper) if isinstance(jumper, str) else [jumper]
    numbers = [channel for _, channel in wires]
    twice = [channel for channel in numbers if numbers.count(channel) > 1]
    if twice:
        raise ValueError(f"ch{twice[0]} is given twice")
    return tuple(wires)


def _edges(value: Count) -> int:
    number = count(value)
    if number < LEAST_EDGES:
        raise ValueError(f"{number}; must be at least {LEAST_EDGES}")
    return number


def _clock(value: str | tuple[int, Fraction]) -> tuple[int, Fraction]:
    """Return a channel and its rate in Hz; raise ValueError for one that is no reference."""
    channel, rate_hz = parse_clock(value) if isinstance(value, str) else value
    if rate_hz != PPS_HZ and rate_hz < LEAST_CLOCK_HZ:
        least = format_rate(LEAST_CLOCK_HZ)
        raise ValueError(f"{format_rate(rate_hz)}; must be 1 Hz, or {least} or more")
    return channel, rate_hz


def _core(value: str) -> str:
    """Return a core of the simulated instrument; raise ValueError for another name."""
    if value not in ("twin", "gateware"):
        raise ValueError(f"{value!r}; must be twin or gateware")
    return value


def _steps(value: str | Sequence[str]) -> tuple[str, ...]:
    """Return names of a proof's steps; raise ValueError for one that there is not."""
    names = each(str, str)(value)
    if names:
        # Imported here so that without steps an answer needs no array.
        from plexor.experiments.prove.run import STEPS  # noqa: PLC0415

        for name in names:
            if name not in STEPS:
                if "," in name:
                    raise ValueError(f"step {name!r}; give each step by itself")
                near = suggestion(name, STEPS)
                raise ValueError(f"step {name!r}; must be one of {', '.join(STEPS)}{near}")
    return names


class WithLines(Named):
    """Who follows what is done."""

    on_line: OnLine | None = option(default=None, flag=None)
    """Gets a line about each step."""


class Wired(Spec):
    """Wires from strikes' pins to channels' pins."""

    jumpers: tuple[tuple[int, int], ...] = option(
        converter=_jumpers,
        default=(),
        many=True,
        flag="--jumper",
        metavar="strikeN=chM",
        help="A wire from a strike's pin to a channel's pin. Repeat it for each wire, or part "
        "wires by commas.",
    )


class MeasuredWith(Spec):
    """What bins, wires and the oscillator are measured with."""

    wire: tuple[int, int] | None = option(
        converter=maybe(wire_ps),
        default=None,
        metavar="LENGTH|TIME",
        help="Length or delay of a wire, such as 30cm or 1.5ns.",
    )
    edges: int = option(
        converter=_edges,
        default="20k",
        shows_default=True,
        metavar="N",
        help="Number of rising edges, and of falling edges, on each channel. At least 1k.",
    )
    pps: tuple[int, Fraction] | None = option(
        converter=maybe(_clock),
        default=None,
        metavar="chN[=RATE]",
        help="A channel with 1 PPS, or with a clock of a known rate such as ch7=10M, with which "
        "the board's oscillator is compared.",
    )
    pps_time: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="How long it is watched, 3s to 1 h. Default: 10s.",
    )


class CalibrateSpec(
    MeasuredWith,
    Wired,
    WithLines,
    told={
        "jumpers": "The way over both pins is measured through it. One strike may be wired to "
        "several channels. Without it, latencies are corrected within 3 to 7 ns, by what is known "
        "of the build.",
        "wire": "It is that of each jumper. Default: up to 1 ns, 20 cm.",
    },
):
    """What a calibration is asked."""

    path: Path | None = option(
        converter=maybe(path_of),
        default=None,
        flag="--to",
        metavar="FILE",
        help="File to write. Default: one for each board and build, in the user's data folder.",
    )


class SelfTestSpec(Wired, WithLines, told={"jumpers": "It tests both pins."}):
    """What a self-test is asked."""

    link_rate: Fraction | None = option(
        converter=maybe(hertz),
        default=None,
        metavar="RATE",
        help="Bytes per second that the link must carry, such as 300k. Default: what its baud "
        "rate allows.",
    )
    against: str | None = option(
        converter=maybe(_core),
        default=None,
        metavar="CORE",
        help="Take the same run on another core of the simulated instrument too, twin or "
        "gateware, and compare all events and results.",
    )


class ProveSpec(
    MeasuredWith,
    WithLines,
    told={
        "wire": "It is what the longer wire is longer than the jumper. Default: it is measured "
        "only.",
        "pps_time": "A simulated clock: 5ms.",
    },
):
    """What a proof is asked."""

    only: tuple[str, ...] = option(
        converter=_steps,
        default=(),
        many=True,
        metavar="STEP",
        help="Do this step only. Repeat it for each step.",
    )
    skip: tuple[str, ...] = option(
        converter=_steps,
        default=(),
        many=True,
        metavar="STEP",
        help="Leave this step out. Repeat it for each step.",
    )
    soak: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="How long the link is loaded. Default: 10s; 20ms of a simulated one.",
    )
    path: Path | None = option(
        converter=maybe(path_of),
        default=None,
        flag="--to",
        metavar="FILE",
        help="Document to write. Default: one for each board and build, in the user's data folder.",
    )
    ask: Ask | None = option(default=None, flag=None)
    """Has somebody put wires, and says whether they are there. None: nobody can."""


class FlashSpec(WithLines):
    """What the writing of a bitstream is asked."""

    build: str | None = option(
        first=True,
        converter=maybe(str),
        default=None,
        metavar="NAME",
        help="The board's build, where it has two: events (default) or counts.",
    )
    keep: bool = option(
        first=True,
        converter=flag,
        default=False,
        help="Write it to the board's flash, where it is kept. Default: it is lost at power-off.",
    )
    link: str | None = option(
        first=True,
        converter=maybe(link),
        default=None,
        metavar="URI",
        help="Where the board answers: serial:PORT. Default: the port of its USB id.",
    )
    bitstream: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Write this file. Default: what `make gateware` built in this clone, or else what "
        "the wheel plexor-boards brought.",
    )
    serial: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="NUMBER",
        help="The serial number of the board's USB, where several are plugged in.",
    )
    force: bool = option(
        converter=flag,
        default=False,
        help="Write it even if another kind of board answers, or is plugged in by its name.",
    )
