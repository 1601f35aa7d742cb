# SPDX-License-Identifier: Apache-2.0
"""How fast the host matches events as they come, beside the golden model on the same events.

.venv/bin/python -m tools.bench_matching [EVENTS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray, Kind
from plexor.protocol.frames import MAX_WORDS, POLARITY_SHIFT, SOURCE_SHIFT
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.batch import EventBatch
from plexor.wire.decode.live import LiveFigures, LiveMatching, Measured
from plexor.wire.decode.matched import Rules
from plexor_sim.golden import matcher
from plexor_sim.golden.edges import Events
from tools.bench_files import events_of

EVENTS = 3_000_000
AIM_PER_S = 1e6
_FRAMES_AT_ONCE = 40
_BASE_BITS = 26
_RULES = Rules(0, 8, 1, Policy.OLDEST, 900, 0, 0, 300, 64)


@dataclass(frozen=True)
class MatchingSpeed:
    """One way that a channel is matched."""

    name: str
    events: int
    cpu_s: float
    golden_per_s: float
    """Events a CPU second of the golden model, which is told all of them at once."""
    unknown: int
    """Number of strikes that came whose class is not known."""

    @property
    def per_s(self) -> float:
        """Events a CPU second."""
        return self.events / self.cpu_s


WAYS: dict[str, tuple[Rules, int]] = {
    "answered in order": (_RULES, 0),
    "one frame in 50 lost": (_RULES, 50),
    "one frame in 50 lost, latest strike": (replace(_RULES, policy=Policy.LATEST), 50),
    "one frame in 50 lost, time-out over the period": (replace(_RULES, timeout_ticks=4000), 50),
    "queue full at each strike": (
        replace(_RULES, channel_source=7, timeout_ticks=4000, queue_depth=2),
        0,
    ),
    "answers before their strikes": (replace(_RULES, reference_source=1, early_ticks=450), 0),
}
"""Rules, and of how many frames one is lost; 0: none."""


def batches(rows: EventArray, one_in: int) -> Iterator[tuple[EventBatch, npt.NDArray[np.int64]]]:
    """Yield frames as a link delivers them, and how many events are missing before each."""
    size = MAX_WORDS * _FRAMES_AT_ONCE
    missing, number = 0, 0
    for start in range(0, len(rows), size):
        own = rows[start : start + size]
        ticks = own["time_ticks"].astype(np.int64)
        bases = ticks >> _BASE_BITS
        cuts = np.union1d(np.arange(0, len(own), MAX_WORDS), 1 + np.flatnonzero(np.diff(bases)))
        counts = np.diff(np.append(cuts, len(own)))
        words = (ticks & ((1 << _BASE_BITS) - 1)).astype(np.uint32)
        words |= own["source"].astype(np.uint32) << np.uint32(SOURCE_SHIFT)
        words |= own["polarity"].astype(np.uint32) << np.uint32(POLARITY_SHIFT)
        no = np.zeros(len(cuts), np.bool_)
        first = own["index"][cuts].astype(np.uint64)
        base = (bases[cuts] << _BASE_BITS).astype(np.uint64)
        before = np.zeros(len(cuts), np.int64)
        kept = ~no
        for frame in range(len(cuts)):
            number += 1
            if one_in and number % one_in == 0:
                kept[frame] = False
                missing += int(counts[frame])
            else:
                before[frame], missing = missing, 0
        yield EventBatch(words, counts, base, first, no, no).only(kept), before[kept]


def matched(rows: EventArray, rules: Rules, one_in: int) -> tuple[LiveFigures, float]:
    """Return the figures of a channel, and the CPU seconds that they took."""
    bits, zooms = dict.fromkeys(Kind, 6), dict.fromkeys(Kind, (0, 1024))
    matching = LiveMatching({0: Measured(rules, bits, zooms)})
    end_ticks = int(rows["time_ticks"][-1]) + 1
    cpu_s = 0.0
    for batch, missing in batches(rows, one_in):
        started = time.process_time()
        matching.take(batch, missing)
        cpu_s += time.process_time() - started
    started = time.process_time()
    found = matching.figures(end_ticks)[0]
    return found, cpu_s + time.process_time() - started


def golden(rows: EventArray, rules: Rules) -> tuple[matcher.Matches, float]:
    """Return what the golden model matches, and the CPU seconds that it took."""
    own = matcher.Rules(
        rules.channel_source,
        rules.reference_source,
        rules.reference_polarity,
        rules.policy,
        rules.timeout_ticks,
        rules.window_min_ticks,
        rules.early_ticks,
        rules.deadline_ticks,
        rules.queue_depth,
    )
    times, index = rows["time_ticks"].astype(np.int64), rows["index"].astype(np.int64)
    events = Events(times, rows["source"], rows["polarity"].astype(np.bool_), index)
    started = time.process_time()
    found = matcher.match(events, own, int(times[-1]) + 1)
    return found, time.process_time() - started


def matching_speeds(events: int, say: Callable[[str], None]) -> list[MatchingSpeed]:
    """Return the speed of each of WAYS.

    Raises ValueError if a class has another count than that of the golden model, or more than it
    where events are lost.
    """
    rows = events_of(events)
    speeds: list[MatchingSpeed] = []
    for name, (rules, one_in) in WAYS.items():
        say(f"matching of {len(rows)} events: {name}")
        whole, golden_s = golden(rows, rules)
        found, cpu_s = matched(rows, rules, one_in)
        for kind in ResponseClass:
            counted, true = found.classes[kind], whole.classes[kind]
            if counted > true or (not one_in and counted != true):
                raise ValueError(f"{name}: {counted} {kind.name.lower()}; must be {true}")
        golden_per_s = len(rows) / max(golden_s, 1e-9)
        speeds.append(
            MatchingSpeed(name, len(rows), max(cpu_s, 1e-9), golden_per_s, found.unknown_strikes)
        )
    return speeds


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    for speed in matching_speeds(asked, lambda line: print(f"bench: {line}", file=sys.stderr)):
        print(
            f"{speed.name:50}{speed.per_s / 1e6:8.2f} M events a CPU s, "
            f"{speed.per_s / speed.golden_per_s:5.1f} times the golden model, "
            f"{speed.unknown} strikes unknown"
        )
