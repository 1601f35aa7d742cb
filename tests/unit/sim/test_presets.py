# SPDX-License-Identifier: Apache-2.0
"""The presets do what the study says of its two systems, without an instrument between.

Expected figures are the study's own: C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in
Windows CE", COTS Journal. What it leaves open is in docs/study.md.
"""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path

import pytest

from plexor_sim.devices import find_device, option_text

from .synthetic_player import Play, player

US = 1_000_000
COUNT = 20_000
IST, APP = 0, 1


@pytest.fixture(scope="module")
def play() -> Play:
    """Return what plays strikes to the synthetic device."""
    return player()


class Seen:
    """Edges of both pins to the study's strikes, 5000 a second."""

    def __init__(self, play: Play, name: str, load: bool, own: str = "", count: int = COUNT):
        strikes = [US + 200 * US * n for n in range(count)]
        options = option_text(name, find_device(name, Path()), own)
        self.played = play(options, strikes, 40 * US, load=load)
        assert self.played.code == 0, self.played.error
        self.strikes = strikes

    def latencies(self, pin: int) -> list[int]:
        return self._since(self.played.rises(pin))

    def completions(self, pin: int) -> list[int]:
        return self._since(self.played.falls(pin))

    def _since(self, times: list[int]) -> list[int]:
        return [time - strike for time, strike in zip(times, self.strikes, strict=True)]

    def spans(self, pin: int) -> list[int]:
        """Return the spans of 128 latencies each, as the study's scope had them."""
        values = self.latencies(pin)
        groups = [values[n : n + 128] for n in range(0, len(values) - 127, 128)]
        return [max(group) - min(group) for group in groups]


@pytest.fixture(scope="module")
def seen(play: Play) -> dict[tuple[str, bool], Seen]:
    """Return what both presets do, idle and loaded."""
    return {
        (name, load): Seen(play, name, load) for name in ("ce30", "cenet") for load in (False, True)
    }


def test_idle_ce_3_0_starts_its_ist_after_2_5_and_its_app_after_16_us(seen) -> None:
    assert set(seen["ce30", False].latencies(IST)) == {2_500_000}
    assert set(seen["ce30", False].latencies(APP)) == {16 * US}


def test_the_ist_of_a_loaded_ce_3_0_jitters_by_about_5_us(seen) -> None:
    spans = seen["ce30", True].spans(IST)
    assert max(spans) <= 5 * US
    assert statistics.mean(spans) == pytest.approx(5 * US, rel=0.05)


def test_a_loaded_ce_3_0_is_done_in_time(seen) -> None:
    loaded = seen["ce30", True]
    assert 40 * US < max(loaded.completions(IST)) <= 50 * US
    assert 120 * US < max(loaded.completions(APP)) <= 125 * US
    assert max(loaded.latencies(APP)) <= 133 * US


def test_the_app_of_a_loaded_ce_3_0_has_early_peaks_at_15_and_30_us(seen) -> None:
    at = Counter(round(latency / US) for latency in seen["ce30", True].latencies(APP))
    early = {us: count for us, count in at.items() if us <= 45}
    assert sorted(sorted(early, key=lambda us: -early[us])[:2]) == [15, 30]


def test_ce_net_starts_its_ist_after_6_3_and_its_app_after_53_us(seen) -> None:
    for load in (False, True):
        assert statistics.median(seen["cenet", load].latencies(IST)) == 6_300_000
    assert statistics.median(seen["cenet", False].latencies(APP)) == 53 * US
    # Under load each waits for the IST, which is late now and then.
    assert statistics.median(seen["cenet", True].latencies(APP)) == pytest.approx(53 * US, rel=0.01)


def test_load_makes_the_app_of_ce_net_jitter_less_than_idle_and_than_ce_3_0(seen) -> None:
    loaded = max(seen["cenet", True].spans(APP))
    assert loaded < min(seen["cenet", False].spans(APP))
    assert loaded < min(seen["ce30", True].spans(APP))


@pytest.mark.parametrize("name", ["ce30", "cenet"])
def test_the_load_can_be_named_and_left_out(play: Play, seen, name: str) -> None:
    def edges(own: str) -> list[tuple[int, int, int]]:
        return Seen(play, name, True, own, 300).played.edges

    idle, loaded = (Seen(play, name, load, "", 300).played.edges for load in (False, True))
    assert edges("load=polygons") == loaded != idle
    assert edges("load=none") == idle
    options = option_text(name, find_device(name, Path()), "load=cpu")
    assert play(options, []).error.startswith("load=cpu: must be none or polygons")


KNEES_HZ = {
    ("ce30", IST): (100_500, 80_000),
    ("ce30", APP): (60_000, 27_000),
    ("cenet", IST): (47_000, 47_000),
    ("cenet", APP): (40_000, 39_200),
}
"""Idle and loaded. APP's under load are 45 % and 98 % of those that were chosen for idle."""


@pytest.mark.parametrize("load", [False, True])
@pytest.mark.parametrize(("name", "pin"), KNEES_HZ)
def test_nothing_is_lost_just_below_a_knee_and_much_just_above(
    play: Play, name: str, pin: int, load: bool
) -> None:
    knee_hz, answered = KNEES_HZ[name, pin][load], []
    for rate_hz in (0.998 * knee_hz, 1.005 * knee_hz):
        strikes = [US + round(n * 10**12 / rate_hz) for n in range(3000)]
        options = option_text(name, find_device(name, Path()), "")
        answered.append(len(play(options, strikes, US, load=load).rises(pin)))
    assert answered[0] == 3000
    assert answered[1] < 2500
