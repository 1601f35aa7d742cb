# SPDX-License-Identifier: Apache-2.0
"""Strike times against closed forms and cases worked by hand."""

from fractions import Fraction

import numpy as np
import pytest

from plexor.protocol.geometry import TRIGGER_CLOCKS, Feature, Geometry
from plexor.protocol.registers import Trigger
from plexor_sim.golden.edges import TickEdges
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.stimulus import strikes

W = 8
GEOMETRY = Geometry(samples=W, strikes=3)
LEAD = TRIGGER_CLOCKS * W


def rises(stop, *, start=0, gate=None, number=0, geometry=GEOMETRY, **stimuli):
    """Return the rises of one stimulus; `s0={...}` are registers of stimulus 0, enabled."""
    copies = {int(name[1:]): {"enable": 1} | values for name, values in stimuli.items()}
    made = strikes(geometry, Settings.of(stimulus=copies), start, stop, gate)
    return made[number].rise_ticks.tolist()


def gate_of(*times):
    level = np.arange(len(times)) % 2 == 0
    return TickEdges(np.array(times, np.int64), level)


def states(state, count):
    result = []
    for _ in range(count):
        state ^= (state << 13) % 2**64
        state ^= state >> 7
        state ^= (state << 17) % 2**64
        result.append(state)
    return result


def test_the_first_strike_is_phase_after_the_start():
    made = rises(500, start=160, s0={"interval_ticks": 100, "width_ticks": 5, "phase_ticks": 3})
    assert made == [163, 263, 363, 463]


def test_no_strike_starts_at_the_stop_and_one_under_way_ends_as_planned():
    values = {"enable": 1, "interval_ticks": 100, "width_ticks": 50}
    made = strikes(GEOMETRY, Settings.of(stimulus=values), 0, 201)[0]
    assert made.rise_ticks.tolist() == [0, 100, 200]
    assert made.fall_ticks.tolist() == [50, 150, 250]
    made = strikes(GEOMETRY, Settings.of(stimulus=values), 0, 200)[0]
    assert made.rise_ticks.tolist() == [0, 100]


def test_cots5k_is_a_square_wave_of_200_us_with_20_percent_duty():
    values = {"enable": 1, "interval_ticks": 200_000, "width_ticks": 40_000, "strike_count": 5000}
    made = strikes(GEOMETRY, Settings.of(stimulus=values), 0, 10**10)[0]
    assert len(made.rise_ticks) == 5000
    assert made.rise_ticks[-1] == 4999 * 200_000
    assert set((made.fall_ticks - made.rise_ticks).tolist()) == {40_000}
    assert set(np.diff(made.rise_ticks).tolist()) == {200_000}


def test_a_disabled_stimulus_never_strikes():
    assert rises(1000, s0={"enable": 0, "interval_ticks": 100, "width_ticks": 5}) == []


@pytest.mark.parametrize(
    "ignored",
    [
        {"poisson_threshold": 1 << 47},
        {"dither_bits": 5},
        {"burst_count": 0, "spacing_ticks": 3},
        {"burst_count": 4, "spacing_ticks": 7},
    ],
)
def test_a_lean_build_ignores_what_it_lacks(ignored):
    lean = Geometry(samples=W, features=Feature(0))
    values = {"interval_ticks": 50, "width_ticks": 1, **ignored}
    assert rises(201, geometry=lean, s0=values) == [0, 50, 100, 150, 200]


def test_a_half_tick_adds_up():
    values = {"interval_ticks": 10, "interval_fraction": 1 << 31, "width_ticks": 1}
    assert rises(63, s0=values) == [0, 10, 21, 31, 42, 52]
    assert rises(64, s0=values) == [0, 10, 21, 31, 42, 52, 63]


def test_ten_million_intervals_with_a_fraction_end_within_a_tick_of_the_exact_time():
    interval, fraction, count = 33, 0xDEADBEEF, 10**7
    values = {
        "interval_ticks": interval,
        "interval_fraction": fraction,
        "width_ticks": 4,
        "strike_count": count + 1,
        "phase_ticks": 7,
    }
    copies = {0: {"enable": 1} | values}
    made = strikes(GEOMETRY, Settings.of(stimulus=copies), 80, 1 << 62)[0].rise_ticks
    assert len(made) == count + 1
    step = interval + Fraction(fraction, 2**32)
    for number in (1, 2, 999_999, 4_294_967, count - 1, count):
        error = 87 + number * step - int(made[number])
        assert 0 <= error < 1
    differences = np.diff(made)
    assert set(np.unique(differences).tolist()) == {33, 34}


def test_bursts_alternate_spacing_and_interval():
    values = {
        "interval_ticks": 100,
        "width_ticks": 4,
        "burst_count": 3,
        "spacing_ticks": 10,
        "strike_count": 8,
    }
    assert rises(10**6, s0=values) == [0, 10, 20, 120, 130, 140, 240, 250]


def test_the_fraction_adds_up_over_bursts_not_over_strikes():
    values = {
        "interval_ticks": 100,
        "interval_fraction": 1 << 31,
        "width_ticks": 4,
        "burst_count": 2,
        "spacing_ticks": 10,
    }
    assert rises(340, s0=values) == [0, 10, 110, 120, 221, 231, 331]


def test_an_endless_burst_never_takes_the_interval():
    values = {"width_ticks": 4, "burst_count": 0, "spacing_ticks": 9}
    assert rises(40, s0=values) == [0, 9, 18, 27, 36]


def test_strikes_two_ticks_apart_fit_in_a_word():
    values = {
        "interval_ticks": 16,
        "width_ticks": 1,
        "burst_count": 3,
        "spacing_ticks": 2,
    }
    assert rises(41, s0=values) == [0, 2, 4, 20, 22, 24, 40]


@pytest.mark.parametrize(
    "values",
    [
        {"interval_ticks": 7, "width_ticks": 1},
        {"interval_ticks": 20, "width_ticks": 20},
        {"interval_ticks": 20, "width_ticks": 0},
        {"interval_ticks": 15, "width_ticks": 1, "burst_count": 2, "spacing_ticks": 3},
        {"interval_ticks": 100, "width_ticks": 9, "burst_count": 2, "spacing_ticks": 9},
        {"width_ticks": 1, "burst_count": 0, "spacing_ticks": 1},
    ],
)
def test_strikes_closer_than_promised_are_refused(values):
    with pytest.raises(ValueError, match=r"stimulus\[0\]"):
        rises(1000, s0=values)


def test_each_interval_grows_by_its_own_dither():
    values = {"interval_ticks": 50, "width_ticks": 4, "dither_bits": 5, "seed": 77}
    expected = [0]
    for state in states(77, 30):
        expected.append(expected[-1] + 50 + state % 32)
    made = rises(expected[20], s0=values)
    assert made == expected[:20]


def test_dither_draws_nothing_inside_a_burst():
    values = {
        "interval_ticks": 50,
        "width_ticks": 4,
        "dither_bits": 32,
        "seed": 5,
        "burst_count": 2,
        "spacing_ticks": 10,
        "strike_count": 5,
    }
    first, second = (50 + state % 2**32 for state in states(5, 2))
    base = [0, 10, 10 + first, 20 + first, 20 + first + second]
    assert rises(1 << 40, s0=values) == base


def poisson(start, clocks, threshold, width, seed):
    """Return the rises by the paragraph, a clock at a time."""
    result, last, state = [], None, seed
    for clock in range(start // W, start // W + clocks):
        (state,) = states(state, 1)
        if state >> 16 < threshold:
            time = clock * W + state % W
            if last is None or time - last >= width + W:
                result.append(time)
                last = time
    return result


@pytest.mark.parametrize("threshold", [1 << 44, 1 << 46, (1 << 48) - 1])
def test_poisson_strikes_follow_the_generator_clock_by_clock(threshold):
    values = {"poisson_threshold": threshold, "width_ticks": 9, "phase_ticks": 19, "seed": 99}
    expected = poisson(80 + 19, 3000, threshold, 9, 99)
    made = rises((99 // W + 3000) * W, start=80, s0=values)
    assert len(expected) > 150
    assert made == expected


def test_poisson_strikes_below_the_threshold_not_at_it():
    upper = states(99, 1)[0] >> 16
    values = {"width_ticks": 1, "seed": 99}
    assert rises(W, s0=values | {"poisson_threshold": upper}) == []
    assert len(rises(W, s0=values | {"poisson_threshold": upper + 1})) == 1


def test_poisson_counts_strikes_not_clocks():
    values = {
        "poisson_threshold": 1 << 45,
        "width_ticks": 9,
        "seed": 3,
        "strike_count": 10_000,
        "interval_ticks": 1,
        "burst_count": 7,
    }
    expected = poisson(0, 120_000, 1 << 45, 9, 3)[:10_000]
    assert len(expected) == 10_000
    assert rises(1 << 40, s0=values) == expected


def test_poisson_rate_is_the_threshold():
    values = {"poisson_threshold": (1 << 48) // 1000, "width_ticks": 1, "seed": 42}
    clocks = 10**6
    made = rises(clocks * W, s0=values)
    # 1000 expected, standard deviation 32; few fall into the dead time.
    assert 870 < len(made) < 1130


def test_a_strike_starts_a_sequence_on_another_output():
    first = {"interval_ticks": 1000, "width_ticks": 3, "phase_ticks": 13}
    second = {
        "trigger": Trigger.STRIKE,
        "trigger_source": 0,
        "interval_ticks": 20,
        "width_ticks": 3,
        "phase_ticks": 5,
        "strike_count": 2,
    }
    # Strikes at 13 and 1013 lie in the clocks that start at 8 and 1008.
    base = [8 + LEAD + 5, 1008 + LEAD + 5]
    made = rises(1500, number=1, s0=first, s1=second)
    assert made == [base[0], base[0] + 20, base[1], base[1] + 20]


def test_a_trigger_while_a_sequence_runs_is_ignored():
    first = {"interval_ticks": 100, "width_ticks": 3}
    second = {
        "trigger": Trigger.STRIKE,
        "interval_ticks": 60,
        "width_ticks": 3,
        "strike_count": 3,
    }
    # Triggered at 0: 152, 212, 272 to 275; the strike at 300, in the clock from 296, is the next.
    assert LEAD == 152
    assert rises(590, number=1, s0=first, s1=second) == [152, 212, 272, 448, 508, 568]


@pytest.mark.parametrize(
    ("phase", "starts"), [(LEAD + 7, [LEAD]), (LEAD + 8, [LEAD, LEAD + 8 + LEAD])]
)
def test_a_sequence_runs_to_the_end_of_the_clock_in_which_its_last_strike_ends(phase, starts):
    # Stimulus 2 strikes at 0 and `phase`; triggered at 0, stimulus 1 is active from LEAD on, for
    # three ticks.
    first = {"interval_ticks": phase, "width_ticks": 3}
    second = {"trigger": Trigger.STRIKE, "trigger_source": 2, "width_ticks": 3, "strike_count": 1}
    assert rises(2 * LEAD + 12, number=1, s1=second, s2=first) == starts


def test_an_endless_sequence_is_started_once():
    first = {"interval_ticks": 100, "width_ticks": 3, "phase_ticks": 40}
    second = {"trigger": Trigger.STRIKE, "interval_ticks": 70, "width_ticks": 3}
    made = rises(40 + LEAD + 281, number=1, s0=first, s1=second)
    assert made == [40 + LEAD + ticks for ticks in (0, 70, 140, 210, 280)]


def test_triggers_chain_and_stimuli_that_wait_for_each_other_never_strike():
    once = {"strike_count": 1, "width_ticks": 3}
    first = once | {"phase_ticks": 16}
    second = once | {"trigger": Trigger.STRIKE, "trigger_source": 0}
    third = once | {"trigger": Trigger.STRIKE, "trigger_source": 1}
    assert rises(10**4, number=2, s0=first, s1=second, s2=third) == [16 + 2 * LEAD]
    circle = once | {"trigger": Trigger.STRIKE, "trigger_source": 2}
    assert rises(10**4, number=1, s1=circle, s2=third) == []


def test_the_gate_starts_and_ends_a_sequence_at_clocks():
    values = {"trigger": Trigger.GATE, "interval_ticks": 50, "width_ticks": 30, "phase_ticks": 2}
    # High in clocks 2 to 24: first strike LEAD after clock 2 + 3, none from LEAD after 25 + 3 on.
    made = rises(10**4, gate=gate_of(9, 193, 1000), s0=values | {"strike_count": 6})
    assert made[:4] == [42 + LEAD, 92 + LEAD, 142 + LEAD, 192 + LEAD]
    assert made[4:] == [1000 + 24 + LEAD + 2 + 50 * n for n in range(6)]


def test_a_gated_sequence_has_as_many_clocks_as_the_gate():
    values = {"trigger": Trigger.GATE, "interval_ticks": 8, "width_ticks": 5}
    # High in clocks 2 and 3: strikes LEAD after clocks 5 and 6.
    assert rises(10**4, gate=gate_of(16, 32), s0=values) == [40 + LEAD, 48 + LEAD]


def test_a_gate_pulse_between_clocks_is_not_seen():
    values = {"trigger": Trigger.GATE, "interval_ticks": 50, "width_ticks": 30}
    assert rises(10**4, gate=gate_of(9, 15), s0=values) == []


def test_a_gate_that_stays_low_starts_nothing():
    values = {"trigger": Trigger.GATE, "interval_ticks": 50, "width_ticks": 30}
    assert rises(10**4, s0=values) == []


@pytest.mark.parametrize(("low", "allowed"), [(15, False), (16, True)])
def test_a_gate_that_was_low_too_shortly_is_refused(low, allowed):
    values = {"trigger": Trigger.GATE, "interval_ticks": 800, "width_ticks": 3}
    gate = gate_of(80, 800, 800 + low * W)
    if allowed:
        assert rises(2000, gate=gate, s0=values)[1] == 800 + (low + 3) * W + LEAD
    else:
        with pytest.raises(ValueError, match="gate: rises in clock 115; must be 116 or later"):
            rises(2000, gate=gate, s0=values)
