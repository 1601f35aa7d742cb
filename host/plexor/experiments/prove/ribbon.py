# SPDX-License-Identifier: Apache-2.0
"""The timecode's pins as the code port sees them over a ribbon: each pin shows its own bit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from plexor.base.counts import counted
from plexor.experiments.calibration.from_events import times_of
from plexor.experiments.calibration.runs import SPACES
from plexor.model.code_array import CodeArray
from plexor.model.codes import Codes, Port
from plexor.model.settings import Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.run.session.run import LiveRun
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.device.features import timecode_is_switched

PERIOD_S = Fraction(1, 10_000)
"""Period of the steps: all events of a step pass the slowest link of a board with a code port."""

Values = NDArray[np.int64]


class TimecodeOn:
    """Has the timecode's pins driven, in Gray code, so that each step moves one pin."""

    def prepared(self, run: LiveRun) -> None:
        """Switch the timecode on."""
        run.device.write("schedule", "timecode_gray", 1)
        if timecode_is_switched(run.device.identity):
            run.device.write("schedule", "timecode_on", 1)

    def looked(self, run: LiveRun, elapsed_ticks: int) -> None:
        """Do nothing more."""
        del run, elapsed_ticks


@dataclass(frozen=True, slots=True)
class Ribbon:
    """Steps of the timecode and the codes that came."""

    bits: int
    steps_ticks: Values
    codes: CodeArray

    def findings(self) -> list[str]:
        """Return the code pins that do not show their own bit of the timecode, and why."""
        if not len(self.codes):
            return [
                f"no code comes in {counted(len(self.steps_ticks), 'step')}; are the wires there?"
            ]
        step = np.searchsorted(self.steps_ticks, self.codes["time_ticks"], side="right")
        step &= (1 << self.bits) - 1
        gray = step ^ step >> 1
        seen = self.codes["code"].astype(np.int64)
        texts = [text for pin in range(self.bits) if (text := _of_pin(pin, self.bits, seen, gray))]
        missing = len(self.steps_ticks) - len(self.codes)
        if not texts and missing:
            texts.append(
                f"{counted(len(self.codes), 'code')} came in "
                f"{counted(len(self.steps_ticks), 'step')}"
            )
        return texts


def _of_pin(pin: int, bits: int, seen: Values, gray: Values) -> str:
    own = seen >> pin & 1
    wrong = int((own != gray >> pin & 1).sum())
    if not wrong:
        return ""
    if (own == own[0]).all():
        return f"code pin {pin}: always {'high' if own[0] else 'low'}; is its wire there?"
    for other in range(bits):
        if (own == gray >> other & 1).all():
            return f"code pin {pin}: shows pin {other} of the timecode"
    return f"code pin {pin}: wrong in {wrong} of {counted(len(seen), 'code')}"


def over_ribbon(device: Device) -> Ribbon:
    """Return what the code port sees of each code of the timecode, once round."""
    geometry = device.identity.geometry
    bits = min(geometry.code_bits, geometry.timecode_bits)
    settings = Settings(
        strikes=(Stimulus(period_s=PERIOD_S, width_s=PERIOD_S / 100, count=1 << bits),),
        channels=(),
        codes=Codes(port=Port(), bits=bits),
        settle_s=PERIOD_S,
        spaces=SPACES,
    )
    result = measure(device, settings, driver=TimecodeOn())
    if timecode_is_switched(device.identity):
        device.write("schedule", "timecode_on", 0)
    steps = np.empty(0, np.int64)
    if result.events is not None:
        steps = times_of(result.events, SOURCE_STRIKE, 1)
    return Ribbon(bits, steps, result.codes)
