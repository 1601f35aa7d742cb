"""Codes of a device's pins through the whole instrument: planted ones come back, as pairs."""

import random

import numpy as np
from code_port import CLOCK_PS, coded_run, codes_of, plant

from plexor.protocol.registers import CodeMode

CHANGE = {("code", "mode"): CodeMode.CHANGE, ("code", "mask"): 0x3FF, ("code", "settle_clocks"): 3}


def planted(seed, count, first_ps, gaps_ps):
    """Return codes of 10 bits, each another than the one before."""
    rng, time_ps, value, codes = random.Random(seed), first_ps, 0, []
    for _ in range(count):
        value ^= rng.randrange(1, 1 << 10)
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


def test_pairs_are_never_parted_by_drops_and_received_plus_dropped_is_generated(tmp_path):
    codes = planted(2, 5000, 4_000_000_000, (32_000, 32_000))
    path = plant(tmp_path / "codes.txt", codes)
    batch, counts = coded_run(f"codes={path}", CHANGE, 4_600_000, ["--stall", "0.99,3"])
    found, all_of = codes_of(batch), {tuple(row) for row in expected(codes)}
    assert {tuple(row) for row in found.tolist()} <= all_of
    assert counts["generated18"] == counts["generated19"] == len(codes)
    assert counts["dropped18"] == counts["dropped19"]
    assert counts["upload_dropped"] > 0
    lost = counts["dropped18"] + counts["dropped19"] + counts["upload_dropped"]
    assert 2 * len(codes) == len(batch) + lost
    assert np.all(np.diff(batch.indices().astype(np.int64)) > 0)
