# SPDX-License-Identifier: Apache-2.0
"""A run to be written: the pins it used, what became of its events, whether it holds."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.figures.judge.budget import Budget, Limit, Scope
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass
from plexor.show.export.hdr import write_hlog
from plexor.show.export.npz import write_npz
from plexor.show.export.openmetrics import write_openmetrics, write_prometheus
from plexor.show.export.source import ExportSource, distinct
from plexor.wire.decode.outcomes import NONE

from . import planted


def test_pins_are_those_that_were_used_strikes_first():
    pins = [(pin.source, pin.name) for pin in ExportSource(planted.run()).pins]
    assert pins == [(8, "strike0"), (0, "ISR"), (1, "TASK")]
    rows = [*planted.ROWS, (4200, 16, 1)]
    assert [pin.name for pin in ExportSource(planted.run(rows=rows)).pins][-1] == "load"


def test_codes_are_edges_of_code_pins_in_the_order_of_events():
    source = ExportSource(planted.coded())
    assert [pin.name for pin in source.waves][:3] == ["strike0", "ISR", "TASK"]
    names = {pin.source: pin.name for pin in source.waves}
    edges = source.edges("a.vcd")
    found = [(e["time_ticks"], names[e["source"]], e["polarity"]) for e in edges]
    assert [each for each in found if each[1].startswith("code")] == planted.CODE_EDGES
    assert (edges["time_ticks"][1:] >= edges["time_ticks"][:-1]).all()
    assert len(found) == len(planted.ROWS) + len(planted.CODE_EDGES)


def test_a_name_that_is_there_already_gets_a_number():
    assert distinct(["a", "b", "a", "a_2", "a"]) == ["a", "b", "a_2", "a_2_2", "a_3"]


def test_each_response_has_its_class():
    found = ExportSource(planted.run()).checked.outcomes
    classes = {
        int(place): ResponseClass(kind).name.lower()
        for own in found.values()
        for place, kind in zip(own.responses, own.response_class, strict=True)
    }
    assert classes == planted.CLASS_OF
    assert sum(int((own.strike_of != NONE).sum()) for own in found.values()) == 5


def test_channels_whose_events_are_missing_have_no_outcomes():
    checked = ExportSource(planted.lost(planted.run())).checked
    assert list(checked.outcomes) == [1]
    assert (0, Kind.RISE) not in checked.distributions


def test_a_channel_whose_counts_differ_from_its_events_has_no_outcomes():
    run = planted.run()
    wrong = {**run.channels[0].classes, ResponseClass.SPURIOUS: 5}
    channels = (replace(run.channels[0], classes=wrong), run.channels[1])
    assert list(ExportSource(replace(run, channels=channels)).checked.outcomes) == [1]


def test_events_that_contradict_the_chip_make_the_run_invalid():
    run = planted.run()
    rise = run.channels[0].measurement(Kind.RISE)
    other = replace(rise, statistics=replace(rise.statistics, max_ticks=301), on_chip=True)
    measurements = tuple(
        other if entry is rise else entry for entry in run.channels[0].measurements
    )
    channels = (replace(run.channels[0], measurements=measurements), run.channels[1])
    source = ExportSource(replace(run, channels=channels))
    (reason,) = source.invalid_reasons
    assert "the chip has (3, 400, 50, 301)" in reason
    assert source.report.invalid_reasons == source.invalid_reasons


def test_a_distribution_is_exact_by_events_and_else_by_bins():
    run = planted.run()
    period = run.channels[0].measurement(Kind.PERIOD)
    exact = ExportSource(run).distribution(run.channels[0], period)
    assert exact.low_ticks.tolist() == [50, 100, 750, 1250]
    assert (exact.high_ticks - exact.low_ticks).tolist() == [1] * 4
    silent = replace(run, events=None)
    binned = ExportSource(silent).distribution(silent.channels[0], period)
    assert binned.counts.tolist() == [1] * 4
    assert [750 in range(*cell) for cell in zip(binned.low_ticks, binned.high_ticks, strict=True)][
        2
    ]
    assert int((binned.high_ticks - binned.low_ticks)[2]) == 8


@pytest.mark.parametrize(("rows", "level"), [([(1050, 0, 1)], 0), ([(1050, 0, 0)], 1), ([], 0)])
def test_the_level_at_the_start_is_the_one_before_the_first_edge(rows, level):
    assert ExportSource(planted.run(rows=rows)).level_at_start(0) == level


def test_a_run_without_events_says_which_files_can_be_written():
    with pytest.raises(UsageError, match=r"^x\.vcd: needs the events .* --mode stream"):
        ExportSource(replace(planted.run(), events=None)).events("x.vcd")


def test_a_budget_for_a_channel_that_is_not_there_is_a_usage_error():
    limit = Limit(Scope.CHANNEL, "max", planted.DEADLINE, channel="nosuch")
    with pytest.raises(UsageError, match='"nosuch" is not in this run'):
        _ = ExportSource(planted.run(), Budget("b", (limit,))).verdict


def test_latencies_that_may_be_of_other_strikes_are_left_out_and_named(run_of, tmp_path):
    own, other = [5000] * 200, [None, *[5000] * 199]
    source = ExportSource(run_of([own, other], period=20_000))
    assert source.unpaired == ("TASK",)
    kinds = [{entry.kind for entry in source.measurements(c)} for c in source.result.channels]
    assert kinds == [set(Kind), {Kind.WIDTH, Kind.PERIOD}]
    metric = 'latency_max_seconds{channel="%s"}'
    for write, suffix, has, has_not in (
        (write_hlog, "hlog", "Tag=ISR.rise", "Tag=TASK.rise"),
        (write_openmetrics, "om", metric % "ISR", metric % "TASK"),
        (write_prometheus, "prom", metric % "ISR", metric % "TASK"),
    ):
        path = tmp_path / f"run.{suffix}"
        write(source, path, path)
        text = path.read_text()
        assert has in text
        assert has_not not in text
        assert "TASK: its answers may be those of other strikes" in text
    path = tmp_path / "run.npz"
    write_npz(source, path, path)
    with np.load(path) as found:
        assert {"ISR.rise.counts", "TASK.width.counts"} <= set(found.files)
        assert not {"TASK.rise.counts", "TASK.fall.counts"} & set(found.files)
