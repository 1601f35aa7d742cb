"""Runs of the simulated FreeRTOS that sends codes, and what its core retired meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import plexor

PIN_PS = 700
"""From a rising edge of the device's clock to its pins."""


@dataclass(frozen=True)
class Told:
    """A run, and the truth of its device."""

    run: plexor.Run
    instructions: np.ndarray
    """Fields time_ps and pc of each retired instruction."""
    codes: np.ndarray
    """Fields time_ps and code of each code, when its pins change."""

    def within(self, steps_ps: int) -> list[tuple[int, int]]:
        """Return (time_ticks, code) of each code in the run, each time rounded up to a step."""
        result = self.run.result
        steps = -(-self.codes["time_ps"] // steps_ps)
        ticks = steps * (steps_ps * 1000 // result.tick_fs)
        inside = (ticks >= result.start_ticks) & (ticks < result.end_ticks)
        values = self.codes["code"][inside].tolist()
        return list(zip(ticks[inside].tolist(), values, strict=True))


def told(folder: Path, options: str, port: str | None = "change", **asked: object) -> Told:
    """Measure `freertos` with options, and read what it kept of itself."""
    truth = folder / "retired"
    dut = f"freertos:{options},retired={truth},clk_to_q={PIN_PS}ps"
    with plexor.open("sim:", dut=dut) as instrument:
        run = instrument.measure(code_port=port, **asked).run
    records = np.fromfile(truth, dtype=[("time_ps", "<i8"), ("pc", "<u4"), ("code", "<u4")])
    codes = records[records["pc"] == 0][["time_ps", "code"]].copy()
    codes["time_ps"] += PIN_PS
    return Told(run, records[records["pc"] != 0], codes)


def received(run: plexor.Run) -> list[tuple[int, int]]:
    """Return (time_ticks, code) of each code that came."""
    codes = run.result.codes
    return list(zip(codes["time_ticks"].tolist(), codes["code"].tolist(), strict=True))
