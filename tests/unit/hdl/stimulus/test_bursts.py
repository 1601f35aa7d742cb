# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Several strikes a period, down to one every second tick, against plain integers."""

import pytest

from plexor.protocol.geometry import TRIGGER_CLOCKS, Feature
from plexor.protocol.registers import Trigger
from plexor_hdl.stimulus.painter import STOP_CLOCKS

from ..stimulus_bench import bench, check, edges, of_builds
from ..stimulus_truth import Settings

SAMPLES = [pytest.param(4, marks=pytest.mark.full), 8, 16]
BURST = of_builds(Feature.BURST)


@BURST
@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("fraction", [0, 0x8000_0000])
def test_bursts_of_spaced_strikes(samples, fraction, features):
    settings = Settings(
        interval_ticks=101,
        interval_fraction=fraction,
        width_ticks=2,
        burst_count=3,
        spacing_ticks=samples + 1,
    )
    check(samples, settings, 300, features=features)


@pytest.mark.parametrize("dither_bits", [0, 3, 7])
def test_only_what_follows_a_bursts_last_strike_is_drawn(dither_bits):
    settings = Settings(
        interval_ticks=40,
        interval_fraction=0x3000_0001,
        width_ticks=2,
        burst_count=4,
        spacing_ticks=8,
        dither_bits=dither_bits,
        seed=0x1234_5678_9ABC,
    )
    check(8, settings, 1500, features=Feature.BURST | Feature.DITHER)


@BURST
def test_a_burst_with_a_strike_in_every_word(features):
    check(
        8,
        Settings(interval_ticks=8, burst_count=2, spacing_ticks=9, width_ticks=7),
        200,
        features=features,
    )


@BURST
@pytest.mark.parametrize("count", [31, 32, 33, 64])
def test_long_bursts(count, features):
    check(
        8,
        Settings(interval_ticks=50, burst_count=count, spacing_ticks=8, width_ticks=7),
        300,
        features=features,
    )


@BURST
def test_an_endless_burst_of_spaced_strikes(features):
    check(8, Settings(burst_count=0, spacing_ticks=11, width_ticks=10), 400, features=features)


@BURST
@pytest.mark.parametrize("samples", SAMPLES)
def test_an_endless_toggle_every_tick_from_any_offset(samples, features):
    for phase in range(samples):
        settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1, phase_ticks=phase)
        check(samples, settings, 40, features=features)


@BURST
@pytest.mark.parametrize(
    ("samples", "spacing"),
    [(4, 2), (4, 3), (8, 2), (8, 3), (8, 5), (8, 7), (16, 2), (16, 3), (16, 7), (16, 15)],
)
def test_fast_bursts_begin_anywhere_and_end_exactly(samples, spacing, features):
    for width in {1, spacing - 1}:
        for count in (2, 3, 5, 11):
            settings = Settings(
                interval_ticks=2 * samples + 1,
                interval_fraction=0x4000_0000,
                width_ticks=width,
                burst_count=count,
                spacing_ticks=spacing,
                phase_ticks=samples - 1,
            )
            check(samples, settings, 60 + 4 * count * spacing, features=features)


@BURST
@pytest.mark.parametrize("samples", SAMPLES)
def test_a_count_ends_inside_a_fast_burst(samples, features):
    for count in (*range(1, 20), 130):
        settings = Settings(
            interval_ticks=5 * samples,
            width_ticks=1,
            burst_count=7,
            spacing_ticks=2,
            strike_count=count,
        )
        check(samples, settings, 60 + 2 * count, features=features)


@BURST
@pytest.mark.parametrize("count", [1, 2, 3, 4, 127, 128, 129, 300])
def test_a_count_of_strikes_is_exact(count, features):
    settings = Settings(
        interval_ticks=12, burst_count=4, spacing_ticks=8, width_ticks=3, strike_count=count
    )
    check(8, settings, 60 + 2 * count, features=features)


@BURST
@pytest.mark.parametrize("count", [500, 1000])
def test_a_count_of_an_endless_toggle_is_exact(count, features):
    settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1, strike_count=count)
    check(16, settings, 40 + count // 8, features=features)


@BURST
def test_stop_ends_an_endless_toggle_at_its_clock(features):
    settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1)
    seen = bench(8, settings, 100, drive={0: {"start_stb": 1}, 40: {"stop": 1}}, features=features)
    quiet = 40 + STOP_CLOCKS - TRIGGER_CLOCKS
    assert edges(seen, 8) == (list(range(0, quiet * 8, 2)), list(range(1, quiet * 8, 2)))


@BURST
def test_the_gate_ends_fast_bursts_at_its_clock(features):
    settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1)
    for length in (1, 2, 7, 30):
        drive = {0: {"start_stb": 1}, 5: {"gate": 1}, 5 + length: {"gate": 0}}
        seen = bench(8, settings, 60, trigger=Trigger.GATE, drive=drive, features=features)
        assert edges(seen, 8, 5 + TRIGGER_CLOCKS)[0] == list(range(0, length * 8, 2))
