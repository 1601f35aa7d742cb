# SPDX-License-Identifier: Apache-2.0
"""Runs of the simulated FreeRTOS that sends codes, and what its core retired meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import plexor

from ..unit.sim.codes.reading import retired

PIN_PS = 700
"""From a rising edge of the device's clock to its pins."""


@dataclass(frozen=True)
class Told:
    """A run, and the truth of its device."""

    run: plexor.Run
    instructions: np.ndarray
    """Fields time_ps and pc of each retired instruction."""
    codes: list[tuple[int, int]]
    """(time_ps, code) of each code, when its pins change."""

    def within(self, steps_ps: int) -> list[tuple[int, int]]:
        """Return (time_ticks, code) of each code in the run, each time rounded up to a step."""
        result = self.run.result
        step_ticks = steps_ps * 1000 // result.tick_fs
        rounded = [(-(-time_ps // steps_ps) * step_ticks, code) for time_ps, code in self.codes]
        return [each for each in rounded if result.start_ticks <= each[0] < result.end_ticks]


def told(folder: Path, options: str, port: str | None = "change", **asked: Any) -> Told:
    """Measure `freertos` with options, and read what it kept of itself."""
    truth = folder / "retired"
    dut = f"freertos:{options},retired={truth},clk_to_q={PIN_PS}ps"
    with plexor.open("sim:", dut=dut) as instrument:
        run = instrument.measure(code_port=port, **asked).run
    instructions, codes = retired(truth)
    return Told(run, instructions, [(time_ps + PIN_PS, code) for time_ps, code in codes])


def received(run: plexor.Run) -> list[tuple[int, int]]:
    """Return (time_ticks, code) of each code that came."""
    codes = run.result.codes
    return list(zip(codes["time_ticks"].tolist(), codes["code"].tolist(), strict=True))
