# SPDX-License-Identifier: Apache-2.0
"""The document of figures: exact, and of the run that the comparison is about."""

from plexor_lab.mixed.figures import by_distance, figures, normal_to_mixed, summaries
from plexor_lab.mixed.model import Mode

from .lists import MS, result_of, run_of

NORMAL = run_of([10, 30], Mode.NORMAL, None)
FAILS, SAFE, SAFE_TOO = (
    run_of([MS + 1, MS + 3], distance=0),
    run_of([1, 3], distance=1),
    run_of([2, 2], distance=2),
)


def test_the_normal_run_is_compared_with_the_least_distance_that_is_safe():
    result = result_of(NORMAL, FAILS, SAFE, SAFE_TOO)
    distance, ratio = normal_to_mixed(result, summaries(result))
    assert (distance, ratio.mean, ratio.variance) == (1, 10, 100)


def test_if_none_is_safe_it_is_the_greatest_distance():
    result = result_of(NORMAL, FAILS)
    distance, ratio = normal_to_mixed(result, summaries(result))
    assert distance == 0
    assert ratio.mean < 1


def test_without_both_modes_there_is_nothing_to_compare():
    for result in (result_of(NORMAL), result_of(SAFE)):
        assert normal_to_mixed(result, summaries(result)) is None
        assert figures(result)["normal_to_mixed"] is None


def test_only_runs_in_mode_mixed_have_a_distance():
    result = result_of(NORMAL, SAFE)
    assert [*by_distance(result, summaries(result))] == [1]


def test_the_document_has_exact_figures():
    found = figures(result_of(NORMAL, run_of([1, 2, 2], distance=1)))
    assert found["least_safe_steps"] == 1
    mixed = found["runs"]["mixed-1"]
    assert mixed["counts"]["done"] == 3
    assert mixed["moments"]["mean_ticks"] == "5/3"
    assert mixed["moments"]["variance_ticks2"] == "2/9"
    assert mixed["within"] == "1"
    assert found["normal_to_mixed"] == {"distance_steps": 1, "mean": "12", "variance": "450"}


def test_of_several_distances_without_a_safe_one_it_is_the_greatest():
    result = result_of(NORMAL, FAILS, run_of([MS + 2, MS + 4], distance=3))
    distance, _ = normal_to_mixed(result, summaries(result))
    assert distance == 3
