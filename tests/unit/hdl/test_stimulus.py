# amaranth: UnusedElaboratable=no
"""A monitor that sees nothing but the words, against plain integers."""

from itertools import takewhile

import pytest
from amaranth.sim import Simulator

from plexor.protocol.geometry import TRIGGER_CLOCKS, Feature, Geometry
from plexor.protocol.registers import Trigger
from plexor_hdl.stimulus import Stimulus

from .stimulus_truth import Settings, rises

SETTLE_CLOCKS = 24


def bench(samples, settings, clocks, *, trigger=Trigger.RUN, source=0, drive=None, **geometry):
    """Return (word, strike_stb, done) of each clock; clock 0 is start_stb's.

    `drive` maps a clock to the inputs it changes; start_stb and strikes fall again by themselves.
    """
    dut = Stimulus(Geometry(samples=samples, **geometry), 0)
    drive = {0: {"start_stb": 1}} if drive is None else drive
    seen = []

    async def run(ctx):
        for name, value in vars(settings).items():
            ctx.set(getattr(dut.config, name), value)
        ctx.set(dut.config.enable, 1)
        ctx.set(dut.config.trigger, trigger)
        ctx.set(dut.config.trigger_source, source)
        await ctx.tick().repeat(SETTLE_CLOCKS)
        for clock in range(clocks):
            if clock in drive:
                for name, value in drive[clock].items():
                    ctx.set(getattr(dut, name), value)
            seen.append((ctx.get(dut.word), ctx.get(dut.strike_stb), ctx.get(dut.done)))
            await ctx.tick()
            if clock in drive:
                ctx.set(dut.start_stb, 0)
                ctx.set(dut.strikes, 0)

    simulator = Simulator(dut)
    simulator.add_clock(8e-9)
    simulator.add_testbench(run)
    simulator.run()
    return seen


def edges(seen, samples, origin=TRIGGER_CLOCKS):
    """Return (rises, falls) in ticks, tick 0 at bit 0 of the word of clock `origin`."""
    levels = [word >> bit & 1 for word, _, _ in seen for bit in range(samples)]
    zero = origin * samples
    changes = [
        (tick - zero, level)
        for tick, (before, level) in enumerate(zip([0, *levels], levels, strict=False))
        if before != level
    ]
    return [t for t, level in changes if level], [t for t, level in changes if not level]


def expected(settings, samples, clocks, origin=TRIGGER_CLOCKS):
    """Return (rises, falls) of the sequence in so many clocks."""
    end = (clocks - origin) * samples
    up = list(takewhile(lambda tick: tick < end, rises(settings, samples)))
    return up, [t + settings.width_ticks for t in up if t + settings.width_ticks < end]


def check(samples, settings, clocks, **geometry):
    """Assert that rises, falls and strike_stb are what the truth says."""
    seen = bench(samples, settings, clocks, **geometry)
    up, down = expected(settings, samples, clocks)
    assert up, "the case is about strikes"
    assert edges(seen, samples) == (up, down)
    strobes = [clock for clock, (_, strobe, _) in enumerate(seen) if strobe]
    assert strobes == sorted({tick // samples + TRIGGER_CLOCKS for tick in up})


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_a_period_is_exact_in_ticks(samples):
    check(samples, Settings(interval_ticks=37, width_ticks=5, phase_ticks=3), 200)


@pytest.mark.parametrize("samples", [4, 8, 16])
@pytest.mark.parametrize("over", [0, 1, 3])
def test_a_strike_in_every_word(samples, over):
    settings = Settings(interval_ticks=samples + over, width_ticks=samples + over - 1)
    check(samples, settings, 150)


def test_the_fraction_adds_up_without_loss():
    third = (1 << 32) // 3
    check(8, Settings(interval_ticks=1000, interval_fraction=third, width_ticks=9), 4000)


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_a_fraction_on_the_least_interval(samples):
    settings = Settings(interval_ticks=samples, interval_fraction=0xC000_0001)
    check(samples, settings, 200)


def test_the_fractions_lower_half_carries_into_its_upper():
    # Three times this is just over one tick; three times its upper half is not.
    check(8, Settings(interval_ticks=8, interval_fraction=0x5555_5556), 200)


@pytest.mark.parametrize("width", [1, 7, 8, 9, 15, 16, 17, 128, 129, 1000, 1999])
def test_a_width_is_exact_in_ticks(width):
    check(8, Settings(interval_ticks=2000, width_ticks=width, phase_ticks=5), 900)


@pytest.mark.parametrize("phase", [0, 1, 7, 8, 9, 127, 128, 135, 2047, 2048, 4100])
def test_the_first_strike_is_at_the_phase(phase):
    check(8, Settings(phase_ticks=phase, strike_count=1, width_ticks=3), 560)


@pytest.mark.parametrize("interval", [127, 128, 129, 255, 256, 263, 264, 2048, 4096, 5000])
def test_intervals_around_the_refills_of_the_timer(interval):
    check(8, Settings(interval_ticks=interval, width_ticks=interval - 1), 2000)


@pytest.mark.parametrize("samples", [4, 8, 16])
@pytest.mark.parametrize("fraction", [0, 0x8000_0000])
def test_bursts_of_spaced_strikes(samples, fraction):
    settings = Settings(
        interval_ticks=101,
        interval_fraction=fraction,
        width_ticks=2,
        burst_count=3,
        spacing_ticks=samples + 1,
    )
    check(samples, settings, 300)


def test_a_burst_with_a_strike_in_every_word():
    check(8, Settings(interval_ticks=8, burst_count=2, spacing_ticks=9, width_ticks=7), 200)


@pytest.mark.parametrize("count", [31, 32, 33, 64])
def test_long_bursts(count):
    check(8, Settings(interval_ticks=50, burst_count=count, spacing_ticks=8, width_ticks=7), 300)


def test_an_endless_burst_of_spaced_strikes():
    check(8, Settings(burst_count=0, spacing_ticks=11, width_ticks=10), 400)


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_an_endless_toggle_every_tick_from_any_offset(samples):
    for phase in range(samples):
        settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1, phase_ticks=phase)
        check(samples, settings, 40)


@pytest.mark.parametrize(
    ("samples", "spacing"),
    [(4, 2), (4, 3), (8, 2), (8, 3), (8, 5), (8, 7), (16, 2), (16, 3), (16, 7), (16, 15)],
)
def test_fast_bursts_begin_anywhere_and_end_exactly(samples, spacing):
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
            check(samples, settings, 60 + 4 * count * spacing)


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_a_count_ends_inside_a_fast_burst(samples):
    for count in (*range(1, 20), 130):
        settings = Settings(
            interval_ticks=5 * samples,
            width_ticks=1,
            burst_count=7,
            spacing_ticks=2,
            strike_count=count,
        )
        check(samples, settings, 60 + 2 * count)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 127, 128, 129, 300])
def test_a_count_of_strikes_is_exact(count):
    settings = Settings(
        interval_ticks=12, burst_count=4, spacing_ticks=8, width_ticks=3, strike_count=count
    )
    check(8, settings, 60 + 2 * count)


@pytest.mark.parametrize("count", [500, 1000])
def test_a_count_of_an_endless_toggle_is_exact(count):
    settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1, strike_count=count)
    check(16, settings, 40 + count // 8)


@pytest.mark.parametrize("bits", [1, 3, 4, 6, 11, 32])
def test_dither_is_the_generators_low_bits(bits):
    settings = Settings(interval_ticks=8, width_ticks=7, dither_bits=bits, seed=0x1234_5678_9ABC)
    check(8, settings, 3000 if bits < 32 else 300)


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


@pytest.mark.parametrize("samples", [4, 8, 16])
@pytest.mark.parametrize("width", [1, 5, 40])
@pytest.mark.parametrize("chance", [0.05, 0.9])
def test_poisson_strikes_are_the_generators(samples, width, chance):
    settings = Settings(
        width_ticks=width,
        phase_ticks=19,
        poisson_threshold=int(chance * (1 << 48)),
        seed=0xDEAD_BEEF_0BAD_CAFE,
        strike_count=50,
    )
    check(samples, settings, 1500)


def test_a_build_without_poisson_ignores_the_threshold():
    settings = Settings(interval_ticks=50, poisson_threshold=1 << 47)
    seen = bench(8, settings, 100, features=Feature(0))
    assert edges(seen, 8)[0] == list(range(0, 92 * 8, 50))


def test_stop_lets_a_pulse_end_and_starts_no_other():
    settings = Settings(interval_ticks=80, width_ticks=50)
    stop = 40
    seen = bench(8, settings, 100, drive={0: {"start_stb": 1}, stop: {"stop": 1}})
    up, _ = expected(settings, 8, stop + 3)
    assert edges(seen, 8) == (up, [t + 50 for t in up])
    assert seen[-1][2] == 1


def test_stop_ends_an_endless_toggle_in_three_clocks():
    settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1)
    seen = bench(8, settings, 100, drive={0: {"start_stb": 1}, 40: {"stop": 1}})
    assert edges(seen, 8) == (list(range(0, 35 * 8, 2)), list(range(1, 35 * 8, 2)))


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


def test_a_strike_of_the_source_starts_a_sequence():
    settings = Settings(strike_count=2, interval_ticks=20, width_ticks=3, phase_ticks=9)
    drive = {0: {"start_stb": 1}, 30: {"strikes": 0b10}, 60: {"strikes": 0b01}}
    seen = bench(8, settings, 120, trigger=Trigger.STRIKE, source=1, drive=drive)
    assert edges(seen, 8, 38) == ([9, 29], [12, 32])


def test_a_trigger_before_the_last_pulse_has_ended_is_ignored():
    settings = Settings(strike_count=1, width_ticks=21)
    first, fall = 10, 10 + TRIGGER_CLOCKS + 21 // 8
    for again, taken in ((11, 0), (18, 0), (fall - 1, 0), (fall, 0), (fall + 1, 1)):
        drive = {0: {"start_stb": 1}, first: {"strikes": 1}, again: {"strikes": 1}}
        seen = bench(8, settings, 80, trigger=Trigger.STRIKE, drive=drive)
        late = (again - first) * 8
        assert edges(seen, 8, 18) == ([0, late][: 1 + taken], [21, late + 21][: 1 + taken])


def test_the_gate_starts_and_ends_a_sequence():
    settings = Settings(interval_ticks=12, width_ticks=10, phase_ticks=4)
    drive = {0: {"start_stb": 1}, 20: {"gate": 1}, 40: {"gate": 0}, 60: {"gate": 1}}
    seen = bench(8, settings, 90, trigger=Trigger.GATE, drive=drive)
    first = list(range(4, 20 * 8, 12))
    second = list(range(40 * 8 + 4, (90 - 28) * 8, 12))
    assert edges(seen, 8, 28)[0] == first + second


def test_the_gate_ends_fast_bursts_at_its_clock():
    settings = Settings(burst_count=0, spacing_ticks=2, width_ticks=1)
    for length in (1, 2, 7, 30):
        drive = {0: {"start_stb": 1}, 5: {"gate": 1}, 5 + length: {"gate": 0}}
        seen = bench(8, settings, 60, trigger=Trigger.GATE, drive=drive)
        assert edges(seen, 8, 13)[0] == list(range(0, length * 8, 2))


def test_a_gate_high_at_the_start_rises_there():
    settings = Settings(interval_ticks=16, width_ticks=4)
    drive = {0: {"gate": 1}, 10: {"start_stb": 1}}
    seen = bench(8, settings, 40, trigger=Trigger.GATE, drive=drive)
    assert edges(seen, 8, 18)[0] == list(range(0, 22 * 8, 16))


def test_done_follows_the_last_strike():
    settings = Settings(strike_count=3, interval_ticks=80, width_ticks=50)
    seen = bench(8, settings, 80)
    assert [done for _, _, done in seen[:2]] == [1, 0]
    last = TRIGGER_CLOCKS + (160 + 50) // 8
    assert not any(done for _, _, done in seen[1 : last + 1])
    assert all(done for _, _, done in seen[last + 6 :])


def test_a_disabled_output_is_idle_and_done():
    dut = Stimulus(Geometry(), 0)
    words = []

    async def run(ctx):
        ctx.set(dut.config.interval_ticks, 8)
        ctx.set(dut.config.width_ticks, 1)
        ctx.set(dut.start_stb, 1)
        for _ in range(40):
            await ctx.tick()
            ctx.set(dut.start_stb, 0)
            words.append((ctx.get(dut.word), ctx.get(dut.done)))

    simulator = Simulator(dut)
    simulator.add_clock(8e-9)
    simulator.add_testbench(run)
    simulator.run()
    assert set(words) == {(0, 1)}


def test_a_number_beyond_the_geometry_is_refused():
    with pytest.raises(ValueError, match="number: 2; must be 0 to 1"):
        Stimulus(Geometry(strikes=2), 2)
