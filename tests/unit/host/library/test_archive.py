# SPDX-License-Identifier: Apache-2.0
"""The public archive: runs go in once, and come out as trends and as the last good one."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.base.errors import StoreError, UsageError
from plexor.files.archive.origin import Origin
from plexor.files.store.run_folder import save
from plexor.library.archive import Archive, Log, Trend
from plexor.library.run import Run

from ..files.archive.planted import git, history, loaded, planted
from ..plain_text import columns_and_colour


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path / "archive")


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Keep the repository of these tests out of sight."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("outside")
def test_a_run_is_added_once_whether_it_is_in_hand_or_in_a_folder(archive, tmp_path):
    run = planted(1000)
    save(run, tmp_path / "run")
    first = archive.add(Run(run))
    assert first.new
    for again in (Run(run), tmp_path / "run", str(tmp_path / "run" / "run.json")):
        added = archive.add(again)
        assert (added.run, added.new) == (first.run, False)
    assert archive.log().total == 1
    assert archive.log().runs[0].origin == Origin()


def test_a_base_is_no_part_of_what_is_kept(archive):
    first = archive.add(Run(planted(1000)), commit="a")
    assert not archive.add(Run(planted(1000), base="100ns"), commit="a").new
    assert archive.trend("ISR", figures=["min"]).histories[0].courses[0].values == pytest.approx(
        1e-6
    )
    assert first.run == archive.log().runs[0].run


def test_latencies_that_may_be_of_other_strikes_are_in_no_trend(archive, run_of):
    archive.add(Run(run_of([[1000] * 200], period=20_000)))
    archive.add(Run(run_of([[None, *[5000] * 199]], period=20_000)))
    assert archive.log().total == 2
    (course,) = archive.trend("ISR", figures=["max"]).histories[0].courses
    assert list(course.values) == pytest.approx([1e-6])


def test_a_commit_is_that_of_the_repository_around_the_run_unless_it_is_given(archive, tmp_path):
    repository = tmp_path / "project"
    repository.mkdir()
    git(repository, "init", "--quiet")
    (repository / "main.c").touch()
    git(repository, "add", "main.c")
    git(repository, "commit", "--quiet", "--message", "One.")
    save(planted(1000), repository / "runs" / "a")
    save(planted(1001, 1), repository / "runs" / "b")
    archive.add(repository / "runs" / "a")
    archive.add(repository / "runs" / "b", commit="v1.2", branch="release")
    later, first = archive.log().runs
    assert first.origin == Origin(git(repository, "rev-parse", "HEAD"), "main", False)
    assert later.origin == Origin("v1.2", "release", None)


def test_a_branch_alone_leaves_the_commit_to_git(archive, tmp_path, monkeypatch):
    """As in a job that has checked out a commit without a branch."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "One.")
    git(tmp_path, "checkout", "--quiet", "--detach")
    monkeypatch.chdir(tmp_path)
    archive.add(Run(planted(1000)), branch="topic")
    (kept,) = archive.log().runs
    assert kept.origin == Origin(git(tmp_path, "rev-parse", "HEAD"), "topic", False)


def test_runs_are_chosen_by_texts(archive):
    archive.add(Run(planted(1000)), commit="a", branch="main")
    archive.add(Run(loaded(planted(1000, 1))), commit="b", branch="main")
    assert [each.origin.commit for each in archive.log(where="branch=main").runs] == ["b", "a"]
    assert archive.log(where=["load=on"]).total == 1
    assert [each.origin.commit for each in archive.log(where=["branch=main"], last=1).runs] == ["b"]
    with pytest.raises(UsageError, match="where: 'load'; must be KEY=VALUE"):
        archive.log(where=["load"])


def test_a_trend_is_asked_for_in_texts(archive):
    history(archive.folder, [1000 + n % 3 for n in range(30)] + [1050] * 15)
    found = archive.trend("ISR")
    assert [course.figure.name for course in found.histories[0].courses] == ["p99", "max"]
    assert found.histories[0].courses[0].steps[0].place == 30
    assert "p99 +4.9 % at 006aaaaaa" in found.text(width=200)
    assert found.document()["channel"] == "ISR"
    assert "<figure>" in found.page()


def test_a_log_shows_itself(archive):
    history(archive.folder, [1000] * 45)
    log = archive.log(last=2)
    assert (len(log.runs), log.total) == (2, 45)
    assert "the newest 2 of 45 runs" in log.text()
    assert log.document()["total"] == 45


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"figures": ["median"]}, "figure: 'median'; must be one of min"),
        ({"by": "moon"}, "by: 'moon'; must be one of commit, board, load"),
        ({"kind": "sideways"}, "kind: 'sideways'; must be one of rise, fall, width, period"),
        ({"where": ["x"]}, "where: 'x'; must be KEY=VALUE"),
    ],
)
def test_what_a_trend_cannot_be_of_is_told(archive, options, why):
    history(archive.folder, [1000])
    with pytest.raises(UsageError, match=why):
        archive.trend("ISR", **options)


def test_a_run_is_compared_with_the_last_good_one_before_it(archive):
    archive.add(Run(planted(1000)), commit="a")
    run = Run(planted(1100, 1))
    archive.add(run, commit="b")
    found = archive.last_good(run)
    assert found.run.origin.commit == "a"
    assert found.channels[0].rise.min_ticks == 1000
    compared = archive.comparison(run, fail_on="min>+5%", judge="estimate")
    assert compared.exit_code() == 1
    (change,) = [entry.change for entry in compared.differences if entry.figure == "min"]
    assert change == Fraction(1, 10)
    assert compared.notes == (
        f"A is the last good run: {found.run.run}, begun 2026-11-01 08:00, commit a, simulated",
    )
    other = Run(loaded(planted(1100, 1)))
    with pytest.raises(UsageError, match="the nearest has load none, not on"):
        archive.comparison(other)
    assert archive.comparison(other, across=["load"]).differing_keys == ("load",)


def test_a_channel_of_the_archived_run_alone_is_named(archive):
    archive.add(Run(planted(1000, names=("ISR", "TASK"))), commit="a")
    run = planted(1000, 1, names=("ISR", "TASK"))
    run = replace(run, channels=run.channels[:1], invalid_reasons=("a bin is full",))
    compared = archive.comparison(Run(run))
    assert compared.notes[1:] == ("TASK: is in only one of the two",)
    assert compared.invalid_reasons == ("B is an INVALID RUN: a bin is full",)


def test_what_is_no_run_is_told_and_makes_no_archive(archive, tmp_path):
    with pytest.raises(StoreError, match="gone"):
        archive.add(tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="empty: holds no run, scan or schedule"):
        archive.add(tmp_path / "empty")
    assert not archive.folder.exists()
    with pytest.raises(StoreError, match="holds no archive"):
        archive.log()


def test_an_impossible_run_is_not_added(archive):
    run = planted(1000)
    (channel,) = run.channels
    many = dict.fromkeys(channel.classes, 1 << 70)
    wrong = replace(run, channels=(replace(channel, classes=many),))
    with pytest.raises(StoreError, match="cannot be archived: a count that is out of range"):
        archive.add(Run(wrong), commit="a")
    assert archive.log().total == 0


def test_ticks_of_any_length_are_seconds(archive):
    run = planted(1000)
    geometry = replace(run.identity.geometry, tick_fs=1_041_667)
    run = replace(run, identity=replace(run.identity, geometry=geometry))
    archive.add(Run(run), commit="a")
    found = archive.trend("ISR", figures=["min"]).histories[0].courses[0].values[0]
    assert found == pytest.approx(float(Fraction(1000 * 1_041_667, 10**15)))


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Log.text) == (100, False)
    assert columns_and_colour(Trend.text) == (100, False)
