# SPDX-License-Identifier: Apache-2.0
"""Histograms of runs as a figure of matplotlib, which is imported only here."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from plexor.base.errors import UsageError
from plexor.base.units import TIME_UNITS

Histogram = tuple[str, npt.NDArray[np.float64], npt.NDArray[np.uint64]]
"""A name, the edges of bins in seconds, and the counts between them."""


def plot(histograms: Sequence[Histogram], title: str, what: str) -> Any:
    """Return a matplotlib.figure.Figure with histograms on the same axes, counts logarithmic.

    `what` is what the times are, such as `latency`. Raises UsageError if matplotlib is not
    installed.
    """
    try:
        figure = importlib.import_module("matplotlib.figure").Figure(
            figsize=(8, 3.5), layout="constrained"
        )
    except ModuleNotFoundError as error:
        raise UsageError(
            "plot: needs matplotlib, which is not installed; pip install matplotlib, or install "
            "Plexor with its extra notebook"
        ) from error
    # A notebook shows it as pyplot's figures, without pyplot, which would show it twice.
    figure._repr_png_ = lambda: _png(figure)
    axes = figure.subplots()
    filled = [one for one in histograms if len(one[2])]
    most_s = max((float(edges_s[-1]) for _, edges_s, _ in filled), default=1e-6)
    scale_s, unit = next(((s, u) for s, u in TIME_UNITS if most_s >= s), TIME_UNITS[-1])
    for name, edges_s, counts in filled:
        axes.stairs(counts, edges_s / scale_s, fill=len(filled) == 1, label=name)
    axes.set(xlabel=f"{what} / {unit}", ylabel="responses (logarithmic)", title=title)
    if filled:
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.5)
        axes.legend()
    return figure


def _png(figure: Any) -> bytes:
    content = BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue()
