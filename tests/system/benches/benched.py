# SPDX-License-Identifier: Apache-2.0
"""Suites on the simulated FreeRTOS, beside what its core retired meanwhile."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plexor.library.instrument import Instrument
from plexor_lab.bench.bench import Bench
from plexor_lab.bench.spec import BenchSpec
from plexor_lab.bench.taken import device_of, settings_of
from plexor_sim.packages import default_cache
from plexor_sim.riscv import riscv_device

from ...unit.sim.codes.reading import code_stores, retired
from ...unit.sim.riscv_player import CLOCK_PS

BEGINS = {8: 0, 13: 16}
"""Classes of codes that begin an operation, and the test of their id 0."""
ENDS = {9: 0, 14: 16}


@dataclass(frozen=True)
class Benched:
    """A suite's figures, and what its core did."""

    bench: Bench
    spans_ps: dict[int, list[int]]
    """By test: from the retirement of the store that begins to that of the store that ends."""

    def samples_ps(self) -> dict[int, list[int]]:
        """Return the time of each sample by its codes; a tick is whole picoseconds here."""
        tick_ps = self.bench.run.tick_fs // 1000
        return {
            each.test.number: [sample.ticks * tick_ps for sample in each.samples]
            for each in self.bench.figures
        }


def benched(folder: Path, suite: str, iterations: int, options: str = "") -> Benched:
    """Measure a suite on FreeRTOS with more options, and read what its core retired."""
    truth = folder / "retired"
    asked = BenchSpec(
        suite=suite,
        dut=f"freertos:retired={truth}{',' if options else ''}{options}",
        iterations=iterations,
    )
    dut = device_of(asked)
    assert dut is not None
    with Instrument("sim:", dut=dut) as instrument:
        run = instrument.run(settings=instrument.checked(settings_of(asked, dut)))
    given = dict(item.split("=", 1) for item in dut.partition(":")[2].split(","))
    image = Path(riscv_device("freertos", default_cache(), given).options["firmware"])
    return Benched(Bench(run, suite, iterations=iterations), _spans(truth, image))


def _spans(truth: Path, image: Path) -> dict[int, list[int]]:
    """Return the time of each operation, by the retirement of its two stores.

    A store retires one clock before the port takes its code. Its instruction says which code it is,
    or that a register does.
    """
    instructions, codes = retired(truth)
    stores = code_stores(image)
    sent = instructions[np.isin(instructions["pc"], list(stores))]
    told = {
        time_ps: stores[pc]
        for time_ps, pc in zip(sent["time_ps"].tolist(), sent["pc"].tolist(), strict=True)
    }
    found: dict[int, list[int]] = defaultdict(list)
    begun_ps: dict[int, int] = {}
    for taken_ps, code in codes:
        time_ps = taken_ps - CLOCK_PS
        assert told[time_ps] in (code, None)
        kind, number = code >> 4, code & 15
        if kind in BEGINS:
            begun_ps[BEGINS[kind] + number] = time_ps
        elif kind in ENDS:
            test = ENDS[kind] + number
            found[test].append(time_ps - begun_ps.pop(test))
    return dict(found)
