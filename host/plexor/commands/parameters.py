"""Types of command-line values: exact durations, rates and counts; options of several commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from plexor.model.settings import Channel, parse_reference
from plexor.units import parse_count, parse_duration, parse_part, parse_rate, parse_velocity

T = TypeVar("T")

if TYPE_CHECKING:
    _ParamType = click.ParamType[Any, Any]
else:  # generic since click 8.4
    _ParamType = click.ParamType


class Parsed(_ParamType, Generic[T]):
    """A value read by a function that raises ValueError with one clear line."""

    def __init__(self, name: str, parse: Callable[[str], T]) -> None:
        self.name = name
        self._parse = parse

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Return the parsed value; fail with the function's own words."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


@dataclass(frozen=True, slots=True)
class StopCondition:
    """What ends a run early: a latency above `over_s`, or (None) a missed strike."""

    over_s: Fraction | None


def parse_stop(text: str) -> StopCondition:
    """Return the condition of `missed` or `latency>50us`; raise ValueError."""
    if text == "missed":
        return StopCondition(None)
    name, sign, limit = text.partition(">")
    if name.strip() != "latency" or not sign:
        raise ValueError(f"condition: {text!r}; must be missed or latency>TIME")
    return StopCondition(parse_duration(limit))


def parse_duty(text: str) -> Fraction:
    """Return 1/5 for `20%`, `0.2` or `1/5`; raise ValueError if it is not between 0 and 1."""
    wrong = f"duty: {text!r}; must lie between 0 and 1, such as 0.2 or 20%"
    try:
        duty = parse_part(text)
    except ValueError as error:
        raise ValueError(wrong) from error
    if not 0 < duty < 1:
        raise ValueError(wrong)
    return duty


def parse_key(text: str) -> tuple[str, str]:
    """Return (`os`, `FreeRTOS`) of `os=FreeRTOS`; raise ValueError."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise ValueError(f"description: {text!r}; must be NAME=TEXT, such as os=FreeRTOS")
    return name.strip(), value.strip()


_CHANNEL = re.compile(r"(?:(?P<name>[^=:,]+)=)?ch(?P<number>[0-7])(?::(?P<options>.+))?")


def parse_channel(text: str) -> Channel:
    """Return the channel of `ISR=ch0` or of `TASK=ch1:after=ch0.fall,deadline=50us,invert`.

    Raises ValueError that says what would be right.
    """
    match = _CHANNEL.fullmatch(text)
    if match is None:
        raise ValueError(
            f"channel: {text!r}; must be NAME=ch0 to NAME=ch7, with options after a colon: "
            "after=ch0.fall, deadline=TIME, filter=TIME, invert"
        )
    reference, invert = "strike0", False
    deadline: Fraction | None = None
    filtered = Fraction(0)
    for option in (match["options"] or "").split(","):
        key, _, value = option.partition("=")
        if not option and match["options"] is None:
            continue
        if option == "invert":
            invert = True
        elif key == "after":
            parse_reference(value)
            reference = value
        elif key == "deadline":
            deadline = parse_duration(value)
        elif key == "filter":
            filtered = parse_duration(value)
        else:
            raise ValueError(
                f"channel: {text!r}: {option!r} is not an option; must be after=, deadline=, "
                "filter= or invert"
            )
    return Channel(
        number=int(match["number"]),
        name=(match["name"] or "").strip(),
        invert=invert,
        filter_s=filtered,
        reference=reference,
        deadline_s=deadline,
    )


DURATION = Parsed("time", parse_duration)
RATE = Parsed("rate", parse_rate)
COUNT = Parsed("count", parse_count)
DUTY = Parsed("part", parse_duty)
STOP = Parsed("condition", parse_stop)
VELOCITY = Parsed("velocity", parse_velocity)
KEY = Parsed("name=text", parse_key)
CHANNEL = Parsed("channel", parse_channel)

time_option = partial(click.option, type=DURATION, metavar="TIME")
"""Decorator for an option that is a duration."""
base_option = time_option(
    "--base", default="0", help="A base result, which is subtracted from each latency."
)
velocity_option = click.option(
    "--velocity",
    type=VELOCITY,
    metavar="VELOCITY",
    help="Show how far an object with this velocity moves during each latency: 1100m/s, 90km/h.",
)
budget_option = click.option(
    "--budget", metavar="FILE", help="Limits by which the run is judged: a TOML file, or omac."
)
key_option = click.option(
    "--key",
    "keys",
    type=KEY,
    multiple=True,
    metavar="NAME=TEXT",
    help="A description of the device, such as os=FreeRTOS. Repeat it for each entry.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(1, 1 << 63),
    default=1,
    metavar="N",
    help="Seed for the random parts of the strikes.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print only a JSON document.")


def link_option(schemes: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return the decorator for the option of a link; `schemes` is its help."""
    return click.option("--link", default="sim:", show_default=True, metavar="URI", help=schemes)
