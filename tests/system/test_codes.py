# SPDX-License-Identifier: Apache-2.0
"""Codes of a device's pins through the whole instrument: planted ones come back, as pairs."""

import random

import numpy as np
import pytest
from bench import SMALL
from code_port import CLOCK_PS, coded_run, codes_of, plant

from plexor.protocol.frames import CODE_BITS, TORN, FrameType
from plexor.protocol.registers import CodeMode, StopOn, StopReason

CHANGE = {("code", "mode"): CodeMode.CHANGE, ("code", "mask"): 0xFFFF, ("code", "settle_clocks"): 3}


def planted(seed, count, first_ps, gaps_ps):
    """Return codes of 16 bits, each another than the one before."""
    rng, time_ps, value, codes = random.Random(seed), first_ps, 0, []
    for _ in range(count):
        value ^= rng.randrange(1, 1 << CODE_BITS)
        codes.append((time_ps, value))
        time_ps += rng.randint(*gaps_ps)
    return codes


def expected(codes):
    """Return (time_ticks, value) of planted codes: rounded up to a clock of 8 ticks of 1 ns."""
    return [(-(-time_ps // CLOCK_PS) * 8, value) for time_ps, value in codes]


def test_planted_codes_come_back_with_time_and_value(tmp_path):
    codes = planted(1, 100, 1_000_000_000, (40_000, 3_000_000))
    path = plant(tmp_path / "codes.txt", codes)
    batch, counts = coded_run(f"codes={path}", CHANGE, 1_600_000, ["--prove"])
    found = codes_of(batch)
    assert found.tolist() == [list(row) for row in expected(codes)]
    assert counts["generated18"] == counts["generated19"] == len(codes)


def test_a_code_each_four_clocks_is_merged_and_with_its_value_received_or_dropped(tmp_path):
    """So many that turns which are lost, one in some 30,000 codes, overflow what may wait."""
    count = 1_000_000
    codes = planted(2, count, 4_000_000_000, (32_000, 32_000))
    path = plant(tmp_path / "codes.txt", codes)
    run_ticks = 4_200_000 + 32 * count
    batch, counts = coded_run(f"codes={path}", CHANGE, run_ticks, ["--stall", "0.99,3"])
    found, all_of = codes_of(batch), {tuple(row) for row in expected(codes)}
    assert {tuple(row) for row in found.tolist()} <= all_of
    assert counts["generated18"] == counts["generated19"] == len(codes)
    assert counts["dropped18"] == counts["dropped19"] == 0
    assert counts["upload_dropped"] > 0
    assert 2 * len(codes) == len(batch) + counts["upload_dropped"]
    assert np.all(np.diff(batch.indices().astype(np.int64)) > 0)


@pytest.mark.parametrize(("skew_clocks", "settle_clocks"), [(0, 3), (2, 8)])
def test_codes_too_close_are_torn_and_none_is_wrong_without_the_mark(
    tmp_path, skew_clocks, settle_clocks
):
    skew_ps = skew_clocks * CLOCK_PS
    # A pin's change is seen a clock late at most, so this far apart pins do not mix.
    gaps_ps = skew_ps + 2 * CLOCK_PS, 12 * CLOCK_PS
    codes = planted(3, 4000, 1_000_000_000, gaps_ps)
    path = plant(tmp_path / "codes.txt", codes)
    settings = {
        **CHANGE,
        ("code", "settle_clocks"): settle_clocks,
        ("code", "skew_clocks"): skew_clocks,
    }
    options = f"codes={path},code_skew={skew_ps}"
    batch, counts = coded_run(options, settings, 1_600_000)
    found, all_of = codes_of(batch), {tuple(row) for row in expected(codes)}
    torn = found[:, 1] & TORN != 0
    values = found[:, 1] & (1 << CODE_BITS) - 1
    sure = set(zip(found[~torn, 0].tolist(), values[~torn].tolist(), strict=True))
    assert sure <= all_of
    assert len(sure) > 100
    assert torn.sum() > 100
    assert len(found) + counts["upload_dropped"] // 2 + counts["dropped18"] == counts["generated18"]


def test_a_skew_up_to_the_settle_time_is_one_event_with_the_right_id(tmp_path):
    # As many at once as may wait for the link, four times.
    firsts_ps = (1_000_000_000, 1_100_000_000, 1_200_000_000, 1_300_000_000)
    codes = [each for n in firsts_ps for each in planted(4, 100, n, (100_000, 300_000))]
    path = plant(tmp_path / "codes.txt", codes)
    for clocks in (1, 3, 8):
        settings = {
            **CHANGE,
            ("code", "settle_clocks"): clocks,
            ("code", "skew_clocks"): clocks,
        }
        options = f"codes={path},code_skew={clocks * CLOCK_PS}"
        batch, _ = coded_run(options, settings, 1_600_000)
        found = codes_of(batch)
        assert found[:, 0].tolist() == [ticks for ticks, _ in expected(codes)]
        assert (found[:, 1] & (1 << CODE_BITS) - 1).tolist() == [value for _, value in codes]
        assert not (found[:, 1] & TORN).any()


def test_codes_of_masked_classes_are_not_sent_and_are_counted(tmp_path):
    codes = planted(5, 3000, 4_000_000_000, (32_000, 400_000))
    path = plant(tmp_path / "codes.txt", codes)
    settings = {**CHANGE, ("code", "zone_mask"): 0b0110_0000_1111_0010}
    batch, counts = coded_run(f"codes={path}", settings, 6_000_000, ["--stall", "0.9,3"])
    shown = [value >> 12 for _, value in codes]
    assert counts["masked"] == sum(0b0110_0000_1111_0010 >> kind & 1 for kind in shown)
    found, all_of = codes_of(batch), {tuple(row) for row in expected(codes)}
    assert {tuple(row) for row in found.tolist()} <= all_of
    assert not any(0b0110_0000_1111_0010 >> (value >> 12 & 15) & 1 for _, value in found.tolist())
    assert counts["events"] == 2 * (len(codes) - counts["masked"])
    lost = counts["dropped18"] + counts["upload_dropped"] // 2
    assert len(codes) == len(found) + lost + counts["masked"]


def test_the_ring_around_a_trigger_holds_codes_with_their_values(tmp_path):
    codes = planted(6, 4000, 1_000_000_000, (800_000, 1_600_000))
    path = plant(tmp_path / "codes.txt", codes)
    settings = {
        **CHANGE,
        ("stimulus", "enable"): 1,
        ("stimulus", "phase_ticks"): 2_000_000,
        ("stimulus", "interval_ticks"): 1 << 30,
        ("stimulus", "width_ticks"): 1000,
        ("stimulus", "strike_count"): 1,
        ("channel", "enable"): 1,
        ("matcher", "timeout_ticks"): 100,
        ("control", "trigger_channels"): 1,
        ("control", "stop_on"): StopOn.MISSED | StopOn.TIME,
    }
    options = f"codes={path},latency=1000000000"
    batch, counts = coded_run(options, settings, 8_000_000, kind=FrameType.TRACE)
    found, all_of = codes_of(batch), expected(codes)
    # A code and its value take one place of the ring, and so does each edge of the strike.
    assert len(found) + 2 == SMALL.ring_depth
    first = all_of.index(tuple(found[0].tolist()))
    assert found.tolist() == [list(row) for row in all_of[first : first + len(found)]]
    assert batch.indices()[0] == 2 * first
    assert counts["stop_reason"] == StopReason.MISSED
