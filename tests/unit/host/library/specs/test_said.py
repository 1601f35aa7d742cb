# SPDX-License-Identifier: Apache-2.0
"""What options say, as texts that can be typed, and how those of two folders differ."""

from pathlib import Path

from plexor.cli.options import STRICT_KEYS, Keyed
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.options import Target
from plexor.library.specs.said import differing, said

ASKED = {"low": "1k", "high": "200k"}


def of(**options):
    return said(Target(dut="bare"), SweepSpec(**ASKED, **options))


def test_what_is_asked_can_be_typed_again_and_defaults_are_left_out():
    assert of() == {"dut": "bare", "low": "1k", "high": "200k"}
    assert of(points=9, loads="none") == of()
    found = of(dither="1us", longest="1.5s", both_ways=True, loads="none,cpu", points=4)
    assert found["dither"] == "1us"
    assert found["longest"] == "1.5s"
    assert (found["both_ways"], found["loads"], found["points"]) == ("given", "none,cpu", "4")


def test_numbers_that_a_short_text_rounds_are_told_exactly():
    assert of(dither="1.23456789us")["dither"] == "123456789/100000000000000"
    assert SweepSpec(low="1k", high="123456").high == 123456
    assert said(SweepSpec(low="1k", high="123456"))["high"] == "123456"


def test_where_something_is_kept_and_who_takes_it_are_no_settings():
    assert of(out=Path("s1"), force=True, executor="local:2", command=("a",)) == of()


def test_whether_labels_were_asked_for_is_no_setting():
    labels = tuple((name, "x") for name in STRICT_KEYS)
    strict, free = (said(Keyed(keys=labels, strict=strict)) for strict in (True, False))
    assert strict == free


def test_each_setting_that_differs_is_named_with_both_values():
    def name(keyword):
        return {"high": "--to"}.get(keyword, f"--{keyword}")

    now = {**of(points=4), "high": "100k"}
    assert differing(now, of(dither="1us"), name) == [
        "--to 100k, there 200k",
        "--points 4, there not given",
        "--dither not given, there 1us",
    ]
    assert differing(of(), of(), name) == []
    assert differing(of(channels="A=ch0"), of(channels="A=ch1"), name) == ["another --channels"]
