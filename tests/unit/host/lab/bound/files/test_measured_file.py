# SPDX-License-Identifier: Apache-2.0
"""Files of measured services: what they name is read beside them, and each wrong row is told."""

from fractions import Fraction

import pytest

from plexor.base.errors import InvalidRunError, UsageError
from plexor_lab.bound.files.measured_file import read_measured

from ..createthread import EXAMPLES

HEAD = "model,platform,map,n,measured\n"


def row(model="createthread.toml", platform="platform-1.toml", places="", n="13", time="51111ns"):
    model, platform = (f"{EXAMPLES}/{name}" if name else "" for name in (model, platform))
    return f"{model},{platform},{places},{n},{time}\n"


def no_run(folder, channel, of):
    raise AssertionError(f"{folder} is none")


def test_a_folder_in_place_of_a_time_is_a_run_with_its_maximum_and_its_n(tmp_path):
    (tmp_path / "run").mkdir()
    path, seen = tmp_path / "m.csv", []

    def run_maximum(*asked):
        seen.append(asked)
        return Fraction(51_111), 13

    path.write_text(HEAD + row(n="", time="run"))
    (found,) = read_measured(path, run_maximum)
    assert (found.n, found.measured_ns) == (13, 51_111)
    path.write_text(
        HEAD.replace("measured", "measured,channel,of") + row(n="5", time="run,TASK,on-width")
    )
    (found,) = read_measured(path, run_maximum)
    assert found.n == 5
    run = tmp_path / "run"
    assert seen == [(run, "", ""), (run, "TASK", "on-width")]


def test_a_run_that_proves_no_maximum_is_told_with_its_line(tmp_path):
    (tmp_path / "run").mkdir()
    path = tmp_path / "m.csv"
    path.write_text(HEAD + row(time="run"))

    def run_maximum(*asked):
        raise InvalidRunError("3 strikes were missed")

    with pytest.raises(UsageError, match=r"m\.csv:2: measured: 3 strikes were missed"):
        read_measured(path, run_maximum)


def test_a_service_has_its_files_its_n_and_its_exact_time(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(HEAD + row(time="51.1115us"))
    (found,) = read_measured(path, no_run)
    assert (found.n, found.measured_ns) == (13, Fraction(102223, 2))
    assert found.model.title == "CreateThread"
    assert found.platform.regions[0] == "iram_text"


def test_files_are_relative_to_the_one_that_names_them():
    assert {each.platform.title for each in read_measured(EXAMPLES / "measured.csv", no_run)} == {
        "one cycle everywhere",
        "a heap in PSRAM",
    }


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (HEAD, r"m\.csv:1: no rows"),
        (HEAD + row(model=""), r"m\.csv:2: model: is empty; must name a file"),
        (HEAD + row(n=""), r"m\.csv:2: n: is empty; CreateThread takes longer with N"),
        (HEAD + row(n="-1"), r"m\.csv:2: n: '-1'; must be a whole number"),
        (HEAD + row(time="12"), r"m\.csv:2: measured: '12'; must be a time above 0"),
        (HEAD + row(time="0ns"), r"m\.csv:2: measured: '0ns'; must be a time above 0"),
        ("model,n\n", r"m\.csv:1: no column 'platform'"),
        (HEAD + row(platform="none.toml"), r"none\.toml: cannot read"),
    ],
)
def test_a_wrong_row_is_told_with_file_line_and_what_would_be_right(tmp_path, text, wrong):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=wrong):
        read_measured(path, no_run)


def test_another_kind_of_file_is_refused(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text("a = 1\n")
    with pytest.raises(UsageError, match=r"must be a file that ends in \.csv"):
        read_measured(path, no_run)
