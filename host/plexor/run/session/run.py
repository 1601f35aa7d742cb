# SPDX-License-Identifier: Apache-2.0
"""The parts of a run, and how long its stages wait."""

from __future__ import annotations

from dataclasses import dataclass

from plexor.base.errors import InstrumentError, LinkError
from plexor.model.settings import Settings
from plexor.protocol.registers import Action
from plexor.run.plan.registers import RegisterPlan
from plexor.wire.decode.collect import Collector
from plexor.wire.device.device import Device

POLL_S = 0.2
"""Wall time between two status reads, in seconds."""
STILL_S = 60.0
"""Time in seconds after which an instrument counts as dead if its clock stands still, or if it
does not stop. Simulated boards get SIMULATED_PATIENCE times as long."""
STOP_WAIT_S = 1.0
"""Maximum wait for the answer to STOP, in seconds, after a second interrupt."""


@dataclass(frozen=True, slots=True)
class LiveRun:
    """An instrument, its settings, and the collector of its frames."""

    device: Device
    settings: Settings
    plan: RegisterPlan
    collector: Collector

    @property
    def still_s(self) -> float:
        """Maximum time without any change, in seconds of wall time."""
        return STILL_S * self.device.patience

    def stop_quietly(self) -> None:
        """Tell the instrument to stop; ignore failures."""
        try:
            self.device.write_once("control", "action", Action.STOP, STOP_WAIT_S)
        except (LinkError, InstrumentError):
            return
