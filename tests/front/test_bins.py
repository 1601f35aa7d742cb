# SPDX-License-Identifier: Apache-2.0
"""The bins of a front-end with the delays of a placed one are those that the build predicts.

Edges at random times, their ticks from the words, the truth from the test: the share of edges in
each bin is its width, and the errors of their times are the predicted ones.
"""

import math
from itertools import pairwise

import pytest
from amaranth.hdl import Const, Instance, Signal
from tools.gateware import macro
from tools.gateware.board import CONSTRAINTS
from tools.gateware.skew import bins

from .fronts import FAMILIES, HERE, built, played, random_edges, samples

# Bins as uneven as with free placement, in the same units: as far apart as a tick.
UNEVEN_PS = {
    "ecp5": [700, 350, 600, 300, 760, 420, 500, 280],
    "ice40": [900, 1400, 700, 1250],
    "up5k": [2250, 3500, 1750, 3100],
}
LAG_PS = 3600.0


def placed_lags(name):
    """Return the delays that the locked front-end of a family has."""
    return list(macro.read(CONSTRAINTS / "front" / f"{name}.json")["sampler"].lags_ps)


@pytest.fixture(
    scope="module",
    params=[
        *((name, "placed") for name in FAMILIES),
        *((name, "uneven") for name in FAMILIES),
    ],
    ids="-".join,
)
def delayed(request, tmp_path_factory):
    """Return a test bench, and the delays between look-up table and flip-flops in it."""
    name, kind = request.param
    lags = placed_lags(name) if kind == "placed" else UNEVEN_PS[name]

    def way(m, seen, phase):
        late = Signal(name=f"{seen.name}_late_{phase}")
        m.submodules += Instance("LAG", p_PS=Const(lags[phase], 32), i_i=seen, o_o=late)
        return late

    folder = tmp_path_factory.mktemp("front")
    return built(FAMILIES[name], folder, way, HERE / "lag.v"), lags


def found_edges(bench, words, edges_ps):
    """Return for each planted edge that is seen its phase, its tick's nominal time, and its own."""
    levels = list(samples(bench.family, words, LAG_PS))
    phases = len(bench.family.phases_ps)
    changes = [
        (number % phases, after_ps)
        for number, ((_, before), (after_ps, after)) in enumerate(pairwise(levels), start=1)
        if before != after
    ]
    assert len(changes) == len(edges_ps)
    return [(phase, time_ps, edges_ps[n]) for n, (phase, time_ps) in enumerate(changes)]


def measure(delayed, folder, count):
    """Check widths and errors of so many edges against the prediction."""
    bench, lags = delayed
    family = bench.family
    predicted = bins(family.phases_ps, lags, family.fast_ps)
    edges = random_edges(count, seed=11, shortest_ps=2.5 * family.fast_ps / len(family.phases_ps))
    found = found_edges(bench, played(bench, folder, edges, LAG_PS), edges)
    # An edge in the bin of a phase is seen by the phase that ends it.
    phases = len(family.phases_ps)
    counts = [sum(phase == ends for phase, _, _ in found) for ends in range(phases)]
    for ends, number in enumerate(counts):
        width_ps = predicted.widths_ps[ends - 1]
        share = width_ps / family.fast_ps
        sigma = math.sqrt(share * (1 - share) * len(found))
        assert abs(number - share * len(found)) < 4 * sigma, (ends, width_ps)
    # The middle of each bin, by the counts alone, against the planted times.
    measured = [number / len(found) * family.fast_ps for number in counts]
    ends_ps = [sum(measured[: ends + 1]) for ends in range(phases)]
    calibrated = [
        time_ps - family.phases_ps[phase] + ends_ps[phase] - measured[phase] / 2 - edge_ps
        for phase, time_ps, edge_ps in found
    ]
    even_ps = family.fast_ps / phases
    raw = [
        time_ps - family.phases_ps[phase] + (phase + 0.5) * even_ps - edge_ps
        for phase, time_ps, edge_ps in found
    ]
    assert _spread(calibrated) == pytest.approx(predicted.rms_ps(), rel=0.02)
    assert _spread(raw) == pytest.approx(predicted.raw_rms_ps(), rel=0.02)
    return counts, _spread(raw), _spread(calibrated), predicted


def _spread(errors):
    mean = sum(errors) / len(errors)
    return math.sqrt(sum((error - mean) ** 2 for error in errors) / len(errors))


@pytest.mark.full
def test_bins_and_errors_are_as_predicted(delayed, tmp_path):
    measure(delayed, tmp_path, 20_000)


@pytest.mark.full
def test_bins_and_errors_are_as_predicted_of_100_thousand_edges(delayed, tmp_path):
    print(*measure(delayed, tmp_path, 100_000))
