# SPDX-License-Identifier: Apache-2.0
"""What the twin costs, and what a device costs as a library.

    .venv/bin/python -m tools.bench_twin [--rounds N] [--strikes N]

CPU seconds are those of the simulator alone, medians of all rounds. The synthetic device is linked
into the twin, and loaded as a library that is made of the same files: the difference is the price
of the interface. Its documents must be the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from plexor.model.settings import Channel, Settings, Stimulus
from plexor_sim.devices import cpp_device
from plexor_sim.libraries.build import FOLDER
from plexor_sim.serve import GATEWARE, TWIN
from plexor_sim.toolchain import find_tools, run_tool
from tools.twin.conform import Taken, differences, prepared, taken
from tools.twin.draw import Measurement

BOARD = "ulx3s-25f"
_LATENCY = "latency=uniform:100ns:300ns,width=100ns"
_LIBRARY_LATENCY = "latency=uniform:100000:300000,width=100000"
"""The same as the device itself takes it."""
_RATES = (20_000, 500_000, 1_000_000)
_RATE_OF_MILLION = 500_000
_NS = Fraction(1, 10**9)


def library(folder: Path, options: str = _LIBRARY_LATENCY) -> Path:
    """Return the manifest of the synthetic device as a library with options."""
    device = cpp_device("synthetic")
    sources = (*device.cpp, FOLDER / "exported.cpp")
    includes = (f"-I{FOLDER}", f"-I{device.cpp[0].parent}")
    flags = ("-std=gnu++17", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off")
    command = (*find_tools().compiler, *flags, *includes, *map(str, sources))
    run_tool("synthetic.so", (*command, "-o", str(folder / "synthetic.so")), folder)
    manifest = folder / "synthetic.toml"
    manifest.write_text(f'[[library]]\nfile = "synthetic.so"\noptions = "{options}"\n')
    return manifest


def measured(dut: str, rate_hz: int, count: int) -> Measurement:
    """Return the measurement of a device at a rate."""
    strike = Stimulus(period_s=Fraction(1, rate_hz), width_s=100 * _NS, dither_s=64 * _NS)
    settings = Settings(strikes=(strike,), channels=(Channel(0),), count=count)
    return Measurement(BOARD, dut, settings)


def took(dut: str, rate_hz: int, count: int, core: str = TWIN) -> Taken:
    """Take a run, which must stay on its core."""
    measurement = measured(dut, rate_hz, count)
    found = taken(measurement, prepared(measurement, core))
    if found.handed_over:
        raise ValueError(f"{dut} at {rate_hz} Hz: handed over: {found.handed_over}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; return 1 if two documents differ."""
    parser = argparse.ArgumentParser(prog="bench_twin", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each")
    parser.add_argument("--strikes", type=int, default=20_000, help="strikes of each run")
    parser.add_argument("--million", action="store_true", help="10^6 strikes at 500 kHz too")
    options = parser.parse_args(arguments)
    differ = False
    with tempfile.TemporaryDirectory() as temporary:
        duts = {"linked": f"synthetic:{_LATENCY}", "library": str(library(Path(temporary)))}
        print("rate        linked      library     price     events a CPU second, linked")
        for rate_hz in _RATES:
            runs: dict[str, list[Taken]] = {name: [] for name in duts}
            for _ in range(options.rounds):
                for name, dut in duts.items():
                    runs[name].append(took(dut, rate_hz, options.strikes))
            linked, loaded = (statistics.median(run.cpu_s for run in runs[name]) for name in duts)
            events = runs["linked"][0].generated
            print(
                f"{rate_hz / 1000:5.0f} kHz   {linked:7.3f} s   {loaded:7.3f} s   "
                f"{100 * (loaded / linked - 1):+5.1f} %   {events / linked / 1e6:.2f} M",
                flush=True,
            )
            if what := differences(runs["linked"][0], runs["library"][0]):
                print(f"{rate_hz} Hz: {', '.join(what)} differ")
                differ = True
        if options.million:
            seconds = took(duts["linked"], _RATE_OF_MILLION, 10**6).cpu_s
            print(f"10^6 strikes at 500 kHz: {seconds:.2f} CPU seconds of the twin")
    gateware = took(duts["linked"], _RATES[0], options.strikes // 10, GATEWARE).cpu_s
    print(f"gateware, {options.strikes // 10} strikes at 20 kHz: {gateware:.3f} CPU seconds")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
