# SPDX-License-Identifier: Apache-2.0
"""Seconds beside ticks: exact, of each name, at any depth."""

from decimal import Decimal

from plexor.files.store.seconds import with_seconds, with_seconds_schema


def test_each_time_has_its_seconds_behind_it():
    figures = {"min_ticks": 2640, "a": [{"ticks": -3, "n": 1}], "max_ticks": None}
    found = with_seconds(figures | {"sum_sq_ticks": 4}, 10**6)
    assert found == {
        "min_ticks": 2640,
        "min_s": "0.00000264",
        "a": [{"ticks": -3, "seconds": "-0.000000003", "n": 1}],
        "max_ticks": None,
        "max_s": None,
        "sum_sq_ticks": 4,
    }
    assert list(found)[:2] == ["min_ticks", "min_s"]


def test_no_digit_is_lost_where_a_float_has_too_few():
    ticks, tick_fs = (1 << 62) - 1, 1_041_667
    (text,) = [v for k, v in with_seconds({"at_ticks": ticks}, tick_fs).items() if k == "at_s"]
    assert Decimal(text).scaleb(15) == ticks * tick_fs


def test_a_figure_of_no_whole_ticks_has_15_digits():
    assert with_seconds({"rms_ticks": 0.1}, 10**6)["rms_s"] == "0.0000000001"
    assert with_seconds({"rms_ticks": 2 / 3}, 10**6)["rms_s"] == "0.000000000666666666666667"


def test_a_schema_has_seconds_where_a_document_has_them():
    whole, maybe = {"type": "integer"}, {"anyOf": [{"type": "number"}, {"type": "null"}]}
    inner = {"type": "object", "properties": {"ticks": whole}, "required": ["ticks"]}
    own = {
        "min_ticks": whole,
        "rms_ticks": maybe,
        "sum_sq_ticks": whole,
        "gaps_ticks": {"type": "array", "items": whole},
        "quantiles": {"type": "array", "items": inner},
    }
    found = with_seconds_schema(
        {"type": "object", "properties": own, "required": ["min_ticks", "sum_sq_ticks"]}
    )
    assert set(found["properties"]) == {*own, "min_s", "rms_s"}
    assert found["properties"]["min_s"]["type"] == "string"
    assert found["properties"]["rms_s"]["type"] == ["string", "null"]
    assert found["required"] == ["min_ticks", "min_s", "sum_sq_ticks"]
    assert found["properties"]["quantiles"]["items"]["required"] == ["ticks", "seconds"]
