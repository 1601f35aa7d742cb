"""The gateware's Verilog, and the hash that names it."""

import hashlib
from dataclasses import fields
from pathlib import Path

from amaranth.back import verilog as backend

import plexor.protocol
from plexor.protocol.geometry import Geometry
from plexor_hdl.instrument import Instrument
from plexor_hdl.uart_instrument import UartInstrument

TOP = "plexor"


def gateware_hash(geometry: Geometry) -> int:
    """Return 64 bits of a SHA-256 over the gateware's sources, the contract and the geometry."""
    digest = hashlib.sha256()
    for folder in (Path(__file__).parent, Path(plexor.protocol.__file__).parent):
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for field in fields(geometry):
        digest.update(f"{field.name}={getattr(geometry, field.name)!r}\n".encode())
    return int.from_bytes(digest.digest()[:8], "little")


def verilog(geometry: Geometry, *, uart: bool = False, skippable: bool = False) -> str:
    """Return the Verilog of the instrument, top module `plexor`.

    Ports: clk, rst, samples, strikes, load, gate and, with `uart`, uart_rx and uart_tx, else the
    byte streams rx__payload, rx__valid, rx__ready, tx__payload, tx__valid, tx__ready. With
    `skippable` also skip and quiet (skip.py).
    """
    top = Instrument(geometry, gateware_hash(geometry), skippable=skippable)
    if uart:
        top = UartInstrument(top)
    return backend.convert(top, name=TOP, strip_internal_attrs=True)
