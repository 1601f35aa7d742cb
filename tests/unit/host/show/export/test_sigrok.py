# SPDX-License-Identifier: Apache-2.0
"""sigrok sessions by sigrok-cli: a sample for each tick, in files of any number."""

import subprocess
import zipfile
from dataclasses import replace

import pytest

from plexor.base.errors import UsageError
from plexor.show.export import sigrok as module
from plexor.show.export.sigrok import sample_rate, write_sr

from . import planted


def sigrok(path, *options):
    """Return what sigrok-cli says of a file."""
    command = ["sigrok-cli", "-i", path, *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def levels(rows, source):
    """Return the level of a source at each tick of the run, and in front at the one before."""
    level, found = 0, []
    at = {time: polarity for time, own, polarity in rows if own == source}
    for tick in range(planted.START - 1, planted.END):
        level = at.get(tick, level)
        found.append(level)
    return found


@pytest.mark.parametrize("chunk", [1 << 22, 1000])
def test_sigrok_sees_each_level_at_each_tick(chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK_BYTES", chunk)
    path = planted.written(write_sr, tmp_path / "a.sr", planted.run())
    printed = sigrok(path, "-O", "csv:header=false:label=off:time=false")
    samples = [tuple(map(int, line.split(","))) for line in printed.split() if "," in line]
    expected = [levels(planted.ROWS, source) for source in (8, 0, 1)]
    assert samples == list(zip(*expected, strict=True))
    with zipfile.ZipFile(path) as archive:
        parts = [name for name in archive.namelist() if name.startswith("logic-1-")]
    assert len(parts) == (1 if chunk > 4000 else 4)


@pytest.mark.parametrize(
    ("tick_fs", "rate"),
    [
        (1_000_000, 10**9),
        (520_833, 1920 * 10**6),
        (1_041_667, 960 * 10**6),
        (2_604_167, 384 * 10**6),
        (9_950_249, 1005 * 10**5),
        (81_037_277, 1234 * 10**4),
        (81_004_455, 12_345 * 10**3),
    ],
)
def test_the_sample_rate_is_the_instruments_clock(tick_fs, rate, tmp_path):
    assert sample_rate(tick_fs) == rate
    path = planted.written(write_sr, tmp_path / "a.sr", planted.run(tick_fs))
    shown = sigrok(path, "--show")
    assert f"Samplerate: {rate}\n" in shown
    assert f"Logic sample count: {planted.END - planted.START + 1}\n" in shown


def test_more_than_eight_pins_have_samples_of_two_bytes(tmp_path):
    rows = [(1100 + source, source, 1) for source in range(8)]
    run = planted.run(rows=[*rows, (1200, 8, 1), (1210, 8, 0)], channels=())
    geometry = replace(run.identity.geometry, channels=8)
    run = replace(run, identity=replace(run.identity, geometry=geometry))
    path = planted.written(write_sr, tmp_path / "a.sr", run)
    shown = sigrok(path, "--show")
    assert "Channels: 9\n" in shown
    assert "Logic unitsize: 2\n" in shown
    line = sigrok(path, "-O", "csv:header=false:label=off:time=false", "-C", "ch7").split()
    assert line[107:110] == ["0", "1", "1"]


def test_an_edge_in_the_first_tick_of_the_run_is_an_edge(tmp_path):
    run = planted.run(rows=[(planted.START, 8, 1), (planted.START + 2, 8, 0)])
    path = planted.written(write_sr, tmp_path / "a.sr", run)
    line = sigrok(path, "-O", "csv:header=false:label=off:time=false", "-C", "strike0").split()
    assert line[:5] == ["0", "1", "1", "0", "0"]


def test_a_tick_that_is_no_rate_is_refused_with_the_alternative(tmp_path):
    run = planted.run(2_604_169)
    with pytest.raises(UsageError, match=r"a\.sr: a tick of 2604169 fs .* write \.vcd$"):
        planted.written(write_sr, tmp_path / "a.sr", run)


def test_a_run_that_would_fill_the_disk_is_refused_with_the_alternative(tmp_path):
    run = replace(planted.run(), end_ticks=10**12)
    with pytest.raises(UsageError, match=r"lasts 1000 s, and .* allows 4\.295 s; write \.vcd"):
        planted.written(write_sr, tmp_path / "a.sr", run)
