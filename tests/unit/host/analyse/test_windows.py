"""Windows of one-tick bins: which were asked for, and what lies in them."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from plexor.analyse.windows import Window, windows
from plexor.model.results import Kind, Zoom


def planted(run, first, counts, asked):
    """Return a run whose channel 0 has this window, asked for or not."""
    channel = run.channels[0]
    rise = next(entry for entry in channel.measurements if entry.kind == Kind.RISE)
    others = tuple(entry for entry in channel.measurements if entry is not rise)
    rise = replace(rise, zoom=Zoom(first, np.array(counts, np.uint64)))
    settings = run.settings
    given = replace(settings.channels[0], zoom_rise_s=Fraction(asked, 10**6))
    return replace(
        run,
        channels=(replace(channel, measurements=(rise, *others)), *run.channels[1:]),
        settings=replace(settings, channels=(given, *settings.channels[1:])),
    )


def test_a_window_has_its_ends_and_what_lies_between(run_of):
    run = planted(run_of([[1000]]), 990, [3, 1, 0, 4, 2], 1)
    (found,) = windows(run)
    assert found == Window(run.channels[0].name, 990, 992, 5, 10)
    assert found.share == Fraction(1, 2)


def test_a_window_that_nobody_asked_for_is_not_told(run_of):
    assert list(windows(planted(run_of([[1000]]), 0, [0, 1, 0], 0))) == []
    assert list(windows(run_of([[1000]]))) == []


def test_of_no_latencies_no_share_is_told(run_of):
    (found,) = windows(planted(run_of([[1000]]), 990, [0, 0, 0], 1))
    assert (found.count, found.share) == (0, None)
