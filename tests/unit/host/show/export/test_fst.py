# SPDX-License-Identifier: Apache-2.0
"""FST by wellen, a reader in Rust: every edge at its exact time."""

import os
import resource
import signal
from dataclasses import replace

import pytest
from pywellen import Waveform

from plexor.base.errors import UsageError
from plexor.show.export import fst as module
from plexor.show.export.fst import is_whole, write_fst

from . import planted

FS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}


def read(path):
    """Return (fs, name, level) of each change in order, and names by their level at time 0."""
    waveform = Waveform(str(path))
    scale = waveform.timescale
    unit_fs = scale.factor * FS[str(scale.unit).rpartition(".")[2]]
    changes, initial = [], {}
    for var in waveform.all_vars():
        scope, _, name = var.full_name.partition(".")
        assert scope == "plexor"
        (first, *rest) = var.tv
        if name == "about":
            assert not rest
            continue
        assert first[0] == 0
        initial[name] = int(first[1])
        changes += [(time * unit_fs, name, int(level)) for time, level in rest]
    return sorted(changes, key=lambda change: change[0]), initial


@pytest.mark.parametrize("tick_fs", planted.TICKS_FS)
@pytest.mark.parametrize("chunk", [3, 1 << 16])
def test_each_edge_is_at_its_exact_time(tick_fs, chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", chunk)
    changes, initial = read(planted.written(write_fst, tmp_path / "a.fst", planted.run(tick_fs)))
    expected = [
        ((time - planted.START + 1) * tick_fs, planted.NAMES[source], polarity)
        for time, source, polarity in planted.ROWS
    ]
    assert sorted(changes) == sorted(expected)
    assert initial == {"strike0": 0, "ISR": 0, "TASK": 0}


def test_a_pin_that_is_active_at_the_start_falls(tmp_path):
    run = planted.run(rows=[(1050, 0, 0), (1060, 0, 1)])
    changes, initial = read(planted.written(write_fst, tmp_path / "a.fst", run))
    assert initial["ISR"] == 1
    assert [level for _, _, level in changes] == [0, 1]


def test_a_run_without_events_is_refused(tmp_path):
    with pytest.raises(UsageError, match="needs the events of the run"):
        planted.written(write_fst, tmp_path / "a.fst", replace(planted.run(), events=None))


def test_a_file_that_a_full_disk_has_cut_is_not_whole(tmp_path):
    """The writer says nothing of it: wherever the file ends, it is found."""
    path = planted.written(write_fst, tmp_path / "a.fst", planted.run())
    assert is_whole(path)
    for size in range(path.stat().st_size - 1, -1, -1):
        os.truncate(path, size)
        assert not is_whole(path), size


def test_a_disk_that_is_full_is_told(tmp_path):
    """A file may have no more than 100 bytes: the kernel refuses the rest."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, most))
    try:
        with pytest.raises(OSError, match=r"No space|too large"):
            planted.written(write_fst, tmp_path / "a.fst", planted.run())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
