# SPDX-License-Identifier: Apache-2.0
"""Computes how often `plexor compare --fail-on` errs, and what it finds, over pairs of drawn runs.

    .venv/bin/python -m tools.compare_rates [--pairs N] [--power]

Devices are distributions of latencies and of missed strikes. Each pair is two runs of one device,
and the second has a known change. All of it is computed, without instrument or simulation.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.base.units import seconds_of
from plexor.figures.analyse.percentiles import from_values, parse_quantile, quantile
from plexor.figures.judge.change_bounds import QuantileLaw, ShareLaw
from plexor.figures.judge.compare import Difference
from plexor.figures.judge.gate import By, Judgement, judge, parse_fail_on
from plexor.figures.judge.verdict import Outcome

Ticks = npt.NDArray[np.int64]
TICK_FS = 10**6
FIGURES = ("p50", "p99", "p99.9", "missed")
SIZES = (600, 4000)
CHANGES = {
    Fraction(0): "none",
    Fraction(5, 100): "5 %: the limit",
    Fraction(50_001, 10**6): "5.0001 %",
}
"""True changes of devices that are judged by a limit of 5 %."""


@dataclass(frozen=True)
class Device:
    """A distribution of latencies in ticks of 1 ns, and the missed strikes in a million."""

    name: str
    draw: Callable[[np.random.Generator, int], Ticks]
    missed_ppm: int


def _clocked(random: np.random.Generator, count: int) -> Ticks:
    """Draw from eight cycles of 20 ns; later ones are rarer."""
    return 1000 + 20 * np.minimum(random.geometric(0.4, count), 8).astype(np.int64)


def _skewed(random: np.random.Generator, count: int) -> Ticks:
    return np.rint(random.lognormal(7.0, 0.5, count)).astype(np.int64)


def _rare(random: np.random.Generator, count: int) -> Ticks:
    """Draw from three modes; the rarer two have 10^-3 and 10^-4 of the strikes."""
    late = np.where(random.random(count) < 1e-3, 5000, 0)
    late += np.where(random.random(count) < 1e-4, 40_000, 0)
    return np.rint(random.normal(2000, 30, count)).astype(np.int64) + late


def _kernel(random: np.random.Generator, count: int) -> Ticks:
    """Draw like an RTOS: entry in one of 14 phases, sometimes after a critical section."""
    entry = 1300 + 20 * random.integers(0, 14, count)
    masked = random.random(count) < 0.12
    return entry + np.where(masked, random.integers(0, 3000, count), 0)


DEVICES = (
    Device("clocked", _clocked, 2_000),
    Device("skewed", _skewed, 10_000),
    Device("rare modes", _rare, 500),
    Device("kernel", _kernel, 50_000),
)


@dataclass(frozen=True)
class Runs:
    """Two runs of a device: latencies in ticks, and missed strikes."""

    before: Ticks
    after: Ticks
    missed: tuple[int, int]
    after_fs: int = TICK_FS
    """The second run's tick. A longer tick increases every latency by an exact ratio."""


def draw(device: Device, strikes: int, change: Fraction, random: np.random.Generator) -> Runs:
    """Return two runs; each figure of the second is greater by the ratio `change`.

    Each run has `strikes` latencies, and misses of as many strikes.
    """
    share = device.missed_ppm / 1e6
    missed = tuple(int(random.binomial(strikes, p)) for p in (share, share * float(1 + change)))
    before, after = (device.draw(random, strikes) for _ in range(2))
    return Runs(before, after, (missed[0], missed[1]), int(TICK_FS * (1 + change)))


def differences(runs: Runs, strikes: int, figures: Iterable[str] = FIGURES) -> list[Difference]:
    """Return what `plexor compare` finds in two runs."""
    found: list[Difference] = []
    distributions = from_values(runs.before), from_values(runs.after)
    tick_fs = TICK_FS, runs.after_fs
    for figure in figures:
        if figure == "missed":
            first, second = runs.missed
            law = ShareLaw((first, strikes), (second, strikes))
            values = [Fraction(count, strikes) for count in runs.missed]
            found.append(Difference("ISR", figure, values[0], values[1], law, "share"))
            continue
        q = parse_quantile(figure)
        known = (quantile(each, q) for each in distributions)
        lower, upper = (None if entry is None else entry.value_ticks for entry in known)
        if lower is None or upper is None:
            raise ValueError(f"{figure}: a run of {strikes} strikes has none")
        before, after = seconds_of(lower, tick_fs[0]), seconds_of(upper, tick_fs[1])
        law = QuantileLaw(q, distributions, tick_fs)
        found.append(Difference("ISR", figure, before, after, law))
    return found


def judged(
    device: Device,
    strikes: int,
    change: Fraction,
    random: np.random.Generator,
    *,
    limit: str = "+5%",
    figures: Sequence[str] = FIGURES,
    by: By = By.INTERVAL,
) -> dict[str, Judgement]:
    """Return the judgement of one pair, with a separate gate for each figure."""
    found = differences(draw(device, strikes, change, random), strikes, figures)
    conditions = {figure: parse_fail_on(f"{figure}>{limit}") for figure in figures}
    return {name: judge(found, condition, by)[0] for name, condition in conditions.items()}


def together(
    device: Device, strikes: int, change: Fraction, random: np.random.Generator
) -> tuple[Judgement, ...]:
    """Return the judgements of one pair by a single gate for all figures."""
    found = differences(draw(device, strikes, change, random), strikes)
    return judge(found, parse_fail_on(",".join(f"{figure}>+5%" for figure in FIGURES)))


def rates(
    device: Device, strikes: int, change: Fraction, pairs: int, seed: int, by: By = By.INTERVAL
) -> dict[str, Counter[Outcome]]:
    """Return how often each figure had each outcome."""
    random = np.random.default_rng([seed, strikes, device.missed_ppm])
    counts: dict[str, Counter[Outcome]] = {figure: Counter() for figure in FIGURES}
    for _ in range(pairs):
        for figure, judgement in judged(device, strikes, change, random, by=by).items():
            counts[figure][judgement.outcome] += 1
    return counts


def _errors(pairs: int) -> None:
    print("| change | strikes | figure | pairs | kept | broken | too few | broken by estimate |")
    print("|---|---|---|---|---|---|---|---|")
    for change, name in CHANGES.items():
        for strikes in SIZES:
            found = [rates(device, strikes, change, pairs, 1) for device in DEVICES]
            naive = [rates(device, strikes, change, pairs, 1, By.ESTIMATE) for device in DEVICES]
            for figure in FIGURES:
                total = sum((entry[figure] for entry in found), Counter[Outcome]())
                old = sum(entry[figure][Outcome.FAIL] for entry in naive)
                cells = [name, f"{strikes:,}", figure, f"{total.total():,}"]
                cells += [f"{total[outcome]:,}" for outcome in Outcome]
                print(f"| {' | '.join((*cells, f'{old:,}'))} |", flush=True)


def _power(pairs: int) -> None:
    sizes = (1000, 4000, 16_000, 64_000)
    print(f"| device | figure | {' | '.join(f'{size:,}' for size in sizes)} |")
    print(f"|---|---|{'---|' * len(sizes)}")
    for device in DEVICES:
        found = [
            (
                rates(device, size, Fraction(10, 100), pairs, 2),
                rates(device, size, Fraction(0), pairs, 3),
            )
            for size in sizes
        ]
        for figure in FIGURES:
            cells = [
                f"{changed[figure][Outcome.FAIL] / pairs:.0%}, "
                f"{same[figure][Outcome.PASS] / pairs:.0%}"
                for changed, same in found
            ]
            print(f"| {device.name} | {figure} | {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of docs/compare.md."""
    parser = argparse.ArgumentParser(prog="tools.compare_rates")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--power", action="store_true", help="print the rates by sample size")
    options = parser.parse_args(arguments)
    (_power if options.power else _errors)(options.pairs)


if __name__ == "__main__":
    main()
