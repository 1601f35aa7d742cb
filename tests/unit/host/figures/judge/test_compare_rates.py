# SPDX-License-Identifier: Apache-2.0
"""How often the gate of `plexor compare` errs, over pairs of runs that are drawn.

Devices are clocked, skewed, with rare modes and like a kernel; what holds for a gate of one figure
is counted, of each figure. Errors may be 5 % each; counts leave that by chance once in 10^4.
"""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tools.compare_rates import CHANGES, DEVICES, FIGURES, SIZES, judged, main, rates, together

from plexor.figures.judge.gate import UNSEEN, By, needed
from plexor.figures.judge.verdict import Outcome, worst

SAME, AT_LIMIT, BEYOND = CHANGES
DOCUMENT = (Path(__file__).parents[5] / "docs" / "compare.md").read_text(encoding="utf-8")
PAIRS = [
    pytest.param(8, id="64 pairs"),
    pytest.param(1250, id="10,000 pairs", marks=[pytest.mark.full, pytest.mark.timeout(3600)]),
]


def at_most(errors, pairs):
    """Return whether so few errors come of a 20th, but for once in 10^4."""
    return errors <= stats.binom.ppf(1 - 1e-4, pairs, 0.05)


def counted(change, pairs, seed):
    """Return how often each figure had each outcome, by device and size, then of all."""
    each = {(d.name, n): rates(d, n, change, pairs, seed) for d in DEVICES for n in SIZES}
    summed = {f: sum((found[f] for found in each.values()), Counter()) for f in FIGURES}
    return each, summed


@pytest.mark.parametrize("change", [SAME, AT_LIMIT], ids=["unchanged", "at the limit"])
@pytest.mark.parametrize("pairs", PAIRS)
def test_at_most_5_percent_of_pairs_that_changed_no_more_than_the_limit_fail(change, pairs):
    each, summed = counted(change, pairs, 11)
    for figure, outcomes in summed.items():
        assert outcomes[Outcome.FAIL] <= 0.05 * outcomes.total(), (figure, outcomes)
    for key, found in each.items():
        for figure, outcomes in found.items():
            assert at_most(outcomes[Outcome.FAIL], pairs), (key, figure, outcomes)


@pytest.mark.parametrize("pairs", PAIRS)
def test_at_most_5_percent_of_pairs_that_changed_more_than_the_limit_pass(pairs):
    each, _ = counted(BEYOND, pairs, 12)
    for (name, size), found in each.items():
        device = next(entry for entry in DEVICES if entry.name == name)
        for figure, outcomes in found.items():
            kept = outcomes[Outcome.PASS]
            # Where neither run misses a strike a share below UNSEEN counts as none, and is said to.
            if figure == "missed" and device.missed_ppm / 1e6 < UNSEEN:
                kept -= stats.binom.ppf(1 - 1e-4, pairs, unseen(device, size))
            assert at_most(kept, pairs), (name, size, figure, outcomes)


def unseen(device, strikes):
    """Return how probably neither of two runs misses a strike, and is so long that it counts."""
    share = device.missed_ppm / 1e6
    return ((1 - share) * (1 - share * 1.05)) ** strikes if strikes >= 2995 else 0.0


@pytest.mark.parametrize("pairs", PAIRS)
def test_a_gate_of_four_figures_fails_at_most_5_percent_of_the_time(pairs):
    random, failed = np.random.default_rng(13), 0
    for device in DEVICES:
        for strikes in SIZES:
            for _ in range(pairs):
                found = together(device, strikes, AT_LIMIT, random)
                failed += worst(found) == Outcome.FAIL
    assert failed <= 0.05 * pairs * len(DEVICES) * len(SIZES)


def test_the_estimate_alone_fails_far_more_often_than_that():
    skewed = DEVICES[1]
    found = rates(skewed, 600, SAME, 100, 14, By.ESTIMATE)
    assert found["p99"][Outcome.FAIL] > 15
    assert found["p99.9"][Outcome.FAIL] > 25


@pytest.mark.parametrize(
    ("change", "times"),
    [
        pytest.param(SAME, 2, id="unchanged"),
        *(
            pytest.param(change, 5, id=name, marks=pytest.mark.full)
            for change, name in ((SAME, "unchanged, often"), (Fraction(10, 100), "10 percent"))
        ),
    ],
)
def test_with_twice_the_samples_that_it_asks_for_the_answer_is_most_often_definite(change, times):
    random, definite, asked = np.random.default_rng(15), 0, 0
    for device in DEVICES:
        for strikes in SIZES:
            for _ in range(times):
                for figure, judgement in judged(device, strikes, change, random).items():
                    lacking = needed(judgement) if judgement.outcome == Outcome.TOO_FEW else None
                    if lacking is None or lacking.at_least or lacking.count > 150_000:
                        continue
                    asked += 1
                    again = judged(device, 2 * lacking.count, change, random, figures=[figure])[
                        figure
                    ]
                    definite += again.outcome != Outcome.TOO_FEW
    assert asked > 5 * times
    assert definite > asked * 2 / 3


@pytest.mark.parametrize(("options", "rows"), [((), 24), (("--power",), 16)])
def test_the_tables_of_the_document_are_printed_by_a_command(capsys, options, rows):
    main(["--pairs", "1", *options])
    lines = capsys.readouterr().out.splitlines()
    head, names, cells = lines[0], DOCUMENT.splitlines(), lines[2:]
    assert head in names
    assert len(cells) == rows
    # The same devices, changes, sizes and figures, row by row.
    place = names.index(head) + 2
    keys = [" | ".join(line.split(" | ")[:2]) for line in (*cells, *names[place : place + rows])]
    assert keys[:rows] == keys[rows:]
