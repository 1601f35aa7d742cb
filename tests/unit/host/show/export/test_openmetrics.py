# SPDX-License-Identifier: Apache-2.0
"""Metrics by the parsers of prometheus_client: buckets hold their values, counts are all there."""

from dataclasses import replace

import numpy as np
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

from plexor.model.results import Bins, Kind
from plexor.show.export.openmetrics import write_openmetrics, write_prometheus

from . import planted
from .test_hdr import VALUES

pytestmark = pytest.mark.usefixtures("every_latency_is_written")

NAMES = {
    "rise": "plexor_latency",
    "fall": "plexor_fall_latency",
    "width": "plexor_width",
    "period": "plexor_period",
}
WRITERS = {"om": (write_openmetrics, openmetrics), "prom": (write_prometheus, prometheus)}


def samples(tmp_path, run, form="om"):
    """Return each sample's value by its name and labels."""
    write, parse = WRITERS[form]
    path = planted.written(write, tmp_path / f"a.{form}", run)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in parse(path.read_text(encoding="utf-8"))
        for sample in family.samples
    }


def buckets(found, name, channel):
    """Return the count up to each limit, in seconds."""
    return {
        float(dict(labels)["le"]): value
        for (sample, *labels), value in found.items()
        if sample == f"{name}_seconds_bucket" and dict(labels)["channel"] == channel
    }


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("tick_fs", planted.TICKS_FS)
def test_each_bucket_counts_the_values_up_to_its_limit(form, tick_fs, tmp_path):
    found = samples(tmp_path, planted.run(tick_fs), form)
    for tag, values in VALUES.items():
        channel, kind = tag.split(".")
        limits = buckets(found, NAMES[kind], channel)
        assert len(limits) > 100
        for limit, count in limits.items():
            # A limit is a whole number of ticks: half a tick keeps the float's error away.
            assert count == sum((value - 0.5) * tick_fs / 1e15 < limit for value in values), limit
        count = found[f"{NAMES[kind]}_seconds_count", ("channel", channel)]
        total = found[f"{NAMES[kind]}_seconds_sum", ("channel", channel)]
        assert (count, total) == (
            len(values),
            pytest.approx(sum(values) * tick_fs / 1e15, rel=1e-12),
        )


def test_limits_do_not_depend_on_the_values(tmp_path):
    one = samples(tmp_path, planted.run())
    other = samples(tmp_path, planted.run(rows=planted.ROWS[:8]))
    assert list(buckets(one, "plexor_latency", "ISR")) == list(
        buckets(other, "plexor_latency", "ISR")
    )


def test_strikes_responses_and_events_are_counted(tmp_path):
    found = samples(tmp_path, planted.run())

    def outcome(of, channel, kind):
        return found[f"plexor_{of}_outcomes_total", ("channel", channel), ("outcome", kind)]

    kinds = ("answered", "late", "missed")
    assert [outcome("strike", "ISR", kind) for kind in kinds] == [2, 1, 0]
    assert [outcome("strike", "TASK", kind) for kind in kinds] == [2, 0, 1]
    assert [outcome("response", "ISR", kind) for kind in ("duplicate", "spurious")] == [1, 1]
    assert found["plexor_pending_strikes", ("channel", "ISR")] == 1
    assert found["plexor_events_generated_total",] == len(planted.ROWS)
    assert found["plexor_latency_max_seconds", ("channel", "ISR")] == 300e-9


def test_what_was_lost_and_invalid_is_a_metric(tmp_path):
    found = samples(tmp_path, planted.lost(planted.run()))
    assert found["plexor_valid",] == 0
    assert found["plexor_simulated",] == 1
    assert found["plexor_events_dropped_on_chip_total",] == 2
    (info,) = [dict(labels) for (name, *labels) in found if name == "plexor_run_info"]
    assert info["device_os"] == "FreeRTOS 11"
    assert info["valid"].startswith("no: ")


def test_quantiles_have_bounds_and_are_left_out_if_samples_are_too_few(tmp_path, run_of):
    found = samples(tmp_path, run_of([list(range(1, 401))]))
    name = "plexor_latency_quantile_seconds"

    def at(quantile, bound):
        return found.get((name, ("bound", bound), ("channel", "ISR"), ("q", quantile)))

    assert at("0.5", "estimate") == 200e-9
    assert at("0.5", "lower") < 200e-9 < at("0.5", "upper")
    assert at("0.99", "upper") is not None
    assert at("0.999", "estimate") is None


@pytest.mark.parametrize("form", WRITERS)
def test_labels_of_other_metrics_kinds_are_not_used(form, tmp_path, run_of):
    """Rules of Prometheus' promlint: `quantile` is a summary's label, `le` a histogram's."""
    write, parse = WRITERS[form]
    path = planted.written(write, tmp_path / f"a.{form}", run_of([list(range(1, 401))]))
    for family in parse(path.read_text(encoding="utf-8")):
        labels = {label for sample in family.samples for label in sample.labels}
        assert "quantile" not in labels or family.type == "summary"
        assert "le" not in labels or family.type == "histogram"


def test_values_below_zero_are_in_every_bucket_and_have_no_sum(tmp_path):
    run = planted.run()
    rise = run.channels[0].measurement(Kind.RISE)
    counts = np.zeros_like(rise.bins.counts)
    counts[[50, -1]] = 3, 2
    statistics = replace(rise.statistics, count=5, min_ticks=-7, max_ticks=50, sum_ticks=140)
    early = replace(rise, bins=Bins(6, counts), statistics=statistics)
    channels = (replace(run.channels[0], measurements=(early,)),)
    found = samples(tmp_path, replace(run, events=None, channels=channels))
    limits = buckets(found, "plexor_latency", "ISR")
    assert (limits[0.0], limits[float("inf")]) == (2, 5)
    assert ("plexor_latency_seconds_sum", ("channel", "ISR")) not in found


def test_names_of_keys_may_be_anything(tmp_path):
    run = replace(planted.run(), device={"a-b": "1", "a b": '2"\n'})
    found = samples(tmp_path, run)
    (info,) = [dict(labels) for (name, *labels) in found if name == "plexor_run_info"]
    assert (info["device_a_b"], info["device_a_b_2"]) == ("1", '2"\n')
