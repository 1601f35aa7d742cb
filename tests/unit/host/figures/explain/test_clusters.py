# SPDX-License-Identifier: Apache-2.0
"""Clusters of late answers: planted ones are found to the tick, chance makes none."""

import numpy as np
import pytest

from plexor.figures.explain.clusters import LEAST_PART, tail_of

LAWS = {
    "exponential": lambda rng, n: rng.exponential(4000, n),
    "power": lambda rng, n: 4000 * (1 + rng.pareto(1.2, n)),
    "lognormal": lambda rng, n: 4000 * np.exp(rng.normal(0, 0.7, n)),
    "normal": lambda rng, n: rng.normal(40_000, 900, n),
    "even": lambda rng, n: rng.uniform(1000, 9000, n),
    "grid": lambda rng, n: 40 * rng.integers(100, 140, n),
}


def drawn(law: str, count: int, seed: int) -> np.ndarray:
    return LAWS[law](np.random.default_rng(seed), count).astype(np.int64)


@pytest.mark.parametrize("law", LAWS)
def test_no_law_of_latencies_has_a_cluster_by_chance(law):
    found = [tail_of(drawn(law, 40 + 37 * seed, seed)).clusters for seed in range(150)]
    assert not any(found)


@pytest.mark.parametrize("law", ["exponential", "normal", "even", "grid"])
def test_answers_put_off_by_far_more_are_one_cluster_to_the_last_answer(law):
    values = drawn(law, 5000, 1)
    places = np.arange(49, 5000, 50)
    values[places] += 10 * values.max()
    tail = tail_of(values)
    assert len(tail.clusters) == 1
    assert np.array_equal(tail.clusters[0].positions, places)
    late = values[places]
    assert (tail.clusters[0].low_ticks, tail.clusters[0].high_ticks) == (late.min(), late.max())
    usual = np.delete(values, places)
    assert tail.usual == len(usual)
    assert tail.usual_ticks == (usual.min(), usual.max())


def test_two_clusters_are_two():
    values = np.full(3000, 4000)
    values[::100], values[1::150] = 64_000, 124_001
    assert [(e.low_ticks, e.high_ticks, e.count) for e in tail_of(values).clusters] == [
        (64_000, 64_000, 30),
        (124_001, 124_001, 20),
    ]


def test_a_gap_of_less_than_an_eighth_of_the_latency_parts_nothing():
    values = np.full(1000, 8000)
    values[::10] += 8000 // LEAST_PART
    assert not tail_of(values).clusters
    values[::10] += 1
    assert tail_of(values).clusters[0].count == 100


def test_above_a_limit_all_are_late_and_one_that_equals_it_is_not():
    values = np.array([10, 20, 30, 31, 32, 33, 90_000] * 50)
    tail = tail_of(values, 30)
    assert tail.usual == 150
    assert tail.usual_ticks == (10, 30)
    assert [(e.low_ticks, e.count) for e in tail.clusters] == [(31, 150), (90_000, 50)]
    everything = tail_of(values, 5)
    assert (everything.usual, everything.usual_ticks) == (0, None)


@pytest.mark.parametrize("values", [[], [7], [7, 7], [-5, -5, 3]])
def test_a_few_answers_have_no_tail(values):
    tail = tail_of(np.array(values, np.int64))
    assert (tail.count, tail.usual, tail.clusters) == (len(values), len(values), ())
