"""Declares the options of all simulated devices, `name=value,name=value`. No other file does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from plexor_sim.device_forms import (
    Distribution,
    Form,
    Rate,
    Share,
    Text,
    Time,
    Times,
    Whole,
)

_CHANNEL = re.compile(r"ch([0-7])\.(.+)")


@dataclass(frozen=True)
class Option:
    """One option."""

    name: str
    form: Form
    default: str
    """Default as a user would write it, or a text in place of a value."""
    meaning: str
    of_channel: bool = False
    """Whether `chN.name` sets it for one channel, and `name` for every channel without its own."""
    key: str = ""
    """Name of the option in the device, if it is another one."""


def checked(options: Sequence[Option], text: str, device: str) -> str:
    """Return a user's options as the device takes them.

    Raises ValueError with the option, its value and what would be right.
    """
    return ",".join(_checked(options, item, device) for item in text.split(",")) if text else ""


def _checked(options: Sequence[Option], item: str, device: str) -> str:
    name, equals, value = item.partition("=")
    if not equals or not name:
        raise ValueError(f"{item!r}: an option is NAME=VALUE")
    of_channel = _CHANNEL.fullmatch(name)
    wanted = of_channel[2] if of_channel else name
    found = next((o for o in options if _is(o, wanted, of_channel is not None)), None)
    if found is None:
        names = ", ".join(("chN." if o.of_channel else "") + o.name for o in options)
        raise ValueError(
            f"{name!r}: the options are {names}; `plexor devices {device}` explains them"
        )
    if of_channel and found.name == "after" and value.removesuffix("-fall") == f"ch{of_channel[1]}":
        raise ValueError(f"{item}: a channel cannot ask itself")
    try:
        read = found.form.read(value)
    except ValueError as error:
        why = f"{error}; " if str(error) else ""
        raise ValueError(f"{item}: {why}must be {found.form.wants}") from None
    return f"{name.removesuffix(wanted)}{found.key or wanted}={read}"


def _is(option: Option, name: str, of_channel: bool) -> bool:
    if option.name == "plus.NAME":
        return not of_channel and name.startswith("plus.")
    return option.name == name and (option.of_channel or not of_channel)


_DIST = Distribution()
_SWITCH = Text("0|1", "0 or 1", "[01]")
_PPM = Option("ppm", Whole(-100_000, 100_000), "0", "how much faster its clock runs than nominal")
_LOADS = "none|cpu|critical|polygons|queue|storm|all"

SYNTHETIC: tuple[Option, ...] = (
    Option("seed", Whole(0, 2**63 - 1), "1", "of all random numbers"),
    Option(
        "clock",
        Time(),
        "0",
        "period of its clock: inputs are sampled at rising edges, so that a level between two of "
        "them is not seen, and outputs change at rising edges; 0: no clock, all is at once",
        key="clock_ps",
    ),
    Option("phase", Time(), "0", "a rising edge of its clock is at this time", key="phase_ps"),
    Option(
        "grid",
        Time(1000, 10**9, "fs", or_zero=True),
        "0",
        "edges of outputs are put off to the next multiple of this; 0: they are not",
        key="grid_fs",
    ),
    Option("load_name", Text("NAME", "a name"), "load", "what the options load_... stand for"),
    Option("load", Text("NAME", "a name"), "load_name", "what a high load input puts on, or none"),
    Option(
        "after",
        Text(
            "PIN",
            "strike0 to strike7 or ch0 to ch7, either with -fall, or none",
            r"(strike|ch)[0-7](-fall)?|none",
        ),
        "strike0 for channel 0, ch0-fall for channel 1, else none",
        "whose edge asks for a response",
        of_channel=True,
    ),
    Option("latency", _DIST, "1us", "from a request's service to the response's rise", True),
    Option("load_latency", _DIST, "latency", "the same under load", True),
    Option("width", _DIST, "500ns", "of a response, at least 1ps", True),
    Option("load_width", _DIST, "width", "the same under load", True),
    Option(
        "service", _DIST, "0", "how long a request occupies a channel; others wait in order", True
    ),
    Option("load_service", _DIST, "service", "the same under load", True),
    Option(
        "queue", Whole(0, 1_000_000), "1000000", "so many requests may wait; one more is lost", True
    ),
    Option(
        "overload",
        _DIST,
        "service",
        "what a service takes, loaded or not, once a request was lost for want of room, until the "
        "channel has rested",
        True,
    ),
    Option("rest", Time(), "1us", "how long a channel must have nothing to do for that", True),
    Option(
        "deaf",
        Times("LOW:HIGH", (Time(1), Time(1))),
        "none",
        "a request that comes so long after the one before it is lost",
        True,
    ),
    Option("drop", Share(), "0", "a request is lost with this probability", True),
    Option(
        "duplicate",
        Share(),
        "0",
        "a response is followed by a second one with this probability",
        True,
    ),
    Option(
        "duplicate_delay",
        _DIST,
        "1us",
        "from the first one's rise, unhindered, to the second's",
        True,
    ),
    Option(
        "spurious", Rate(10**9), "0", "pulses nobody asked for, Poisson, so many a second", True
    ),
    Option(
        "tick",
        Times("PERIOD[:PHASE]", (Time(2), Time()), optional=True),
        "none",
        "pulses nobody asked for, at PHASE (0) and every PERIOD from there",
        True,
    ),
    Option(
        "mask",
        Times("PERIOD:LENGTH[:PHASE]", (Time(2), Time(1), Time()), optional=True, below=True),
        "none",
        "no pulse rises for LENGTH from PHASE (0) on, and every PERIOD from there: it waits",
        True,
    ),
    Option("gap", Time(1), "10ns", "least time from a fall to the next rise", True),
    Option("invert", _SWITCH, "0", "1: the pin is low when active", True),
)
RISCV: tuple[Option, ...] = (
    Option(
        "load",
        Text(
            "NAMES",
            f"one of {_LOADS.replace('|', ', ')}, or several joined by +",
            rf"({_LOADS})(\+({_LOADS}))*",
        ),
        "none",
        "what works beside",
    ),
    Option("load_switched", _SWITCH, "1", "1: while the load input is high; 0: always"),
    Option("clock", Time(1000, 10**6), "20ns", "period of its clock", key="clock_ps"),
    Option(
        "phase", Time(0, 10**6), "0", "its first rising edge at or after time 0", key="phase_ps"
    ),
    _PPM,
    Option("clk_to_q", Time(0, 10**6), "0", "from a rising edge to a pin", key="clk_to_q_ps"),
    Option(
        "critical_pin",
        Whole(0, 7),
        "6",
        "the channel whose pin is high while the load `critical` keeps interrupts off",
    ),
    Option(
        "firmware",
        Text("PATH", "a path"),
        "the device's own",
        "an image for $readmemh to run instead",
    ),
    Option(
        "every_cycle", _SWITCH, "0", "1: cycles of a waiting loop are evaluated too; for its tests"
    ),
)
VERILOG: tuple[Option, ...] = (
    Option("clock", Time(2, 10**12), "the manifest's", "period of its clock", key="clock_ps"),
    Option("phase", Time(), "the manifest's", "its first rising edge", key="phase_ps"),
    _PPM,
    Option(
        "reset_cycles",
        Whole(0, 1 << 24),
        "the manifest's",
        "with the reset active, before time 0",
    ),
    Option(
        "delay",
        Time(0, 10**9),
        "the manifest's",
        "from an input or clock edge to the change of an output",
        key="delay_ps",
    ),
    Option("plus.NAME", Text("TEXT"), "the manifest's", "the plusarg +NAME=TEXT"),
)
