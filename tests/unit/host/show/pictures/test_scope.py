# SPDX-License-Identifier: Apache-2.0
"""The scope's picture of a strike and what follows it."""

import dataclasses
import re

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.model.settings import RegisterWrite
from plexor.show.facts import summary
from plexor.show.pictures.scope import scope
from plexor.show.pictures.svg import svg_picture


def test_several_outputs_are_told_apart(runs):
    report = analyse(runs["two strikes"])
    assert "strikes · strike0 20 kHz · strike1 on each strike0 · " in summary(report)
    drawn = svg_picture(scope(report))
    assert ">strike1<" in drawn
    assert ">time after each channel's own strike<" in drawn
    assert ">strike0<" not in svg_picture(scope(analyse(runs["usual"])))


@pytest.mark.parametrize(
    ("reference", "width_ticks", "falls"),
    [("strike1", 900, True), ("strike1", 10**9, False), ("strike0", 900, False)],
)
def test_the_strike_is_as_long_as_it_was_where_all_channels_have_the_same(
    run_of, reference, width_ticks, falls
):
    run = run_of([[2000] * 20, [5000] * 20])
    channels = [dataclasses.replace(channel, reference=reference) for channel in run.channels]
    run = dataclasses.replace(
        run,
        channels=tuple(channels),
        registers=(*run.registers, RegisterWrite("stimulus", 1, "width_ticks", width_ticks)),
    )
    drawn = re.search(
        r'<path class="rule" fill="none" d="([^"]*)"', svg_picture(scope(analyse(run)))
    )[1]
    assert drawn.count("V") == 1 + falls
    if falls:
        rise_x, fall_x = (float(x) for x in re.findall(r"H([\d.]+)V", drawn))
        p50 = re.search(r'<text[^>]* x="([\d.]+)"[^>]*>p50 2 µs', svg_picture(scope(analyse(run))))
        assert (fall_x - rise_x) / (float(p50[1]) - rise_x) == pytest.approx(
            width_ticks / 2000, 0.02
        )
