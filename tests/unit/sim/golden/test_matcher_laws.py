# SPDX-License-Identifier: Apache-2.0
"""Conservation laws of the golden matcher, and its agreement with a literal state machine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.protocol.memory import ResponseClass as Class
from plexor.protocol.registers import Policy
from plexor_sim.golden.edges import Events
from plexor_sim.golden.matcher import Rules, match

CHANNELS = 3


def to_events(raw):
    """Return a stream in order from (step, source) pairs; polarities alternate by source."""
    rank = {8: 0, 9: 1, 0: 8, 1: 9, 2: 10}
    time, seen, level = 1000, set(), {}
    rows = []
    for delta, source in raw:
        if not delta and (time, source) in seen:
            continue
        time += delta
        seen.add((time, source))
        rows.append((time, rank[source], source))
    rows.sort()
    polarities = []
    for _, _, source in rows:
        level[source] = not level.get(source, False)
        polarities.append(level[source])
    return Events(
        np.array([row[0] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.uint8),
        np.array(polarities, np.bool_),
        np.arange(len(rows), dtype=np.int64),
    )


streams = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from([0, 1, 2, 8, 9])), max_size=120
).map(to_events)
references = st.tuples(st.sampled_from([0, 1, 2, 8, 9]), st.integers(0, 1))
rule_values = st.fixed_dictionaries(
    {
        "policy": st.sampled_from(list(Policy)),
        "timeout_ticks": st.integers(0, 60),
        "window_min_ticks": st.integers(0, 20),
        "early_ticks": st.one_of(st.just(0), st.integers(0, 40)),
        "deadline_ticks": st.integers(-20, 60),
        "queue_depth": st.sampled_from([1, 2, 4, 64]),
    }
)


class Literal:
    """Every channel looked at before every event, as the Matching section is written."""

    def __init__(self, every):
        self.channels = [
            {
                "rules": rules,
                "queue": [],
                "held": None,
                "last": None,
                "matched": None,
                "count": [0] * 8,
            }
            for rules in every
        ]
        self.rises, self.falls = [], []

    def settle(self, channel, response):
        last, rules = channel["last"], channel["rules"]
        within = last is not None and response - last <= rules.timeout_ticks
        channel["count"][Class.DUPLICATE if within else Class.SPURIOUS] += 1

    def age(self, time):
        for channel in self.channels:
            rules = channel["rules"]
            while channel["queue"] and time - channel["queue"][0] > rules.timeout_ticks:
                channel["queue"].pop(0)
                channel["count"][Class.MISSED] += 1
            if channel["held"] is not None and time - channel["held"] > rules.early_ticks:
                self.settle(channel, channel["held"])
                channel["held"] = None

    def latency(self, channel, value, index):
        on_time = value <= channel["rules"].deadline_ticks
        channel["count"][Class.ANSWERED if on_time else Class.LATE] += 1
        self.rises.append((channel["rules"].source, value, index))

    def strike(self, channel, time, index):
        count, rules = channel["count"], channel["rules"]
        count[Class.STRIKES] += 1
        if channel["held"] is not None:
            self.latency(channel, channel["held"] - time, index)
            count[Class.EARLY] += 1
            channel["held"], channel["last"] = None, time
            return
        if rules.policy == Policy.LATEST and channel["queue"]:
            channel["queue"].clear()
            count[Class.MISSED] += 1
        if len(channel["queue"]) >= rules.queue_depth:
            count[Class.MISSED] += 1
            count[Class.QUEUE_FULL] += 1
        else:
            channel["queue"].append(time)

    def response(self, channel, time, index):
        rules, queue = channel["rules"], channel["queue"]
        candidate = queue[0] if queue else None
        if rules.policy == Policy.WINDOW and queue and time - queue[0] < rules.window_min_ticks:
            candidate = None
        channel["matched"] = candidate
        if candidate is not None:
            queue.pop(0)
            channel["last"] = candidate
            self.latency(channel, time - candidate, index)
        elif rules.early_ticks:
            if channel["held"] is not None:
                self.settle(channel, channel["held"])
            channel["held"] = time
        else:
            self.settle(channel, time)

    def run(self, stream, end):
        for time, source, polarity, index in zip(
            stream.time_ticks.tolist(),
            stream.source.tolist(),
            stream.polarity.tolist(),
            stream.index.tolist(),
            strict=True,
        ):
            self.age(time)
            for channel in self.channels:
                rules = channel["rules"]
                if source == rules.source:
                    if polarity:
                        self.response(channel, time, index)
                    elif channel["matched"] is not None:
                        self.falls.append((source, time - channel["matched"], index))
                        channel["matched"] = None
            for channel in self.channels:
                rules = channel["rules"]
                if (source, polarity) == (rules.reference_source, rules.reference_polarity):
                    self.strike(channel, time, index)
        self.age(end)
        for channel in self.channels:
            if channel["held"] is not None:
                self.settle(channel, channel["held"])


def rows(channel, samples):
    return [
        (channel, value, index)
        for value, index in zip(samples.value_ticks.tolist(), samples.index.tolist(), strict=True)
    ]


@given(
    streams,
    rule_values,
    st.lists(references, min_size=CHANNELS, max_size=CHANNELS),
    st.integers(1, 90),
)
@settings(max_examples=300)
def test_a_channel_at_a_time_agrees_with_every_channel_at_every_event(stream, values, refs, tail):
    every = [Rules(channel, *refs[channel], **values) for channel in range(CHANNELS)]
    end = (int(stream.time_ticks[-1]) if len(stream) else 1000) + tail
    literal = Literal(every)
    literal.run(stream, end)
    results = [match(stream, rules, end) for rules in every]
    for result, channel in zip(results, literal.channels, strict=True):
        assert list(result.classes) == channel["count"]
        assert result.pending == len(channel["queue"])
    assert sorted(literal.rises) == sorted(
        r for n, m in enumerate(results) for r in rows(n, m.rise)
    )
    assert sorted(literal.falls) == sorted(
        r for n, m in enumerate(results) for r in rows(n, m.fall)
    )


@pytest.mark.parametrize("policy", list(Policy))
@given(stream=streams, values=rule_values, reference=references, tail=st.integers(1, 200))
@settings(max_examples=100)
def test_every_strike_and_every_response_ends_in_exactly_one_class(
    policy, stream, values, reference, tail
):
    rules = Rules(0, *reference, **values | {"policy": policy})
    end = (int(stream.time_ticks[-1]) if len(stream) else 1000) + tail
    result = match(stream, rules, end)
    count = result.classes
    active = int(np.count_nonzero((stream.source == 0) & stream.polarity))
    matched = count[Class.ANSWERED] + count[Class.LATE]
    assert count[Class.STRIKES] == matched + count[Class.MISSED] + result.pending
    assert active == matched + count[Class.DUPLICATE] + count[Class.SPURIOUS]
    assert len(result.rise) == matched
    assert count[Class.EARLY] <= matched
    assert count[Class.QUEUE_FULL] <= count[Class.MISSED]
    assert len(result.period) == max(active - 1, 0)
    assert bool(np.all(np.diff(result.rise.index) >= 0))
