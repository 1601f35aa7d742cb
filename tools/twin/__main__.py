# SPDX-License-Identifier: Apache-2.0
"""Takes random measurements on the twin and on the gateware; both must give the same.

    .venv/bin/python -m tools.twin [--runs N] [--seed N] [--board BOARD] [--planted [NAME ...]]
    .venv/bin/python -m tools.twin --faults [NAME ...] [--jobs N]

With --planted, measurements that are made for one rule each take the place of random ones. A run
that the twin hands over to the gateware is compared too. With --faults, faults are planted in the
twin, and each must be seen. Prints a line for each run that differs, and a
summary. Exits with 1 if a run differs or a fault is not seen.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from tools.twin import faults
from tools.twin.conform import compared
from tools.twin.draw import ALL_BOARDS, Measurement, drawn
from tools.twin.planted import planted


def main(arguments: list[str] | None = None) -> int:
    """Compare the runs; return 1 if one differs."""
    parser = argparse.ArgumentParser(prog="twin", description="Compare the twin with the gateware.")
    parser.add_argument("--runs", type=int, default=40, help="number of random measurements")
    parser.add_argument("--seed", type=int, default=1, help="the first measurement's")
    parser.add_argument("--board", choices=ALL_BOARDS, help="default: all, by turns")
    parser.add_argument("--planted", nargs="*", metavar="NAME", help="no random ones; default: all")
    parser.add_argument("--faults", nargs="*", metavar="NAME", help="plant faults; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="faults at a time")
    options = parser.parse_args(arguments)
    try:
        if options.faults is not None:
            return faults.run(options.jobs, options.faults)
        measurements = list(_measurements(options))
    except ValueError as error:
        parser.error(str(error))
    same, handed_over, differ, events = 0, 0, 0, 0
    twin_s = gateware_s = 0.0
    for name, measurement in measurements:
        found, expected, what = compared(measurement)
        events += expected.generated
        if found.handed_over:
            handed_over += 1
        else:
            twin_s, gateware_s = twin_s + found.cpu_s, gateware_s + expected.cpu_s
        if what:
            differ += 1
            print(f"{name} on {measurement.board}: {', '.join(what)}", flush=True)
        else:
            same += 1
    print(
        f"twin and gateware: {same} runs with {events} events identical, {handed_over} of them "
        f"handed over, {differ} differ; CPU seconds of the others: twin {twin_s:.2f}, gateware "
        f"{gateware_s:.2f}"
    )
    return int(differ > 0)


def _measurements(options: argparse.Namespace) -> Iterator[tuple[str, Measurement]]:
    """Yield what is measured, by name. Raises ValueError for a name that no measurement has."""
    if options.planted is None:
        boards = (options.board,) if options.board else ALL_BOARDS
        for seed in range(options.seed, options.seed + options.runs):
            yield f"seed {seed}", drawn(seed, boards)
        return
    known = planted()
    if unknown := set(options.planted) - known.keys():
        raise ValueError(f"no such measurement: {', '.join(sorted(unknown))}")
    for name in options.planted or known:
        yield name, known[name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
