"""`plexor devices`: what can be measured from here, and what a simulated device's options are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from textwrap import wrap
from typing import Any

import click

from plexor.commands.pins import SIMULATED
from plexor.errors import LinkError, UsageError

_NOT_INSTALLED = "not installed; in a clone: pip install '.[sim]'"
_INDENT = 6
_TIMEOUT_S = 60


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def devices(name: str | None, as_json: bool) -> None:
    """List simulated devices, boards found by their USB ids, and other serial ports.

    With NAME, a simulated device or a manifest, explain its options: what follows the colon in
    `--dut NAME:OPTION=VALUE,OPTION=VALUE`.
    """
    if name is not None:
        found = _explained(name)
        if as_json:
            click.echo(json.dumps(found, indent=2))
        else:
            click.echo("\n".join(_explanation(found)))
        return
    rows = list(_listed())
    if as_json:
        click.echo(json.dumps([{"name": where, "is": what} for where, what in rows], indent=2))
        return
    for where, what in rows:
        click.echo(f"{where:<15} {what}".rstrip())


def _explained(name: str) -> dict[str, Any]:
    """Return what the simulator says of a device's options."""
    if find_spec("plexor_sim") is None:
        raise LinkError(f"the simulated instrument is {_NOT_INSTALLED}")
    command = [sys.executable, "-m", "plexor_sim.devices", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        error = UsageError if done.returncode == 2 else LinkError
        raise error(said[-1].removeprefix("error: "))
    return json.loads(done.stdout)


def _explanation(found: dict[str, Any]) -> Iterator[str]:
    yield f"--dut {found['device']}:OPTION=VALUE,OPTION=VALUE,..."
    groups = {
        False: "Options:",
        True: "Options of channels: NAME=VALUE sets all channels, chN.NAME=VALUE sets channel N:",
    }
    for of_channel, heading in groups.items():
        options = [entry for entry in found["options"] if entry["of_channel"] == of_channel]
        if options:
            yield from ("", heading)
        for entry in options:
            yield f"  {entry['name']}={entry['value']}"
            yield from _indented(
                f"{entry['meaning']}; {entry['range']} (default: {entry['default']})"
            )
    if found["distributions"]:
        yield from ("", "DIST, a random time:")
        for form, meaning in found["distributions"].items():
            yield f"  {form}"
            yield from _indented(meaning)
    yield from ("", "Times need a unit: fs, ps, ns, us, ms or s.")
    if found["preset"]:
        yield from ("", f"{found['device']} is synthetic with these options, followed by your own:")
        for name, value in found["preset"].items():
            yield f"  {name}={value}"


def _indented(text: str) -> list[str]:
    space = " " * _INDENT
    return wrap(text, 100, initial_indent=space, subsequent_indent=space)


def _listed() -> Iterator[tuple[str, str]]:
    """Yield what can be measured: its URI or place, and what it is."""
    from serial.tools.list_ports import comports  # noqa: PLC0415

    from plexor.desk.boards import found, serial_ports, usb_devices  # noqa: PLC0415

    if find_spec("plexor_sim") is None:
        yield "sim:", _NOT_INSTALLED
    else:
        for name, meaning in SIMULATED.items():
            yield f"sim:{name}", f"simulated: {meaning}"
    boards = found(serial_ports())
    for entry in boards:
        serial = f", serial number {entry.plugged.serial}" if entry.plugged.serial else ""
        port = entry.uri if entry.link else f"serial:{entry.plugged.port}"
        use = "" if entry.link else ", not the instrument's port"
        yield port, f"{entry.name}{serial}{use}"
    known = {entry.plugged.port for entry in boards}
    # A board that waits for its bitstream may have no port.
    for entry in found(usb_devices()):
        if not entry.plugged.port:
            yield f"usb {entry.plugged.node}", f"{entry.name}, no serial port"
    ports = sorted(comports(), key=lambda port: port.device)
    for port in ports:
        if port.device not in known:
            # What pyserial says of a port that nothing is known of.
            yield f"serial:{port.device}", "" if port.description == "n/a" else port.description
    if not ports:
        yield "serial:", "no port found"
