"""A simulated instrument, started for this link and ended with it."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from plexor.errors import LinkError, UsageError
from plexor.link.base import LinkEndError
from plexor.link.tcp import TcpLink

START_TIMEOUT_S = 1200.0
"""A first start builds the simulator and the device's firmware."""
_CLOSE_TIMEOUT_S = 6.0
_STDERR_BYTES = 8192
_LISTENING = "listening "


class SimLink:
    """A simulated instrument in processes of its own.

    Its progress goes to standard error where that is a terminal. Raises UsageError for a device
    that it refuses, LinkError where it does not start.
    """

    def __init__(self, command: Sequence[str], name: str = "sim:", serial: str = "sim") -> None:
        self.name = name
        self.serial = serial
        self.bytes_s: int | None = None
        self.device = ""
        """What the simulator says it simulates."""
        self.fallback = ""
        """Why that is not the device asked for; empty where it is."""
        self.draws = False
        """Whether the device draws at random; otherwise it answers the same strikes the same."""
        self._stderr = b""
        self._tcp: TcpLink | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        guard = Path(__file__).with_name("guard.py")
        self._process = subprocess.Popen(
            [sys.executable, str(guard), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
        self._threads = [
            threading.Thread(target=self._drain_stdout, daemon=True),
            threading.Thread(target=self._drain_stderr, daemon=True),
        ]
        try:
            for thread in self._threads:
                thread.start()
            host, port = self._address()
            self._tcp = TcpLink(host, port)
        except BaseException:
            self.close()
            raise

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return at least one byte, or none after the timeout."""
        if self._tcp is None:
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
            raise type(error)(self._ended("the simulated instrument takes no data")) from error

    def close(self) -> None:
        """End the simulator and all it started."""
        if self._tcp is not None:
            self._tcp.close()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(1.0)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _address(self) -> tuple[str, int]:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.0))
            except queue.Empty:
                raise LinkError(
                    f"{self.name}: the simulated instrument is not up after {START_TIMEOUT_S:.0f} s"
                ) from None
            if line is None:
                text = self._ended("the simulated instrument did not start")
                raise UsageError(text) if self._process.poll() == 2 else LinkError(text)
            if line.strip() == "draws":
                self.draws = True
            if line.startswith("device "):
                self.device = line.removeprefix("device ").strip()
            if line.startswith("fallback "):
                why = line.removeprefix("fallback ").strip()
                self.fallback = f"{self.fallback}; {why}" if self.fallback else why
            if line.startswith(_LISTENING):
                host, _, port = line.removeprefix(_LISTENING).strip().rpartition(":")
                if not port.isdecimal() or not 0 < int(port) < 65536:
                    raise LinkError(f"{self.name}: the simulated instrument said {line.strip()!r}")
                return host, int(port)

    def _ended(self, what: str) -> str:
        """Return `what` with the last line that the simulator wrote."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
            self._threads[1].join(0.5)
        text = self._stderr.decode(errors="replace").replace("\r", "\n")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        code = self._process.poll()
        reason = f" (exit code {code})" if code else ""
        return f"{self.name}: {what}{reason}" + (f": {lines[-1]}" if lines else "")

    def _drain_stdout(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.decode(errors="replace"))
        self._lines.put(None)

    def _drain_stderr(self) -> None:
        assert self._process.stderr is not None
        shown = sys.stderr.isatty()
        while data := os.read(self._process.stderr.fileno(), 4096):
            self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
            if shown:
                sys.stderr.write(data.decode(errors="replace"))
                sys.stderr.flush()


def sim_command(dut: str, arguments: Sequence[str] = ()) -> list[str]:
    """Return the command that serves a simulated instrument with a device under test."""
    return [sys.executable, "-m", "plexor_sim.serve", "--dut", dut, *arguments]
