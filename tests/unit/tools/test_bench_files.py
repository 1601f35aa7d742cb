# SPDX-License-Identifier: Apache-2.0
"""Figures of files: each process by itself, what failed is said, too much memory too."""

from dataclasses import replace

import pytest
from tools.bench_files import FileFigure, figure, file_figures, file_table, run_of

from plexor.protocol.memory import ResponseClass

ONE = FileFigure("export .vcd", 10**7, 20.0, 15.0, 700 * 10**6, 150 * 10**6)


def test_the_run_has_its_events_and_is_valid():
    run = run_of(6000)
    assert len(run.events) == 6000
    assert run.valid
    assert run.simulated
    assert [channel.classes[ResponseClass.ANSWERED] for channel in run.channels] == [1000, 1000]


def figures(suffix):
    """Return the names of the figures of a format, each looked at."""
    said = []
    found = file_figures(600, said.append, (suffix,))
    assert len(said) == len(found)
    for entry in found:
        assert entry.events == 600
        assert entry.file_bytes > 100
        assert 30e6 < entry.peak_bytes < 1e9
        assert 0 < entry.cpu_s < 100
    return [entry.name for entry in found]


def test_a_file_is_written_by_a_process_of_its_own():
    assert figures(".md") == ["export .md"]


@pytest.mark.full
def test_a_capture_is_written_and_read_again():
    assert figures(".vcd") == ["export .vcd", "import .vcd"]


def test_a_command_that_fails_is_said(tmp_path):
    with pytest.raises(RuntimeError, match="holds no run, scan or schedule"):
        figure("x", 1, ["show", tmp_path], tmp_path)


def test_memory_beyond_the_aim_is_said_with_its_format():
    assert "at most 1000 MB at 1e+07 events: reached" in file_table([ONE])
    more = replace(ONE, name="export .csv", peak_bytes=10**9 + 1)
    assert "not reached by export .csv" in file_table([ONE, more])
    assert file_table([]).count("\n") == 0
