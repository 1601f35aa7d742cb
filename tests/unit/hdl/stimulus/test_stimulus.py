# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Single strikes, triggers and the end of a sequence, against plain integers."""

import pytest

from plexor.protocol.geometry import TRIGGER_CLOCKS, Feature, Geometry
from plexor.protocol.registers import Trigger
from plexor_hdl.stimulus.painter import STOP_CLOCKS
from plexor_hdl.stimulus.stimulus import Stimulus

from ..simulation import made, simulate
from ..stimulus_bench import bench, check, edges, expected, of_builds
from ..stimulus_truth import Settings

SAMPLES = [pytest.param(4, marks=pytest.mark.full), 8, 16]
EVERY = of_builds(Feature(0))
DITHER = of_builds(Feature.DITHER)
POISSON = of_builds(Feature.POISSON)


@EVERY
@pytest.mark.parametrize("samples", SAMPLES)
def test_a_period_is_exact_in_ticks(samples, features):
    check(
        samples, Settings(interval_ticks=37, width_ticks=5, phase_ticks=3), 200, features=features
    )


@EVERY
@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("over", [0, 1, 3])
def test_a_strike_in_every_word(samples, over, features):
    settings = Settings(interval_ticks=samples + over, width_ticks=samples + over - 1)
    check(samples, settings, 150, features=features)


@EVERY
def test_the_fraction_adds_up_without_loss(features):
    third = (1 << 32) // 3
    check(
        8,
        Settings(interval_ticks=1000, interval_fraction=third, width_ticks=9),
        4000,
        features=features,
    )


@EVERY
@pytest.mark.parametrize("samples", SAMPLES)
def test_a_fraction_on_the_least_interval(samples, features):
    settings = Settings(interval_ticks=samples, interval_fraction=0xC000_0001)
    check(samples, settings, 200, features=features)


@of_builds(Feature(0), Feature.DITHER)
def test_the_fractions_lower_half_carries_into_its_upper(features):
    # Three times this is just over one tick; three times its upper half is not.
    check(8, Settings(interval_ticks=8, interval_fraction=0x5555_5556), 200, features=features)


@EVERY
@pytest.mark.parametrize("width", [1, 7, 8, 9, 15, 16, 17, 128, 129, 1000, 1999])
def test_a_width_is_exact_in_ticks(width, features):
    check(
        8, Settings(interval_ticks=2000, width_ticks=width, phase_ticks=5), 900, features=features
    )


@EVERY
@pytest.mark.parametrize("phase", [0, 1, 7, 8, 9, 127, 128, 135, 2047, 2048, 4100])
def test_the_first_strike_is_at_the_phase(phase, features):
    check(8, Settings(phase_ticks=phase, strike_count=1, width_ticks=3), 560, features=features)


@EVERY
@pytest.mark.parametrize("interval", [127, 128, 129, 255, 256, 263, 264, 2048, 4096, 5000])
def test_intervals_around_the_refills_of_the_timer(interval, features):
    check(8, Settings(interval_ticks=interval, width_ticks=interval - 1), 2000, features=features)


@DITHER
@pytest.mark.parametrize("bits", [1, 3, 4, 6, 11, 32])
def test_dither_is_the_generators_low_bits(bits, features):
    settings = Settings(interval_ticks=8, width_ticks=7, dither_bits=bits, seed=0x1234_5678_9ABC)
    check(8, settings, 3000 if bits < 32 else 300, features=features)


def test_dither_of_fast_bursts_with_a_fraction():
    settings = Settings(
        interval_ticks=16,
        interval_fraction=0x8000_0001,
        burst_count=5,
        spacing_ticks=3,
        width_ticks=2,
        dither_bits=5,
        seed=0,
    )
    check(8, settings, 1500)


@POISSON
@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("width", [1, pytest.param(5, marks=pytest.mark.full), 40])
@pytest.mark.parametrize("chance", [0.05, 0.9])
def test_poisson_strikes_are_the_generators(samples, width, chance, features):
    settings = Settings(
        width_ticks=width,
        phase_ticks=19,
        poisson_threshold=int(chance * (1 << 48)),
        seed=0xDEAD_BEEF_0BAD_CAFE,
        strike_count=50,
    )
    check(samples, settings, 1500, features=features)


@pytest.mark.parametrize(
    "ignored",
    [
        {"poisson_threshold": 1 << 47},
        {"dither_bits": 5},
        {"burst_count": 0, "spacing_ticks": 3},
        {"burst_count": 4, "spacing_ticks": 11},
    ],
)
def test_a_lean_build_ignores_what_it_lacks(ignored):
    settings = Settings(interval_ticks=50, **ignored)
    seen = bench(8, settings, 100, features=Feature(0))
    assert edges(seen, 8)[0] == list(range(0, (100 - TRIGGER_CLOCKS) * 8, 50))


@EVERY
def test_stop_lets_a_pulse_end_and_starts_no_other(features):
    settings = Settings(interval_ticks=80, width_ticks=50)
    stop = 40
    seen = bench(
        8, settings, 100, drive={0: {"start_stb": 1}, stop: {"stop": 1}}, features=features
    )
    up, _ = expected(settings, 8, stop + STOP_CLOCKS)
    assert edges(seen, 8) == (up, [t + 50 for t in up])
    assert seen[-1][2] == 1


@pytest.mark.parametrize(
    "settings",
    [
        Settings(interval_ticks=21, interval_fraction=0x5555_5555, dither_bits=4, width_ticks=12),
        Settings(poisson_threshold=1 << 46, width_ticks=30),
        Settings(burst_count=9, spacing_ticks=3, width_ticks=1, interval_ticks=20),
    ],
)
@pytest.mark.parametrize("again", [50, 51, 52, 53, 54, 55])
def test_a_start_in_the_midst_of_a_run_begins_the_same_sequence(settings, again):
    clocks = 150
    drive = {0: {"start_stb": 1}, again: {"start_stb": 1}}
    seen = bench(8, settings, again + clocks, drive=drive)
    silence = seen[again + 1 : again + TRIGGER_CLOCKS]
    assert {word for word, _, _ in silence} == {0}
    assert edges(seen[again + 1 :], 8, TRIGGER_CLOCKS - 1) == expected(settings, 8, clocks)


@EVERY
@pytest.mark.parametrize("again", range(50, 56))
def test_a_start_begins_single_strikes_anew(again, features):
    settings = Settings(interval_ticks=21, interval_fraction=0x5555_5555, width_ticks=12)
    drive = {0: {"start_stb": 1}, again: {"start_stb": 1}}
    seen = bench(8, settings, again + 100, drive=drive, features=features)
    assert {word for word, _, _ in seen[again + 1 : again + TRIGGER_CLOCKS]} == {0}
    assert edges(seen[again + 1 :], 8, TRIGGER_CLOCKS - 1) == expected(settings, 8, 100)


@EVERY
def test_a_strike_of_the_source_starts_a_sequence(features):
    settings = Settings(strike_count=2, interval_ticks=20, width_ticks=3, phase_ticks=9)
    drive = {0: {"start_stb": 1}, 30: {"strikes": 0b10}, 60: {"strikes": 0b01}}
    seen = bench(8, settings, 120, trigger=Trigger.STRIKE, source=1, drive=drive, features=features)
    assert edges(seen, 8, 30 + TRIGGER_CLOCKS) == ([9, 29], [12, 32])


@EVERY
@pytest.mark.parametrize(
    ("ends", "before"),
    [
        *(("start_stb", before) for before in (1, 2, 3, TRIGGER_CLOCKS - 3, TRIGGER_CLOCKS - 2)),
        *(("stop", before) for before in (1, 2, 3, TRIGGER_CLOCKS - STOP_CLOCKS)),
    ],
)
def test_a_start_or_a_stop_forgets_a_trigger_whose_sequence_has_not_begun(ends, before, features):
    settings = Settings(strike_count=2, interval_ticks=20, width_ticks=3, phase_ticks=9)
    drive = {0: {"start_stb": 1}, 40 - before: {"strikes": 1}, 40: {ends: 1}}
    drive |= {60: {"start_stb": 1, "stop": 0}} if ends == "stop" else {}
    drive[100] = {"strikes": 1}
    seen = bench(8, settings, 150, trigger=Trigger.STRIKE, drive=drive, features=features)
    assert edges(seen, 8, 100 + TRIGGER_CLOCKS) == ([9, 29], [12, 32])


@EVERY
def test_a_code_starts_a_sequence_where_it_is_asked_for(features):
    settings = Settings(strike_count=2, interval_ticks=20, width_ticks=3, phase_ticks=9)
    drive = {0: {"start_stb": 1}, 30: {"code_stb": 1}, 90: {"strikes": 0b11, "gate": 1}}
    seen = bench(8, settings, 150, trigger=Trigger.CODE, drive=drive, features=features)
    assert edges(seen, 8, 30 + TRIGGER_CLOCKS) == ([9, 29], [12, 32])
    seen = bench(8, settings, 150, trigger=Trigger.STRIKE, drive=drive, features=features)
    assert edges(seen, 8, 90 + TRIGGER_CLOCKS)[0] == [9, 29]


@EVERY
def test_a_trigger_before_the_last_pulse_has_ended_is_ignored(features):
    settings = Settings(strike_count=1, width_ticks=21)
    first, fall = 10, 10 + TRIGGER_CLOCKS + 21 // 8
    for again, taken in (
        (11, 0),
        (10 + TRIGGER_CLOCKS, 0),
        (fall - 1, 0),
        (fall, 0),
        (fall + 1, 1),
    ):
        drive = {0: {"start_stb": 1}, first: {"strikes": 1}, again: {"strikes": 1}}
        seen = bench(8, settings, 80, trigger=Trigger.STRIKE, drive=drive, features=features)
        late = (again - first) * 8
        assert edges(seen, 8, first + TRIGGER_CLOCKS) == (
            [0, late][: 1 + taken],
            [21, late + 21][: 1 + taken],
        )


@EVERY
def test_the_gate_starts_and_ends_a_sequence(features):
    settings = Settings(interval_ticks=12, width_ticks=10, phase_ticks=4)
    drive = {0: {"start_stb": 1}, 20: {"gate": 1}, 40: {"gate": 0}, 60: {"gate": 1}}
    seen = bench(8, settings, 90, trigger=Trigger.GATE, drive=drive, features=features)
    origin = 20 + TRIGGER_CLOCKS
    first = list(range(4, 20 * 8, 12))
    second = list(range(40 * 8 + 4, (90 - origin) * 8, 12))
    assert edges(seen, 8, origin)[0] == first + second


@EVERY
@pytest.mark.parametrize("low", [16, 17])
def test_a_gate_that_was_low_for_16_clocks_may_rise_again(low, features):
    settings = Settings(interval_ticks=800, width_ticks=4)
    drive = {0: {"start_stb": 1}, 5: {"gate": 1}, 50: {"gate": 0}, 50 + low: {"gate": 1}}
    seen = bench(8, settings, 120, trigger=Trigger.GATE, drive=drive, features=features)
    assert edges(seen, 8, 5 + TRIGGER_CLOCKS)[0] == [0, (45 + low) * 8]


@pytest.mark.parametrize(
    "settings",
    [
        Settings(interval_ticks=21, interval_fraction=0x5555_5556, dither_bits=5, width_ticks=12),
        Settings(poisson_threshold=1 << 46, width_ticks=3, phase_ticks=5),
        Settings(interval_ticks=30, dither_bits=3, burst_count=3, spacing_ticks=9, width_ticks=4),
    ],
)
def test_each_rise_of_the_gate_begins_what_is_random_anew(settings):
    drive = {0: {"start_stb": 1}, 5: {"gate": 1}, 100: {"gate": 0}, 130: {"gate": 1}}
    seen = bench(8, settings, 210, trigger=Trigger.GATE, drive=drive)
    for rise, last in ((5, 100), (130, 190)):
        up, _ = edges(seen[: last + TRIGGER_CLOCKS], 8, rise + TRIGGER_CLOCKS)
        assert [t for t in up if t >= 0] == expected(settings, 8, last - rise, 0)[0]


@EVERY
def test_a_gate_high_at_the_start_rises_there(features):
    settings = Settings(interval_ticks=16, width_ticks=4)
    drive = {0: {"gate": 1}, 10: {"start_stb": 1}}
    seen = bench(8, settings, 40, trigger=Trigger.GATE, drive=drive, features=features)
    assert edges(seen, 8, 10 + TRIGGER_CLOCKS)[0] == list(range(0, (30 - TRIGGER_CLOCKS) * 8, 16))


@EVERY
def test_done_follows_the_last_strike(features):
    settings = Settings(strike_count=3, interval_ticks=80, width_ticks=50)
    seen = bench(8, settings, 80, features=features)
    assert [done for _, _, done in seen[:2]] == [1, 0]
    last = TRIGGER_CLOCKS + (160 + 50) // 8
    assert not any(done for _, _, done in seen[1 : last + 1])
    assert all(done for _, _, done in seen[last + 6 :])


def test_a_disabled_output_is_idle_and_done():
    dut = made(Stimulus, Geometry(), 0)
    words = []

    async def run(ctx):
        ctx.set(dut.config.interval_ticks, 8)
        ctx.set(dut.config.width_ticks, 1)
        ctx.set(dut.start_stb, 1)
        for _ in range(40):
            await ctx.tick()
            ctx.set(dut.start_stb, 0)
            words.append((ctx.get(dut.word), ctx.get(dut.done)))

    simulate(dut, run)
    assert set(words) == {(0, 1)}


def test_a_number_beyond_the_geometry_is_refused():
    with pytest.raises(ValueError, match="number: 2; must be 0 to 1"):
        Stimulus(Geometry(strikes=2), 2)


@EVERY
@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 18, 31, 32, 33, 300])
def test_a_count_of_single_strikes_is_exact(count, features):
    settings = Settings(interval_ticks=9, width_ticks=8, strike_count=count)
    check(8, settings, 40 + 2 * count, features=features)
