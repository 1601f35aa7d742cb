# SPDX-License-Identifier: Apache-2.0
"""Settings to registers: exact, and refusing what the instrument cannot do."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.identity import Identity
from plexor.model.settings import (
    NO_DEADLINE_TICKS,
    Channel,
    Settings,
    Stimulus,
)
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import Policy, StopOn, Stream, Trigger, register
from plexor.run.plan.registers import plan_of

# One tick is a nanosecond, a core clock has eight.
NS = Fraction(1, 10**9)
IDENTITY = Identity(Geometry(), 1)


def plan(*strikes, identity=IDENTITY, **settings):
    return plan_of(Settings(strikes=strikes, **settings), identity)


def test_every_setup_register_of_the_build_is_written_and_fits():
    writes = plan_of(
        Settings(
            strikes=(Stimulus(0, 1000 * NS), Stimulus(1, 500 * NS)),
            channels=tuple(Channel(n) for n in range(4)),
        ),
        IDENTITY,
    ).registers
    places = [(w.block, w.copy, w.name) for w in writes]
    assert len(places) == len(set(places))
    for block, copies in (("stimulus", 2), ("channel", 4)):
        names = {name for b, _, name in places if b == block}
        assert all((block, copy, name) in places for copy in range(copies) for name in names)
    for write in writes:
        assert register(write.block, write.name).check(write.value) >= 0


OLDER = replace(IDENTITY, protocol_version=2 << 16 | 5)
"""An instrument of a protocol without the register `either`."""


@pytest.mark.parametrize("either", [False, True])
def test_each_run_says_whether_each_edge_is_an_answer(either):
    made = plan(Stimulus(0, 1000 * NS), channels=(Channel(1, either=either),))
    assert made.value("channel", "either", 1) == either
    with pytest.raises(KeyError):
        made.value("channel", "either", 0)


def test_an_older_instrument_is_not_asked_for_either_edge():
    made = plan(Stimulus(0, 1000 * NS), channels=(Channel(0),), identity=OLDER)
    with pytest.raises(KeyError):
        made.value("channel", "either", 0)
    with pytest.raises(ValueError, match=r"ch0\.either; .* speaks protocol 2\.5, must"):
        plan(Stimulus(0, 1000 * NS), channels=(Channel(0, either=True),), identity=OLDER)


@pytest.mark.parametrize(
    ("filter_s", "short", "long"),
    [
        (0 * NS, 0, 0),
        (8 * NS, 8, 0),
        (Fraction(84, 10) * NS, 8, 0),
        (9 * NS, 0, 9),
        (1000 * NS, 0, 1000),
    ],
)
def test_a_filter_longer_than_a_core_clock_has_a_register_of_its_own(filter_s, short, long):
    made = plan(Stimulus(0, 1000 * NS), channels=(Channel(1, filter_s=filter_s),))
    assert made.value("channel", "filter_ticks", 1) == short
    assert made.value("long_filter", "ticks", 1) == long


def test_a_build_without_long_filters_has_no_such_register():
    lacking = Identity(Geometry(features=ALL_FEATURES & ~Feature.LONG_FILTER), 1)
    made = plan(Stimulus(0, 1000 * NS), channels=(Channel(1, filter_s=8 * NS),), identity=lacking)
    assert "long_filter" not in {write.block for write in made.registers}
    says = (
        "ch1.filter: 100 ns: board sim was built without LONG_FILTER, glitch filter of up to 1 µs; "
        "filter for a core clock at most, or use a board with an ECP5: docs/features.md lists them"
    )
    with pytest.raises(ValueError, match=f"^{says}$"):
        plan(Stimulus(0, 1000 * NS), channels=(Channel(1, filter_s=100 * NS),), identity=lacking)


def test_what_follows_a_pin_that_toggles_follows_each_of_its_edges():
    pair = Channel(0, either=True), Channel(1, reference="ch0")
    made = plan(Stimulus(0, 1000 * NS), channels=pair)
    assert made.value("channel", "reference_polarity", 1) == 1
    wrong = pair[0], replace(pair[1], reference="ch0.fall")
    with pytest.raises(ValueError, match=r"ch0.fall: with edge=either each edge .* must be after="):
        plan(Stimulus(0, 1000 * NS), channels=wrong)


LATE = Stimulus(1, width_s=20 * NS, trigger=Trigger.LATENCY, trigger_over_s=500 * NS)
"""An output that each latency above 500 ns starts."""


def test_an_output_that_a_latency_starts_has_its_limit_and_stops_nothing():
    made = plan(Stimulus(0, 1000 * NS), LATE, channels=(Channel(0),))
    assert made.value("stimulus", "trigger", 1) == Trigger.LATENCY
    assert made.value("control", "trigger_latency_ticks") == 500
    assert made.value("control", "trigger_channels") == 1
    assert not made.value("control", "stop_on") & (StopOn.LATENCY | StopOn.MISSED)


def test_a_run_may_stop_at_the_latency_that_starts_an_output_and_at_no_other():
    pair = Stimulus(0, 1000 * NS), LATE
    made = plan(*pair, channels=(Channel(0),), latency_over_s=500 * NS)
    assert made.value("control", "stop_on") & StopOn.LATENCY
    with pytest.raises(ValueError, match="latency>400 ns and latency>500 ns: the instrument has o"):
        plan(*pair, channels=(Channel(0),), latency_over_s=400 * NS)


@pytest.mark.parametrize("trigger", [Trigger.LATENCY, Trigger.MISSED])
def test_a_decision_starts_strikes_on_a_new_instrument_with_several_outputs(trigger):
    limit_s = 500 * NS if trigger == Trigger.LATENCY else None
    single = replace(IDENTITY, geometry=replace(IDENTITY.geometry, strikes=1))
    pair = Stimulus(0, 1000 * NS), replace(LATE, trigger=trigger, trigger_over_s=limit_s)
    with pytest.raises(ValueError, match=r"speaks protocol 2\.5, must be 2\.6 or later"):
        plan(*pair, identity=OLDER)
    with pytest.raises(ValueError, match="has one output, which strikes; must be a board with"):
        plan(replace(pair[1], output=0), identity=single)


def test_a_default_timeout_within_bursts_is_the_spacing():
    def timeout(*strikes, **settings):
        return plan(*strikes, **settings).value("matcher", "timeout_ticks")

    burst = Stimulus(0, 100_000 * NS, burst=2, spacing_s=2000 * NS)
    assert timeout(burst) == 2000
    assert timeout(burst, Stimulus(1, 9000 * NS)) == 9000
    assert timeout(replace(burst, spacing_s=200 * NS)) == 1024
    assert timeout(replace(burst, period_s=None)) == 2000


def test_the_timeout_defaults_to_the_longest_period_within_its_limits():
    def timeout(*strikes):
        return plan(*strikes).value("matcher", "timeout_ticks")

    assert timeout(Stimulus(0, 50_000 * NS), Stimulus(1, 9000 * NS)) == 50_000
    assert timeout(Stimulus(0, 8 * NS)) == 1024
    assert timeout(Stimulus(0, Fraction(7200))) == 10**9
    assert timeout(Stimulus(0)) == 10**8


def test_settling_outlasts_a_strike_that_is_another_channels_response():
    made = plan(Stimulus(0, 50_000 * NS), channels=(Channel(0), Channel(1, reference="ch0")))
    assert made.value("control", "settle_ticks") == 100_000


def test_channels_have_no_deadline_unless_asked():
    made = plan(
        Stimulus(0, 1000 * NS),
        channels=(Channel(0), Channel(1, reference="ch0.fall", deadline_s=-20 * NS)),
    )
    assert made.value("channel", "deadline_ticks", 0) == NO_DEADLINE_TICKS
    assert made.value("channel", "deadline_ticks", 1) == -20
    assert made.value("channel", "reference_source", 1) == 0
    assert made.value("channel", "reference_polarity", 1) == 0
    assert made.value("channel", "enable", 2) == 0


def test_stop_conditions_join():
    made = plan(
        Stimulus(0, 1000 * NS),
        channels=(Channel(0), Channel(2)),
        count=7,
        time_s=Fraction(1),
        latency_over_s=30 * NS,
        stop_on_missed=True,
        trigger_channels=(2,),
    )
    everything = StopOn.STRIKES | StopOn.TIME | StopOn.LATENCY | StopOn.MISSED
    assert made.value("control", "stop_on") == everything
    assert made.value("control", "run_time_ticks") == 10**9
    assert made.value("control", "trigger_latency_ticks") == 30
    assert made.value("control", "trigger_channels") == 4
    assert made.value("stimulus", "strike_count", 0) == 7


def test_a_run_without_a_stop_condition_is_endless():
    assert plan(Stimulus(0, 1000 * NS)).value("control", "stop_on") == 0


def test_final_results_are_those_that_the_build_has():
    small = Identity(Geometry(features=ALL_FEATURES & ~(Feature.ZOOM | Feature.INTERVALS)), 1)
    assert plan(identity=small).value("control", "final_spaces") == 0b10_0010_1111
    assert plan().value("control", "final_spaces") == 0x3FF


BAD_RUNS = {
    "timeout: 2147483648 ticks (2.147483648 s); must be at most 2147483647": {
        "timeout_s": Fraction(2**31) * NS
    },
    "timeout: 0 ticks": {"timeout_s": Fraction(0)},
    "early: 3000000000 ticks": {"early_s": Fraction(3)},
    "time: 0.5 ticks": {"time_s": NS / 2},
    "time: 0 ticks": {"time_s": Fraction(0)},
    "count: 0": {"count": 0},
    "ch9: this instrument has ch0 to ch3": {"channels": (Channel(9),)},
    "ch1: given 2 times": {"channels": (Channel(1), Channel(1))},
    "x.reference: strike1 is not enabled": {"channels": (Channel(0, "x", reference="strike1"),)},
    "ch0.reference: ch1 is not enabled": {"channels": (Channel(0, reference="ch1"),)},
    "ch0.reference: ch0 is the channel itself": {"channels": (Channel(0, reference="ch0"),)},
    "reference: 'button'": {"channels": (Channel(0, reference="button"),)},
    "ch0.filter: 1024 ticks (1.024 µs); must be at most 1023": {
        "channels": (Channel(0, filter_s=1024 * NS),)
    },
    "ch0.deadline: 3000000000 ticks": {"channels": (Channel(0, deadline_s=Fraction(3)),)},
    "trigger: ch3 is not enabled": {"channels": (Channel(0),), "trigger_channels": (3,)},
    "every: 0 ticks": {"report_s": NS},
}


@pytest.mark.parametrize("text", BAD_RUNS)
def test_a_run_that_cannot_be_is_refused_with_what_is_wrong(text):
    with pytest.raises(ValueError, match=r".") as caught:
        plan(Stimulus(0, 1000 * NS), **BAD_RUNS[text])
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("feature", "asked"),
    [
        (Feature.EARLY, {"early_s": 5 * NS}),
        (Feature.SNAPSHOT, {"report_s": Fraction(1), "stream": Stream.OFF}),
        (Feature.FILTER, {"channels": (Channel(0, filter_s=3 * NS),)}),
        (Feature.LONG_FILTER, {"channels": (Channel(0, filter_s=9 * NS),)}),
        (Feature.POISSON, {"strikes": (Stimulus(0, 1000 * NS, poisson=True),)}),
        (Feature.DITHER, {"strikes": (Stimulus(0, 1000 * NS, dither_s=4 * NS),)}),
        (Feature.BURST, {"strikes": (Stimulus(0, 1000 * NS, burst=3, spacing_s=50 * NS),)}),
        (Feature.BURST, {"strikes": (Stimulus(0, burst=3, spacing_s=50 * NS),)}),
        (Feature.BURST, {"strikes": (Stimulus(0, 4 * NS),)}),
    ],
)
def test_what_the_build_lacks_is_refused_by_name(feature, asked):
    lacking = Identity(Geometry(features=ALL_FEATURES & ~feature), 1)
    settings = Settings(**{"strikes": (Stimulus(0, 1000 * NS),), **asked})
    plan_of(settings, IDENTITY)
    with pytest.raises(ValueError, match=f"built without {feature.name}"):
        plan_of(settings, lacking)


@pytest.mark.parametrize(
    ("feature", "asked"),
    [
        (Feature.EARLY, {"early_s": Fraction(1 << 40)}),
        (Feature.SNAPSHOT, {"report_s": Fraction(1 << 40), "stream": Stream.OFF}),
        (Feature.FILTER, {"channels": (Channel(0, filter_s=Fraction(1)),)}),
        (Feature.DITHER, {"strikes": (Stimulus(0, 1000 * NS, dither_s=2000 * NS),)}),
    ],
)
def test_what_the_build_lacks_is_named_where_the_value_is_out_of_range_too(feature, asked):
    lacking = Identity(Geometry(features=ALL_FEATURES & ~feature), 1)
    settings = Settings(**{"strikes": (Stimulus(0, 1000 * NS),), **asked})
    for identity, says in ((IDENTITY, "must be"), (lacking, f"built without {feature.name}")):
        with pytest.raises(ValueError, match=says):
            plan_of(settings, identity)


def test_a_device_that_runs_by_itself_needs_no_strike():
    settings = Settings(channels=(Channel(0),), time_s=1000 * NS)
    plan = plan_of(settings, IDENTITY)
    assert [plan.value("stimulus", "enable", n) for n in range(2)] == [0, 0]
    assert plan.value("channel", "enable", 0) == 1


def test_a_policy_reaches_its_register():
    assert plan(policy=Policy.WINDOW).value("matcher", "policy") == Policy.WINDOW


@pytest.mark.parametrize(
    ("timecode_bits", "minor", "writes"), [(8, 5, [0]), (8, 4, []), (0, 5, [])]
)
def test_a_run_that_does_not_ask_for_the_timecode_has_its_pins_released(
    timecode_bits, minor, writes
):
    identity = Identity(Geometry(timecode_bits=timecode_bits), 1, 2 << 16 | minor)
    planned = plan(Stimulus(0, 1000 * NS), identity=identity).registers
    assert [w.value for w in planned if w.name == "timecode_on"] == writes


@pytest.mark.parametrize(
    ("references", "kept"),
    [
        (("strike0",), set()),
        (("strike0.fall",), {8}),
        (("strike0", "ch0.fall"), {0}),
        (("load.fall", "strike1.fall"), {16, 9}),
    ],
)
def test_trailing_edges_stay_off_the_link_but_for_those_that_a_channel_counts_from(
    references, kept
):
    """A bit for each source: channels from 0 on, outputs from 8 on, and the load is 16."""
    channels = tuple(Channel(n, reference=text) for n, text in enumerate(references))
    asked = Settings(
        strikes=(Stimulus(0, 1000 * NS), Stimulus(1, 1000 * NS)),
        channels=channels,
        active_only=True,
    )
    events = Identity(Geometry(features=Feature.EVENTS), 1)
    mask = plan_of(asked, events).value("control", "active_only")
    assert {n for n in range(32) if mask >> n & 1} == set(events.geometry.levels) - kept
    assert plan_of(replace(asked, active_only=False), events).value("control", "active_only") == 0


def test_a_run_lasts_a_tick_at_least_and_as_long_as_its_register_holds():
    most = (1 << 63) - 1
    for ticks in (1, most):
        asked = Settings(strikes=(Stimulus(0, 1000 * NS),), time_s=ticks * NS)
        assert plan_of(asked, IDENTITY).value("control", "run_time_ticks") == ticks
    for ticks, right in ((0, "least 1 tick "), (most + 1, "most ")):
        asked = Settings(strikes=(Stimulus(0, 1000 * NS),), time_s=ticks * NS)
        with pytest.raises(ValueError, match=f"^time: .* ticks .*; must be at {right}"):
            plan_of(asked, IDENTITY)
