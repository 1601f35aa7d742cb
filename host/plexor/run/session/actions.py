# SPDX-License-Identifier: Apache-2.0
"""Commands that a run starts where its results so far show a late answer or a missed strike.

Each has a thread of its own, so the link never waits for it. It is started once a second at most,
and not before it has ended; what comes meanwhile is told with the next start.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
from collections.abc import Iterable, Sequence
from fractions import Fraction

from plexor.base.units import ticks_of
from plexor.model.results import ChannelResult, Kind
from plexor.model.settings import Reaction
from plexor.protocol.memory import ResponseClass, bin_of, under_bin

REST_S = 1.0
"""Least time from one start of a command to the next."""
PATIENCE_S = 5.0
"""How long the end of a run waits for each command."""


def happened(channel: ChannelResult, over_s: Fraction | None, tick_fs: int) -> int:
    """Return how many strikes were missed, or how many latencies are above a limit.

    The latencies are counted by their bins. Of those in the limit's own bin the greatest of all
    latencies counts alone.
    """
    if over_s is None:
        return channel.classes[ResponseClass.MISSED]
    rise = channel.measurement(Kind.RISE)
    if rise is None:
        return 0
    limit_ticks, bits = int(ticks_of(over_s, tick_fs)), rise.bins.mantissa_bits
    above = rise.bins.counts[: under_bin(bits)]
    count = int(above[bin_of(limit_ticks, bits) + 1 :].sum())
    most = rise.statistics.max_ticks
    return count or int(most is not None and most > limit_ticks)


class _Starter:
    """Starts one action's command in a thread of its own."""

    def __init__(self, action: Reaction) -> None:
        self.action = action
        self.failure = ""
        """What became of the last start that failed; empty: none has."""
        self._seen: dict[int, int] = {}
        self._new, self._channel, self._closed = 0, "", False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="plexor action", daemon=True)
        self._thread.start()

    def look(self, channels: Iterable[ChannelResult], tick_fs: int) -> None:
        """Ask for a start if there is more than at the last look."""
        for channel in channels:
            count = happened(channel, self.action.over_s, tick_fs)
            new = count - self._seen.get(channel.number, 0)
            if new <= 0:
                continue
            self._seen[channel.number] = count
            with self._changed:
                self._new, self._channel = self._new + new, channel.name
                self._changed.notify_all()

    def close(self) -> None:
        """Make the last start, if there is something new, and wait for it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(PATIENCE_S)
        if self._thread.is_alive():
            self.failure = f"still runs {PATIENCE_S:g} s after the run; it is left alone"

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._new or self._closed)
                if not self._new:
                    return
                new, self._new = self._new, 0
            self._start(new)
            with self._changed:
                self._changed.wait_for(lambda: self._closed, REST_S)

    def _start(self, new: int) -> None:
        told = {
            "PLEXOR_CONDITION": self.action.condition,
            "PLEXOR_CHANNEL": self._channel,
            "PLEXOR_COUNT": str(new),
        }
        try:
            done = subprocess.run(
                self.action.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **told},
                start_new_session=True,
                check=False,
            )
        except OSError as error:
            self.failure = f"cannot be started: {error.strerror}"
            return
        if done.returncode:
            self.failure = f"ended with {done.returncode}"


class Actions:
    """The actions of a run. `look` never blocks. As a context manager, it ends with the run."""

    def __init__(self, actions: Sequence[Reaction], tick_fs: int) -> None:
        self._tick_fs = tick_fs
        self._starters = [_Starter(action) for action in actions]

    def __enter__(self) -> Actions:
        return self

    def __exit__(self, *_: object) -> None:
        for starter in self._starters:
            starter.close()

    def look(self, channels: Sequence[ChannelResult]) -> None:
        """Start what the results so far ask for."""
        for starter in self._starters:
            starter.look(channels, self._tick_fs)

    @property
    def failures(self) -> tuple[str, ...]:
        """A line for each action whose command failed."""
        return tuple(
            f"--on {starter.action.condition}: {shlex.join(starter.action.command)} "
            f"{starter.failure}"
            for starter in self._starters
            if starter.failure
        )
