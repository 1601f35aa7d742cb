# SPDX-License-Identifier: Apache-2.0
"""Takes random measurements on the twin and on the gateware; both must give the same.

    .venv/bin/python -m tools.twin [--runs N] [--seed N] [--board BOARD] [--faults]

A run that the twin hands over to the gateware is compared too. With --faults, faults are planted in
the twin, and each must be seen. Prints a line for each run that differs, and a summary. Exits with
1 if a run differs or a fault is not seen.
"""

from __future__ import annotations

import argparse
import sys

from plexor_sim.serve import GATEWARE, TWIN
from tools.twin import faults
from tools.twin.conform import differences, prepared, taken
from tools.twin.draw import BOARDS, drawn


def main(arguments: list[str] | None = None) -> int:
    """Compare the runs; return 1 if one differs."""
    parser = argparse.ArgumentParser(prog="twin", description="Compare the twin with the gateware.")
    parser.add_argument("--runs", type=int, default=40, help="number of random measurements")
    parser.add_argument("--seed", type=int, default=1, help="the first measurement's")
    parser.add_argument("--board", choices=BOARDS, help="default: all, by turns")
    parser.add_argument("--faults", action="store_true", help="plant faults in the twin instead")
    options = parser.parse_args(arguments)
    if options.faults:
        return faults.run()
    same, handed_over, differ, events = 0, 0, 0, 0
    twin_s = gateware_s = 0.0
    for seed in range(options.seed, options.seed + options.runs):
        measurement = drawn(seed, (options.board,) if options.board else BOARDS)
        found = taken(measurement, prepared(measurement, TWIN))
        expected = taken(measurement, prepared(measurement, GATEWARE))
        events += expected.generated
        if found.handed_over:
            handed_over += 1
        else:
            twin_s, gateware_s = twin_s + found.cpu_s, gateware_s + expected.cpu_s
        if what := differences(found, expected):
            differ += 1
            print(f"seed {seed} on {measurement.board}: {', '.join(what)}", flush=True)
        else:
            same += 1
    print(
        f"twin and gateware: {same} runs with {events} events identical, {handed_over} of them "
        f"handed over, {differ} differ; CPU seconds of the others: twin {twin_s:.2f}, gateware "
        f"{gateware_s:.2f}"
    )
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
