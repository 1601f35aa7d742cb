# SPDX-License-Identifier: Apache-2.0
"""Terms of a core are found by least squares where the services are made of them."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls

from plexor.base.errors import UsageError
from plexor_lab.bound.files.measured_file import Service
from plexor_lab.bound.fitting import EstimatedService, errors, fit
from plexor_lab.bound.model import (
    AccessKind,
    Count,
    Model,
    Platform,
    RegionMap,
    Repetition,
    Section,
)

FETCHED = frozenset({"text"})
FETCH, READ, WRITE, BRANCH = 33, 70, 8, 41
"""ns, planted."""
SHAPES = [(40, 10, 4, 3), (100, 5, 20, 9), (7, 30, 1, 2), (60, 2, 2, 20), (11, 12, 13, 1)]
"""Fetches, reads, writes and branches of each service."""


def service(shape, text_ns, data_ns, time_ns=None, branch_ns=None):
    fetches, reads, writes, branches = shape
    counts = (
        Count("text", AccessKind.READ, fetches),
        Count("heap32", AccessKind.READ, reads),
        Count("heap32", AccessKind.WRITE, writes),
        Count("branch", AccessKind.ANY, branches),
    )
    model = Model("s", (Section("1", Repetition(1), False, counts),))
    times = {
        ("text", AccessKind.ANY): Fraction(text_ns),
        ("heap", AccessKind.ANY): Fraction(data_ns),
    }
    if branch_ns is not None:
        times["branch", AccessKind.ANY] = Fraction(branch_ns)
    if time_ns is None:
        time_ns = fetches * max(FETCH, text_ns) + reads * (data_ns + READ)
        time_ns += writes * (data_ns + WRITE) + branches * BRANCH
    places = RegionMap({"heap32": "heap"})
    return Service(model, Platform("p", "p.toml", times), places, 0, Fraction(time_ns))


def planted(*platforms):
    return [service(shape, *memory) for memory in platforms for shape in SHAPES]


def test_planted_terms_are_found_and_meet_other_platforms_exactly():
    found = fit(planted((20, 20), (80, 40)), FETCHED)
    assert {term.name: term.time_ns for term in found.terms} == {
        "fetch": FETCH,
        "read": READ,
        "write": WRITE,
        "branch": BRANCH,
    }
    assert found.is_unique
    assert found.margin == 1
    others = found.compare(planted((40, 200), (20, 60)))
    assert errors(others)[:2] == (0, 0)
    assert errors(others)[2] > Fraction(1, 10)
    plain = sum(number * ns for number, ns in zip(SHAPES[0][:3], (40, 200, 200), strict=True))
    assert others[0].plain_ns == plain


def test_a_time_that_every_platform_has_is_taken_as_it_is():
    services = [
        service(shape, *memory, branch_ns=BRANCH)
        for memory in ((20, 20), (80, 40))
        for shape in SHAPES
    ]
    found = fit(services, FETCHED)
    assert {term.name for term in found.terms} == {"fetch", "read", "write"}
    assert errors(found.compare(services))[:2] == (0, 0)
    models = [(services[0].model, services[0].region_map)]
    made = found.platform(services[0].platform, models, bound=False)
    assert made.times_ns["branch", AccessKind.ANY] == BRANCH


def test_noise_is_fitted_as_another_solver_does_and_no_term_is_below_0():
    noise = np.random.default_rng(5).normal(1, 0.05, 10)
    exact = planted((40, 20), (80, 40))  # every fetch takes longer than the core needs
    services = [
        service(shape, *memory, time_ns=Fraction(float(each.measured_ns) * factor))
        for each, factor, (memory, shape) in zip(
            exact, noise, [(m, s) for m in ((40, 20), (80, 40)) for s in SHAPES], strict=True
        )
    ]
    # The term of fetches is at the least time of one: as with none, where none is below.
    found = fit(services, FETCHED)
    rows, rest = [], []
    for each, ((text_ns, data_ns), shape) in zip(
        services, [(m, s) for m in ((40, 20), (80, 40)) for s in SHAPES], strict=True
    ):
        measured = float(each.measured_ns)
        known = shape[0] * text_ns + (shape[1] + shape[2]) * data_ns
        rows.append([n / measured for n in shape[1:]])
        rest.append(1 - known / measured)
    _, norm = nnls(np.array(rows), np.array(rest))
    squares = float(sum(each.error**2 for each in found.services))
    assert squares <= norm**2 + 1e-9
    assert all(term.time_ns >= 0 for term in found.terms)
    assert all(
        each.service.measured_ns <= found.margin * each.estimate_ns for each in found.services
    )


def test_a_platform_is_written_for_all_accesses_and_as_a_bound_with_the_margin():
    services = planted((20, 20), (80, 40))
    longer = service(SHAPES[0], 20, 20, time_ns=services[0].measured_ns * 2)
    found = fit([*services, longer], FETCHED)
    assert found.margin > 1
    models = [(services[0].model, services[0].region_map)]
    made = found.platform(services[0].platform, models, bound=True)
    plain = found.platform(services[0].platform, models, bound=False)
    assert set(made.times_ns) == {
        ("text", AccessKind.READ),
        ("heap32", AccessKind.READ),
        ("heap32", AccessKind.WRITE),
        ("branch", AccessKind.ANY),
    }
    for key, time_ns in plain.times_ns.items():
        assert 0 <= made.times_ns[key] - time_ns * found.margin < Fraction(1, 1000)


def test_terms_that_the_services_do_not_tell_apart_are_said():
    services = [service((10 * k, k, k, k), 20, 20) for k in (1, 2, 3, 4)]
    assert not fit(services, FETCHED).is_unique


@pytest.mark.parametrize(
    ("services", "text"),
    [
        (planted((20, 20))[:3], "4 times are not known: fetch, read, write, branch; must be at "),
        (
            [*planted((20, 20)), service(SHAPES[0], 20, 20, branch_ns=3)],
            "branch: some platforms have a time for it, others none",
        ),
    ],
)
def test_services_that_cannot_be_fitted_are_refused(services, text):
    with pytest.raises(UsageError, match=text):
        fit(services, FETCHED)


def test_an_access_without_a_time_or_a_term_is_refused():
    found = fit(planted((20, 20), (80, 40)), FETCHED)
    odd = Model("o", (Section("1", Repetition(1), False, (Count("x", AccessKind.READ, 1),)),))
    with pytest.raises(UsageError, match=r"p\.toml: has no time for x\.read; add it there"):
        found.platform(planted((20, 20))[0].platform, [(odd, RegionMap())], bound=False)


def test_errors_are_their_mean_and_the_largest_as_sizes_with_the_terms_and_without():
    """Of 100 ns: 90 and 115 ns with the terms, 60 and 95 ns without."""
    one = service(SHAPES[0], 10, 20, time_ns=100)
    compared = [
        EstimatedService(one, Fraction(estimate), Fraction(plain))
        for estimate, plain in ((90, 60), (115, 95))
    ]
    assert [each.error for each in compared] == [Fraction(-1, 10), Fraction(3, 20)]
    assert [each.plain_error for each in compared] == [Fraction(-2, 5), Fraction(-1, 20)]
    assert errors(compared) == (
        Fraction(1, 8), Fraction(3, 20), Fraction(9, 40), Fraction(2, 5),
    )  # fmt: skip
