# SPDX-License-Identifier: Apache-2.0
"""From registers, memories and events to a result: each doubt makes the run invalid, by name."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.base.constraints import MOST_TICKS
from plexor.model.identity import Identity
from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import Frame, FrameType, LogCode
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass, Space
from plexor.protocol.registers import StatusFlag, StopReason
from plexor.run.plan.registers import plan_of
from plexor.wire.decode.assemble import Circumstances, _ends, _unknown, assemble

from ...ended import collected, end, image_of, set_register, started
from ...scenario import GEOMETRY, PERIOD_TICKS, START_TICKS, Scenario

LATENCIES = [50, 61, 300, None, 50]
IDENTITY = Identity(GEOMETRY, 1)
SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(PERIOD_TICKS, 10**9)),),
    channels=(Channel(0, "isr"), Channel(1)),
    count=len(LATENCIES),
)


def ended(scenario=None, settings=SETTINGS, **status):
    """Return the scenario, image and collector of a run that has ended."""
    scenario = scenario or Scenario(LATENCIES)
    writes = plan_of(settings, IDENTITY).registers
    image = image_of(*(tuple(write) for write in writes))
    end(image, scenario, **status)
    return scenario, image, collected(scenario)


def result_of(image, collector, broken=None, settings=SETTINGS, **circumstances):
    found = Circumstances(settings, **circumstances)
    return assemble(IDENTITY, image, collector, (9, 0), {}, found, broken)


def test_a_run_without_a_doubt_has_the_planted_latencies():
    scenario, image, collector = ended()
    result = result_of(image, collector)
    assert result.valid, result.invalid_reasons
    isr, other = result.channels
    assert (isr.name, other.name, isr.reference) == ("isr", "ch1", "strike0")
    rise = isr.measurement(Kind.RISE).statistics
    assert (rise.count, rise.sum_ticks, rise.min_ticks, rise.max_ticks) == (4, 461, 50, 300)
    assert rise.sum_sq_ticks2 == 50**2 + 61**2 + 300**2 + 50**2
    assert isr.classes[ResponseClass.MISSED] == 1
    assert other.classes[ResponseClass.MISSED] == 5
    assert (result.start_ticks, result.end_ticks) == (START_TICKS, scenario.end_ticks)
    assert len(result.events) == len(scenario.events)
    assert (result.computed_on_host, result.omitted) == ((), ())


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ({"stop_reason": 77}, "unknown stop reason 77"),
        ({"flags": 0x1000}, "unknown flags 0x1000"),
        ({"flags": StatusFlag.COUNTER_SATURATED}, "a counter is saturated"),
        (
            {"end_ticks": START_TICKS - 1},
            f"the run is from {START_TICKS} to {START_TICKS - 1} ticks, which cannot be",
        ),
        (
            {"end_ticks": MOST_TICKS},
            f"the run is from {START_TICKS} to {MOST_TICKS} ticks, which cannot be",
        ),
        (
            {"flags": StatusFlag.TRIGGERED, "trigger_index": 3, "trigger_ticks": MOST_TICKS},
            f"the trigger is event 3 at {MOST_TICKS} ticks, which no run reaches",
        ),
    ],
)
def test_a_status_that_cannot_be_makes_the_run_invalid(status, reason):
    _, image, collector = ended(**status)
    result = result_of(image, collector)
    assert reason in result.invalid_reasons
    assert result.start_ticks <= result.end_ticks < MOST_TICKS
    assert (result.trigger_index, result.trigger_ticks) == (None, None)


def test_missing_events_leave_nothing_unknown_of_a_channel_that_the_chip_has_counted():
    """A step of a sweep brings classes and no bins; over the link's rate events are dropped."""
    _, image, collector = ended()
    counted = replace(result_of(image, collector).channels[0], measurements=())
    assert _unknown([counted], missing=240) == []
    matched = replace(counted, unknown_strikes=2, unknown_edges=3)
    assert _unknown([matched], missing=240) == [
        "isr: what became of 2 of 5 strikes is not known, nor of 3 of 4 edges, because 240 events "
        "are missing; its figures are of the others"
    ]


def test_an_unknown_stop_reason_is_none_in_the_result():
    _, image, collector = ended(stop_reason=77)
    assert result_of(image, collector).stop_reason == StopReason.NONE


@pytest.mark.parametrize("space", [Space.CLASSES, Space.LATENCY_BINS])
def test_a_space_that_never_came_is_named(space):
    scenario, image, _ = ended()
    result = result_of(image, collected(scenario, without=(space,)))
    assert f"results never came: {space.name.lower()}" in result.invalid_reasons


def test_a_channel_of_which_a_register_never_came_is_left_out_and_named():
    _, image, collector = ended()
    image.forget([("channel", 1, "deadline_ticks")])
    result = result_of(image, collector)
    assert [channel.number for channel in result.channels] == [0]
    assert result.omitted == ("ch1: its settings never arrived",)
    assert result.invalid_reasons == (
        "the settings of the run are not known: channel[1].deadline_ticks never arrived",
    )


def test_a_channel_that_is_off_and_counts_makes_the_run_invalid():
    _, image, collector = ended()
    set_register(image, "channel", "enable", 0, 1)
    result = result_of(image, collector)
    assert [channel.number for channel in result.channels] == [0]
    assert result.invalid_reasons == ("ch1 is not enabled and has counted strikes or edges",)


def test_more_steps_than_the_table_has_make_the_run_invalid():
    _, image, collector = ended()
    set_register(image, "control", "step_count", 1)
    for name in ("interval_ticks", "interval_fraction", "width_ticks", "strike_count"):
        set_register(image, "step", name, 1)
    set_register(image, "step", "guard_ticks", 1)
    assert "0 steps were recorded of a table of 1" in result_of(image, collector).invalid_reasons


def test_a_run_whose_end_was_not_seen_has_what_its_events_say():
    scenario, image, _ = ended()
    collector = collected(scenario, without=tuple(Space))
    result = result_of(image, collector, broken="the link was cut")
    assert result.invalid_reasons[0] == "the end of the run was never seen: the link was cut"
    assert (result.start_ticks, result.end_ticks) == (START_TICKS, scenario.events[-1][0] + 1)
    rise = result.channels[0].measurement(Kind.RISE).statistics
    assert (rise.count, rise.sum_ticks) == (4, 461)
    assert "isr: classes" in result.computed_on_host


def test_a_run_that_ended_before_its_first_event_lasts_no_time():
    _, image, _ = ended()
    result = result_of(image, started(GEOMETRY), broken="the link was cut")
    assert (result.start_ticks, result.end_ticks) == (START_TICKS, START_TICKS)


@pytest.mark.parametrize("keep", [True, False])
def test_events_are_in_the_result_where_they_are_asked_for(keep):
    _, image, collector = ended()
    settings = Settings(SETTINGS.strikes, SETTINGS.channels, keep_events=keep)
    assert (result_of(image, collector, settings=settings).events is not None) == keep


def test_what_was_asked_and_cannot_be_makes_the_run_invalid():
    _, image, collector = ended()
    result = result_of(image, collector, wrong=("strike0 was asked to strike every 0 ticks",))
    assert result.invalid_reasons == ("strike0 was asked to strike every 0 ticks",)


def test_the_trigger_is_the_registers_once_the_run_has_ended():
    _, image, collector = ended(flags=StatusFlag.TRIGGERED, trigger_index=2, trigger_ticks=5150)
    collector.take(Frame(FrameType.LOG, 0, LogCode.TRIGGERED, 0, 1, 5101))
    result = result_of(image, collector)
    assert (result.trigger_index, result.trigger_ticks) == (2, 5150)


HOST = Identity(replace(GEOMETRY, features=GEOMETRY.features & ~Feature.MATCH), 1)


@pytest.mark.parametrize(
    ("told", "interrupted", "reason"),
    [
        # The host's stop is a command to the instrument.
        (StopReason.COMMAND, False, StopReason.LATENCY),
        (StopReason.STRIKES, False, StopReason.LATENCY),
        # Who pressed Ctrl-C meant to stop, whatever was found meanwhile.
        (StopReason.COMMAND, True, StopReason.COMMAND),
        (StopReason.NONE, False, StopReason.NONE),
    ],
)
def test_a_run_that_the_host_stops_at_a_latency_says_so(told, interrupted, reason):
    settings = replace(SETTINGS, latency_over_s=Fraction(200, 10**9))
    scenario = Scenario(LATENCIES)
    image = image_of(*(tuple(write) for write in plan_of(settings, HOST).registers))
    end(image, scenario, stop_reason=told)
    found = Circumstances(settings, interrupted=interrupted)
    collector = collected(scenario, without=tuple(Space))
    result = assemble(HOST, image, collector, (9, 0), {}, found)
    assert result.stop_reason == reason
    # The third answer came 300 ticks after its strike.
    third_strike_ticks = [time for time, source, rises in scenario.events if source == 8 and rises][
        2
    ]
    assert result.trigger_ticks == third_strike_ticks + 300


@pytest.mark.parametrize(
    ("first", "last", "start", "end"),
    [(700, 900, 700, 901), (None, -1, 0, 0), (700, 700, 700, 701)],
)
def test_a_run_of_impossible_times_lasts_from_its_first_event_to_its_last(first, last, start, end):
    collector = SimpleNamespace(first_ticks=first, last_ticks=last)
    reason = "the run is from 9 to 8 ticks, which cannot be"
    assert _ends(9, 8, collector) == (start, end, [reason])
    assert _ends(9, 9, collector) == (9, 9, [])
    assert _ends(0, MOST_TICKS - 1, collector) == (0, MOST_TICKS - 1, [])
