# SPDX-License-Identifier: Apache-2.0
"""The lists have the figures that the studies print, and one answer in 25 waits for the bus."""

import subprocess
import sys
import tomllib
from fractions import Fraction

import pytest

from plexor.figures.judge.budget_file import load
from plexor_lab.study.lists import write

# Minimum, mean and maximum in µs, as the article prints them.
TABLES = {
    "table2-isr.txt": ("1.6", "3.1", "10.6"),
    "table2-ist.txt": ("23.5", "32.2", "122.6"),
    "table3-isr.txt": ("1.6", "1.6", "2.5"),
    "table3-ist.txt": ("7.5", "8.4", "36.0"),
    "table4-isr.txt": ("1.6", "1.6", "1.6"),
    "table4-ist.txt": ("21.7", "22.7", "26.8"),
}
# Mean in ms and variance in ms², as the study prints them.
FIGURES = {
    "figure8.txt": ("0.0391", "0.004809"),
    "figure9.txt": ("14.465", "36.52"),
    "figure11.txt": ("0.0430", "0.000378"),
    "figure12.txt": ("0.04703", "0.001035"),
}
US_PS, MS_PS = 10**6, 10**9


def moments(latencies):
    mean = Fraction(sum(latencies), len(latencies))
    return mean, sum((each - mean) ** 2 for each in latencies) / len(latencies)


@pytest.fixture
def lists(tmp_path):
    told = write(tmp_path)
    read = {path.name: [*map(int, path.read_text().split())] for path in tmp_path.glob("*.txt")}
    assert [line.split()[0] for line in told] == [*TABLES, *FIGURES, "bus-lock.txt", "omac.toml"]
    assert {*read} == {*TABLES, *FIGURES, "bus-lock.txt"}
    return read


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_replayed(lists, name):
    least, mean, most = (Fraction(text) * US_PS for text in TABLES[name])
    assert (min(lists[name]), max(lists[name])) == (least, most)
    assert abs(moments(lists[name])[0] - mean) < US_PS / 20


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_replayed(lists, name):
    mean, variance = (Fraction(text) for text in FIGURES[name])
    found_mean, found_variance = moments(lists[name])
    assert found_mean == mean * MS_PS
    assert abs(found_variance / MS_PS**2 / variance - 1) < Fraction(1, 10**6)


def test_each_25th_answer_waits_for_60_us(lists):
    usual, locked = lists["bus-lock.txt"][0], lists["bus-lock.txt"][24]
    assert lists["bus-lock.txt"] == [usual] * 24 + [locked]
    assert locked - usual == 60 * US_PS


def test_the_budget_of_the_user_group_is_what_the_article_quotes(lists, tmp_path):
    """A latency of at most 100 µs, 50 µs on average as a goal, and cycles of 1 ms within 100 µs."""
    budget = tomllib.loads((tmp_path / "omac.toml").read_text())
    assert budget["struck"] == {"max": "100 us", "mean": {"goal": "50 us"}}
    assert budget["free"] == {"period": {"min": "900 us", "max": "1100 us"}}
    assert load(str(tmp_path / "omac.toml")).title == "omac"


def test_as_a_program_it_writes_into_the_current_folder(tmp_path):
    command = [sys.executable, "-m", "plexor_lab.study.lists"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (tmp_path / "table2-isr.txt").exists()
    assert "min 23.5, mean 32.2, max 122.6, spread 99.1 µs" in done.stdout


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_told_in_microseconds_as_the_study_has_it_in_milliseconds(name, tmp_path):
    (line,) = [line for line in write(tmp_path) if line.startswith(name)]
    mean, variance = (Fraction(text) for text in FIGURES[name])
    said = f"mean {float(mean * 1000):,.2f} µs, variance {float(variance * 10**6):,.0f} µs²"
    assert line.endswith(said)
