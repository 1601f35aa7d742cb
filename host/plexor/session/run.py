"""What a run is made of, and how long its stages wait."""

from __future__ import annotations

from dataclasses import dataclass

from plexor.decode.collect import Collector
from plexor.device.device import Device
from plexor.errors import InstrumentError, LinkError
from plexor.model.settings import Settings
from plexor.plan.registers import Plan
from plexor.protocol.registers import Action

POLL_S = 0.2
"""Wall time between two looks at a run."""
STILL_S = 60.0
"""An instrument whose time stands still for so long is taken for dead, one that does not stop too.
A simulated board has patience."""
STOP_WAIT_S = 1.0
"""Whoever interrupts twice does not wait for an answer."""


@dataclass(frozen=True, slots=True)
class Run:
    """An instrument, what it is asked for, and where its frames go."""

    device: Device
    settings: Settings
    plan: Plan
    collector: Collector

    @property
    def still_s(self) -> float:
        """How long nothing may change."""
        return STILL_S * self.device.patience

    def stop_quietly(self) -> None:
        """Ask the instrument to stop, if it still listens."""
        try:
            self.device.write_once("control", "action", Action.STOP, STOP_WAIT_S)
        except (LinkError, InstrumentError):
            return
