# SPDX-License-Identifier: Apache-2.0
"""Options that several Specs share, each declared here once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from plexor.base.errors import UsageError
from plexor.base.meant import suggestion
from plexor.library.scans.workers import FORMS, Opener, executor
from plexor.library.specs.spec import Named, Spec, maybe, option
from plexor.library.specs.texts import (
    parse_channel,
    parse_code_port,
    parse_code_wires,
    parse_duty,
)
from plexor.library.specs.values import (
    Naming,
    Part,
    choice,
    each,
    flag,
    folder_of,
    path_of,
    seconds,
    seed,
    velocity,
)
from plexor.model import timeouts
from plexor.model.codes import Codes
from plexor.model.columns import COLUMNS
from plexor.model.load import parse_load
from plexor.model.settings import Channel
from plexor.protocol.registers import Policy
from plexor.wire.link.written import usual_link

if TYPE_CHECKING:
    from plexor.run.session.stop import Stop


POLICIES = tuple(policy.name.lower() for policy in Policy)


channels = each(Channel, parse_channel)
"""Reads response pins: `ISR=ch0`, or several of such."""


def duty(value: Part) -> Fraction:
    """Return a part of `20%`, `0.2` or `1/5`, or of a number; raise ValueError."""
    return value if isinstance(value, Fraction) and 0 < value < 1 else parse_duty(str(value))


def columns(value: str | Fraction | Sequence[str | Fraction]) -> tuple[str | Fraction, ...]:
    """Return the columns of `variance,1100m/s`: names, and at most one velocity.

    Raises ValueError for what is neither, and for two velocities.
    """
    entries = [value] if isinstance(value, str | Fraction) else value
    texts = [
        each
        for entry in entries
        for each in (entry.split(",") if isinstance(entry, str) else [entry])
    ]
    found = dict.fromkeys(each for text in texts for each in _column(text))
    if sum(isinstance(each, Fraction) for each in found) > 1:
        raise ValueError(f"{value!r}: has two velocities; give one")
    return tuple(found)


def _column(text: str | Fraction) -> tuple[str | Fraction, ...]:
    name = text.strip().lower() if isinstance(text, str) else text
    if name == "all":
        return COLUMNS
    if name in COLUMNS:
        return (name,)
    if isinstance(text, str) and not any(sign.isdigit() for sign in text):
        near = suggestion(str(name), (*COLUMNS, "all"))
        raise ValueError(
            f"{text!r}; must be {', '.join(COLUMNS)}, all, or a velocity such as 1100m/s{near}"
        )
    try:
        return (velocity(text),)
    except ValueError as error:
        raise ValueError(
            f"{text!r}; must be {', '.join(COLUMNS)}, all, or a velocity such as 1100m/s"
        ) from error


def code_wires(value: str | Codes) -> Codes:
    """Return the channels of codes, of `ch2:ch3`; raise ValueError."""
    return value if isinstance(value, Codes) else parse_code_wires(value)


def code_port(value: str | Codes) -> Codes:
    """Return how codes are shown at the code pins, of `change`; raise ValueError."""
    return value if isinstance(value, Codes) else parse_code_port(value)


def link(value: str) -> str:
    """Return a link as it is written here: `serial:COM3` of `COM3`."""
    return usual_link(str(value))


class Target(Spec, topic="Instrument"):
    """The instrument."""

    link: str = option(
        first=True,
        converter=link,
        default="sim:",
        shows_default=True,
        metavar="URI",
        help="Link to the instrument: sim:, tcp://HOST:PORT, udp://HOST:PORT or serial:PORT.",
    )
    dut: str | None = option(
        first=True,
        converter=maybe(str),
        default=None,
        metavar="NAME[:OPTIONS]",
        help="Simulated device: freertos (default), bare, synthetic or a manifest.toml; "
        "`plexor board devices NAME` explains its options.",
    )


class Recorded(Target, told={"link": "Or file:PATH, a recording."}):
    """The instrument, or a recording of its bytes."""


class Opened(Spec, topic="Instrument"):
    """How an instrument is opened."""

    fallback: bool = option(
        converter=flag,
        default=False,
        help="If the parts of a simulated device are not available, say so and use a simpler "
        "device: bare for freertos, synthetic for bare.",
    )
    calibration: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Correct latencies to picoseconds with a file from `plexor board calibrate`. Default: "
        "the file kept for this board, if there is one; for a simulated instrument none. With "
        "none, latencies are not corrected.",
    )


class Source(Recorded, Opened):
    """The instrument or the recording that a run comes from."""


class Pins(Spec, topic="Responses"):
    """The pins on which a device answers."""

    channels: tuple[Channel, ...] = option(
        first=True,
        on_page=True,
        converter=channels,
        default=(),
        many=True,
        flag="--channel",
        metavar="NAME=chN[:after=EDGE,edge=WAY,deadline=TIME,filter=TIME,zoom=TIME,invert]",
        help="A response pin. Repeat it for each pin. EDGE is the edge that it answers, such as "
        "strike0 or ch0.fall. WAY says which of its edges are answers: rise, fall, or either, for "
        "a pin that toggles. filter removes pulses shorter than TIME: up to a core clock, on ECP5 "
        "boards up to 1us. Default: those of a simulated device.",
    )


class Width(Spec, topic="Strikes"):
    """The width of a strike."""

    width: Fraction | None = option(
        on_page=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Width of a strike. Default: half of the time to the next, at most 10us.",
    )


class Shape(Width, topic="Strikes"):
    """How strikes follow each other."""

    duty: Fraction | None = option(
        converter=maybe(duty),
        default=None,
        metavar="PART",
        help="Width of a strike as a part of the mean period, or in bursts of the spacing, such as "
        "20%.",
    )
    dither: Fraction = option(
        on_page=True,
        converter=seconds,
        default="0s",
        metavar="TIME",
        help="Range of a random deviation of the period, such as 1us. The chip takes the nearest "
        "power of two of ticks, which the run names.",
    )


class Deadline(Spec, topic="Responses"):
    """When a response is late."""

    deadline: Fraction | None = option(
        first=True,
        on_page=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Latency above which a response is late.",
    )


class Seeded(Spec, topic="Strikes"):
    """Random numbers that are the same each time."""

    seed: int = option(
        converter=seed,
        default=1,
        metavar="N",
        help="Seed for the random parts of the strikes, 1 or more.",
    )


class Loaded(Spec, topic="Load"):
    """A load of the device."""

    load: str | None = option(
        first=True,
        on_page=True,
        converter=maybe(parse_load),
        default=None,
        metavar="NAME",
        help="Load to put on: one of the simulated device's own, such as cpu, or on, which raises "
        "the load output; on a board every name but none does. Default: the load output stays low.",
    )


class Elsewhere(Spec, topic="Instrument"):
    """Where simulated instruments run."""

    executor: Opener | None = option(
        converter=maybe(executor),
        default=None,
        metavar="WHERE",
        help=f"Where simulated instruments run: {FORMS}. Default: local, all cores.",
    )


class OfDevice(Named):
    """What is measured."""

    device: Mapping[str, str] | None = option(default=None, flag=None)
    """The description of the device under test."""


class Described(OfDevice):
    """What is measured, what ends it, and who takes it."""

    stop: Stop | None = option(default=None, flag=None)
    """Ends what is under way; what was measured is kept."""
    command: Sequence[str] = option(default=(), flag=None)
    """The words of the command line that takes it."""


class Unanswered(Spec, topic="Responses"):
    """When a response is none of a strike's any more."""

    timeout: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help=f"Age at which an unanswered strike is missed. {timeouts.RULE}",
    )


class Base(Spec, topic="Results"):
    """A time that is subtracted."""

    base: Fraction = option(
        converter=seconds,
        default="0s",
        metavar="TIME",
        help="A time that is subtracted from each, such as 120ns.",
    )


class Less(
    Base,
    told={
        "base": "It is a base result, and each is a latency. Of an instrument with a calibration, "
        "give a corrected one."
    },
    topic="Results",
):
    """What latencies are shown less, and beside."""

    columns: tuple[str | Fraction, ...] = option(
        converter=columns,
        default=(),
        metavar="NAME,...",
        help="Show more figures: variance; jitter128, the span of 128 latencies; all; or of a "
        "velocity, such as 1100m/s, how far an object moves during each latency.",
    )

    @property
    def velocity(self) -> Fraction | None:
        """The velocity of an object, in metres a second."""
        return next((each for each in self.columns if isinstance(each, Fraction)), None)

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns that have names."""
        return tuple(each for each in self.columns if isinstance(each, str))


class Matching(Deadline, Unanswered, topic="Responses"):
    """Which strike a response answers."""

    policy: str = option(
        converter=choice(POLICIES),
        default="oldest",
        shows_default=True,
        choices=POLICIES,
        help="Rule that selects the outstanding strike that a response answers.",
    )
    window: Fraction = option(
        converter=seconds,
        default="0s",
        metavar="TIME",
        help="Minimum latency, for --policy window.",
    )
    early: Fraction = option(
        converter=seconds,
        default="0s",
        metavar="TIME",
        help="How long before its strike a response may come.",
    )


class InFolder(Spec, topic="Results"):
    """Where what was measured is kept."""

    out: Path | None = option(
        first=True,
        converter=maybe(folder_of),
        default=None,
        metavar="DIR",
        help="Keep what is measured in this folder.",
    )


class Replaced(InFolder, topic="Results"):
    """Where what was measured is kept, in place of what is there."""

    force: bool = option(converter=flag, default=False, help="Replace the folder of --out.")


class NewFolder(Replaced, told={"out": "It is a new one."}):
    """A new folder."""


class Stepwise(
    Described,
    Replaced,
    told={"out": "What was begun there with the same options continues."},
):
    """Steps that are kept as they are taken."""


class CodePort(Spec, topic="Codes of the device"):
    """Codes at the code pins."""

    code_port: Codes | None = option(
        on_page=True,
        converter=maybe(code_port),
        default=None,
        metavar="change|chN[:BITS][,...]",
        help="How the device shows codes on the code pins, from pin 0 up: a change of a pin begins "
        "a code, or a rising edge on channel N does. A code has 8 BITS. Entries: settle=TIME from "
        "the change to the code, skew=TIME in which its pins change, without=CLASS+CLASS for codes "
        "that are counted and not sent, such as without=enter+exit.",
    )


class CodeNames(Spec, topic="Codes of the device"):
    """Names of codes."""

    codes: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Names of codes: the firmware's ELF file, or a TOML file.",
    )


class Coded(CodePort, CodeNames, topic="Codes of the device"):
    """The codes by which a device says what it does."""

    code_wires: Codes | None = option(
        on_page=True,
        converter=maybe(code_wires),
        default=None,
        metavar="chN:chN[:BITS]",
        help="Channels on which the device sends codes of what it does: clock, then data. A code "
        "has 8 BITS and is sent in a byte, or in two if it has more, the highest bit first.",
    )


def check_width(asked: Shape, name: Naming) -> None:
    """Raise UsageError for two widths of a strike."""
    if asked.width is not None and asked.duty is not None:
        raise UsageError(
            f"{name('width')} and {name('duty')} both set the width of a strike; give one of them"
        )


def check_kept(asked: Replaced, name: Naming) -> None:
    """Raise UsageError for a folder that is to be replaced and is not named."""
    if asked.force and asked.out is None:
        raise UsageError(
            f"{name('force')} replaces the folder of {name('out')}; give {name('out')} too"
        )
