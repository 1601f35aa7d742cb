# SPDX-License-Identifier: Apache-2.0
"""HdrHistogram logs by the library's own reader: counts exact, the unit said."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from plexor.model.results import Bins, Kind
from plexor.protocol.registers import Policy
from plexor.show.export.hdr import write_hlog
from plexor.wire.decode.bins import measurement_of
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.rematch import rematch

from . import planted

pytestmark = pytest.mark.usefixtures("every_latency_is_written")

VALUES = {
    "ISR.rise": [50, 300, 50],
    "ISR.fall": [70, 320, 60],
    "ISR.width": [10, 20, 20, 10, 10],
    "ISR.period": [100, 1250, 750, 50],
    "TASK.rise": [200, 0],
    "TASK.fall": [230, 30],
    "TASK.width": [30, 30],
    "TASK.period": [1800],
}
"""Of the planted run, in ticks."""


def read(path):
    """Return the counts by value of each tag, and the histograms."""
    reader = HistogramLogReader(str(path), HdrHistogram(1, 1 << 31, 3))
    found = {}
    while (histogram := reader.get_next_interval_histogram()) is not None:
        counts = np.ctypeslib.as_array(histogram.counts)
        counted = Counter(
            {histogram.get_value_from_index(n): int(counts[n]) for n in np.flatnonzero(counts)}
        )
        found[histogram.tag] = (counted, histogram)
    reader.close()
    return found, reader


def test_each_channel_and_kind_has_its_exact_counts(tmp_path):
    found, _ = read(planted.written(write_hlog, tmp_path / "a.hlog", planted.run()))
    assert {tag: counts for tag, (counts, _) in found.items()} == {
        tag: Counter(values) for tag, values in VALUES.items()
    }


def test_the_log_says_its_unit_its_start_and_its_length(tmp_path):
    path = planted.written(write_hlog, tmp_path / "a.hlog", planted.run(500_000))
    assert "#[unit: ticks of 500000 femtoseconds]" in path.read_text()
    found, reader = read(path)
    assert reader.get_start_time_sec() == 1795248000
    _, histogram = found["ISR.rise"]
    assert histogram.get_start_time_stamp() == 1795248000 * 1000
    line = next(row for row in path.read_text().splitlines() if row.startswith("Tag=ISR.rise,"))
    assert line.split(",")[1:4] == ["0.000000", "0.000002", "300.000000"]


def test_values_that_need_five_digits_are_exact_and_greater_ones_near(tmp_path):
    rows = [(1100, 8, 1), (1110, 8, 0), (1100 + 262_143, 0, 1), (263_250, 0, 0)]
    rows += [(400_000, 8, 1), (400_010, 8, 0), (400_000 + 1_000_001, 0, 1), (1_400_010, 0, 0)]
    run = planted.run(rows=rows, end_ticks=2_000_000, registers=(), channels=())
    registers = (planted.run().registers[0]._replace(value=1_500_000),)

    rules = Rules(0, 8, 1, Policy.OLDEST, 1_500_000, 0, 0, 1 << 30, 64)
    matched = rematch(run.events, rules, run.end_ticks)
    channel = replace(
        planted.run().channels[0],
        deadline_ticks=None,
        classes=matched.classes,
        measurements=(measurement_of(Kind.RISE, matched.samples[Kind.RISE], 6),),
    )
    run = replace(run, registers=registers, channels=(channel,))
    counts, _ = read(planted.written(write_hlog, tmp_path / "a.hlog", run))[0]["ISR.rise"]
    exact, near = sorted(counts)
    assert exact == 262_143
    assert near == pytest.approx(1_000_001, rel=1e-5)


def test_values_below_zero_are_counted_as_left_out(tmp_path):
    run = planted.run()
    rise = run.channels[0].measurement(Kind.RISE)
    counts = np.zeros_like(rise.bins.counts)
    counts[[50, -1]] = 3, 2
    statistics = replace(rise.statistics, count=5, min_ticks=-7, max_ticks=50, sum_ticks=140)
    early = replace(rise, bins=Bins(6, counts), statistics=statistics)
    channels = (replace(run.channels[0], measurements=(early,)),)
    path = planted.written(
        write_hlog, tmp_path / "a.hlog", replace(run, events=None, channels=channels)
    )
    assert "#[ISR.rise: 2 values below 0 are left out" in path.read_text()
    assert read(path)[0]["ISR.rise"][0] == {50: 3}


def test_bins_are_said_to_be_bins(tmp_path):
    path = planted.written(write_hlog, tmp_path / "a.hlog", replace(planted.run(), events=None))
    assert "#[ISR.period: counted in bins of up to 8 ticks" in path.read_text()
    assert sum(read(path)[0]["ISR.period"][0].values()) == 4


def test_a_tag_cannot_break_its_line(tmp_path):
    run = planted.run()
    channels = (replace(run.channels[0], name="a, b=c µ"), run.channels[1])
    path = planted.written(write_hlog, tmp_path / "a.hlog", replace(run, channels=channels))
    assert "a__b=c__.rise" in read(path)[0]


def test_bins_of_two_ticks_are_said_to_be_bins(tmp_path):
    run = planted.run()
    rise = run.channels[0].measurement(Kind.RISE)
    counts = np.zeros_like(rise.bins.counts)
    counts[129] = 3  # 130 and 131 ticks
    statistics = replace(rise.statistics, count=3, min_ticks=130, max_ticks=131, sum_ticks=391)
    bins = replace(rise, bins=Bins(6, counts), statistics=statistics)
    channels = (replace(run.channels[0], measurements=(bins,)),)
    path = planted.written(
        write_hlog, tmp_path / "a.hlog", replace(run, events=None, channels=channels)
    )
    assert "#[ISR.rise: counted in bins of up to 2 ticks, each at its greatest" in path.read_text()
    assert read(path)[0]["ISR.rise"][0] == {131: 3}
