# SPDX-License-Identifier: Apache-2.0
"""Measures how fast the instrument is simulated, in core clocks per second, and the baselines."""

from __future__ import annotations

import importlib
import sys
import tempfile
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards
from plexor_sim.build import core_verilog, without_zero_rows
from plexor_sim.packages import default_cache
from plexor_sim.serve import prepare
from plexor_sim.server import Server
from tools.setup import ROOT

BOARD = "ulx3s-25f"
"""Board whose instrument is simulated."""
_TESTS = ROOT / "tests" / "cocotb"
_TOP = "every_clock"
_INPUTS = ("rst", "samples", "gate", "rx__payload", "rx__valid", "tx__ready")
_OUTPUTS = {
    "load": 1,
    "tx__payload": 8,
    "tx__valid": 1,
    "rx__ready": 1,
}


@dataclass(frozen=True)
class Pace:
    """How long a number of simulated core clocks took."""

    clocks: int
    wall_s: float
    cpu_s: float
    """CPU seconds of the simulator's process alone."""
    evaluated: int | None = None
    """Number of clocks that were not skipped."""

    @property
    def per_wall_s(self) -> float:
        """Clocks per second of wall time."""
        return self.clocks / self.wall_s

    @property
    def per_cpu_s(self) -> float:
        """Clocks per second of one core."""
        return self.clocks / self.cpu_s


def parse(text: str) -> Pace:
    """Return the pace in the output of a simulator's `--figures` or of every_clock.py.

    Raises ValueError for any other text.
    """
    found = {name: value for name, _, value in (line.partition(" ") for line in text.splitlines())}
    try:
        return Pace(
            int(found["clocks"]),
            float(found["wall_s"]),
            float(found["cpu_s"]),
            int(found["evaluated"]) if "evaluated" in found else None,
        )
    except KeyError as error:
        raise ValueError(f"figures: {error} is missing in {text!r}") from error


def geometry() -> Geometry:
    """Return the simulated instrument's parameters."""
    board = boards.read(BOARD).geometry
    return replace(board, features=board.features | Feature.SIMULATED)


def simulated(dut: str, strikes: int, *arguments: str, rate_hz: int) -> Pace:
    """Measure `strikes` strikes of a simulated device; return the simulator's pace.

    The time begins with the first client. It includes clearing the memories and the final dump.
    """
    ready = prepare(dut, geometry(), default_cache())
    period_s = Fraction(1, rate_hz)
    settings = Settings(
        strikes=(Stimulus(period_s=period_s, width_s=period_s / 10),),
        channels=(Channel(0), Channel(1)),
        count=strikes,
    )
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder, "figures")
        asked = ("--once", "--figures", str(figures), *arguments)
        with Server(ready.executable, ready.options, asked) as server:
            with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
                result = measure(device, settings)
            server.wait(60)
        if not result.valid:
            raise ValueError(f"{dut}: the run is invalid: {', '.join(result.invalid_reasons)}")
        return parse(figures.read_text())


def under_cocotb(clocks: int) -> Pace:
    """Return the pace of the same core, idle, with Python called at each clock edge."""
    own = geometry()
    text = without_zero_rows(core_verilog(own, default_cache()))
    bits_of = {"strikes": own.strikes * own.samples, **_OUTPUTS}
    inputs = ", ".join(f".{name}('0)" for name in _INPUTS)
    # Verilator would remove unconnected outputs, and the core with them.
    outputs = ", ".join(f"output [{bits - 1}:0] {name}" for name, bits in bits_of.items())
    connected = ", ".join(f".{name}({name})" for name in bits_of)
    with tempfile.TemporaryDirectory() as folder:
        core, top, figures = (Path(folder, name) for name in ("plexor.v", "top.v", "figures"))
        core.write_text(text)
        top.write_text(
            f"module {_TOP} (output reg clk, {outputs});\n"
            "  initial clk = 0;\n  always #4 clk = ~clk;\n"
            f"  plexor core (.clk(clk), {inputs}, {connected});\nendmodule\n"
        )
        sys.path.insert(0, str(_TESTS))
        importlib.import_module("bench").run(
            _TOP,
            [core, top],
            Path(__file__).with_name("every_clock.py"),
            public={_TOP: ["clk"]},
            environment={"CLOCKS": str(clocks), "FIGURES": str(figures)},
        )
        return parse(figures.read_text())
