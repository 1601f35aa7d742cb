# SPDX-License-Identifier: Apache-2.0
"""Windows of one-tick bins: which were asked for, and what lies in them."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.figures.analyse.windows import Window, windows
from plexor.model.results import Kind, Zoom
from plexor.show.facts import to_the_tick


def planted(run, first, counts, asked, kind=Kind.RISE):
    """Return a run whose channel 0 has this window, asked for or not."""
    channel = run.channels[0]
    one = next(entry for entry in channel.measurements if entry.kind == kind)
    others = tuple(entry for entry in channel.measurements if entry is not one)
    one = replace(one, zoom=Zoom(first, np.array(counts, np.uint64)))
    settings = run.settings
    given = replace(settings.channels[0], **{f"zoom_{kind}_s": Fraction(asked, 10**6)})
    return replace(
        run,
        channels=(replace(channel, measurements=(one, *others)), *run.channels[1:]),
        settings=replace(settings, channels=(given, *settings.channels[1:])),
    )


def test_a_window_has_its_ends_and_what_lies_between(run_of):
    run = planted(run_of([[1000]]), 990, [3, 1, 0, 4, 2], 1)
    (found,) = windows(run)
    assert found == Window(run.channels[0].name, Kind.RISE, 990, 992, 5, 10)
    assert found.share == Fraction(1, 2)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Kind.RISE, "{} to the tick"),
        (Kind.FALL, "{} fall to the tick"),
        (Kind.WIDTH, "{} width to the tick"),
        (Kind.PERIOD, "{} period to the tick"),
    ],
)
def test_each_measurement_has_a_window_of_its_own_and_is_named(run_of, kind, said):
    run = planted(run_of([[1000, 1001]]), 990, [3, 1, 0, 4, 2], 1, kind)
    (found,) = windows(run)
    assert (found.kind, found.inside, found.count) == (kind, 5, 10)
    ((name, text),) = to_the_tick(run)
    assert name == said.format(run.channels[0].name)
    assert "50 % of its " in text


def test_a_window_that_nobody_asked_for_is_not_told(run_of):
    assert list(windows(planted(run_of([[1000]]), 0, [0, 1, 0], 0))) == []
    assert list(windows(run_of([[1000]]))) == []


def test_of_no_latencies_no_share_is_told(run_of):
    (found,) = windows(planted(run_of([[1000]]), 990, [0, 0, 0], 1))
    assert (found.count, found.share) == (0, None)
