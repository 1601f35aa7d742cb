# SPDX-License-Identifier: Apache-2.0
"""Random events for matchers."""

import random


def random_events(seed: int, count: int, spread: int) -> list[tuple[int, int, int, int]]:
    """Return toggles of two channels and two strikes, one a source and tick, in merged order."""
    chance = random.Random(seed)
    time, levels, events = 1000, {}, []
    while len(events) < count:
        time += chance.choice((0, 1, 1, chance.randrange(spread)))
        for source in chance.sample((8, 9, 0, 1), chance.choice((1, 1, 1, 2, 4))):
            if any(e[:2] == (time, source) for e in events[-4:]):
                continue
            levels[source] = 1 - levels.get(source, 0)
            events.append((time, source, levels[source]))
    order = {8: 0, 9: 1, 0: 2, 1: 3}
    events.sort(key=lambda event: (event[0], order[event[1]]))
    return [(*event, index) for index, event in enumerate(events)]
