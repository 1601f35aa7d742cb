# SPDX-License-Identifier: Apache-2.0
"""Histories of an archive: which runs are one, in which order, and where they changed."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.files.archive.document import trend_document
from plexor.files.archive.figures import parse_figure
from plexor.files.archive.origin import Origin
from plexor.files.archive.query import Query, parse_where
from plexor.files.archive.trend import GroupedBy, TrendQuery, trend
from plexor.model.results import Identity, Kind
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry

from .planted import BEGAN, history, kept, loaded, planted

STEP = [1000 + n % 3 for n in range(30)] + [1050 + n % 3 for n in range(15)]
LEVEL = [1000 + n % 3 for n in range(20)]


def asked(folder, *figures, **options):
    wanted = tuple(map(parse_figure, figures or ("p99", "max")))
    return trend(Query(folder), TrendQuery("ISR", wanted, **options))


def test_a_step_is_marked_in_both_figures_at_its_commit(tmp_path):
    names = history(tmp_path, STEP)
    found = asked(tmp_path)
    (one,) = found.histories
    assert [point.run for point in one.points] == names
    for course, level in zip(one.courses, (1001, 1051), strict=True):
        (step,) = course.steps
        assert step.place == 30
        assert step.before == pytest.approx(level * 1e-9)
        assert step.after == pytest.approx((level + 50) * 1e-9)
        assert step.change == pytest.approx(50 / level)
    assert one.points[30].commit == "006aaaaaa"
    assert one.points[30].started.minute == BEGAN.minute
    assert one.courses[0].levels() == [
        (0, 29, pytest.approx(1001e-9)),
        (30, 44, pytest.approx(1051e-9)),
    ]


def test_runs_of_different_configurations_are_different_histories(tmp_path):
    """The same step as above, but with the load, so that nothing changed."""
    history(tmp_path, STEP[:30])
    history(tmp_path, STEP[30:], of=loaded(planted(1000)), first=30)
    found = asked(tmp_path)
    assert [each.configuration["load"] for each in found.histories] == ["on", "none"]
    assert [len(each.points) for each in found.histories] == [15, 30]
    assert all(course.steps == () for each in found.histories for course in each.courses)
    assert found.differing() == ["load"]


def test_a_caller_may_look_across_an_entry(tmp_path):
    history(tmp_path, STEP[:30])
    history(tmp_path, STEP[30:], of=planted(1000, identity=Identity(Geometry(), 1)), first=30)
    assert len(asked(tmp_path).histories) == 2
    (one,) = asked(tmp_path, across=("gateware",)).histories
    assert one.courses[0].steps[0].place == 30


def test_what_belongs_to_other_channels_does_not_part_a_history(tmp_path):
    history(tmp_path, LEVEL)
    history(tmp_path, LEVEL, of=planted(1000, names=("ISR", "TASK")), first=20)
    assert len(asked(tmp_path).histories) == 1


def test_runs_of_a_commit_stand_together_and_a_change_is_between_commits(tmp_path):
    """Commits are measured in turn, so that by time the level changes with each run."""
    levels = [1000 + 50 * (n % 2) for n in range(24)]
    names = history(tmp_path, levels, origin=lambda n: Origin("ab"[n % 2] * 40, "main", False))
    (one,) = asked(tmp_path).histories
    assert [point.run for point in one.points] == names[::2] + names[1::2]
    (step,) = one.courses[0].steps
    assert step.place == 12
    (one,) = asked(tmp_path, by=GroupedBy.LOAD).histories
    assert [point.run for point in one.points] == names
    assert one.courses[0].steps == ()


def test_a_change_within_a_commit_is_none_by_commit_and_one_by_load(tmp_path):
    history(tmp_path, STEP, origin=lambda n: Origin("a" * 40))
    assert asked(tmp_path).histories[0].courses[0].steps == ()
    assert asked(tmp_path, by=GroupedBy.LOAD).histories[0].courses[0].steps[0].place == 30


def test_runs_whose_commit_is_not_known_stand_for_themselves(tmp_path):
    history(tmp_path, STEP, origin=lambda n: Origin())
    (one,) = asked(tmp_path).histories
    assert one.courses[0].steps[0].place == 30
    assert one.points[0].commit == ""


def test_a_commit_with_changed_files_is_another_than_itself(tmp_path):
    history(tmp_path, STEP[:30], origin=lambda n: Origin("a" * 40, "main", False))
    history(tmp_path, STEP[30:], first=30, origin=lambda n: Origin("a" * 40, "main", True))
    (one,) = asked(tmp_path).histories
    assert one.courses[0].steps[0].place == 30
    assert (one.points[29].commit, one.points[30].commit) == ("a" * 9, "a" * 9 + "+")


def test_invalid_and_interrupted_runs_are_left_out_and_counted(tmp_path):
    history(tmp_path, LEVEL)
    history(tmp_path, [5000] * 3, first=20, valid=False)
    history(tmp_path, [5000] * 2, first=23, interrupted=True)
    found = asked(tmp_path)
    assert found.left_out == 5
    assert found.runs == 20
    assert np.nanmax(found.histories[0].courses[0].values) < 2e-6


def test_only_the_last_runs_are_looked_at_and_the_others_are_counted(tmp_path):
    names = history(tmp_path, STEP)
    (one,) = asked(tmp_path, last=20).histories
    assert (len(one.points), one.total) == (20, 45)
    assert [point.run for point in one.points] == names[-20:]


def test_runs_that_do_not_know_a_figure_are_skipped_by_it(tmp_path):
    history(tmp_path, [None if n % 4 == 0 else level for n, level in enumerate(STEP)])
    (one,) = asked(tmp_path, "p99.9", "p99").histories
    unknown, some = one.courses
    assert len(unknown.known) == 0
    assert (unknown.levels(), unknown.steps) == ([], ())
    assert some.known.tolist() == [n for n in range(45) if n % 4]
    assert [step.place for step in some.steps] == [30]


def test_boards_and_loads_are_told_apart(tmp_path):
    history(tmp_path, LEVEL, of=planted(1000, device={"board": "A"}))
    history(tmp_path, LEVEL, of=loaded(planted(1000, device={"board": "B"})), first=20)
    assert {each.series for each in asked(tmp_path, by=GroupedBy.BOARD).histories} == {"A", "B"}
    assert {each.series for each in asked(tmp_path, by=GroupedBy.LOAD).histories} == {"none", "on"}
    history(tmp_path, LEVEL, of=planted(1000, device={}), first=40)
    assert "sim" in {each.series for each in asked(tmp_path, by=GroupedBy.BOARD).histories}


def test_several_figures_of_the_same_columns_are_each_worked_out(tmp_path):
    kept(tmp_path, planted(1000), planted(1010, 1))
    found = asked(tmp_path, "max", "peak_to_peak", "mean", "min", "missed", "answered", "p75")
    values = [course.values.tolist() for course in found.histories[0].courses]
    ticks = [[1009, 1019], [9, 9], None, [1000, 1010], None, None, None]
    for own, expected in zip(values, ticks, strict=True):
        if expected is not None:
            assert own == pytest.approx([each * 1e-9 for each in expected])
    mean = (394 * 1000 + 5 * 1004 + 1009) / 400
    assert values[2] == pytest.approx([mean * 1e-9, (mean + 10) * 1e-9])
    assert values[4:6] == [[0.0, 0.0], [1.0, 1.0]]
    assert values[6][0] == pytest.approx(1.007e-6)  # the last tick of its bin


def test_other_kinds_have_histories_too(tmp_path):
    history(tmp_path, LEVEL)
    found = asked(tmp_path, "mean", kind=Kind.WIDTH)
    assert found.histories[0].courses[0].values == pytest.approx(100e-9)


def test_runs_are_chosen_before_they_are_looked_at(tmp_path):
    history(tmp_path, LEVEL)
    history(tmp_path, LEVEL, of=loaded(planted(1000)), first=20)
    found = asked(tmp_path, where=(parse_where("load=on"),))
    assert [each.configuration["load"] for each in found.histories] == ["on"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"channel": "TASK"},
            "channel 'TASK': no run has its rise; the archive has the channels ISR",
        ),
        ({"where": (parse_where("load=on"),)}, "no run of load=on has its rise"),
    ],
)
def test_a_channel_that_no_run_has_is_told(tmp_path, change, why):
    history(tmp_path, LEVEL)
    wanted = replace(TrendQuery("ISR", (parse_figure("p99"),)), **change)
    with pytest.raises(UsageError, match=why):
        trend(Query(tmp_path), wanted)


def test_an_archive_of_invalid_runs_alone_says_so(tmp_path):
    history(tmp_path, LEVEL, valid=False)
    with pytest.raises(UsageError, match="all 20 runs of it are invalid or were interrupted"):
        asked(tmp_path)


def test_ten_runs_whose_newest_four_are_slower_are_too_few_and_now_is_of_the_newest(tmp_path):
    history(
        tmp_path,
        [1000 + n % 3 for n in range(6)] + [1200 + n % 3 for n in range(4)],
        origin=lambda _: Origin(),
    )
    course = asked(tmp_path).histories[0].courses[0]
    assert (course.steps, course.lacking, course.needs) == ((), 1, 11)
    assert course.now == pytest.approx(1201e-9, abs=2e-9)
    document = trend_document(asked(tmp_path))["histories"][0]["figures"]["p99"]
    assert (document["outcome"], document["needs"]) == ("too few", 11)


def test_each_history_of_a_few_runs_is_too_short_to_tell(tmp_path):
    for number in range(3):
        device = {"dut": f"build {number}"}
        history(tmp_path, LEVEL[:4], of=planted(1000, device=device), first=4 * number)
    found = asked(tmp_path).histories
    assert [course.needs for each in found for course in each.courses] == [10] * 6


def test_a_few_runs_behind_a_change_that_was_found_are_no_doubt(tmp_path):
    history(tmp_path, STEP[:37])
    for course in asked(tmp_path).histories[0].courses:
        assert [step.place for step in course.steps] == [30]
        assert course.lacking == 0


@pytest.mark.parametrize("simulated_first", [False, True])
def test_a_history_with_a_simulated_run_is_simulated(tmp_path, simulated_first):
    simulated, plain = Geometry(), Geometry(features=ALL_FEATURES & ~Feature.SIMULATED)
    both = (simulated, plain) if simulated_first else (plain, simulated)
    for number, geometry in enumerate(both):
        of = planted(1000, identity=Identity(geometry, 1))
        history(tmp_path, LEVEL, of=of, first=20 * number)
    (one,) = asked(tmp_path, across=("source",)).histories
    assert one.simulated
    assert [each.simulated for each in asked(tmp_path).histories].count(True) == 1
