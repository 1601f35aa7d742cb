# SPDX-License-Identifier: Apache-2.0
"""Reads what an instrument found of its lamps at power-up."""

from __future__ import annotations

from fractions import Fraction

from plexor.base.counts import counted
from plexor.experiments.calibration.runs import SPACES, whole_run
from plexor.experiments.selftest.model import Finding, SelftestPart, check
from plexor.model.settings import Channel, Settings
from plexor.protocol.geometry import MAX_LAMPS
from plexor.protocol.registers import InputSelect
from plexor.run.plan.registers import quiet_stream
from plexor.wire.device.device import Device

WALK_S = Fraction(3, 10)
"""Longer than the walk over all lamps, which takes 2**25 core clocks."""


def lamps(device: Device) -> SelftestPart:
    """Return the check of the lamps; wait for the end of their walk if it is still under way."""
    count = device.identity.geometry.lamps
    faults = device.read("status", "lamp_faults")
    if not faults >> MAX_LAMPS:
        whole_run(
            device,
            Settings(
                channels=(Channel(0),),
                time_s=WALK_S,
                input_select=InputSelect.LOW,
                stream=quiet_stream(device.identity),
                spaces=SPACES,
            ),
        )
        faults = device.read("status", "lamp_faults")
    if not faults >> MAX_LAMPS:
        found = [Finding("lamps", f"not tried within {float(WALK_S):g} s of a run")]
        return check("lamps", "not judged", found)
    found = [
        Finding(f"lamp{n}", "its pad does not follow: shorted, or driven by something else")
        for n in range(count)
        if faults >> n & 1
    ]
    return check(
        "lamps", f"{counted(count, 'lamp')} lit one by one and read back at power-up", found
    )
