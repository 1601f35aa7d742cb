# SPDX-License-Identifier: Apache-2.0
"""Archived runs as others are compared with them, and which of them that is."""

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plexor.base.errors import StoreError, UsageError
from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.compare import differences
from plexor.figures.judge.configuration import configuration
from plexor.files.archive import schema
from plexor.files.archive.archived import archived, last_good
from plexor.files.archive.folder import open_archive, put, segments
from plexor.files.archive.origin import Origin
from plexor.files.archive.query import Query, parse_where
from plexor.files.archive.record import LATER, record
from plexor.model.results import Identity
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import ResponseClass

from ...conftest import make_run
from .planted import BEGAN, commit, kept, loaded, planted


def test_an_archived_run_compares_as_the_run_itself_does(tmp_path):
    one, other = planted(1000, names=("ISR", "TASK")), planted(1040, 1, names=("ISR", "TASK"))
    (name, _) = kept(tmp_path, one, other)
    before = archived(Query(tmp_path), name)
    found = differences(before, analyse(other))
    whole = differences(analyse(one), analyse(other))
    assert found
    shown = [(e.channel, e.figure, e.before, e.after, e.interval) for e in found]
    assert shown == [(e.channel, e.figure, e.before, e.after, e.interval) for e in whole]
    rise = next(e for e in found if (e.channel, e.figure) == ("ISR", "min"))
    assert (rise.before, rise.after) == (Fraction(1, 10**6), Fraction(104, 10**8))


def test_exact_latencies_stay_exact(tmp_path):
    run = make_run([[1000, 1001, 1003, 1500, None] * 100])
    (name,) = kept(tmp_path, run)
    (channel,) = archived(Query(tmp_path), name).channels
    cells = channel.rise.distribution
    assert cells.exact
    assert dict(zip(cells.low_ticks.tolist(), cells.counts.tolist(), strict=True)) == {
        **{1000: 100, 1001: 100, 1003: 100, 1500: 100},
    }
    assert channel.rise.mean_ticks == Fraction(1000 + 1001 + 1003 + 1500, 4)
    assert channel.result.conserved


def unknown(run, strikes, edges):
    """Return a run of whose first channel so many strikes and edges are in no class."""
    first, *others = run.channels
    answered = first.classes[ResponseClass.ANSWERED]
    classes = {**first.classes, ResponseClass.ANSWERED: answered - strikes}
    changed = replace(first, classes=classes, unknown_strikes=strikes, unknown_edges=edges)
    return replace(run, channels=(changed, *others))


def test_strikes_and_edges_in_no_class_are_kept(tmp_path):
    (one,) = kept(tmp_path, unknown(planted(1000), 7, 5))
    (channel,) = archived(Query(tmp_path), one).channels
    assert (channel.result.unknown_strikes, channel.result.unknown_edges) == (7, 5)
    assert channel.result.strikes == 400
    assert channel.result.active_edges == 393 + 5


def test_an_archive_without_the_later_columns_is_read_and_its_runs_are_the_same(
    tmp_path, monkeypatch
):
    run = planted(1000)
    columns = schema.schema()
    older = pa.schema([column for column in columns if column.name not in LATER])
    monkeypatch.setattr(schema, "schema", lambda: older)
    (one,) = kept(tmp_path, run)
    monkeypatch.undo()
    (channel,) = archived(Query(tmp_path), one).channels
    assert (channel.result.unknown_strikes, channel.result.unknown_edges) == (0, 0)
    assert kept_again(tmp_path, run) == (one, False)


def kept_again(folder, run):
    """Add a run to an archive that is there; return its identity and whether it is new."""
    again = record(analyse(run), Origin())
    return again.run, put(folder, again.run, schema.table(again))


def test_a_run_without_channels_or_kinds_is_read(tmp_path):
    bare = replace(planted(1000), channels=())
    silent = planted(1000, 1)
    silent = replace(silent, channels=(replace(silent.channels[0], measurements=()),))
    names = kept(tmp_path, bare, silent)
    assert archived(Query(tmp_path), names[0]).channels == ()
    assert archived(Query(tmp_path), names[1]).channels[0].rise is None


def good(folder, to_judge, **options):
    return last_good(Query(folder), configuration(to_judge), **options).run.run


def test_the_last_good_run_is_the_newest_valid_whole_one_of_the_same_configuration(tmp_path):
    names = kept(
        tmp_path,
        planted(1000),
        planted(1001, 1),
        planted(1002, 2, invalid_reasons=("a bin is full",)),
        planted(1003, 3, interrupted=True),
        loaded(planted(1004, 4)),
        planted(1005, 5, device={"os": "Zephyr"}),
    )
    assert good(tmp_path, planted(1000, 6)) == names[1]
    assert good(tmp_path, loaded(planted(1000, 6))) == names[4]


def test_a_run_is_not_its_own_last_good_one_and_none_that_began_later_is(tmp_path):
    names = kept(tmp_path, planted(1000), planted(1001, 1), planted(1002, 2))
    run = planted(1001, 1)
    began = BEGAN + timedelta(minutes=10)
    assert good(tmp_path, run, run=names[1], before=began) == names[0]
    assert good(tmp_path, run, before=began) == names[1]
    assert good(tmp_path, run) == names[2]


def test_the_last_good_run_of_a_branch_is_asked_for(tmp_path):
    names = kept(
        tmp_path,
        planted(1000),
        planted(1001, 1),
        origins=[commit(0), replace(commit(1), branch="topic")],
    )
    where = [parse_where("branch=main")]
    assert good(tmp_path, planted(1000, 2), where=where) == names[0]
    with pytest.raises(UsageError, match="no earlier good run of branch=gone"):
        good(tmp_path, planted(1000, 2), where=[parse_where("branch=gone")])


def test_what_the_nearest_run_has_otherwise_is_told_and_may_be_looked_across(tmp_path):
    old = planted(1000, identity=Identity(Geometry(), 1))
    names = kept(tmp_path, old, loaded(planted(1000, 1, device={"os": "Zephyr"})))
    expected = "the nearest has gateware 0000000000000001, not 123456789abcdef0"
    with pytest.raises(UsageError, match=expected):
        good(tmp_path, planted(1000, 2))
    assert good(tmp_path, planted(1000, 2), across=["gateware"]) == names[0]


def test_an_empty_archive_has_no_good_run(tmp_path):
    open_archive(tmp_path)
    with pytest.raises(UsageError, match="holds no earlier good run"):
        good(tmp_path, planted(1000))


def test_a_run_that_is_not_there_is_told(tmp_path):
    kept(tmp_path, planted(1000))
    with pytest.raises(StoreError, match="has no run 2026"):
        archived(Query(tmp_path), "20260101T000000-00000000000000000000")


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("count", 401, "400 samples; must be of 401"),
        ("width_ticks", [0], "cells and counts differ|disjoint"),
        ("low_ticks", None, ""),
        ("kind", "sideways", "sideways"),
        ("strikes", None, ""),
    ],
)
def test_a_run_that_contradicts_itself_is_told_in_one_line(tmp_path, column, value, why):
    (name,) = kept(tmp_path, planted(1000))
    (only,) = segments(tmp_path)
    table = pq.read_table(tmp_path / only.name)
    place = table.column_names.index(column)
    kind = table.schema.field(column).type
    values = pa.array([value] * table.num_rows, kind)
    pq.write_table(table.set_column(place, column, values), tmp_path / only.name)
    with pytest.raises(StoreError, match=f"run {name}: cannot read: .*({why})") as caught:
        archived(Query(tmp_path), name)
    assert "\n" not in str(caught.value)
