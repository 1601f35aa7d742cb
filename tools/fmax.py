# SPDX-License-Identifier: Apache-2.0
"""Place and route the core alone: print the worst clock of three seeds, and the cells used.

    .venv/bin/python -m tools.fmax [--jobs N] [PROFILE ...]

Every port of the instrument ends in a register, so only paths inside the core count. Exits with 1
if a profile (plexor_hdl.build.profiles) does not fit its device or misses its clock. nextpnr
computes the figures from its timing data; nothing is measured. Logs stay in build/fmax.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In

from plexor_hdl.build.emit import gateware_hash, rtlil_for_synthesis
from plexor_hdl.build.profiles import PROFILES, Profile
from plexor_hdl.instrument import Instrument
from tools.gateware.families import FAMILIES
from tools.gateware.flow import BUILD, ToolError, run, synthesise
from tools.gateware.pnr import ASKED, placer

SEEDS = (1, 2, 3)
FOLDER = BUILD / "fmax"
_ICE40 = ("--pcf-allow-unconstrained",)
_ROUTE = {
    "ecp5": ("--lpf-allow-unconstrained",),
    "ice40": _ICE40,
    "up5k": _ICE40,
}
_NO_ROOM = ("Unable to find legal placement", "Unable to place", "failed to place")
_KINDS = {
    "LUTs": r"SB_LUT4|LUT4",
    "flip-flops": r"SB_DFF\w*|TRELLIS_FF",
    "carries": r"SB_CARRY|CCU2C",
    "LUT memories": r"TRELLIS_DPR16X4",
    "memories": r"SB_RAM40_4K|DP16KD",
    "DSPs": r"MULT18X18D|SB_MAC16",
}


class Bounded(Elaboratable):
    """A component whose inputs come from one shift register and whose outputs go into another.

    It has no reset. The device starts from initial values, and a reset would take LUTs and routes
    that no build has.
    """

    def __init__(self, inner: Component[Any]) -> None:
        # Its ports are attributes that the signature makes at run time.
        self._inner: Any = inner
        self.clk, self.load, self.i, self.o = Signal(), Signal(), Signal(), Signal()
        self.ports = [self.clk, self.load, self.i, self.o]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal().eq(self.clk)
        m.submodules.inner = self._inner
        inputs: list[Value] = []
        outputs: list[Value] = []
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


@dataclass(frozen=True)
class Placed:
    """The result of one seed. `mhz` is 0 if the build does not fit."""

    seed: int
    mhz: float
    used: dict[str, tuple[int, int]]


def cells(profile: Profile, component: Component[Any], folder: Path) -> dict[str, int]:
    """Write `top.json` to the folder; return the number of cells of each kind."""
    top = Bounded(component)
    synthesise(folder, rtlil_for_synthesis(top, "top", top.ports), profile.family)
    counts = json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]
    return {
        kind: sum(count for name, count in counts.items() if re.fullmatch(pattern, name))
        for kind, pattern in _KINDS.items()
    }


def place(profile: Profile, folder: Path, seed: int) -> Placed:
    """Place and route `top.json` of the folder from one seed."""
    code, log = run(
        folder,
        f"seed{seed}.log",
        f"yowasp-nextpnr-{FAMILIES[profile.family].tool}",
        *profile.device,
        *_ROUTE[profile.family],
        *placer(profile.family),
        *("--freq", str(profile.core_mhz * ASKED), "--timing-allow-fail"),
        *("--json", "top.json", "--seed", str(seed)),
    )
    found = re.findall(r"(TRELLIS_COMB|TRELLIS_FF|DP16KD|ICESTORM_\w+): *(\d+)/ *(\d+)", log)
    used = {name: (int(some), int(most)) for name, some, most in found}
    if code and not any(text in log for text in _NO_ROOM):
        raise ToolError(f"nextpnr: exit code {code}; {folder}/seed{seed}.log: {log[-2000:]}")
    found = re.findall(r"Max frequency for clock[^:]*: ([\d.]+) MHz", log)
    return Placed(seed, 0.0 if code else float(found[-1]), used)


def report(name: str, profile: Profile, jobs: int) -> bool:
    """Print a profile's figures; return whether it fits and meets its clock."""
    geometry, folder = profile.geometry, FOLDER / name
    print(
        f"{name}: {geometry.channels} channels, W = {geometry.samples}, "
        f"{geometry.strikes} strike outputs, {' '.join(profile.device)}",
        flush=True,
    )
    counts = cells(profile, Instrument(geometry, gateware_hash(geometry)), folder)
    print(
        "  " + ", ".join(f"{count} {kind}" for kind, count in counts.items() if count), flush=True
    )

    def placed_from(seed: int) -> Placed:
        return place(profile, folder, seed)

    with ThreadPoolExecutor(jobs) as pool:
        placed = list(pool.map(placed_from, SEEDS))
    for result in placed:
        used = ", ".join(f"{cell} {some}/{most}" for cell, (some, most) in result.used.items())
        clock = f"{result.mhz:.1f} MHz" if result.mhz else "does not fit"
        print(f"  seed {result.seed}: {clock}, {used}", flush=True)
    worst = min(result.mhz for result in placed)
    met = worst >= profile.core_mhz
    if worst:
        wanted = "meets" if met else "misses"
        print(f"  worst {worst:.1f} MHz: {wanted} {profile.core_mhz} MHz", flush=True)
    return met


def main() -> int:
    """Report every profile, or the named ones; return 1 if one misses."""
    parser = argparse.ArgumentParser(prog="python -m tools.fmax", description=__doc__)
    parser.add_argument("profiles", nargs="*", metavar="PROFILE", help=", ".join(PROFILES))
    parser.add_argument("--jobs", type=int, default=2, help="number of seeds placed at once")
    options = parser.parse_args()
    for name in options.profiles:
        if name not in PROFILES:
            parser.error(f"PROFILE: {name!r}; must be one of {', '.join(PROFILES)}")
    try:
        met = [report(name, PROFILES[name], options.jobs) for name in options.profiles or PROFILES]
    except ToolError as error:
        print(f"fmax: {error}", file=sys.stderr)
        return 1
    return int(not all(met))


if __name__ == "__main__":
    sys.exit(main())
