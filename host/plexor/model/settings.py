"""What a user asks of a run, in exact seconds, and the registers that ask it of an instrument."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.memory import Space
from plexor.protocol.registers import InputSelect, Policy, Stream, Trigger

NO_DEADLINE_TICKS = (1 << 31) - 1
"""The greatest deadline a channel can have: no latency is late."""


class RegisterWrite(NamedTuple):
    """One register of one copy of a block, and the value to write."""

    block: str
    copy: int
    name: str
    value: int


@dataclass(frozen=True, slots=True)
class Echo:
    """One setting as asked and as the instrument takes it, in exact seconds."""

    name: str
    asked_s: Fraction
    taken_s: Fraction

    @property
    def error_s(self) -> Fraction:
        """Taken less asked."""
        return self.taken_s - self.asked_s


@dataclass(frozen=True, slots=True)
class Stimulus:
    """One strike output. Times are exact seconds.

    `period_s` is first strike to first strike of the next burst (without bursts: strike to
    strike); the mean with dither or Poisson intervals. One of `width_s` and `duty` (of the spacing)
    may be given; without either half the spacing, at most 10 µs. `count` is of one sequence; 0:
    endless, or as `Settings.count` says. `dither_s` is the range of the uniform deviation around
    the period: 2**n ticks, each equally likely. With Trigger.RUN phase 0 is one core clock
    after the start, for a level that stands at a run's first tick is no edge.
    """

    output: int = 0
    period_s: Fraction | None = None
    """None: a single strike or burst."""
    width_s: Fraction | None = None
    duty: Fraction | None = None
    phase_s: Fraction = Fraction(0)
    burst: int = 1
    spacing_s: Fraction | None = None
    count: int = 0
    dither_s: Fraction = Fraction(0)
    poisson: bool = False
    trigger: Trigger = Trigger.RUN
    trigger_source: int = 0
    invert: bool = False
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Channel:
    """One response channel. `reference` is `strike0`, `ch1`, `ch1.fall`, `load` and the like."""

    number: int
    name: str = ""
    enable: bool = True
    invert: bool = False
    filter_s: Fraction = Fraction(0)
    reference: str = "strike0"
    deadline_s: Fraction | None = None
    zoom_rise_s: Fraction = Fraction(0)
    """Where the window of one-tick bins starts."""
    zoom_fall_s: Fraction = Fraction(0)
    zoom_width_s: Fraction = Fraction(0)
    zoom_period_s: Fraction = Fraction(0)

    @property
    def label(self) -> str:
        """The name, or `ch3` where none is given."""
        return self.name or f"ch{self.number}"


@dataclass(frozen=True, slots=True)
class TableStep:
    """One step of a sweep table: how output 0 strikes while it lasts, and how often.

    `period_s`, `width_s` and `duty` are as in `Stimulus`; the period is at least a core clock.
    """

    period_s: Fraction
    count: int
    width_s: Fraction | None = None
    duty: Fraction | None = None
    guard_s: Fraction | None = None
    """From the step's last strike to its end. None: as long as `Settings.settle_s`."""


MODES = {"stream": Stream.LIVE, "dump": Stream.OFF, "deep": Stream.AFTER}
"""What a command calls them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A run. Outputs and channels that are not named are disabled.

    Stop conditions may be joined; without any, the run lasts until it is interrupted.
    """

    strikes: tuple[Stimulus, ...] = ()
    channels: tuple[Channel, ...] = ()
    policy: Policy = Policy.OLDEST
    timeout_s: Fraction | None = None
    """A strike older than this is missed. None: the longest period of the strikes, so that one
    missing response does not shift all that follow; at least 1024 ticks, at most a second."""
    window_min_s: Fraction = Fraction(0)
    early_s: Fraction = Fraction(0)
    count: int | None = None
    """Stop after so many strikes of each output that has no count of its own."""
    time_s: Fraction | None = None
    """Stop after so long."""
    latency_over_s: Fraction | None = None
    """Stop at the first rise latency above this."""
    stop_on_missed: bool = False
    trigger_channels: tuple[int, ...] | None = None
    """Channels that may stop the run; None: all that are enabled."""
    stream: Stream | None = None
    """OFF: collect, then dump: nothing goes over the link while the run is under way, nor do events
    after it. AFTER: nor does anything then, but the events follow. None: LIVE, or OFF where the
    instrument sends no events."""
    keep_events: bool = True
    """Keep the events received in the result."""
    load: bool = False
    input_select: InputSelect = InputSelect.PINS
    """What every channel samples."""
    loopback_output: int = 0
    """Whose pad that is, with InputSelect.LOOPBACK."""
    settle_s: Fraction | None = None
    """From the last strike to the end of the run. None: twice the timeout, so that every strike is
    settled, those that are responses of another channel too."""
    report_s: Fraction | None = None
    """Between automatic snapshots of the results; None: none."""
    spaces: tuple[Space, ...] | None = None
    """What is dumped at the end, of what the build has; None: all of it."""
    table: tuple[TableStep, ...] = ()
    """Steps that output 0 goes through, each with results of its own; then the run ends. What a
    step says holds in place of what the output's Stimulus does."""


_REFERENCE = re.compile(r"(strike|ch)([0-7])(\.rise|\.fall)?|(load)(\.rise|\.fall)?")


def parse_reference(text: str) -> tuple[int, int]:
    """Return (source, polarity) of a reference; polarity 1 is the edge to the active level.

    Raises ValueError for a text that is none.
    """
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise ValueError(
            f"reference: {text!r}; must be strike0 to strike7, ch0 to ch7 or load, "
            "with .rise or .fall after it"
        )
    polarity = int(not text.endswith(".fall"))
    if match[4]:
        return SOURCE_LOAD, polarity
    base = SOURCE_STRIKE if match[1] == "strike" else SOURCE_CHANNEL
    return base + int(match[2]), polarity
