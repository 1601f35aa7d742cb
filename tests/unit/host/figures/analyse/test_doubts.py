# SPDX-License-Identifier: Apache-2.0
"""What a run says that it cannot tell, and what it says to look at."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.doubts import doubts
from plexor.figures.analyse.pairing import PairedBy, Pairing, Standing
from plexor.model.results import Kind, Statistics
from plexor.protocol.memory import ResponseClass
from plexor.run.plan.registers import plan_of


def lines(run):
    return doubts(analyse(run))


def asked(run, **stimulus):
    """Return the run with the registers of one output, which strikes as it did."""
    settings = run.settings
    one = replace(settings.strikes[0], **stimulus)
    planned = plan_of(replace(settings, strikes=(one,), timeout_s=one.period_s), run.identity)
    return replace(run, registers=planned.registers)


def test_a_run_without_doubt_says_nothing(run_of):
    assert lines(run_of([[1000, 2000, 3000]])) == ()


def test_a_channel_without_an_edge_says_where_to_look(run_of):
    (line,) = lines(run_of([[None] * 20]))
    assert line.startswith("ISR: none of 20 strikes was answered: no edge came; look at the wiring")


def test_a_channel_whose_filter_lets_no_edge_pass_says_so(run_of):
    run = run_of([[None] * 20])
    channel = replace(run.settings.channels[0], filter_s=Fraction(4, 10**9))
    settings = replace(run.settings, channels=(channel,))
    (line,) = lines(replace(run, settings=settings))
    assert "20 strikes was answered: no edge passed its filter of 4 ns" in line


def test_where_strikes_were_missed_the_first_lines_of_the_design_are_repeated(run_of):
    said = tuple(f"{n} us: illegal request {n}" for n in range(5))
    assert lines(replace(run_of([[1000, 2000]]), device_said=said)) == ()
    line = lines(replace(run_of([[1000, None] * 8]), device_said=said))[-1]
    assert line == (
        "strikes were missed, and the design said, at 0 us: illegal request 0; 1 us: illegal "
        "request 1; 2 us: illegal request 2; and 2 more lines"
    )


def test_a_channel_whose_edges_are_too_late_says_so(run_of):
    run = run_of([[None] * 3])
    (channel,) = run.channels
    classes = {**channel.classes, ResponseClass.SPURIOUS: 3}
    (line,) = lines(replace(run, channels=(replace(channel, classes=classes, active_edges=3),)))
    assert "3 edges came, but none within the time-out of 50 µs after a strike" in line


def test_a_channel_that_never_becomes_active_says_so(run_of):
    run = run_of([[None] * 3, [None] * 3])
    changed = replace(run.accounting.sources[0], source=0, generated=1, received=1)
    books = replace(run.accounting, sources=(changed, *run.accounting.sources))
    first, second = lines(replace(run, accounting=books, events=None))
    assert "the pin changed, but never to its active level" in first
    assert "no edge came" in second


def test_answers_of_unknown_strikes_name_what_settles_it(run_of):
    run = asked(run_of([[None, 20_000, 30_000]]))
    (line,) = lines(run)
    assert line == (
        "ISR: answers may be those of other strikes (missed strikes: 1): its latencies are "
        "left out; --dither 8.192us or a --timeout longer than any answer takes or a lower --rate "
        "settles it"
    )
    assert "--mode stream or --dither" in lines(replace(run, events=None))[0]


@pytest.mark.parametrize(
    ("lag", "latency_ticks", "said"),
    [
        (2, 125_000, "the strike 2 before their own: about 125 µs; --timeout 150us settles it"),
        (-1, 1000, "the strike 1 after the one that they were matched with: about 1 µs; --timeout"),
    ],
)
def test_the_strike_that_answers_fit_is_named_with_a_time_out(run_of, lag, latency_ticks, said):
    report = analyse(run_of([[None, 20_000, 30_000]]))
    pairing = Pairing(Standing.AMBIGUOUS, PairedBy.NOTHING, 0, lag, latency_ticks)
    channel = replace(report.channels[0], pairing=pairing)
    (line,) = doubts(replace(report, channels=(channel,)))
    assert line.startswith("ISR: answers fit " + said)
    assert line.endswith("; its latencies are left out")


@pytest.mark.parametrize(("lag", "time_out"), [(2, "150us"), (-1, "125.001us")])
def test_the_time_out_that_settles_answers_is_longer_than_they_take(run_of, lag, time_out):
    """By a fifth where other strikes lie between; else by a tick, of a nanosecond."""
    report = analyse(run_of([[None, 20_000, 30_000]]))
    pairing = Pairing(Standing.AMBIGUOUS, PairedBy.NOTHING, 0, lag, 125_000)
    (line,) = doubts(replace(report, channels=(replace(report.channels[0], pairing=pairing),)))
    assert f"; --timeout {time_out} settles it; " in line


def test_a_pin_that_changes_once_a_strike_says_so(run_of):
    # Up behind each second strike, down behind the others: 50 µs on, 50 µs off.
    run = run_of([[2000, None] * 50], widths=50_000)
    first, *others = lines(run)
    assert first.startswith("ISR: the pin changes once a strike, up and down in turn")
    assert "--channel NAME=ch0:edge=either takes each" in first
    assert others == []
    run = asked(replace(run, events=None))
    assert lines(run)[0] == first
    assert not any("once a strike" in line for line in lines(run_of([[2000, None] * 50])))


@pytest.mark.parametrize(("width_ticks", "percent"), [(30_000, None), (48_000, "94%")])
def test_a_pin_that_may_rest_at_its_active_level_says_so(run_of, width_ticks, percent):
    # 100 answers of that width in a run of 5.1 ms.
    run = run_of([[1000] * 100], widths=width_ticks)
    said = lines(run)
    if percent is None:
        assert said == ()
        return
    (line,) = said
    assert line.startswith(f"ISR: the pin is high, its active level, for {percent} of the run")
    assert line.endswith("begins with the other edge: measure it with :invert")
    low = replace(run.settings, channels=(replace(run.settings.channels[0], invert=True),))
    (line,) = lines(replace(run, settings=low))
    assert "the pin is low, its active level" in line
    assert line.endswith("measure it without :invert")


def test_a_pin_that_stays_active_after_its_first_answer_says_so(run_of):
    run = run_of([[1000, None, None, None]])
    (channel,) = run.channels
    held = replace(
        channel,
        active_edges=1,
        measurements=tuple(
            replace(one, statistics=Statistics(0, 0, 0, None, None))
            if one.kind == Kind.WIDTH
            else one
            for one in channel.measurements
        ),
    )
    said = [line for line in lines(replace(run, channels=(held,))) if "stayed so" in line]
    assert said
    assert "--strike 1:start=strike0" in said[0]
    # One that ended is none.
    assert not [line for line in lines(run) if "stayed so" in line]
    # Nor is one that answered its only strike.
    (channel,) = run_of([[1000]]).channels
    once = replace(held, classes=channel.classes)
    assert not [line for line in lines(replace(run, channels=(once,))) if "stayed so" in line]
