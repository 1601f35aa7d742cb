# SPDX-License-Identifier: Apache-2.0
"""Where a table begins and ends in its file, and what names its columns."""

import re

import pytest

from plexor.base.errors import UsageError
from plexor.library.exchange import import_capture, list_capture

from .test_csv import written


@pytest.mark.parametrize("above", ["#time,irq", "# time, irq", "# made by hand: 2\n#time,irq"])
def test_names_in_a_comment_right_above_the_rows_are_those_of_the_columns(above, tmp_path):
    """numpy.savetxt writes its header so."""
    path = written(tmp_path / "a.csv", f"{above}\n0.0,0\n1e-05,1\n2e-05,0\n")
    run = import_capture(path, channels=["S=irq"]).result
    assert [int(time) * run.tick_fs for time in run.events["time_ticks"]] == [10**10, 2 * 10**10]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "no rows of numbers; must be a table of times and levels"),
        ("hello\nworld\n", "no rows of numbers"),
        ("Time,s\n0,0\n2,1\n1,0\n3,1\n", "its times go back; must rise from row to row"),
        ("Time,s\n0,0\n0,1\n0,0\n", "its times stand still at 0; export the table without them"),
        ("Time,s\n0,0\n1,1\n2,0,5\n3,1\n4,1\n5,1\n", "line 4 has 3 columns; must have 2 as the"),
        ("Time,s\n0,0\nx,1\n2,0\n3,0\n4,0\n5,1\n", "line 3: 'x' is no time"),
        (
            "Time,s\n0,001,0\n0,002,1\n1,003,0\n",
            "its rows have 3 columns under 2 names: a comma before decimals is one between columns",
        ),
    ],
)
def test_what_is_no_table_is_one_line(text, line, tmp_path):
    path = written(tmp_path / "a.csv", text)
    with pytest.raises(UsageError, match=re.escape(line)) as caught:
        import_capture(path, channels=["R=s"])
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rows", [2, 3])
def test_a_last_line_that_is_cut_is_left_out_behind_two_whole_ones(rows, tmp_path):
    whole = "".join(f"{n}e-6,{n % 2},0\n" for n in range(rows))
    path = written(tmp_path / "a.csv", "Time,s,r\n" + whole + "9e-6,")
    run = import_capture(path, channels=["S=s"]).result
    assert len(run.events) == rows - 1


def test_frames_of_an_analyzer_are_refused(tmp_path):
    text = 'name,type,start_time,duration,"data"\n'
    text += "".join(f'"UART","data",{n}e-4,1e-05,0x4{n}\n' for n in range(4))
    path = written(tmp_path / "a.csv", text)
    with pytest.raises(UsageError, match="its rows are frames that an analyzer decoded; export"):
        import_capture(path, channels=["R=data"])


def test_the_name_above_a_single_column_is_its_name(tmp_path):
    path = written(tmp_path / "a.csv", "irq\n0\n1\n0\n")
    run = import_capture(path, channels=["R=irq"], samplerate="1M").result
    assert len(run.events) == 2


NOTED = "".join(
    f"{n}e-6,{n % 2},{note}\n"
    for n, note in enumerate(("boot", "reset", "", "ready", "5", "6", "7", "8", "9", "10", "11"))
)


@pytest.mark.parametrize("above", ["Time,irq,note\n", "# a log\nTime,irq,note\n", ""])
def test_rows_before_the_first_number_in_a_column_of_notes_are_rows(above, tmp_path):
    """All notes but the first are numbers: so are those that tell where the table begins."""
    path = written(tmp_path / "a.csv", above + NOTED)
    uses = {signal.name: signal.use for signal in list_capture(path).listing.signals}
    name = "irq" if above else "column2"
    assert uses.pop(name) == "strike or response"
    assert uses == ({"note": "no levels"} if above else {})
    run = import_capture(path, channels=[f"R={name}"]).result
    assert [int(time) * run.tick_fs // 10**9 for time in run.events["time_ticks"]] == list(
        range(1, 11)
    )


@pytest.mark.parametrize("column", [0, 1, 2])
def test_notes_may_stand_in_any_column_if_the_times_have_a_name(column, tmp_path):
    rows = [line.split(",") for line in ("Time,irq,note\n" + NOTED).splitlines()]
    for row in rows:
        row.insert(column, row.pop())
    path = written(tmp_path / "a.csv", "".join(",".join(row) + "\n" for row in rows))
    assert len(import_capture(path, channels=["R=irq"]).result.events) == 10


def test_lines_of_numbers_above_a_table_are_none_of_its_rows(tmp_path):
    """What is told of the capture has a text where the table has its times."""
    text = "Points,9,1\nRate,2,3\n" + "".join(f"{n}e-6,{n % 2},0\n" for n in range(9))
    listed = list_capture(written(tmp_path / "a.csv", text)).listing
    assert [signal.rises for signal in listed.signals] == [4, 0]


def test_a_column_of_notes_is_none_of_the_levels_although_some_notes_are_numbers(tmp_path):
    notes = ("reset", "x", "7", "boot", "12", "y")
    rows = "".join(f"{n}e-6,{n % 2},{note}\n" for n, note in enumerate(notes))
    path = written(tmp_path / "a.csv", f"Time,irq,note\n{rows}")
    run = import_capture(path, channels=["R=irq"]).result
    assert len(run.events) == len(notes) - 1


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_table_is_read_in_the_codings_that_instruments_write(coding, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("Time (µs),größe\n0,0\n1,1\n2,0\n3,0\n".encode(coding))
    run = import_capture(path, channels=["S=größe"]).result
    assert [int(time) * run.tick_fs for time in run.events["time_ticks"]] == [10**9, 2 * 10**9]


@pytest.mark.parametrize("name", ["TRIGGER", "GAP"])
def test_a_signal_is_called_as_a_mark_of_an_analyser_is_where_no_such_analyser_wrote(
    name, tmp_path
):
    path = written(tmp_path / "a.csv", f"Time,{name},r\n0,0,0\n1e-6,1,0\n2e-6,0,1\n3e-6,0,0\n")
    run = import_capture(path, strikes=[name], channels=["R=r"]).result
    assert run.events["source"].tolist() == [8, 8, 0, 0]
