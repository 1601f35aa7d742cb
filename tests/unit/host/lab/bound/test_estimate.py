# SPDX-License-Identifier: Apache-2.0
"""Estimates: the figures of a study, and sums of single accesses."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.base.errors import UsageError
from plexor_lab.bound.estimate import estimate
from plexor_lab.bound.files.map_file import read_map
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.formula import Formula
from plexor_lab.bound.model import (
    AccessKind,
    Count,
    Model,
    Platform,
    RegionMap,
    Repetition,
    Section,
)

from .createthread import (
    BLOCKED_NS,
    COLUMNS,
    COLUMNS_NS,
    COUNTS_AT_13,
    EXAMPLES,
    FIXED_NS,
    PER_N_NS,
    PLATFORMS,
    TIMES_NS,
    TOTAL_NS,
    N,
    example,
    platform_file,
    to_the_cycle,
)

each_platform = pytest.mark.parametrize("number", PLATFORMS)


@each_platform
@pytest.mark.parametrize("model", ["createthread.toml", "createthread.csv"])
def test_the_totals_are_those_that_the_study_prints(number, model):
    assert example(number, model).total_ns.at(N) == TOTAL_NS[number]


@each_platform
def test_each_column_has_the_access_time_the_count_and_the_total_that_the_study_prints(number):
    columns = example(number).columns
    assert [(column.region, column.access) for column in columns] == list(COLUMNS)
    assert [column.time_ns for column in columns] == list(TIMES_NS[number])
    assert [column.accesses.at(N) for column in columns] == list(COUNTS_AT_13)
    assert [column.total_ns.at(N) for column in columns] == list(COLUMNS_NS[number])


@each_platform
def test_time_grows_with_n_by_the_formula(number):
    found = example(number).total_ns
    assert found == Formula(Fraction(FIXED_NS[number]), Fraction(PER_N_NS[number]))


@each_platform
@pytest.mark.parametrize("n", [0, 1, 13, 50])
def test_the_slope_is_exact_at_each_n(number, n):
    assert example(number).total_ns.at(n) == FIXED_NS[number] + n * PER_N_NS[number]


@each_platform
def test_sections_two_and_three_block(number):
    assert example(number).blocked_ns.at(N) == BLOCKED_NS[number]


def test_fetches_are_as_many_as_instructions_and_constants_of_the_call():
    by_region = {column.region: column.accesses.at(N) for column in example().columns[:2]}
    assert by_region == {"iram_text": 52, "text": 515}
    assert sum(by_region.values()) == 567


def test_with_accesses_of_one_cycle_the_estimate_is_below_what_was_measured():
    found = to_the_cycle().total_ns.at(N)
    assert round(float(found), 1) == 14_099.4
    assert TOTAL_NS[2] - found == 743 * (14 - Fraction(1000, 72))
    assert found < 14_137


def test_the_cycle_in_three_decimals_is_below_it_too(tmp_path):
    text = platform_file(2).read_text().replace("= 14\n", "= 13.889\n")
    (tmp_path / "p.toml").write_text(text)
    model = read_model(EXAMPLES / "createthread.toml")
    found = estimate(model, read_platform(tmp_path / "p.toml"), RegionMap())
    # 743 accesses of 13.889 ns and 84 jumps of 45 ns.
    assert found.total_ns.at(N) == Fraction("14099.527")


def test_a_map_and_the_same_names_give_the_same_figures(tmp_path):
    (tmp_path / "p.toml").write_text("[ns]\nsram = 14\nbranch = 45\n")
    found = estimate(
        read_model(EXAMPLES / "createthread.toml"),
        read_platform(tmp_path / "p.toml"),
        read_map(EXAMPLES / "map.toml"),
    )
    assert found.sections == example(2).sections
    assert [column.placed for column in found.columns] == ["sram"] * 4 + ["branch"] + ["sram"] * 4


REGIONS = ("a", "b")
KEYS = [(region, access) for region in REGIONS for access in AccessKind]
REPETITIONS = st.builds(Repetition, st.integers(1, 4), st.booleans())
TIMES = st.fixed_dictionaries({key: st.fractions(0, 1000, max_denominator=1000) for key in KEYS})
SECTIONS = st.lists(
    st.tuples(
        REPETITIONS, st.booleans(), st.dictionaries(st.sampled_from(KEYS), st.integers(0, 9))
    ),
    max_size=4,
)


@given(SECTIONS, TIMES, st.integers(0, 6))
def test_an_estimate_is_the_sum_of_all_accesses_one_by_one(drawn, times, n):
    sections = tuple(
        Section(str(i), repetition, blocking, tuple(Count(*key, k) for key, k in counts.items()))
        for i, (repetition, blocking, counts) in enumerate(drawn)
    )
    total = blocked = Fraction(0)
    for section in sections:
        runs = section.repetition.factor * (n if section.repetition.of_n else 1)
        for _ in range(runs):
            for count in section.counts:
                for _ in range(count.number):
                    total += times[count.region, count.access]
                    blocked += times[count.region, count.access] if section.blocking else 0
    found = estimate(Model("m", sections), Platform("p", "p", times), RegionMap())
    assert found.total_ns.at(n) == total
    assert found.blocked_ns.at(n) == blocked
    assert sum(column.total_ns.at(n) for column in found.columns) == total


def refused(counts, times, regions=None):
    """Return what is said of a model with one section, on a platform, by a map."""
    section = Section("s", Repetition(1), False, (Count(*counts, 0),))
    model = Model("m", (section,), lambda section, count: f"m.toml:{section}:{count.region}")
    platform = Platform("p", "p.toml", {key: Fraction(1) for key in times})
    with pytest.raises(UsageError) as caught:
        estimate(model, platform, RegionMap(regions or {}, lambda logical: f"map.toml:{logical}"))
    return str(caught.value)


def test_an_unknown_region_is_said_with_its_place_and_the_regions_that_there_are():
    assert refused(("x", AccessKind.READ), [("a", AccessKind.ANY), ("b", AccessKind.ANY)]) == (
        "m.toml:s:x: section s: x.read: p.toml has no region 'x'; it has a, b; add it there, or "
        "map x to one of these"
    )


def test_a_missing_time_is_said_even_where_the_count_is_0():
    assert refused(("a", AccessKind.WRITE), [("a", AccessKind.READ)]) == (
        "m.toml:s:a: section s: a.write: p.toml has no time for it; give a one for write"
    )
    assert refused(("x", AccessKind.ANY), [("a", AccessKind.READ)], {"x": "a"}) == (
        "m.toml:s:x: section s: x: p.toml has no time for it; give a one for read and write"
    )


def test_a_map_to_a_region_that_is_not_there_is_said_with_its_own_place():
    assert refused(("a", AccessKind.READ), [("a", AccessKind.READ)], {"z": "y"}) == (
        "map.toml:z: z: p.toml has no region 'y'; it has a; add it there"
    )


def test_a_platform_with_many_regions_is_not_listed_to_its_end():
    times = [(f"region{number}", AccessKind.ANY) for number in range(500)]
    line = refused(("x", AccessKind.READ), times)
    assert "region9, …; add it there" in line
    assert len(line) < 300
