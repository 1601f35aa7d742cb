# SPDX-License-Identifier: Apache-2.0
"""Figures that follow from others of a run: an instrument or a file that says otherwise is told."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.model.results import Kind
from plexor.model.settings import Channel, RegisterWrite, Settings, Stimulus
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import StopOn, StopReason
from plexor.run.session.session import measure
from plexor.wire.decode.consistent import consistent
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...scenario import Scenario

PERIOD = 50_000
ASKED = (
    RegisterWrite("matcher", 0, "timeout_ticks", PERIOD),
    RegisterWrite("matcher", 0, "early_ticks", 0),
    RegisterWrite("stimulus", 0, "enable", 1),
    RegisterWrite("stimulus", 0, "trigger", 0),
    RegisterWrite("stimulus", 0, "interval_ticks", PERIOD),
    RegisterWrite("stimulus", 0, "strike_count", 3),
    RegisterWrite("control", 0, "stop_on", StopOn.STRIKES),
)


@pytest.fixture
def run(run_of):
    def made(*more, **other):
        return run_of([[100, 300, 200]], registers=(*ASKED, *more), **other)

    return made


def said(result):
    return " / ".join(consistent(result).invalid_reasons)


@pytest.mark.parametrize("keep_events", [False, True])
def test_nothing_is_wrong_with_a_run_as_it_was(run, keep_events):
    result = run(keep_events=keep_events)
    assert consistent(result) == result
    assert analyse(result).valid


def test_a_dead_instrument_says_that_it_stopped_by_its_strikes_and_is_not_believed(run_of):
    result = run_of([[]], registers=ASKED)
    assert said(result) == (
        "stopped by its strike count, but strike0 struck 0 times; 3 were asked for"
    )


def test_an_instrument_that_ends_early_is_not_believed_on_the_link():
    asked = Settings(
        strikes=(Stimulus(0, Fraction(1, 3_000_000)),), channels=(Channel(0, "isr"),), count=5
    )
    with FakeDevice(Scenario([])) as fake, Device(open_link(fake.uri)) as device:
        result = measure(device, asked)
    assert "strike0 struck 0 times; 5 were asked for" in " ".join(result.invalid_reasons)


@pytest.mark.parametrize("count", [2, 4])
def test_each_strike_that_was_asked_for_must_have_come(run, count):
    result = run(RegisterWrite("stimulus", 0, "strike_count", count))
    assert f"strike0 struck 3 times; {count} were asked for" in said(result)


def test_an_output_without_a_count_or_with_another_trigger_strikes_as_often_as_it_does(run):
    assert not said(run(RegisterWrite("stimulus", 0, "strike_count", 0)))
    assert not said(
        run(
            RegisterWrite("stimulus", 0, "strike_count", 1),
            RegisterWrite("stimulus", 0, "trigger", 1),
        )
    )


def test_a_table_strikes_as_often_as_its_steps_say(run):
    steps = [RegisterWrite("step", n, "strike_count", count) for n, count in enumerate((1, 2))]
    assert not said(run(RegisterWrite("control", 0, "step_count", 2), *steps))
    assert "3 times; 1 were asked" in said(
        run(RegisterWrite("control", 0, "step_count", 1), *steps)
    )


def test_a_run_stops_by_what_was_asked_for(run):
    asked = RegisterWrite("control", 0, "stop_on", StopOn.TIME)
    assert said(run(asked)) == "stopped by strikes, which was not asked for"


def test_a_run_of_a_time_takes_it_rounded_up_to_a_clock(run):
    asked = RegisterWrite("control", 0, "stop_on", StopOn.TIME)
    result = run(asked, RegisterWrite("control", 0, "run_time_ticks", 4093))
    result = replace(result, stop_reason=StopReason.TIME)
    # A clock of this geometry has 8 ticks.
    assert not said(replace(result, end_ticks=result.start_ticks + 4096, events=None, channels=()))
    assert "after 250000 ticks; 4096 were asked for" in said(result)


def edit_source(result, place, **changes):
    sources = list(result.accounting.sources)
    sources[place] = replace(sources[place], **changes)
    return replace(result, accounting=replace(result.accounting, sources=tuple(sources)))


def edit_channel(result, **changes):
    return replace(result, channels=(replace(result.channels[0], **changes),))


def edit_rise(result, **changes):
    kinds = tuple(
        replace(entry, statistics=replace(entry.statistics, **changes))
        if entry.kind == Kind.RISE
        else entry
        for entry in result.channels[0].measurements
    )
    return edit_channel(result, measurements=kinds)


def edit_classes(result, entry, count):
    return edit_channel(result, classes=dict(result.channels[0].classes) | {entry: count})


def edit_tick(result):
    geometry = result.identity.geometry
    geometry = replace(geometry, tick_fs=2 * geometry.tick_fs)
    return replace(result, identity=replace(result.identity, geometry=geometry))


EDITS = {
    "generated": (lambda run: edit_source(run, 0, generated=7), "12 generated, 13 by source"),
    "received": (lambda run: edit_source(run, 0, received=7), "12 received, 13 by source"),
    "dropped": (lambda run: edit_source(run, 1, upload_dropped=1), "0 dropped on chip, 1 by"),
    "two": (
        lambda run: edit_source(
            edit_source(run, 0, generated=7, received=7), 1, generated=5, received=5
        ),
        "7 events of ch0 received, 6 kept",
    ),
    "early": (lambda run: edit_classes(run, ResponseClass.EARLY, 1), "1 early answers"),
    "active": (lambda run: edit_channel(run, active_edges=2), "not in exactly one class"),
    "tick": (edit_tick, "100 µs from strike to strike, 50 µs were asked for"),
    "square": (lambda run: edit_rise(run, sum_sq_ticks2=140_001), "the sum of squares 140000"),
    "square less": (lambda run: edit_rise(run, sum_sq_ticks2=139_999), "the sum of squares 140000"),
    "index": (lambda run: edit_rise(run, max_index=4), "the event of the maximum 5"),
    "time": (lambda run: edit_rise(run, min_time_ticks=1101), "the time of the minimum 1100"),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_follows_from_other_figures_is_checked(run, name):
    edit, text = EDITS[name]
    assert text in " / ".join(analyse(consistent(edit(run()))).invalid_reasons)


def test_early_answers_are_those_below_0(run):
    result = run(RegisterWrite("matcher", 0, "early_ticks", 1000), keep_events=False)
    assert not said(result)
    edited = edit_classes(result, ResponseClass.EARLY, 1)
    assert said(edited) == "ISR: 1 early answers, 0 latencies below 0"


def test_samples_in_other_bins_than_the_events_are_told(run):
    result = run()
    rise = result.channels[0].measurement(Kind.RISE)
    counts = rise.bins.counts.copy()
    middle = [place for place in range(len(counts)) if counts[place]][1]
    counts[middle], counts[middle + 1] = 0, 1
    kinds = tuple(
        replace(entry, bins=replace(entry.bins, counts=counts)) if entry is rise else entry
        for entry in result.channels[0].measurements
    )
    edited = consistent(edit_channel(result, measurements=kinds))
    assert edited.valid
    assert "the bins computed from the events" in analyse(edited).invalid_reasons[0]


def test_each_edge_of_a_pin_that_toggles_is_an_active_one(run):
    result = run()
    toggling = replace(result.settings.channels[0], either=True)
    asked = replace(result, settings=replace(result.settings, channels=(toggling,)))
    place = next(n for n, entry in enumerate(result.accounting.sources) if entry.source == 0)
    assert "3 active edges in 6 edges of ch0" in said(asked)
    assert "3 active edges in 3 edges of ch0" in said(edit_source(result, place, generated=3))
    assert "active edges" not in said(edit_source(asked, place, generated=3))
