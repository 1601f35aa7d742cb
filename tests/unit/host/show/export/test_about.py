# SPDX-License-Identifier: Apache-2.0
"""What every file says: where the run is from, whether it holds, what was lost."""

import re
import time
import zipfile
from dataclasses import replace

import pytest
from pywellen import Waveform

from plexor.figures.judge.budget_file import parse
from plexor.show.export.about import about, line_of, started_s
from plexor.show.export.formats import ALIASES, FORMATS, export
from plexor.show.export.source import ExportSource

from . import planted

LIMITS = parse('[all]\nmax = "100 us"', "limits.toml")


def test_a_simulated_run_says_so():
    found = about(ExportSource(planted.run()))
    assert (found["simulated"], found["source"], found["valid"]) == ("yes", "simulated", "yes")
    assert found["tick_fs"] == "1000000"
    assert found["device.os"] == "FreeRTOS 11"
    assert found["started"] == "2026-11-21T08:00:00+00:00"


def test_an_invalid_run_says_why_and_what_was_dropped():
    found = about(ExportSource(planted.lost(planted.run())))
    assert found["valid"] == "no: 2 edges were dropped before they could be matched"
    assert found["dropped_on_chip"] == "2"
    assert "generated 24 = received 22 + dropped on chip 2" in found["accounting"]


# A Code Quality report has entries alone.
@pytest.mark.parametrize(
    "suffix", [*(each for each in FORMATS if each != ".codequality"), *ALIASES]
)
def test_every_file_has_these_texts(suffix, tmp_path):
    path = tmp_path / f"run{suffix}"
    result = planted.lost(planted.run())
    export(result, [path], LIMITS)
    data = path.read_bytes()
    if suffix in (".npz", ".sr"):
        with zipfile.ZipFile(path) as archive:
            data = b"".join(archive.read(name) for name in archive.namelist()).replace(b"\0", b"")
    if suffix == ".fst":
        told = next(
            var for var in Waveform(str(path)).all_vars() if var.full_name.endswith("about")
        )
        data = str(list(told.tv)).encode()
    text = data.decode("latin-1").replace("\\_", "_")
    for expected in ("edges were dropped before they could be matched", "2026-11-21T08:00:00"):
        assert expected in text, suffix
    assert re.search("simulated", text)
    for expected in ("tick_fs", "FreeRTOS 11", "dropped_on_chip"):
        assert expected in text, suffix


def test_a_line_is_one_line_of_ascii():
    assert line_of("a\n “b”\t$end") == r"a \u201cb\u201d $end"


def test_a_start_that_is_no_time_is_none():
    assert started_s(ExportSource(planted.run())) == 1795248000
    assert started_s(ExportSource(replace(planted.run(), started="soon"))) is None


@pytest.mark.parametrize("suffix", [*FORMATS, *ALIASES])
def test_a_run_is_the_same_file_an_hour_later(suffix, tmp_path, monkeypatch):
    result, files = planted.run(), []
    for later_s in (0, 3600):
        now_s = time.time() + later_s
        monkeypatch.setattr(time, "time", lambda at_s=now_s: at_s)
        path = tmp_path / f"{later_s}{suffix}"
        export(result, [path], LIMITS)
        files.append(path.read_bytes())
    assert files[0] == files[1]
