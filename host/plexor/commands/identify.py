"""`plexor identify`: what the instrument at a link is."""

from __future__ import annotations

import json

import click

from plexor.commands.parameters import json_option, link_option
from plexor.protocol.geometry import Feature


@click.command()
@link_option("Link to the instrument: sim:, tcp://HOST:PORT, udp://HOST:PORT or serial:PORT.")
@json_option
def identify(link: str, as_json: bool) -> None:
    """Print the identity of the instrument at a link."""
    from plexor.device.device import Device  # noqa: PLC0415
    from plexor.link.open import instrument_link  # noqa: PLC0415
    from plexor.units import format_ticks  # noqa: PLC0415

    with Device(instrument_link(link)) as device:
        identity = device.identity
    geometry = identity.geometry
    version = identity.protocol_version
    features = [str(feature.name).lower() for feature in Feature if feature in geometry.features]
    facts: dict[str, object] = {
        "link": device.name,
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
        "features": features,
    }
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    facts["tick_fs"] = f"{geometry.tick_fs:,} fs ({format_ticks(1, geometry.tick_fs)})"
    facts["features"] = ", ".join(features)
    for name, value in facts.items():
        click.echo(f"{name:<14} {value}")
