# SPDX-License-Identifier: Apache-2.0
"""A simulator as a child process, which announces its port and ends with its owner."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

_LISTENING = ("listening tcp://127.0.0.1", "listening udp://127.0.0.1")
_READS = "reads "
_HANDED_OVER = "handed over "
_SERIAL = "serial tcp://127.0.0.1:"
_END_TIMEOUT_S = 5


class SimulatorError(Exception):
    """A simulator that did not start, or that failed. The text is its last line."""

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Server:
    """A running simulator; a context manager that ends it.

    `arguments` are those of `main.cpp`, `options` those of the device. The child ends by itself
    when the parent process has died. Raises SimulatorError unless it listens within `timeout_s`: a
    twin that starts the gateware's simulator in its place may build that first.
    """

    def __init__(
        self,
        executable: Path,
        options: str = "",
        arguments: Sequence[str] = (),
        timeout_s: float = 600,
    ) -> None:
        command = [str(executable), "--device", options, "--parent", str(os.getpid()), *arguments]
        # A pipe could fill up, because nobody reads it while a device goes on printing.
        self._files = ExitStack()
        file = tempfile.TemporaryFile(mode="w+", errors="replace")  # noqa: SIM115, closed by close()
        self._errors = self._files.enter_context(file)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.draws = False
        """Whether the device draws at random."""
        self.reads: list[str] = []
        """Paths of the files that it has read so far, relative to the device's manifest."""
        self.load: str | None = None
        """What it says of its load: `none`, `NAME` or `NAME always`; empty if it has nothing
        that could load it, None if nothing was said."""
        self.serial_port: int | None = None
        """Port on which the device's serial line is; None if it has none."""
        self.port = self._read_port(timeout_s)

    @property
    def address(self) -> tuple[str, int]:
        """Address and port on which it listens."""
        return "127.0.0.1", self.port

    @property
    def pid(self) -> int:
        """The child's process number."""
        return self._process.pid

    def handed_over(self) -> str:
        """Return why the twin has handed a run over to the gateware; empty if it has not."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], 0)
        line = self._process.stdout.readline() if ready else ""
        return line.removeprefix(_HANDED_OVER).rstrip("\n") if line.startswith(_HANDED_OVER) else ""

    def read_line(self) -> str:
        """Return the next line on its standard output after the one with its port."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def wait(self, timeout_s: float) -> int:
        """Wait for a simulator that ends by itself; return its exit code.

        Raises SimulatorError if it does not end, or, with its last line on stderr, if it failed.
        """
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise SimulatorError(f"the simulator did not end within {timeout_s} s") from None
        if self._process.returncode:
            self._errors.seek(0)
            lines = self._errors.read().strip().splitlines()
            raise SimulatorError(lines[-1] if lines else "no message", self._process.returncode)
        return 0

    def close(self) -> None:
        """End it, so that its truth log is complete. Does nothing if it has ended."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _read_port(self, timeout_s: float) -> int:
        lines = self._process.stdout
        assert lines is not None
        ready, _, _ = select.select([lines], [], [], timeout_s)
        line = lines.readline() if ready else ""
        if line == "draws\n":
            self.draws = True
            line = lines.readline()
        if line.startswith("load "):
            self.load = line.removeprefix("load ").strip()
            line = lines.readline()
        while line.startswith(_READS):
            self.reads.append(line.removeprefix(_READS).rstrip("\n"))
            line = lines.readline()
        if line.startswith(_SERIAL):
            self.serial_port = int(line.removeprefix(_SERIAL))
            line = lines.readline()
        head, _, port = line.rpartition(":")
        if head in _LISTENING and port.strip().isdigit():
            return int(port)
        try:
            if not ready:
                raise SimulatorError(f"the simulator did not listen within {timeout_s} s")
            self.wait(_END_TIMEOUT_S)
            raise SimulatorError(f"the simulator said {line!r}")
        finally:
            self.close()
