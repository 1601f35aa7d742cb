# SPDX-License-Identifier: Apache-2.0
"""numpy's own reader finds events, histograms and texts."""

import json
from dataclasses import replace

import numpy as np
import pytest

from plexor.show.export.npz import write_npz

from . import planted

pytestmark = pytest.mark.usefixtures("every_latency_is_written")


def read(tmp_path, run):
    with np.load(planted.written(write_npz, tmp_path / "a.npz", run)) as found:
        return dict(found)


def test_events_are_columns_with_times_from_the_start(tmp_path):
    found = read(tmp_path, planted.run())
    columns = zip(found["time_ticks"], found["source"], found["polarity"], strict=True)
    assert [(int(t) + planted.START, int(s), int(p)) for t, s, p in columns] == planted.ROWS
    assert found["index"].tolist() == list(range(len(planted.ROWS)))


def test_codes_are_columns_too(tmp_path):
    found = read(tmp_path, planted.coded())
    columns = zip(found["code_time_ticks"], found["code"], strict=True)
    assert [(int(time) + planted.START, int(code)) for time, code in columns] == planted.CODES


def test_histograms_are_exact_where_events_are_complete(tmp_path):
    found = read(tmp_path, planted.run())
    assert found["ISR.rise.low_ticks"].tolist() == [50, 300]
    assert found["ISR.rise.high_ticks"].tolist() == [51, 301]
    assert found["ISR.rise.counts"].tolist() == [2, 1]
    assert found["TASK.width.low_ticks"].tolist() == [30]


def test_texts_have_classes_and_names(tmp_path):
    about = json.loads(str(read(tmp_path, planted.run())["about"]))
    assert about["pins"] == {"8": "strike0", "0": "ISR", "1": "TASK"}
    isr = about["channels"]["ISR"]
    assert (isr["answered"], isr["late"], isr["missed"], isr["pending"]) == (2, 1, 0, 1)
    assert (isr["duplicate"], isr["spurious"], isr["strikes"]) == (1, 1, 4)
    assert about["simulated"] == "yes"


def test_a_run_without_events_still_has_its_histograms(tmp_path):
    found = read(tmp_path, replace(planted.run(), events=None))
    assert "time_ticks" not in found
    assert int(found["ISR.rise.counts"].sum()) == 3
