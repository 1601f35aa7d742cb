"""`plexor devices`: what can be measured from here."""

from __future__ import annotations

from importlib.util import find_spec

import click

from plexor.commands.pins import SIMULATED


@click.command()
def devices() -> None:
    """List simulated devices and the serial ports where an instrument may be."""
    from serial.tools.list_ports import comports  # noqa: PLC0415

    if find_spec("plexor_sim") is None:
        click.echo("sim:            not installed; pip install 'plexor[sim]'")
    else:
        for name, meaning in SIMULATED.items():
            click.echo(f"{'sim:' + name:<15} simulated: {meaning}")
    ports = sorted(comports(), key=lambda port: port.device)
    for port in ports:
        # What pyserial says of a port that nothing is known of.
        known = "" if port.description == "n/a" else f"  {port.description}"
        click.echo(f"serial:{port.device}{known}")
    if not ports:
        click.echo("serial:         no port found")
