"""`plexor devices`: what can be measured from here."""

from __future__ import annotations

from importlib.util import find_spec

import click

from plexor.commands.pins import SIMULATED


@click.command()
def devices() -> None:
    """List simulated devices, boards by their USB ids, and other serial ports."""
    from serial.tools.list_ports import comports  # noqa: PLC0415

    from plexor.boards import found, serial_ports, usb_devices  # noqa: PLC0415

    if find_spec("plexor_sim") is None:
        click.echo("sim:            not installed; pip install 'plexor[sim]'")
    else:
        for name, meaning in SIMULATED.items():
            click.echo(f"{'sim:' + name:<15} simulated: {meaning}")
    boards = found(serial_ports())
    for entry in boards:
        serial = f", serial number {entry.plugged.serial}" if entry.plugged.serial else ""
        port = entry.uri if entry.link else f"serial:{entry.plugged.port}"
        use = "" if entry.link else ", not the instrument's port"
        click.echo(f"{port}  {entry.name}{serial}{use}")
    known = {entry.plugged.port for entry in boards}
    # A board that waits for its bitstream may have no port.
    for entry in found(usb_devices()):
        if not entry.plugged.port:
            click.echo(f"usb {entry.plugged.node}  {entry.name}, no serial port")
    ports = sorted(comports(), key=lambda port: port.device)
    for port in ports:
        if port.device not in known:
            # What pyserial says of a port that nothing is known of.
            about = "" if port.description == "n/a" else f"  {port.description}"
            click.echo(f"serial:{port.device}{about}")
    if not ports:
        click.echo("serial:         no port found")
