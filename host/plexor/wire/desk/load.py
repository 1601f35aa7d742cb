# SPDX-License-Identifier: Apache-2.0
"""A load that the user's own commands put on a device."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

from plexor.base.errors import UsageError
from plexor.model.load import IDLE

BEGIN_S = 1.0
"""A command that fails within this time has not put a load on."""
END_S = 10.0
"""Time that a command has to end the load, or to end once terminated."""


def switched(
    on: str | None, off: str | None, names: tuple[str, str] = ("load_on", "load_off")
) -> Callable[[str], AbstractContextManager[None]]:
    """Return what puts a load on for as long as it is entered, but for the load `none`.

    `on` and `off` are shell commands. `on` may go on as long as the load does; at the end `off` is
    run, and what goes on then is terminated. Raises UsageError where one of them fails, with its
    option's name.
    """

    @contextmanager
    def switch(load: str) -> Generator[None]:
        if load == IDLE or on is None:
            yield
            return
        process = _begin(on, names[0])
        try:
            yield
        finally:
            _end(process, off, names[1])

    return switch


def _start(command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, shell=True, start_new_session=True)


def _begin(command: str, name: str) -> subprocess.Popen[bytes]:
    process = _start(command)
    try:
        code = process.wait(BEGIN_S)
    except subprocess.TimeoutExpired:
        return process
    if code:
        raise UsageError(f"{name} {command!r}: ended with exit code {code}; must be 0")
    return process


def _end(process: subprocess.Popen[bytes], off: str | None, name: str) -> None:
    try:
        if off is not None:
            _finish(off, name)
    finally:
        _terminate(process)


def _finish(off: str, name: str) -> None:
    process = _start(off)
    try:
        code = process.wait(END_S)
    except subprocess.TimeoutExpired as error:
        _terminate(process)
        raise UsageError(f"{name} {off!r}: did not end within {END_S:g} s") from error
    if code:
        raise UsageError(f"{name} {off!r}: ended with exit code {code}; must be 0")


def _terminate(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            continue
