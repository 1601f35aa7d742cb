# SPDX-License-Identifier: Apache-2.0
"""Runs of the simulated FreeRTOS that sends codes on two wires, and what its core retired."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import plexor
from plexor.figures.codes.of_run import codes_of

from ..unit.sim.codes.reading import retired
from ..unit.sim.riscv_player import CLOCK_PS

PIN_PS = 700
"""From a rising edge of the device's clock to its pins."""
TICK_PS = 500
WORD_CLOCKS, FIRST_RISE_CLOCKS = 117, 7
"""Clocks of a code on the wires, and from its store to its first clock edge."""


@dataclass(frozen=True)
class Told:
    """A run, and the truth of its device."""

    run: plexor.Run
    instructions: np.ndarray
    """Fields time_ps and pc of each retired instruction."""
    codes: list[tuple[int, int]]
    """(time_ps, code) of each code's store."""

    @property
    def sent(self) -> list[tuple[int, int]]:
        """(time_ticks, code) of each code in the run, by its first clock edge on the wires.

        A code follows its store, or the code before it if that is on its way.
        """
        result, free_ps = self.run.result, 0
        found: list[tuple[int, int]] = []
        for store_ps, code in self.codes:
            rise_ps = max(store_ps + FIRST_RISE_CLOCKS * CLOCK_PS, free_ps)
            free_ps = rise_ps + WORD_CLOCKS * CLOCK_PS
            found.append((-(-(rise_ps + PIN_PS) // TICK_PS), code))
        return [each for each in found if result.start_ticks <= each[0] < result.end_ticks]


def told(folder: Path, options: str, wires: str | None = "ch2:ch3", **asked: Any) -> Told:
    """Measure `freertos` with options, and read what it kept of itself."""
    truth = folder / "retired"
    dut = f"freertos:{options},retired={truth},clk_to_q={PIN_PS}ps"
    with plexor.open("sim:", dut=dut) as instrument:
        run = instrument.measure(code_wires=wires, **asked).run
    return Told(run, *retired(truth))


def received(run: plexor.Run) -> list[tuple[int, int]]:
    """Return (time_ticks, code) of each code that came; none may be torn or behind a gap."""
    _, codes = codes_of(run.result)
    assert not (codes["torn"] | codes["gap"])[:-1].any()
    return list(zip(codes["time_ticks"].tolist(), codes["code"].tolist(), strict=True))
