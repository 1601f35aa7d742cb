# SPDX-License-Identifier: Apache-2.0
"""What is on this machine: boards, simulated devices, and what keeps them from working."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serial.tools import list_ports

from plexor.base.errors import ExitCode, LinkError, UsageError
from plexor.base.jsonable import to_json
from plexor.library.open import open_any
from plexor.library.pins import SIMULATED
from plexor.library.upkeep.walk import walked
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature
from plexor.run.plan.carried import most_events_s
from plexor.run.plan.sustained import channel_counts
from plexor.show.terminal.columns import Paint
from plexor.wire.desk import doctor
from plexor.wire.desk.doctor import Level
from plexor.wire.link import boards
from plexor.wire.link.open import usual_name

if TYPE_CHECKING:
    from plexor.model.identity import Identity
    from plexor.wire.desk.doctor import Diagnosis

_DESIGNS = (".v", ".sv", ".vhd", ".vhdl")
_INSTEAD = "in a clone: pip install '.[sim]'"
_TIMEOUT_S = 3600
"""A large design compiles for minutes."""


def need_simulator() -> None:
    """Raise LinkError if the simulated instrument is not installed."""
    if find_spec("plexor_sim") is None:
        raise LinkError(f"the simulated instrument is not installed; {_INSTEAD}")


def available() -> Iterator[tuple[str, str]]:
    """Yield what can be measured: its URI or place, and what it is."""
    if find_spec("plexor_sim") is None:
        yield "sim:", f"not installed; {_INSTEAD}"
    else:
        for name, meaning in SIMULATED.items():
            yield f"sim:{name}", f"simulated: {meaning}"
    plugged = boards.found_boards(boards.serial_ports())
    for board in plugged:
        serial = f", serial number {board.plugged.serial}" if board.plugged.serial else ""
        if not board.link:
            yield f"serial:{board.plugged.port}", f"{board.name}{serial}, not the instrument's port"
            continue
        for uri, name in board.uris:
            yield uri, f"{name}{serial}"
    known = {board.plugged.port for board in plugged}
    # A board that waits for its bitstream may have no port.
    for board in boards.found_boards(boards.usb_devices()):
        if not board.plugged.port:
            yield f"usb {board.plugged.node}", f"{board.name}, no serial port"
    ports = sorted(list_ports.comports(), key=lambda port: port.device)
    for port in ports:
        if port.device not in known:
            # What pyserial says of a port that nothing is known of.
            yield f"serial:{port.device}", "" if port.description == "n/a" else port.description
    if not ports:
        yield "serial:", "no port found"


def options_of(device: str) -> dict[str, Any]:
    """Return what the simulator says of a device's options: `options`, `distributions`, `preset`.

    `device` is a simulated device or a manifest. Raises LinkError if the simulator is not
    installed, and UsageError for a device that there is not.
    """
    return _told("plexor_sim.devices", usual_name(device))


def draft_of(
    top: str,
    files: Sequence[str],
    folder: Path,
    core: Mapping[str, Any] | None = None,
    variables: Mapping[str, str] | None = None,
    libraries: Sequence[tuple[str, str]] = (),
    include: Sequence[str] = (),
    parameters: Mapping[str, int | str] | None = None,
) -> dict[str, Any]:
    """Return the draft of a manifest in a folder: its `text`, and the `ports` of the design.

    `top` is a module or entity in `files`, as seen from here. `core` and `variables` are the tables
    [core] and [variables], `libraries` names of VHDL's libraries, each with a file, and `include`
    folders, their paths as seen from here too. Raises LinkError if the simulator is not installed
    or the design does not compile, and UsageError for a file that there is not.
    """
    seen = [_from(folder, file) for file in files]
    table = dict(core or {})
    if "libraries" in table:
        table["libraries"] = [_from(folder, name) for name in table["libraries"]]
    texts = {
        name: _from(folder, text) if os.path.exists(text) else text
        for name, text in (variables or {}).items()
    }
    listed: dict[str, list[str]] = {}
    for name, file in libraries:
        listed.setdefault(name, []).append(_from(folder, file))
    tables: dict[str, Any] = {
        "include": [_from(folder, name) for name in include],
        "core": table,
        "variables": texts,
        "libraries": listed,
        "parameters": dict(parameters or {}),
    }
    given = {name: values for name, values in tables.items() if values}
    told = ("--tables", json.dumps(given)) if given else ()
    return _told("plexor_sim.design.draft", top, *seen, *told, folder=folder)


def _from(folder: Path, path: str) -> str:
    """Return a path as seen from a folder; an absolute one as it is."""
    return path if os.path.isabs(path) else os.path.relpath(path, folder)


def checks_of(manifest: str) -> list[dict[str, Any]]:
    """Return what was looked at in the design of a manifest: `what`, whether `right`, and `text`.

    Raises LinkError if the simulator is not installed or the design does not compile, and
    UsageError for a manifest that is wrong.
    """
    if manifest.endswith(_DESIGNS):
        raise UsageError(
            f"{manifest}: is a design, and no manifest; plexor dut init TOP {manifest} writes one"
        )
    return _told("plexor_sim.design.check", manifest)["findings"]


def _told(module: str, *arguments: str, folder: Path | None = None) -> dict[str, Any]:
    """Return what a program of the simulator, in a folder, prints as JSON; raise what it says."""
    need_simulator()
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S, cwd=folder
    )
    if done.returncode:
        error_lines = done.stderr.strip().splitlines() or ["no message"]
        error = UsageError if done.returncode == 2 else LinkError
        raise error(error_lines[-1].removeprefix("error: "))
    return json.loads(done.stdout)


@dataclass(frozen=True, slots=True)
class Examined:
    """What the doctor has seen."""

    findings: tuple[Diagnosis, ...]
    """What was looked at, each with its level, and the command that fixes it."""

    def exit_code(self) -> ExitCode:
        """Return the exit code: BUDGET if something is missing."""
        missing = any(diagnosis.level == Level.MISSING for diagnosis in self.findings)
        return ExitCode.BUDGET if missing else ExitCode.PASS

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as lines for a terminal."""
        paint = Paint(colour)
        styles = {Level.OK: "good", Level.NOTE: "doubt", Level.MISSING: "bad"}
        lines: list[str] = []
        for diagnosis in self.findings:
            lines.append(paint(f"{diagnosis.level:<8} {diagnosis.what}", styles[diagnosis.level]))
            if diagnosis.command:
                lines.append(f"         {diagnosis.command}")
        return paint.done(lines)

    def document(self) -> list[Any]:
        """Return it as the document that `plexor board doctor --json` prints."""
        return [to_json(diagnosis) for diagnosis in self.findings]


def examined(link: str | None = None) -> Examined:
    """Find what keeps boards from working here: permissions, drivers, programs.

    With a link, walk it instead: port, rate, identity, bytes, clock. Raises UsageError for a URI
    that names no link.
    """
    return Examined(tuple(doctor.examine() if link is None else walked(link)))


def udev_rules() -> str:
    """Return the udev rules for all boards."""
    return doctor.udev_rules()


def identified(link: str) -> dict[str, Any]:
    """Return the facts of the instrument at a link. Its device does not matter.

    Raises LinkError if nothing answers, and IdentityError if it is no Plexor.
    """
    with open_any(link) as instrument:
        identity, name = instrument.identity, instrument.device.name
        bytes_s = instrument.device.carried_bytes_s
    geometry, version = identity.geometry, identity.protocol_version
    sends = Feature.EVENTS in geometry.features
    return {
        "link": name,
        "simulated": identity.simulated,
        "board": identity.board,
        "gateware_hash": f"{identity.gateware_hash:016x}",
        "build_id": f"{identity.build_id:016x}",
        "protocol": f"{version >> 16}.{version & 0xFFFF}",
        "channels": geometry.channels,
        "strikes": geometry.strikes,
        "samples": geometry.samples,
        "phases": geometry.phases,
        "tick_fs": geometry.tick_fs,
        "deep_depth": geometry.deep_depth,
        "features": [
            str(feature.name).lower() for feature in Feature if feature in geometry.features
        ],
        "link_events_hz": None if bytes_s is None or not sends else int(most_events_s(bytes_s)),
        "sustained": _sustained(identity, bytes_s),
    }


def _sustained(identity: Identity, bytes_s: Fraction | None) -> list[dict[str, Any]]:
    """Return the rate of strikes, by channels that all answer, that loses nothing without end.

    Where the host matches, also that with trailing edges left off the link (`--edges active`).
    """
    # Imported here because most of what this module is asked needs none of it.
    from plexor.experiments.job import ends_hz  # noqa: PLC0415

    geometry = identity.geometry
    strike = (Stimulus(period_s=Fraction(1)),)

    def hertz(channels: int, *, active_only: bool) -> float | None:
        pins = tuple(Channel(number) for number in range(channels))
        asked = Settings(strikes=strike, channels=pins, active_only=active_only)
        end_hz = ends_hz(identity, asked, bytes_s)
        return None if end_hz is None else float(end_hz)

    on_host = Feature.MATCH not in geometry.features
    return [
        {"channels": count, "hz": hertz(count, active_only=False)}
        | ({"active_edges_hz": hertz(count, active_only=True)} if on_host else {})
        for count in channel_counts(geometry)
    ]
