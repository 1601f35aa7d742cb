# SPDX-License-Identifier: Apache-2.0
"""Tables of codes on the chip: what the host makes of events, and of truth with the link off."""

import numpy as np
import pytest
from bench import SMALL
from code_port import codes_of
from struck_codes import CHANNEL, DEADLINE_TICKS, DEVICE, TIMEOUT_TICKS, planted, told_run

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ByCode, ResponseClass, Space
from plexor.protocol.registers import Stream
from plexor_sim.golden.codes import latencies_by_code, times_by_code, words
from plexor_sim.golden.edges import Events
from plexor_sim.golden.matcher import Rules, match

TRUTH = np.dtype([("time_ps", "<i8"), ("source", "u1"), ("level", "u1"), ("pad", "V6")])
COUNT = 1600
"""Codes that are planted: some come before the run starts, some after its end."""


def table(told, kind):
    """Return the words of a table of codes."""
    (both,) = told.memories.complete_dumps(Space.CODES)
    return both.reshape(len(ByCode), -1)[kind].tobytes()


def rises_of(events, end_ticks):
    """Return what the golden model matches on CHANNEL."""
    rules = Rules(
        CHANNEL, SOURCE_STRIKE, 1, timeout_ticks=TIMEOUT_TICKS, deadline_ticks=DEADLINE_TICKS
    )
    return match(events, rules, end_ticks)


def answered(told):
    """Return how many strikes the chip says were answered or late on CHANNEL."""
    classes = told.memories.counts(Space.CLASSES).reshape(-1, len(ResponseClass))[CHANNEL]
    return int(classes[ResponseClass.ANSWERED] + classes[ResponseClass.LATE])


def assert_sums_are_the_channels(told):
    records = np.frombuffer(table(told, ByCode.LATENCY), "<i8").reshape(-1, 4)
    whole = told.memories.statistics(Space.LATENCY_STATISTICS, CHANNEL)
    assert records[:, 0].sum() == whole.count == answered(told) > 100
    assert records[:, 1].sum() == whole.sum_ticks
    assert records[records[:, 0] > 0, 2].min() == whole.min_ticks
    assert records[records[:, 0] > 0, 3].max() == whole.max_ticks


@pytest.fixture(scope="module")
def streamed(tmp_path_factory):
    option, *_ = planted(tmp_path_factory.mktemp("codes"), 1, COUNT, (40_000, 2_500_000))
    settings = {
        ("control", "stream", 0): Stream.LIVE,
        ("control", "run_time_ticks", 0): 600_000,
    }
    return told_run(f"{DEVICE},{option}", settings)


def test_tables_are_what_the_host_makes_of_all_events_bit_for_bit(streamed):
    batch = streamed.batch
    assert len(batch) == batch.indices()[-1] + 1
    codes = codes_of(batch)
    assert len(codes) > 400
    times, values = codes[:, 0].tolist(), (codes[:, 1] & 0xFFFF).tolist()
    events = Events(
        batch.time_ticks().astype(np.int64),
        batch.sources(),
        batch.polarities().astype(np.bool_),
        batch.indices().astype(np.int64),
    )
    rise = rises_of(events, streamed.status["end_ticks"]).rise
    expected = latencies_by_code(SMALL, times, values, rise)
    assert sum(each.count > 0 for each in expected) > 20
    assert table(streamed, ByCode.LATENCY) == words(expected)
    assert table(streamed, ByCode.TIMES) == words(times_by_code(SMALL, times, values))


def test_counts_sum_to_answered_and_late_and_sums_to_the_channels(streamed):
    assert_sums_are_the_channels(streamed)


def test_tables_are_those_of_the_truth_with_the_link_off(tmp_path):
    option, times, values = planted(tmp_path, 2, COUNT, (40_000, 2_500_000))
    settings = {
        ("control", "stream", 0): Stream.OFF,
        # What is not sent counts as well.
        ("code", "zone_mask", 0): 0x5A5A,
        ("control", "run_time_ticks", 0): 600_000,
    }
    log = tmp_path / "truth.bin"
    told = told_run(f"{DEVICE},{option}", settings, ("--truth", str(log)))
    assert not len(told.batch)
    truth = np.fromfile(log, TRUTH)
    start, end = told.status["start_ticks"], told.status["end_ticks"]
    ticks = -(-truth["time_ps"] // 1000)
    ours = np.isin(truth["source"], (CHANNEL, SOURCE_STRIKE)) & (ticks >= start) & (ticks < end)
    # In one tick a strike comes before a response.
    order = np.lexsort((-truth["source"][ours].astype(int), ticks[ours]))
    events = Events(
        ticks[ours][order],
        truth["source"][ours][order],
        truth["level"][ours][order].astype(np.bool_),
        np.arange(len(order)),
    )
    rise = rises_of(events, end).rise
    inside = [place for place, time in enumerate(times) if start <= time < end]
    times, values = [times[n] for n in inside], [values[n] for n in inside]
    expected = latencies_by_code(SMALL, times, values, rise)
    assert sum(each.count > 0 for each in expected) > 20
    assert table(told, ByCode.LATENCY) == words(expected)
    assert table(told, ByCode.TIMES) == words(times_by_code(SMALL, times, values))
    assert_sums_are_the_channels(told)
