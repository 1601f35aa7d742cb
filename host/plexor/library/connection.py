# SPDX-License-Identifier: Apache-2.0
"""The link to an instrument: opened by its URI, closed, and opened again after a scan."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from plexor.base.errors import UsageError
from plexor.library.keep import Tap
from plexor.library.pins import under
from plexor.library.specs.options import Target
from plexor.model.identity import Identity
from plexor.model.load import check_load, is_own, is_raised
from plexor.wire.device.device import Device
from plexor.wire.device.speech import row_note
from plexor.wire.link.open import device_of, open_link, sim_device
from plexor.wire.link.serial_port import SerialLink
from plexor.wire.link.sim import SimLink


class Connection:
    """A link that is open, and what is known of the device under test behind it."""

    def __init__(
        self,
        uri: str,
        dut: str | None,
        fallback: bool,
        tap: Tap | None,
        again: bool = False,
        load: str | None = None,
    ) -> None:
        self.uri = uri
        self._load = load if is_own(load) else None
        """The load by name that a simulated device runs while the load output is raised; None: that
        of its own options."""
        self._again = again
        self.notes: tuple[str, ...] = ()
        """What the user should know of what was opened, one sentence each."""
        self._dut: str | None = None
        self._firmware: Path | None = None
        self._line: str | None = None
        """Link to the serial line of a simulated device; None if it has none."""
        self._description: dict[str, str] = {}
        self._wanted = dut, fallback, tap
        self._released = False
        self._stack = ExitStack()
        if tap is not None:
            self._stack.callback(tap.close)
        try:
            self._open(dut, fallback, tap)
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the link."""
        self._stack.close()

    @property
    def device(self) -> Device:
        """The instrument at the link, which is opened again if a scan has closed it."""
        if self._released:
            self._open(*self._wanted)
            self._released = False
        return self._device

    @property
    def device_line(self) -> str | None:
        """Link to the serial line of a simulated device; None if it has none."""
        return self._line

    @property
    def identity(self) -> Identity:
        """What the instrument is: geometry, features, board, build."""
        return self.device.identity

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return self.identity.simulated

    def _target(self) -> Target:
        """Return the link and the simulated device."""
        simulated = self.uri.startswith("sim:") and not sim_device(self.uri)
        return Target(link=self.uri, dut=self._dut if simulated else None)

    def _put_on(self, load: str) -> None:
        """Have the device run a load by name; a simulated one that ran another starts anew.

        Raises UsageError for a load that it does not have.
        """
        if not self.uri.startswith("sim:"):
            return
        previous_load, own = self._load, load if is_own(load) else None
        if is_raised(load) and own != previous_load:
            if self._wanted[2] is not None:
                raise UsageError(f"load {load}: the link is recorded; open it with this load")
            self._release()
            self._load = own
        try:
            check_load(self.device.load, load, is_raised(load))
        except BaseException:
            if self._load != previous_load:
                self._release()
                self._load = previous_load
            raise

    def _release(self) -> None:
        """Close the link until it is used again, for a scan that opens links of its own."""
        if self._wanted[2] is not None:
            raise UsageError("record: a scan opens links of its own, which are not recorded")
        self._stack.close()
        self._released = True

    def _open(self, dut: str | None, fallback: bool, tap: Tap | None) -> None:
        simulated = self.uri.startswith("sim:")
        if not simulated and (dut is not None or fallback):
            option = "fallback" if dut is None else f"dut {dut}"
            raise UsageError(f"{option}: is for sim: links; {self.uri} has a device of its own")
        options = ["--fallback"] if fallback else []
        uri, loaded = under(self.uri, dut, self._load)
        link = open_link(uri, loaded, options, again=self._again)
        self._device = self._stack.enter_context(Device(link, tap))
        if isinstance(link, SerialLink) and link.note:
            self.notes = (link.note,)
        if self._device.row:
            self.notes += (row_note(self._device.row),)
        if simulated:
            requested = device_of(self.uri, dut)
            self._dut, self._description = requested, {"dut": requested}
            self._firmware = link.firmware if isinstance(link, SimLink) else None
            self._line = (link.device_line or None) if isinstance(link, SimLink) else None
            if isinstance(link, SimLink) and link.fallback:
                self.notes = (link.fallback,)
                self._dut, self._description = link.device, {"dut": link.device}
                if link.device != requested:
                    self._description["asked_for"] = requested
