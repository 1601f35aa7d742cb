# SPDX-License-Identifier: Apache-2.0
"""The page of a run that an archive has: the run's own figures, from the archive alone."""

import re
from dataclasses import replace

from plexor.figures.analyse.analyse import analyse
from plexor.files.archive.archived import archived
from plexor.files.archive.origin import Origin
from plexor.files.archive.query import Query
from plexor.show.archive.run_page import archived_page, run_rows
from plexor.show.tiles import html_tiles, tiles

from ...files.archive.planted import kept, planted
from ...files.archive.test_archived import unknown


def of_archive(folder, run):
    (name,) = kept(folder, run, origins=[Origin("c" * 40, "<main>", False)])
    return archived(Query(folder), name)


def test_its_tiles_are_those_of_the_run_itself(tmp_path):
    run = planted(1000, names=("ISR", "TASK"))
    page = archived_page(of_archive(tmp_path, run))
    when = re.compile(r"<small>at [^<]+ in the run</small>")
    assert when.sub("", html_tiles(tiles(analyse(run)))) in page


def test_its_table_has_classes_and_latencies(tmp_path):
    heads, row = run_rows(of_archive(tmp_path, planted(1000)))
    known = dict(zip(heads, (text for text, _ in row[0]), strict=True))
    # 394 answers after 1000 ticks, five after 1004, one after 1009; bins of eight ticks.
    assert known == {
        "channel": "ISR", "strikes": "400", "answered": "400", "late": "0", "missed": "0",
        "duplicate": "0", "spurious": "0", "min": "1 µs", "p50": "1.007 µs", "p90": "1.007 µs",
        "p99": "1.007 µs", "p99.9": "too few", "max seen": "1.009 µs",
    }  # fmt: skip


def test_strikes_in_no_class_have_a_column_where_there_are_any(tmp_path):
    heads, (row,) = run_rows(of_archive(tmp_path, unknown(planted(1000), 7, 5)))
    assert row[heads.index("unknown")] == ("7", "and 5 edges")
    assert "7 unknown" in archived_page(of_archive(tmp_path / "b", unknown(planted(1000), 7, 5)))


def test_an_invalid_or_interrupted_run_says_so_and_names_are_text(tmp_path):
    run = replace(planted(1000), invalid_reasons=("books <do> not balance",), interrupted=True)
    page = archived_page(of_archive(tmp_path, run))
    assert "books &lt;do&gt; not balance" in page
    assert "Interrupted" in page
    assert "branch &lt;main&gt;" in page
