# SPDX-License-Identifier: Apache-2.0
"""A simulated instrument, started for this link and ended with it."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from plexor.base.errors import ExitCode, LinkError, PlexorError, UnexpectedError, UsageError
from plexor.wire.link.base import LinkEndError
from plexor.wire.link.sim_process import SimProcess
from plexor.wire.link.tcp import TcpLink

START_TIMEOUT_S = 1200.0
"""A first start builds the simulator and the device's firmware."""
_ERRORS: Mapping[int, type[PlexorError]] = {
    ExitCode.USAGE: UsageError,
    ExitCode.UNEXPECTED: UnexpectedError,
}
"""Errors by the exit code of a simulator that does not start; with another one, LinkError."""
_LISTENING = "listening "
_HANDED_OVER = "handed over "
_STARTER = (sys.executable, "-m", "plexor_sim.starter")

_idle: list[SimProcess] = []
"""Starters that no link uses; they end with this process."""


class SimLink:
    """A simulated instrument in processes of its own.

    Its progress goes to standard error if that is a terminal. Raises UsageError for a device that
    it rejects, LinkError if it does not start. With `starter`, `command` has only the arguments of
    a simulator: a process that stays for later links starts it, and it is as new as any other.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str = "sim:",
        serial: str = "sim",
        *,
        starter: bool = False,
    ) -> None:
        self.name = name
        self.serial = serial
        self.bytes_s: int | None = None
        self.board_bytes_s: int | None = None
        """What the link of the simulated board carries; None if nothing was said."""
        self.device = ""
        """What the simulator says it simulates."""
        self.core = ""
        """What takes the instrument's place: `twin` or `gateware`."""
        self.fallback = ""
        """Why that is not the device asked for; empty where it is."""
        self.firmware: Path | None = None
        """The ELF file of the device's firmware; None if it has none."""
        self.device_line = ""
        """URI of the device's own serial line; empty if it has none."""
        self.load: str | None = None
        """What it says of the device's load: `none`, `NAME` or `NAME always`; empty if it
        has nothing that could load it, None if nothing was said."""
        self.draws = False
        """Whether the device draws at random; otherwise it answers the same strikes the same."""
        self._handed_over = ""
        self._taken_lines = 0
        """Lines of a design that `take_said` has returned."""
        self._tcp: TcpLink | None = None
        self._stays = False
        self._closed = False
        self._process = _starter() if starter else SimProcess(command)
        try:
            if starter:
                self._process.ask([*command, "--once"])
            host, port = self._address()
            self._tcp = TcpLink(host, port)
            self._stays = starter
        except BaseException:
            self.close()
            raise

    @property
    def handed_over(self) -> str:
        """Why the twin has handed a run over to the gateware; empty if it has not."""
        while not self._handed_over and not self._closed:
            try:
                line = self._process.line(0.0)
            except queue.Empty:
                break
            if line is None:
                break
            if line.startswith(_HANDED_OVER):
                self._handed_over = line.removeprefix(_HANDED_OVER).strip()
        return self._handed_over

    def take_said(self) -> tuple[str, ...]:
        """Return what a simulated design has written since the last call; see `SimProcess`."""
        lines = tuple(self._process.said[self._taken_lines :])
        self._taken_lines += len(lines)
        return lines

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return at least one byte, or none after the timeout."""
        if self._tcp is None or self._closed:
            raise LinkEndError(f"{self.name}: closed")
        try:
            return self._tcp.read(max_bytes, timeout_s)
        except LinkError as error:
            raise type(error)(self._ended("the simulated instrument closed the link")) from error

    def write(self, data: bytes) -> None:
        """Write all of `data`."""
        if self._tcp is None:
            raise LinkEndError(f"{self.name}: closed")
        try:
            self._tcp.write(data)
        except LinkError as error:
            raise type(error)(self._ended("the simulated instrument accepts no data")) from error

    def close(self) -> None:
        """End the simulator, and everything that was started only for this link."""
        if self._closed:
            return
        self._closed = True
        if self._tcp is not None:
            self._tcp.close()
        if self._stays and self._process.code is None:
            _idle.append(self._process)
        else:
            self._process.end()

    def _address(self) -> tuple[str, int]:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                line = self._process.line(deadline)
            except queue.Empty:
                raise LinkError(
                    f"{self.name}: the simulated instrument did not start within "
                    f"{START_TIMEOUT_S:.0f} s"
                ) from None
            if line is None:
                text = self._ended("the simulated instrument did not start")
                raise _ERRORS.get(self._process.code or 0, LinkError)(text)
            if line.strip() == "draws":
                self.draws = True
            if line.startswith("load "):
                self.load = line.removeprefix("load ").strip()
            if line.startswith("device "):
                self.device = line.removeprefix("device ").strip()
            if line.startswith("core "):
                self.core = line.removeprefix("core ").strip()
            if line.startswith("firmware "):
                self.firmware = Path(line.removeprefix("firmware ").strip())
            if line.startswith("link "):
                self.board_bytes_s = int(line.removeprefix("link "))
            if line.startswith("serial "):
                self.device_line = line.removeprefix("serial ").strip()
            if line.startswith("fallback "):
                reason = line.removeprefix("fallback ").strip()
                self.fallback = f"{self.fallback}; {reason}" if self.fallback else reason
            if line.startswith(_LISTENING):
                host, _, port = (
                    line.removeprefix(_LISTENING).removeprefix("tcp://").strip().rpartition(":")
                )
                if not port.isdecimal() or not 0 < int(port) < 65536:
                    raise LinkError(f"{self.name}: the simulated instrument said {line.strip()!r}")
                return host, int(port)

    def _ended(self, event: str) -> str:
        """Return `event` with the last line that the simulator wrote; that alone if it refused."""
        if self._closed:
            return f"{self.name}: closed"
        code, last = self._process.ended()
        last = last.removeprefix("error: ")
        if code == 2 and last:
            design = re.split("[?:]", self.name.removeprefix("sim:"))[0]
            return last if last.startswith(f"{design}: ") else f"{self.name}: {last}"
        reason = f" (exit code {code})" if code else ""
        return f"{self.name}: {event}{reason}" + (f": {last}" if last else "")


def _starter() -> SimProcess:
    """Return a starter that no link uses."""
    while _idle:
        process = _idle.pop()
        if process.code is None:
            return process
        process.end()
    return SimProcess(_STARTER)


def end_starters() -> None:
    """End the starters that no link uses; otherwise they end with this process."""
    while _idle:
        _idle.pop().end()


def sim_arguments(dut: str, arguments: Sequence[str] = ()) -> list[str]:
    """Return the arguments of what serves a simulated instrument with a device under test."""
    return ["--dut", dut, *arguments]


def sim_command(dut: str, arguments: Sequence[str] = ()) -> list[str]:
    """Return the command that serves a simulated instrument with a device under test."""
    return [sys.executable, "-m", "plexor_sim.serve", *sim_arguments(dut, arguments)]


def files_of_design(dut: str) -> tuple[Path, ...]:
    """Return all files that a design in Verilog is made of and reads, `dut` is its manifest.

    There are none if it cannot be simulated, which is said as it starts. A file may be missing.
    """
    command = [sys.executable, "-m", "plexor_sim.reads", dut]
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=START_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return ()
    return (
        tuple(Path(name) for name in json.loads(process.stdout)) if process.returncode == 0 else ()
    )
