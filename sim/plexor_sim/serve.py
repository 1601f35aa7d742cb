# SPDX-License-Identifier: Apache-2.0
"""Builds a simulator, then becomes it; for `plexor board sim` and the link `sim:`.

    python -m plexor_sim.serve --dut NAME_OR_MANIFEST[:options] ...

Prints `device NAME`, `core NAME`, `firmware FILE` if it has firmware, `draws` if the device draws
at random, `load NAME`, or `load NAME always` if it runs whatever the load output's level is, `load
none` if it runs none, `load` if nothing could load it, `serial tcp://127.0.0.1:PORT` if it has a
serial line, and `listening tcp://127.0.0.1:PORT` on stdout. A twin prints `handed over WHY` once
the gateware takes a run. Progress and errors go to stderr. With --fallback,
`fallback WHY` comes before these lines if NAME is not the requested device. Exit codes: 2 for
usage, a bad option or manifest; 3 if the build or the simulation fails; 4 if a file cannot be
written; 70 for a fault of the program.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from plexor.protocol.geometry import Geometry
from plexor_hdl.build import boards
from plexor_sim.build import BuildError, build
from plexor_sim.design.manifest import ManifestError
from plexor_sim.device_forms import Time
from plexor_sim.device_options import checked, meant
from plexor_sim.devices import (
    NAMES,
    chosen,
    drawn_for,
    find_device,
    option_text,
    options_of,
)
from plexor_sim.entry import entered
from plexor_sim.front_end import front_end_options
from plexor_sim.hand_over import command as hand_over
from plexor_sim.packages import PackageMissing, default_cache
from plexor_sim.prebuilt import prebuilt
from plexor_sim.riscv import ELF_FILE, DeviceBuild, FirmwareError
from plexor_sim.twin.build import arguments as twin_arguments
from plexor_sim.twin.build import build_twin

_PACE = Time(20_000_000, 10**12)
"""As kLeastPacePs in runtime/options.cpp."""
GATEWARE, TWIN = "gateware", "twin"
CORES = (GATEWARE, TWIN)
CORE = os.environ.get("PLEXOR_CORE", TWIN)
"""What takes the instrument's place unless that is said."""
EXIT_USAGE = 2
EXIT_FAILED = 3
_FALLBACKS = {"freertos": "bare", "bare": "synthetic"}

SIMULATION: Mapping[str, tuple[str, str]] = {
    "truth": ("FILE", "write every edge of every pin, in ps (runtime/truth.h has the format)"),
    "trace-pins": ("FILE", "write every edge of every pin, as a VCD"),
    "figures": (
        "FILE",
        "write at the end: clocks passed, clocks evaluated, wall and CPU seconds, from the first "
        "client on",
    ),
    "free": (
        "",
        "let time pass between runs and without a client too; otherwise it passes only while "
        "commands need it, so a first run is the same whenever it starts",
    ),
    "linger": ("SECONDS", "how long a run continues after its client has gone (0)"),
    "no-skip": ("", "evaluate every clock, even if nothing moves"),
    "prove": ("", "evaluate skipped clocks too, and end if the result differs"),
    "clock-lost": (
        "N,N,...",
        "core clocks at which the instrument's PLL loses or regains its lock; it starts locked",
    ),
    "max-cycles": ("N", "end after N core clocks"),
    "stall": (
        "P,SEED",
        "probability P that the link is not ready in a clock, in both directions; full: the "
        "instrument's bytes are never taken",
    ),
    "corrupt": ("P,SEED", "probability P that a bit of a byte to the client is wrong"),
    "buffer": (
        "BYTES",
        "approximate number of bytes buffered for a client that does not read; otherwise megabytes",
    ),
    "gate": ("N,N,...", "core clocks at which the gate input changes; it starts low"),
    "uart-divisor": ("N", "core clocks per bit of the UART (8), with --uart"),
    "uart-low": (
        "N,N,...",
        "core clocks at which the line to a UART is pulled low or released, with --uart",
    ),
    "no-preamble": ("", "send no preamble: the client has a UART's line from the first byte on"),
    "parent": ("PID", "end when process PID is no longer the parent"),
}
"""Options of the simulator for users: the placeholder of the value, and the effect."""


BITS_A_BYTE = 10
"""Of a UART's byte, with start and stop."""
_OWN: Mapping[str, tuple[str, str]] = {
    "channels": ("N", "number of response pins"),
    "strikes": ("N", "number of strike outputs"),
    "samples": ("W", "samples per core clock"),
    "tick-fs": ("FEMTOSECONDS", "duration of a sample"),
    "phases": ("N", "flip-flops per channel"),
}
"""Parameters of the default board's instrument that options may change."""


@dataclass(frozen=True)
class Prepared:
    """A simulator that is ready to start."""

    device: str
    executable: Path
    options: str
    """The device's options, for the simulator's --device."""
    elf: Path | None = None
    """The device's firmware, if it has any."""
    name: str = "synthetic"
    """The device as it was named, without options; after a fallback the one in its place."""
    arguments: tuple[str, ...] = ()
    """Arguments of the executable itself."""
    core: str = GATEWARE

    @property
    def said(self) -> list[str]:
        """The lines that say what it is."""
        firmware = [] if self.elf is None else [f"firmware {self.elf}"]
        return [f"device {self.device}", f"core {self.core}", *firmware]


def prepare(
    dut: str,
    geometry: Geometry,
    cache: Path,
    *,
    uart: bool = False,
    fallback: bool = False,
    core: str = GATEWARE,
) -> Prepared:
    """Return the simulator of `NAME_OR_MANIFEST[:options]`, built if it is new.

    With `fallback`, a device whose parts are not available is replaced, with one line on stdout:
    freertos by bare, and bare by synthetic. If the kind of device changes, its options are dropped.
    `core` is one of CORES; a UART is always the gateware's. Raises ValueError, ManifestError,
    FirmwareError, BuildError and PackageMissing.
    """
    name, _, own = dut.partition(":")
    checked(options_of(name), own, name)  # before anything is built
    is_twin = core == TWIN and not uart
    made = None if uart else prebuilt(name, own, cache, None if is_twin else geometry)
    if made is not None:
        device = made.device
    else:
        name, device, own = _find(name, own, cache, fallback)
    arguments: tuple[str, ...] = ()
    if is_twin:
        executable = made.executable if made else build_twin(device, cache, _say)
        text = f"{name}:{own}" if own else name
        arguments = (*twin_arguments(geometry), "--hand-over", hand_over(text, geometry, cache))
    else:
        executable = (
            made.executable if made else build(geometry, device, cache, uart=uart, report=_say)
        )
    for note in device.notes:
        _say(f"design: {note}")
    # The names in our firmware are not those of the user's own.
    elf = None if "firmware" in dict(chosen(own)) else device.options.get("firmware")
    return Prepared(
        device.name,
        executable,
        option_text(name, device, own),
        None if elf is None else Path(elf).with_name(ELF_FILE),
        name,
        arguments,
        TWIN if arguments else GATEWARE,
    )


def prepared_or_code(
    dut: str,
    geometry: Geometry,
    cache: Path,
    *,
    uart: bool,
    core: str,
    fallback: bool = False,
    prepared: Callable[..., Prepared] = prepare,
) -> Prepared | int:
    """As `prepare`, but an error is said, and its exit code returned."""
    try:
        return prepared(dut, geometry, cache, uart=uart, fallback=fallback, core=core)
    except (ValueError, ManifestError) as error:
        _say(f"error: {error}")
        return EXIT_USAGE
    except (BuildError, FirmwareError, PackageMissing, OSError) as error:
        _say(f"error: {error}")
        return EXIT_FAILED


Prepare = Callable[..., Prepared]
"""As `prepare`, or what remembers its results."""


def _find(name: str, own: str, cache: Path, fallback: bool) -> tuple[str, DeviceBuild, str]:
    try:
        return name, find_device(name, cache, own), own
    except PackageMissing as error:
        if not fallback or name not in _FALLBACKS:
            raise
        other = _FALLBACKS[name]
        print(f"fallback {name} is not available ({error}); using {other}", flush=True)
        return _find(other, "" if other == "synthetic" else own, cache, fallback)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the simulated instrument's options."""
    parser = argparse.ArgumentParser(
        prog="plexor board sim",
        description="Simulate an instrument with a device at its pins. It prints a port and "
        "serves one client after the other there.",
        epilog="`plexor board devices NAME` explains the options of a device. Exit codes: 2 wrong "
        "usage, 3 build or simulation failed, 4 a file cannot be written.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--dut",
        default="synthetic",
        metavar="NAME[:OPTIONS]",
        help=f"simulated device: {', '.join(NAMES)} or a manifest.toml",
    )
    names = ", ".join(boards.files())
    parser.add_argument(
        "--board",
        metavar="BOARD",
        help=f"board whose instrument is simulated: {names} ({boards.DEFAULT})",
    )
    parser.add_argument(
        "--build",
        metavar="BUILD",
        help="full, events or counts: which of the board's instruments; default: its first in "
        "docs/features.md",
    )
    for name, (what, meaning) in _OWN.items():
        parser.add_argument(
            f"--{name}", type=int, metavar=what, help=f"{meaning}; not with --board"
        )
    parser.add_argument(
        "--draws-of",
        default="",
        metavar="TEXT",
        help="have the device draw other random numbers for each text, the same each time",
    )
    parser.add_argument(
        "--front-end",
        default="",
        metavar="OPTIONS",
        help="defects of the sampler, such as sampler=seed:7,spread_ps=200",
    )
    parser.add_argument(
        "--core",
        choices=CORES,
        default=CORE,
        help="what takes the instrument's place: the twin, event by event, or its gateware, clock "
        "by clock; default: PLEXOR_CORE in the environment, or twin",
    )
    parser.add_argument("--uart", action="store_true", help="use a UART as the link, bit by bit")
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), help="folder that keeps built simulators"
    )
    parser.add_argument(
        "--fallback", action="store_true", help="use another device if this one is not available"
    )
    parser.add_argument("--once", action="store_true", help="end after the first client")
    group = parser.add_argument_group("the simulation")
    group.add_argument(
        "--pace",
        metavar="TIME",
        help="let a run go on only by TIME after each frame of the client, and take bytes of the "
        "client and of the device's serial line only then; so a client that reacts to what it "
        f"reads does so at the same time in each run; {_PACE.range}",
    )
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
    if chosen.pace is not None:
        arguments += ["--pace", _pace_ps(chosen.pace)]
    return arguments


def _pace_ps(text: str) -> str:
    try:
        return _PACE.read(text)
    except ValueError:
        raise ValueError(f"pace: {text!r}; must be {_PACE.wants}") from None


def _geometry(chosen: argparse.Namespace) -> Geometry:
    """Return the chosen instrument: a board's, or the default one with changed parameters."""
    names = [name.replace("-", "_") for name in _OWN]
    own = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    if chosen.board and own:
        given = ", ".join(f"--{name.replace('_', '-')}" for name in own)
        raise ValueError(f"board: {chosen.board} has its own parameters; leave out {given}")
    return replace(boards.simulated(_build(chosen)), **own)


def _build(chosen: argparse.Namespace) -> str:
    """Return the name of the chosen build of a board."""
    board = _board(chosen.board or boards.DEFAULT)
    return boards.build_of(board, chosen.build.lower()) if chosen.build else board


def _link_bytes_s(chosen: argparse.Namespace) -> int:
    """Return what the link of the chosen board carries."""
    return int(boards.read(_build(chosen)).table["link"]["baud"]) // BITS_A_BYTE


def _bare(name: str) -> str:
    return re.sub("[-_ ]", "", name).lower()


def _board(text: str) -> str:
    """Return the board that a text such as `ULX3S_25F` or `ulx3s25f` names. Raises ValueError."""
    for board in boards.files():
        if _bare(board) == _bare(text):
            return board
        for own in boards.builds(board):
            if _bare(f"{board}-{own}") == _bare(text):
                raise ValueError(f"board: {text!r}; must be board={board} and build={own}")
    near = meant(text, boards.files())
    known = ", ".join(boards.files())
    raise ValueError(f"board: {text!r}; must be one of {known}{near and f'; {near}'}")


def command_of(
    arguments: list[str] | None, parent: int, prepared: Prepare | None = None
) -> tuple[list[str], list[str]] | int:
    """Build a simulator; return lines that say what it is, and its command; or an exit code.

    `prepared` is called in place of `prepare`. With `--once` it ends when process `parent` is no
    longer its parent.
    """
    chosen = parser().parse_args(arguments)
    if chosen.core not in CORES:
        _say(f"error: PLEXOR_CORE: {chosen.core!r}; must be {' or '.join(CORES)}")
        return EXIT_USAGE
    try:
        geometry = _geometry(chosen)
        front_end = front_end_options(chosen.front_end, geometry)
        simulation = _simulation(chosen)
    except (ValueError, boards.BoardError) as error:
        _say(f"error: {error}")
        return EXIT_USAGE
    ready = prepared_or_code(
        chosen.dut,
        geometry,
        chosen.cache,
        uart=chosen.uart,
        core=chosen.core,
        fallback=chosen.fallback,
        prepared=prepared or prepare,
    )
    if isinstance(ready, int):
        return ready
    options = drawn_for(ready.name, ready.options, chosen.draws_of)
    command = [str(ready.executable), *ready.arguments, "--device", options, *simulation]
    if front_end:
        command += ["--front-end", front_end]
    if chosen.once:
        # A program started it for itself alone, so nobody else comes after that program dies.
        command += ["--once", "--parent", str(parent)]
    return [f"link {_link_bytes_s(chosen)}", *ready.said], command


def main(arguments: list[str] | None = None) -> int:
    """Build, then replace this process by the simulator; return an exit code if that fails."""
    found = command_of(arguments, os.getppid())
    if isinstance(found, int):
        return found
    said, command = found
    print(*said, sep="\n", flush=True)
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(entered(main))
