# SPDX-License-Identifier: Apache-2.0
"""Figures of matplotlib: what is drawn, and with which units."""

import numpy as np

from plexor.show.pictures.plot import plot

COUNTS = np.array([3, 0, 1], np.uint64)


def test_bins_are_steps_in_the_unit_of_the_greatest():
    figure = plot([("ISR", np.array([1e-6, 2e-6, 3e-6, 4e-6]), COUNTS)], "title", "latency")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_title()) == ("latency / µs", "title")
    assert axes.get_yscale() == "log"
    values, edges, _ = axes.patches[0].get_data()
    assert values.tolist() == [3, 0, 1]
    assert np.allclose(edges, [1, 2, 3, 4])


def test_several_are_told_apart_and_what_is_empty_is_left_out():
    some = np.array([1e-9, 2e-9, 3e-9, 4e-9])
    empty = (np.empty(0), np.empty(0, np.uint64))
    figure = plot([("a", some, COUNTS), ("b", some, COUNTS), ("c", *empty)], "t", "period")
    (axes,) = figure.axes
    assert axes.get_xlabel() == "period / ns"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_nothing_is_an_empty_figure():
    (axes,) = plot([], "t", "latency").axes
    assert not axes.patches
