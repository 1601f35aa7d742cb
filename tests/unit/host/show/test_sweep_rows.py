# SPDX-License-Identifier: Apache-2.0
"""The steps of a sweep as rows."""

from dataclasses import replace

from plexor.experiments.step import REST, UP
from plexor.show.sweep_rows import heading, own_steps, step_rows

from ..sweeps import figures, knee, result, step

ISR = knee("cpu", "ISR", 20_000, 40_000)


def test_a_knees_steps_are_its_loads_and_channels_with_rates_rising_and_none_at_rest():
    shared = step("cpu", 80_000, figures("ISR"), figures("APP"))
    own = replace(step("cpu", 20_000, figures("ISR")), for_channel="ISR")
    others = [
        step("none", 30_000, figures("ISR")),
        replace(step("cpu", 30_000, figures("APP")), for_channel="APP"),
        step("cpu", 20_000, figures("ISR"), direction=REST),
    ]
    up = step("cpu", 40_000, figures("ISR"), direction=UP)
    assert own_steps([shared, *others, up, own], ISR) == [own, up, shared]


def test_each_channel_of_a_step_has_a_row_unless_the_step_is_anothers():
    shared = step("cpu", 80_000, figures("ISR", missed=250), figures("APP"), direction=UP)
    own = step("cpu", 20_000, replace(figures("ISR"), cycle=1200), figures("APP"))
    head, rows = step_rows(result([shared, replace(own, for_channel="ISR")], [ISR]))
    found = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["rate"], row["channel"]) for row in found] == [
        ("20 kHz", "ISR"),
        ("80 kHz up", "ISR"),
        ("80 kHz up", "APP"),
    ]
    assert [row["again"] for row in found] == ["every 1,200", "-", "-"]
    assert found[1]["missed"] == "25.000%"
    assert found[1]["verdict"] == "fail"
    assert (found[0]["strikes"], found[0]["max seen"]) == ("1,000", "2 µs")


def test_a_channel_without_an_answer_has_no_latency():
    head, (row,) = step_rows(result([step("cpu", 80_000, figures("ISR", missed=1000))], [ISR]))
    assert [row[head.index(name)] for name in ("p50", "p99", "max seen")] == ["-"] * 3


def test_a_sweep_is_of_a_system_a_device_or_at_least_of_saturation():
    swept = result([], [ISR])
    for device, title in (
        ({"os": "A", "system": "B", "dut": "C"}, "A"),
        ({"system": "B", "dut": "C"}, "B"),
        ({"dut": "C"}, "C"),
        ({}, "Saturation"),
    ):
        assert heading(replace(swept, device=device)) == (title, "simulated")
    assert heading(replace(swept, simulated=False))[1] == "measured"
