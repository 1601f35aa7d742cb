# SPDX-License-Identifier: Apache-2.0
"""Late answers of a run: from its events, by its own rules."""

from dataclasses import replace

from plexor.figures.explain.blame import Blamed
from plexor.figures.explain.recurrence import Law
from plexor.figures.explain.why import explain_late
from plexor.model.code_tables import CodeFigures, CodeTables

from ...runs import run
from ...scenario import Scenario

EVERY = 25
LATENCIES = [700 if n % EVERY == EVERY - 1 else 50 + n % 3 for n in range(20 * EVERY)]


def late_run(**options):
    result, _ = run(Scenario(LATENCIES, **options))
    return result


def test_answers_put_off_at_each_nth_strike_are_a_cluster_that_recurs():
    isr, _ = explain_late(late_run())
    assert isr.name == "isr"
    assert isr.tail is not None
    assert (isr.tail.usual, isr.tail.usual_ticks) == (19 * EVERY + 5, (50, 52))
    (group,) = isr.groups
    assert (group.cluster.low_ticks, group.cluster.high_ticks) == (700, 700)
    found = group.recurrence
    # Strikes come at one interval here: nothing tells the count from its time.
    assert (found.law, found.every, found.exact) == (Law.EITHER, EVERY, True)


def test_a_limit_makes_answers_late():
    isr, _ = explain_late(late_run(), over_ticks=51)
    assert isr.tail is not None
    assert isr.tail.count - isr.tail.usual == sum(latency > 51 for latency in LATENCIES)


def test_a_channel_whose_events_are_not_whole_says_why():
    lost, none = (
        explain_late(late_run(upload_dropped=[8])),
        explain_late(replace(late_run(), events=None)),
    )
    assert lost[0].tail is None
    assert lost[0].missing == "some of its events were lost"
    assert none[0].missing == "the run kept no events"


def test_a_run_without_events_has_the_answers_by_code_that_the_chip_counted():
    result = replace(late_run(), events=None)
    tables = CodeTables(0, (), (CodeFigures(5, 9, 90, 10, 10), CodeFigures(7, 2, 80, 30, 50)))
    isr, other = explain_late(replace(result, code_tables=tables))
    assert isr.blamed == (Blamed(7, 2, None, 30, 50, 80), Blamed(5, 9, None, 10, 10, 90))
    assert other.blamed == ()


def test_latencies_of_unknown_strikes_are_not_explained(run_of):
    (isr,) = explain_late(run_of([[None, 20_000, 30_000]]))
    assert (isr.tail, isr.missing) == (None, "its answers may be those of other strikes")
