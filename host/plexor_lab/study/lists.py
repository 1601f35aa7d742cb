# SPDX-License-Identifier: Apache-2.0
"""Lists of latencies with which a synthetic device replays rows of two published studies.

    python -m plexor_lab.study.lists

writes `table2-isr.txt`, `figure8.txt` and so on into the current folder, one latency to a line, in
picoseconds, and prints what each has: `synthetic:latency=list:figure8.txt` replays it. Beside them
it writes `omac.toml`, the budget that one of the studies quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plexor.base.counts import counted
from plexor_lab.study import iltiming, mixed_mode

COUNT = 1000
"""Latencies in a list."""
BUS_LOCK_PS = (5_000_000,) * 24 + (65_000_000,)
"""One answer in 25 waits for a bus that is locked for 60 µs, which is the most in the article."""
_US_PS = 10**6
_OMAC = """\
# Requirements of the OMAC user group, as quoted for Windows CE .NET.
title = "omac"

[struck]
max = "100 us"
mean = { goal = "50 us" }

[free.period]
min = "900 us"
max = "1100 us"
"""


def write(folder: Path) -> list[str]:
    """Write all lists and the budget into a folder; return a line about each."""
    lines: list[str] = []

    def add(name: str, latencies_ps: Sequence[int], rest: str) -> None:
        (folder / name).write_text("".join(f"{latency_ps}\n" for latency_ps in latencies_ps))
        lines.append(f"{name:<14}  {counted(len(latencies_ps), 'latency')}, {rest}")

    for row in iltiming.ROWS:
        least, mean, most, spread = (
            f"{ps / _US_PS:.1f}" for ps in (row.min_ps, row.mean_ps, row.max_ps, row.spread_ps)
        )
        add(
            f"table{row.table}-{row.latency.lower()}.txt",
            iltiming.replay_ps(row, COUNT),
            f"min {least}, mean {mean}, max {most}, spread {spread} µs",
        )
    for figure in mixed_mode.ROWS:
        mean_us, variance_us2 = figure.mean_ps / _US_PS, figure.variance_ps2 / _US_PS**2
        add(
            f"figure{figure.figure}.txt",
            mixed_mode.replay_ps(figure, COUNT),
            f"mean {mean_us:,.2f} µs, variance {variance_us2:,.0f} µs²",
        )
    add("bus-lock.txt", BUS_LOCK_PS, "24 of 5 µs and one of 65 µs")
    (folder / "omac.toml").write_text(_OMAC)
    lines.append(f"{'omac.toml':<14}  the budget of a user group: 100 µs, and periods of 1 ms")
    return lines


if __name__ == "__main__":
    print("\n".join(write(Path.cwd())))
