"""Matches responses on the host, as the instrument does, for figures that a chip leaves out.

Pure, and exact if no event is missing. `docs/instrument.md` has the rules.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plexor.model.results import Bins, EventArray, Kind, Measurement, Statistics
from plexor.protocol.memory import VALUE_MOST, ResponseClass, bin_bits, over_bin, under_bin
from plexor.protocol.registers import Policy


@dataclass(frozen=True, slots=True)
class Rules:
    """Matching rules of one channel, named as their registers."""

    channel_source: int
    reference_source: int
    reference_polarity: int
    policy: Policy
    timeout_ticks: int
    window_min_ticks: int
    early_ticks: int
    deadline_ticks: int
    queue_depth: int


@dataclass(slots=True)
class Samples:
    """Values in ticks, each with index and time of the event that completed it."""

    values: list[int] = field(default_factory=list[int])
    indices: list[int] = field(default_factory=list[int])
    times: list[int] = field(default_factory=list[int])

    def add(self, value: int, index: int, time: int) -> None:
        """Add one sample."""
        self.values.append(value)
        self.indices.append(index)
        self.times.append(time)


class Lane:
    """The matcher of one channel. `run` takes all events of a run, in time order."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.classes = dict.fromkeys(ResponseClass, 0)
        self.active_edges = 0
        self.samples = {kind: Samples() for kind in Kind}
        self._queue: deque[int] = deque()
        self._held: int | None = None
        self._matched: int | None = None
        self._response_strike: int | None = None
        self._active: int | None = None

    @property
    def pending(self) -> int:
        """Number of outstanding strikes."""
        return len(self._queue)

    def run(self, events: EventArray, end_ticks: int) -> None:
        """Match the events of a run that ended at `end_ticks`."""
        rules = self.rules
        source, polarity = events["source"], events["polarity"]
        strike = (source == rules.reference_source) & (polarity == rules.reference_polarity)
        own = source == rules.channel_source
        chosen = np.flatnonzero(strike | own)
        for time, index, is_own, active in zip(
            events["time_ticks"][chosen].tolist(),
            events["index"][chosen].tolist(),
            own[chosen].tolist(),
            polarity[chosen].tolist(),
            strict=True,
        ):
            self._look(time)
            if not is_own:
                self._strike(time, index)
            elif active:
                self._response(time, index)
            else:
                self._back(time, index)
        self._look(end_ticks)
        self._settle_held()

    def _look(self, time: int) -> None:
        while self._queue and time - self._queue[0] > self.rules.timeout_ticks:
            self._queue.popleft()
            self.classes[ResponseClass.MISSED] += 1
        if self._held is not None and time - self._held > self.rules.early_ticks:
            self._settle_held()

    def _settle_held(self) -> None:
        if self._held is not None:
            self._settle(self._held)
            self._held = None

    def _settle(self, response: int) -> None:
        near = self._matched is not None and response - self._matched <= self.rules.timeout_ticks
        self.classes[ResponseClass.DUPLICATE if near else ResponseClass.SPURIOUS] += 1

    def _match(self, strike: int, latency: int, index: int, time: int) -> None:
        late = latency > self.rules.deadline_ticks
        self.classes[ResponseClass.LATE if late else ResponseClass.ANSWERED] += 1
        self._matched = strike
        self.samples[Kind.RISE].add(latency, index, time)

    def _strike(self, time: int, index: int) -> None:
        self.classes[ResponseClass.STRIKES] += 1
        if self._held is not None and self.rules.early_ticks:
            self.classes[ResponseClass.EARLY] += 1
            self._match(time, self._held - time, index, time)
            self._held = None
            return
        if self.rules.policy == Policy.LATEST and self._queue:
            self._queue.popleft()
            self.classes[ResponseClass.MISSED] += 1
        if len(self._queue) >= self.rules.queue_depth:
            self.classes[ResponseClass.MISSED] += 1
            self.classes[ResponseClass.QUEUE_FULL] += 1
            return
        self._queue.append(time)

    def _response(self, time: int, index: int) -> None:
        self.active_edges += 1
        if self._active is not None:
            self.samples[Kind.PERIOD].add(min(time - self._active, VALUE_MOST), index, time)
        self._active = time
        self._response_strike = None
        rules = self.rules
        if self._queue and not (
            rules.policy == Policy.WINDOW and time - self._queue[0] < rules.window_min_ticks
        ):
            strike = self._queue.popleft()
            self._response_strike = strike
            self._match(strike, time - strike, index, time)
        elif rules.early_ticks:
            self._settle_held()
            self._held = time
        else:
            self._settle(time)

    def _back(self, time: int, index: int) -> None:
        if self._response_strike is not None:
            latency = min(time - self._response_strike, VALUE_MOST)
            self.samples[Kind.FALL].add(latency, index, time)
            self._response_strike = None
        if self._active is not None:
            self.samples[Kind.WIDTH].add(min(time - self._active, VALUE_MOST), index, time)


def bin_numbers(values: NDArray[np.int64], mantissa_bits: int) -> NDArray[np.int64]:
    """Return the log-linear bin number of each value in ticks.

    The vectorised form of `plexor.protocol.memory.bin_of`.
    """
    inside = np.clip(values, 0, VALUE_MOST)
    shift = np.maximum(np.frexp(inside.astype(np.float64))[1] - mantissa_bits - 1, 0)
    numbers = (shift.astype(np.int64) << mantissa_bits) + (inside >> shift)
    numbers[values < 0] = under_bin(mantissa_bits)
    numbers[values >= VALUE_MOST] = over_bin(mantissa_bits)
    return numbers


def bins_of(values: NDArray[np.int64], mantissa_bits: int) -> NDArray[np.uint64]:
    """Return the count of each log-linear bin, for values in ticks."""
    numbers = bin_numbers(values, mantissa_bits)
    return np.bincount(numbers, minlength=1 << bin_bits(mantissa_bits)).astype(np.uint64)


def measurement_of(kind: Kind, samples: Samples, mantissa_bits: int) -> Measurement:
    """Return the exact statistics and the bins of samples."""
    values = np.array(samples.values, dtype=np.int64)
    bins = Bins(mantissa_bits, bins_of(values, mantissa_bits))
    if not len(values):
        return Measurement(kind, Statistics(0, 0, 0, None, None), bins, on_chip=False)
    least, most = int(values.argmin()), int(values.argmax())
    statistics = Statistics(
        len(values),
        sum(samples.values),
        sum(value * value for value in samples.values),
        samples.values[least],
        samples.values[most],
        samples.indices[least],
        samples.indices[most],
        samples.times[least],
        samples.times[most],
    )
    return Measurement(kind, statistics, bins, on_chip=False)
