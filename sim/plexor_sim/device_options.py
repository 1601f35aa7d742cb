# SPDX-License-Identifier: Apache-2.0
"""Declares the options of all simulated devices, `name=value,name=value`. No other file does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from plexor.protocol.frames import MAX_CHANNELS
from plexor_sim.device_forms import (
    Blocks,
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
_ANY_CHANNEL = re.compile(r"ch\d+\.")


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


def meant(word: str, known: Iterable[str]) -> str:
    """Return `did you mean freertos?`: the known word that is written most alike, if one is."""
    by_fold = {one.casefold(): one for one in known}
    near = get_close_matches(word.casefold(), by_fold, n=1)
    return f"did you mean {by_fold[near[0]]}?" if near else ""


def checked(options: Sequence[Option], text: str, device: str) -> str:
    """Return a user's options as the device takes them.

    Raises ValueError with the option, its value and what would be right.
    """
    return ",".join(_checked(options, item, device) for item in text.split(",")) if text else ""


def _checked(options: Sequence[Option], item: str, device: str) -> str:
    name, equals, value = item.partition("=")
    if not equals or not name:
        raise ValueError(f"{item!r}: not an option; must be NAME=VALUE")
    of_channel = _CHANNEL.fullmatch(name)
    wanted = of_channel[2] if of_channel else name
    found = next((o for o in options if _is(o, wanted, of_channel is not None)), None)
    if of_channel is None and _ANY_CHANNEL.match(name):
        raise ValueError(f"{name!r}: no such channel; must be ch0 to ch{MAX_CHANNELS - 1}")
    if found is None:
        near = meant(wanted, (o.name for o in options))
        names = ", ".join(("chN." if o.of_channel else "") + o.name for o in options)
        raise ValueError(
            f"{name!r}: not an option; {near or f'must be one of {names}'}; `plexor board "
            f"devices {device}` explains them"
        )
    if of_channel and found.name == "after" and value.removesuffix("-fall") == f"ch{of_channel[1]}":
        raise ValueError(f"{item}: a channel cannot request its own response")
    try:
        read = found.form.read(value)
    except ValueError as error:
        why = f"{error}; " if str(error) else ""
        raise ValueError(f"{item}: {why}must be {found.form.wants}") from None
    part = wanted.partition(".")[2] if found.name.endswith(_NAMED) else ""
    return f"{name.removesuffix(wanted)}{found.key or wanted}{part and f'.{part}'}={read}"


def _is(option: Option, name: str, of_channel: bool) -> bool:
    if option.name == _ANY:
        return True
    if option.name.endswith(_NAMED):
        stem, _, part = name.partition(".")
        return not of_channel and bool(part) and stem == option.name.partition(".")[0]
    return option.name == name and (option.of_channel or not of_channel)


_ANY = "NAME"
"""Name of an option that may have any."""
_NAMED = (".NAME", ".PORT")
"""How names of options end that say of what they are."""
_DIST = Distribution()
_SWITCH = Text("0|1", "0 or 1", "[01]")
_PPM = Option(
    "ppm",
    Whole(-100_000, 100_000),
    "0",
    "parts per million by which its clock runs faster than nominal",
)
_PROGRAMS = "strikes|calls|critsec|executor|malloc|philosophers|osbench|threadmetric|kernel"
_LOADS = "none|cpu|critical|polygons|queue|storm|all"

SYNTHETIC: tuple[Option, ...] = (
    Option("seed", Whole(0, 2**63 - 1), "1", "seed of all random numbers"),
    Option(
        "codes",
        Text("FILE", "the path of a file"),
        "none",
        'file of codes on the code pins, lines of "TIME VALUE" with times in ps',
    ),
    Option(
        "code_skew",
        Time(),
        "0",
        "from the first bit of a code that changes to the last one, the lowest first",
    ),
    Option(
        "code_strobe",
        _SWITCH,
        "0",
        "1: channel 7 also rises with the last bit of each code, for 1ns",
    ),
    Option(
        "clock",
        Time(),
        "0",
        "period of its clock: inputs are sampled and outputs change at rising edges, so a level "
        "between two of them is not seen; 0: no clock, everything happens at once",
        key="clock_ps",
    ),
    Option("phase", Time(), "0", "time of a rising edge of its clock", key="phase_ps"),
    Option(
        "grid",
        Time(1000, 10**9, "fs", or_zero=True),
        "0",
        "grid of the outputs: their edges are delayed to the next multiple of this time; 0: no "
        "grid",
        key="grid_fs",
    ),
    Option(
        "load_name",
        Text("NAME", "a name"),
        "load",
        "name of the load that the options load_... describe",
    ),
    Option(
        "load", Text("NAME", "a name"), "load_name", "load that a high load input applies, or none"
    ),
    Option(
        "after",
        Text(
            "PIN",
            "strike0 to strike7 or ch0 to ch7, either with -fall, or none",
            r"(strike|ch)[0-7](-fall)?|none",
        ),
        "strike0 for channel 0, ch0-fall for channel 1, else none",
        "pin whose edge requests a response",
        of_channel=True,
    ),
    Option(
        "latency",
        _DIST,
        "1us",
        "time from the service of a request to the rise of its response",
        True,
    ),
    Option("load_latency", _DIST, "latency", "the same, under load", True),
    Option("width", _DIST, "500ns", "width of a response, at least 1ps", True),
    Option("load_width", _DIST, "width", "the same, under load", True),
    Option(
        "service",
        _DIST,
        "0",
        "time for which a request occupies a channel; others wait in order",
        True,
    ),
    Option("load_service", _DIST, "service", "the same, under load", True),
    Option(
        "queue",
        Whole(0, 1_000_000),
        "1000000",
        "number of requests that may wait; further ones are lost",
        True,
    ),
    Option(
        "overload",
        _DIST,
        "service",
        "time of a service, loaded or not, once a request was lost because the queue was full, "
        "until the channel has rested",
        True,
    ),
    Option("rest", Time(), "1us", "idle time after which a channel has rested", True),
    Option(
        "deaf",
        Times("LOW:HIGH", (Time(1), Time(1))),
        "none",
        "range of times after the previous request in which a request is lost",
        True,
    ),
    Option("drop", Share(), "0", "probability that a request is lost", True),
    Option(
        "duplicate",
        Share(),
        "0",
        "probability that a response is followed by a second one",
        True,
    ),
    Option(
        "duplicate_delay",
        _DIST,
        "1us",
        "time from the unhindered rise of the first response to that of the second",
        True,
    ),
    Option("spurious", Rate(10**9), "0", "rate of Poisson pulses that answer no request", True),
    Option(
        "tick",
        Times("PERIOD[:PHASE]", (Time(2), Time()), optional=True),
        "none",
        "pulses that answer no request, at PHASE (0) and every PERIOD after it",
        True,
    ),
    Option(
        "mask",
        Times("PERIOD:LENGTH[:PHASE]", (Time(2), Time(1), Time()), optional=True, below=True),
        "none",
        "time in which no pulse rises, so that it waits: LENGTH from PHASE (0) on, and again "
        "every PERIOD",
        True,
    ),
    Option("gap", Time(1), "10ns", "minimum time from a fall to the next rise", True),
    Option("invert", _SWITCH, "0", "1: the pin is low when active", True),
    Option(
        "toggle",
        _SWITCH,
        "0",
        "1: a response is one edge, up and down in turn, and has no width; each is both a rise and "
        "a fall to what is after it",
        True,
    ),
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
        "load that runs beside the measured tasks",
    ),
    Option(
        "load_switched", _SWITCH, "1", "1: the load runs while the load input is high; 0: always"
    ),
    Option("clock", Time(1000, 10**6), "20ns", "period of its clock", key="clock_ps"),
    Option(
        "phase",
        Time(0, 10**6),
        "0",
        "time of its first rising edge, at or after time 0",
        key="phase_ps",
    ),
    _PPM,
    Option("clk_to_q", Time(0, 10**6), "0", "delay from a rising edge to a pin", key="clk_to_q_ps"),
    Option(
        "critical_pin",
        Whole(0, 7),
        "6",
        "channel whose pin is high while the load `critical` keeps interrupts off",
    ),
    Option(
        "firmware",
        Text("PATH", "a path"),
        "the device's own",
        "image for $readmemh to run instead",
    ),
    Option(
        "program",
        Text("NAME", f"one of {_PROGRAMS.replace('|', ', ')}", _PROGRAMS),
        "strikes",
        "what freertos does: strikes answers strikes; calls calls functions for known times; "
        "critsec has two tasks that share a mutex, with channel 0 or 1 high while one is inside; "
        "executor fires ids as codes at steps of the timecode, as messages on its serial line say; "
        "malloc allocates memory at strike 0, with channel 0 high meanwhile; philosophers has five "
        "tasks that end in a deadlock; osbench, threadmetric and kernel are the suites of `plexor "
        "lab bench`",
    ),
    Option(
        "iterations",
        Whole(1, 10**6),
        "100",
        "samples of each test of a suite, for program=osbench, threadmetric and kernel",
    ),
    Option(
        "self",
        _SWITCH,
        "0",
        "1: the firmware of a suite also sends how many cycles it counted for each sample",
    ),
    Option(
        "app",
        Text("WHETHER", "on or off", "on|off"),
        "on",
        "off: program=strikes answers a strike in the interrupt service alone, and wakes no task",
    ),
    Option(
        "blocks",
        Blocks(),
        "0",
        "free blocks, up to 50, through which program=malloc walks to one that fits; random is "
        "another number each time, random:SEED in another order",
    ),
    Option(
        "platform",
        Text("PATH", "a path"),
        "none",
        "file with the nanoseconds of an access to each region of memory; its core has no caches",
    ),
    Option(
        "bus",
        Text("PATH", "a path"),
        "none",
        "file for each access to memory, as device/bus.h has it; its core has no caches, and "
        "without a platform each access takes one cycle",
    ),
    Option(
        "codes",
        Text("WAY", "off, port, strobed or two-wire", "off|port|strobed|two-wire"),
        "strobed for the executor, else off",
        "how codes of what it does leave it: port has pins of its own, strobed raises channel 7 "
        "with each code as well, two-wire clocks 8 bits a code out of channel 3 with channel 2, "
        "instead of the answers to strike 1",
    ),
    Option(
        "retired",
        Text("PATH", "a path"),
        "none",
        "file for each instruction that its core retires, and each code (device/retired.h has the "
        "format)",
    ),
    Option(
        "baud",
        Whole(300, 10**8),
        "9600",
        "bits per second of its serial line: 8 data bits, no parity, 1 stop bit",
    ),
    Option(
        "serial_delay",
        Time(0, 10**13),
        "0",
        "delay of a byte to it, ahead of the line",
        key="serial_delay_ps",
    ),
    Option(
        "timecode",
        Text("CODE", "binary or gray", "binary|gray"),
        "binary",
        "what it takes the timecode's pins for",
    ),
    Option("every_cycle", _SWITCH, "0", "1: cycles of a waiting loop are evaluated too, for tests"),
)
VERILOG: tuple[Option, ...] = (
    Option("clock", Time(2, 10**12), "the manifest's", "period of its first clock", key="clock_ps"),
    Option(
        "phase",
        Time(),
        "the manifest's",
        "time of the first rising edge of its first clock",
        key="phase_ps",
    ),
    Option(
        "ppm",
        Whole(-100_000, 100_000),
        "the manifest's",
        "parts per million by which its first clock runs faster than nominal",
    ),
    Option(
        "jitter",
        Time(0, 10**12),
        "the manifest's",
        "RMS by which each edge of its first clock is displaced; displacements do not add up",
        key="jitter_ps",
    ),
    Option(
        "reset_cycles",
        Whole(0, 1 << 24),
        "the manifest's",
        "clock cycles with its first reset active, before time 0; 0: it is never active",
    ),
    *(
        Option(
            f"{name}.PORT",
            form,
            "the manifest's",
            f"the same of the {what} at that port",
            key=key,
        )
        for name, form, what, key in (
            ("clock", Time(2, 10**12), "clock", "clock_ps"),
            ("phase", Time(), "clock", "phase_ps"),
            ("ppm", Whole(-100_000, 100_000), "clock", "ppm"),
            ("jitter", Time(0, 10**12), "clock", "jitter_ps"),
            ("reset_cycles", Whole(0, 1 << 24), "reset", "reset_cycles"),
        )
    ),
    Option(
        "delay",
        Time(0, 10**9),
        "the manifest's",
        "delay from an input or clock edge to the change of an output",
        key="delay_ps",
    ),
    Option(
        "initial",
        Whole(0, 2**31 - 1),
        "0",
        "seed of random initial values of all registers and of inputs that nothing drives; 0: all "
        "are 0. Answers that differ from seed to seed depend on what was never reset or driven",
    ),
    Option(
        "said",
        Text("PATH", "a path"),
        "none",
        "file for each line that the design prints, with its time; without it the first 20 are "
        "shown, and the others counted",
    ),
    Option(
        "seed",
        Whole(0, 2**31 - 1),
        "0",
        "seed of jitter, of inputs that change at random, and of $random and the like; 0: their "
        "own",
    ),
    Option(
        "plus.NAME", Text("TEXT"), "the manifest's", "value of the plusarg +NAME=TEXT", key="plus"
    ),
)

LIBRARY: tuple[Option, ...] = (
    Option(
        "patience",
        Whole(1, 1_000_000, "SECONDS"),
        "10",
        "seconds that a call of a library may last; a longer one ends the simulation",
    ),
    Option(
        "said",
        Text("PATH", "a path"),
        "none",
        "file for each line that a library prints, with its time; without it the first 20 are "
        "shown, and the others counted",
    ),
    Option(
        "N.NAME",
        Text("TEXT"),
        "the manifest's",
        "an option of library N, counted from 0 in the manifest",
    ),
    Option("NAME", Text("TEXT"), "the manifest's", "an option of library 0"),
)
