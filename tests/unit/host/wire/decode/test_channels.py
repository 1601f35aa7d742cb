# SPDX-License-Identifier: Apache-2.0
"""Results of channels from registers, memories and events, and what is said of their sources."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from plexor.model.identity import Identity
from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass, Space
from plexor.run.plan.registers import plan_of
from plexor.wire.decode.channels import Channels, _watch, matching_of

from ...ended import collected, end, image_of, set_register
from ...scenario import GEOMETRY, PERIOD_TICKS, Scenario

LATENCIES = [50, 61, 300, None, 50]
SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(PERIOD_TICKS, 10**9)),),
    channels=(Channel(0, "isr"), Channel(1)),
    count=len(LATENCIES),
)
SUM_SQUARES = 50**2 + 61**2 + 300**2 + 50**2
FIELDS = ("count", "sum_ticks", "sum_sq_ticks2", "min_ticks", "max_ticks")


def channels(scenario=None, *, without=(), geometry=GEOMETRY):
    """Return the builder of a run that has ended, its image and what its events come to."""
    scenario = scenario or Scenario(LATENCIES, geometry=geometry)
    identity = Identity(geometry, 1)
    image = image_of(*(tuple(write) for write in plan_of(SETTINGS, identity).registers))
    end(image, scenario)
    collector = collected(scenario, without=without)
    found = Channels(identity, image, collector, SETTINGS, scenario.end_ticks)
    found.ended = True
    matching = collector.matching(partial(matching_of, geometry, image))
    return found, image, matching.figures(scenario.end_ticks)


def rise_of(channel):
    """Return the statistics of a channel's rise latencies by FIELDS."""
    statistics = channel.measurement(Kind.RISE).statistics
    return tuple(getattr(statistics, name) for name in FIELDS)


def test_channels_have_their_names_references_and_planted_latencies():
    builder, _, known = channels()
    isr, other = builder.build(known, streamed=True)
    assert [(each.number, each.name, each.reference) for each in (isr, other)] == [
        (0, "isr", "strike0"),
        (1, "ch1", "strike0"),
    ]
    assert rise_of(isr) == (4, 461, SUM_SQUARES, 50, 300)
    assert (isr.classes[ResponseClass.ANSWERED], isr.classes[ResponseClass.MISSED]) == (4, 1)
    assert (isr.active_edges, other.active_edges) == (4, 0)
    assert {entry.kind for entry in isr.measurements} == set(Kind)
    assert all(entry.on_chip for entry in isr.measurements)
    assert (builder.computed, builder.omitted) == ([], [])


def test_what_the_memories_lack_is_computed_from_events_and_said():
    builder, _, known = channels(without=(Space.LATENCY_BINS,))
    isr, _ = builder.build(known, streamed=True)
    assert rise_of(isr) == (4, 461, SUM_SQUARES, 50, 300)
    assert not isr.measurement(Kind.RISE).on_chip
    assert isr.measurement(Kind.WIDTH).on_chip
    assert {"isr.rise", "isr.fall", "ch1.rise", "ch1.fall"} == set(builder.computed)


@pytest.mark.parametrize(
    ("streamed", "why"), [(True, "events are missing"), (False, "no events without streaming")]
)
def test_what_the_memories_lack_is_left_out_without_events_and_the_reason_is_said(streamed, why):
    builder, _, _ = channels(without=(Space.LATENCY_BINS,))
    isr, _ = builder.build(None, streamed=streamed)
    assert {entry.kind for entry in isr.measurements} == {Kind.WIDTH, Kind.PERIOD}
    assert f"isr.rise: {why}" in builder.omitted
    assert builder.computed == []


@pytest.mark.parametrize("feature", [Feature.SUM_SQUARES, Feature.EXTREMES])
def test_figures_that_a_chip_does_not_keep_are_computed_from_events_and_said(feature):
    lean = replace(GEOMETRY, features=GEOMETRY.features & ~feature)
    scenario = Scenario(LATENCIES, geometry=lean)
    builder, _, known = channels(scenario, geometry=lean)
    isr, _ = builder.build(known, streamed=True)
    assert rise_of(isr) == (4, 461, SUM_SQUARES, 50, 300)
    # The third response is the slowest; three events of each strike came before its strike's.
    planted = [n for n, event in enumerate(scenario.events) if event[1:] == (0, 1)][2]
    assert isr.measurement(Kind.RISE).statistics.max_index == planted
    assert isr.measurement(Kind.RISE).on_chip
    assert "isr.rise: sum of squares, places of extremes" in builder.computed


def test_without_any_memory_classes_are_computed_from_events_and_said():
    builder, _, known = channels(without=tuple(Space))
    isr, _ = builder.build(known, streamed=True)
    assert (isr.classes[ResponseClass.ANSWERED], isr.classes[ResponseClass.MISSED]) == (4, 1)
    assert (isr.classes[ResponseClass.STRIKES], isr.active_edges) == (5, 4)
    assert "isr: classes" in builder.computed


def test_a_channel_without_memories_and_events_is_left_out_and_named():
    builder, _, _ = channels(without=tuple(Space))
    assert builder.build(None, streamed=True) == ()
    assert {"isr: classes", "ch1: classes"} <= set(builder.omitted)


def test_a_channel_of_which_a_register_never_came_is_left_out_and_named():
    builder, image, known = channels()
    image.forget([("channel", 1, "deadline_ticks")])
    assert [channel.number for channel in builder.build(known, streamed=True)] == [0]
    assert builder.omitted == ["ch1: its settings never arrived"]


def test_a_channel_that_is_off_is_left_out_and_is_told_of_if_it_counts():
    builder, image, known = channels()
    assert builder.idle() == []
    set_register(image, "channel", "enable", 0, 1)
    assert [channel.number for channel in builder.build(known, streamed=True)] == [0]
    assert builder.omitted == []
    assert builder.idle() == ["ch1 is not enabled and has counted strikes or edges"]


def test_after_a_run_a_register_tells_what_is_outstanding_and_during_it_the_classes():
    builder, image, known = channels()
    set_register(image, "channel_status", "pending", 3, 0)
    assert builder.build(known, streamed=True)[0].pending == 3
    builder.ended = False
    assert builder.build(known, streamed=True)[0].pending == 0


def test_a_deadline_and_a_falling_reference_are_in_the_result():
    builder, image, known = channels()
    set_register(image, "channel", "deadline_ticks", 70, 0)
    set_register(image, "channel", "reference_polarity", 0, 0)
    isr, other = builder.build(known, streamed=True)
    assert (isr.deadline_ticks, isr.reference) == (70, "strike0.fall")
    assert (other.deadline_ticks, other.reference) == (None, "strike0")


def test_only_what_a_chip_leaves_out_is_lacking():
    assert not channels()[0].lacking
    assert channels(without=(Space.CLASSES,))[0].lacking
    assert channels(without=(Space.INTERVAL_BINS,))[0].lacking
    for feature in (Feature.SUM_SQUARES, Feature.EXTREMES, Feature.FALL):
        lean = replace(GEOMETRY, features=GEOMETRY.features & ~feature)
        assert channels(Scenario(LATENCIES, geometry=lean), geometry=lean)[0].lacking


def test_a_part_of_the_events_completes_no_figures_of_the_chip():
    builder, _, known = channels(without=(Space.LATENCY_BINS,))
    isr, _ = builder.build(known, streamed=True, whole=False)
    assert {entry.kind for entry in isr.measurements} == {Kind.WIDTH, Kind.PERIOD}
    assert "isr.rise: events are missing" in builder.omitted


def test_windows_of_one_tick_bins_are_counted_on_the_host_too():
    builder, image, _ = channels(without=tuple(Space))
    set_register(image, "channel", "zoom_rise_ticks", 55, 0)
    scenario = Scenario(LATENCIES)
    matching = collected(scenario).matching(partial(matching_of, GEOMETRY, image))
    isr, _ = builder.build(matching.figures(scenario.end_ticks), streamed=True)
    zoom = isr.measurement(Kind.RISE).zoom
    # Two of 50 below the window, 61 in it, and 300 above.
    assert (zoom.first_ticks, len(zoom.counts)) == (55, 1 << GEOMETRY.zoom_bits)
    assert {n: c for n, c in enumerate(zoom.counts.tolist()) if c} == {0: 2, 7: 1, 63: 1}


@pytest.mark.parametrize(
    ("asked", "over_ticks", "missed"),
    [
        ({}, None, None),
        ({"latency_over_s": Fraction(900, 10**9)}, 900, False),
        ({"stop_on_missed": True}, None, True),
        ({"latency_over_s": Fraction(900, 10**9), "stop_on_missed": True}, 900, True),
    ],
)
def test_the_host_watches_for_what_ends_a_run_where_the_chip_does_not(asked, over_ticks, missed):
    settings = replace(SETTINGS, trigger_channels=(1,), **asked)
    for features in (Feature.EVENTS, Feature.EVENTS | Feature.MATCH):
        geometry = replace(GEOMETRY, features=features)
        writes = plan_of(settings, Identity(geometry, 1)).registers
        watch = _watch(geometry, image_of(*(tuple(write) for write in writes)))
        if missed is None or Feature.MATCH in features:
            assert watch is None
        else:
            assert (watch.channels, watch.over_ticks, watch.missed) == ({1}, over_ticks, missed)
