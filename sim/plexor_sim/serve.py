"""Builds a simulator, then becomes it; for `plexor sim serve` and the link `sim:`.

    python -m plexor_sim.serve --dut NAME_OR_MANIFEST[:options] ...

Prints `device NAME`, `draws` if the device draws at random, and `listening 127.0.0.1:PORT` on
stdout. Progress and errors go to stderr. With --fallback, `fallback WHY` comes before these lines
if NAME is not the requested device. Exit codes: 2 for usage, a bad option or manifest; 3 if the
build or the simulation fails; 4 if a file cannot be written.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from plexor.protocol.geometry import Geometry
from plexor_hdl.build import boards
from plexor_sim.build import BuildError, build
from plexor_sim.device_options import checked
from plexor_sim.devices import NAMES, find_device, option_text, options_of
from plexor_sim.front_end import front_end_options
from plexor_sim.manifest import ManifestError
from plexor_sim.packages import PackageMissing, default_cache
from plexor_sim.riscv import DeviceBuild, FirmwareError

EXIT_USAGE = 2
EXIT_FAILED = 3
_FALLBACKS = {"freertos": "bare", "bare": "synthetic"}

SIMULATION: Mapping[str, tuple[str, str]] = {
    "truth": ("FILE", "every edge of every pin, in ps (runtime/truth.h has the format)"),
    "trace-pins": ("FILE", "the same as a VCD"),
    "figures": (
        "FILE",
        "at the end: clocks passed, clocks evaluated, wall and CPU seconds, from the first "
        "client on",
    ),
    "free": (
        "",
        "time passes between runs and without a client too; otherwise only for what commands "
        "take: a first run is the same whenever it is asked for",
    ),
    "linger": ("SECONDS", "a run goes on for so long after a client has gone (0)"),
    "no-skip": ("", "evaluate every clock, those too in which nothing moves"),
    "prove": ("", "evaluate what is skipped too, and end if it is not the same"),
    "clock-lost": (
        "N,N,...",
        "the lock of the instrument's PLL is lost or found at these core clocks; it starts locked",
    ),
    "max-cycles": ("N", "end after N core clocks"),
    "stall": (
        "P,SEED",
        "the link is not ready with probability P in each clock, both ways; full: the "
        "instrument's bytes are never taken",
    ),
    "corrupt": ("P,SEED", "a bit of a byte to the client is wrong with probability P"),
    "buffer": (
        "BYTES",
        "lie on the way to a client that does not read, about; otherwise megabytes",
    ),
    "gate": ("N,N,...", "the gate input changes at these core clocks; it starts low"),
    "uart-divisor": ("N", "core clocks a bit of the UART (8), with --uart"),
    "uart-low": (
        "N,N,...",
        "the line to a UART is pulled low and let go at these core clocks, with --uart",
    ),
    "no-preamble": ("", "leave a UART's line to the client from its first byte on"),
    "parent": ("PID", "end when process PID is not the parent any more"),
}
"""Options of the simulator for users: the placeholder of the value, and the effect."""


_OWN: Mapping[str, tuple[str, str]] = {
    "channels": ("N", "response pins"),
    "strikes": ("N", "strike outputs"),
    "samples": ("W", "samples of a core clock"),
    "tick-fs": ("FEMTOSECONDS", "a sample's time"),
    "phases": ("N", "flip-flops of a channel"),
}
"""Parameters of the default board's instrument that options may change."""


@dataclass(frozen=True)
class Prepared:
    """A simulator that is ready to start."""

    device: str
    executable: Path
    options: str
    """The device's options, for the simulator's --device."""


def prepare(
    dut: str, geometry: Geometry, cache: Path, *, uart: bool = False, fallback: bool = False
) -> Prepared:
    """Return the simulator of `NAME_OR_MANIFEST[:options]`, built if it is new.

    With `fallback`, a device whose parts are not available is replaced, with one line on stdout:
    freertos by bare, and bare by synthetic. If the kind of device changes, its options are dropped.
    Raises ValueError, ManifestError, FirmwareError, BuildError and PackageMissing.
    """
    name, _, own = dut.partition(":")
    checked(options_of(name), own, name)  # before anything is built
    name, device, own = _find(name, own, cache, fallback)
    executable = build(geometry, device, cache, uart=uart, report=_say)
    return Prepared(device.name, executable, option_text(name, device, own))


def _find(name: str, own: str, cache: Path, fallback: bool) -> tuple[str, DeviceBuild, str]:
    try:
        return name, find_device(name, cache), own
    except PackageMissing as error:
        if not fallback or name not in _FALLBACKS:
            raise
        other = _FALLBACKS[name]
        print(f"fallback {name} cannot be had ({error}); using {other}", flush=True)
        return _find(other, "" if other == "synthetic" else own, cache, fallback)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the simulated instrument's options."""
    parser = argparse.ArgumentParser(
        prog="plexor sim serve",
        description="A simulated instrument and a device at its pins, for one client after the "
        "other at the port that it prints.",
        epilog="`plexor devices NAME` explains the options of a device. Exit codes: 2 for usage, "
        "3 if the build or the simulation fails, 4 if a file cannot be written.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--dut", default="synthetic", metavar="NAME[:OPTIONS]", help=f"{', '.join(NAMES)}, or .toml"
    )
    names = ", ".join(boards.names())
    parser.add_argument(
        "--board", metavar="BOARD", help=f"the instrument of {names} ({boards.DEFAULT})"
    )
    for name, (what, meaning) in _OWN.items():
        parser.add_argument(f"--{name}", type=int, metavar=what, help=f"{meaning}; not of a board")
    parser.add_argument(
        "--front-end", default="", metavar="OPTIONS", help="sampler=seed:7,spread_ps=200, defects"
    )
    parser.add_argument("--uart", action="store_true", help="the link is a UART, bit by bit")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="keeps what was built")
    parser.add_argument(
        "--fallback", action="store_true", help="use another device if this one cannot be had"
    )
    parser.add_argument("--once", action="store_true", help="end with the first client")
    group = parser.add_argument_group("the simulation")
    for name, (metavar, meaning) in SIMULATION.items():
        if metavar:
            group.add_argument(f"--{name}", metavar=metavar, help=meaning)
        else:
            group.add_argument(f"--{name}", action="store_true", help=meaning)
    return parser


def _simulation(chosen: argparse.Namespace) -> list[str]:
    """Return the arguments that go to the simulator unchanged."""
    arguments: list[str] = []
    for name, (metavar, _) in SIMULATION.items():
        value: str | bool | None = getattr(chosen, name.replace("-", "_"))
        if value:
            arguments += [f"--{name}", str(value)] if metavar else [f"--{name}"]
    return arguments


def _geometry(chosen: argparse.Namespace) -> Geometry:
    """Return the chosen instrument: a board's, or the default one with changed parameters."""
    names = [name.replace("-", "_") for name in _OWN]
    own = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    if chosen.board and own:
        given = ", ".join(f"--{name.replace('_', '-')}" for name in own)
        raise ValueError(f"board: {chosen.board} has parameters of its own; leave out {given}")
    return replace(boards.simulated(chosen.board or boards.DEFAULT), **own)


def command_of(arguments: list[str] | None, parent: int) -> tuple[str, list[str]] | int:
    """Build a simulator; return its device and its command, or an exit code if that fails.

    With `--once` it ends when process `parent` is no longer its parent.
    """
    chosen = parser().parse_args(arguments)
    try:
        geometry = _geometry(chosen)
        front_end = front_end_options(chosen.front_end, geometry)
        ready = prepare(
            chosen.dut, geometry, chosen.cache, uart=chosen.uart, fallback=chosen.fallback
        )
    except (ValueError, ManifestError, boards.BoardError) as error:
        _say(f"error: {error}")
        return EXIT_USAGE
    except (BuildError, FirmwareError, PackageMissing, OSError) as error:
        _say(f"error: {error}")
        return EXIT_FAILED
    command = [str(ready.executable), "--device", ready.options, *_simulation(chosen)]
    if front_end:
        command += ["--front-end", front_end]
    if chosen.once:
        # A program started it for itself alone, so nobody else comes after that program dies.
        command += ["--once", "--parent", str(parent)]
    return ready.device, command


def main(arguments: list[str] | None = None) -> int:
    """Build, then replace this process by the simulator; return an exit code if that fails."""
    found = command_of(arguments, os.getppid())
    if isinstance(found, int):
        return found
    device, command = found
    print(f"device {device}", flush=True)
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())
