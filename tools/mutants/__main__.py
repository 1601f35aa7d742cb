# SPDX-License-Identifier: Apache-2.0
"""Puts deliberate faults into the gateware and random ones into the host; tests must catch them.

    .venv/bin/python -m tools.mutants [gateware [NAME ...] | host [ROOM ...]] [--faults N]

The tree itself never changes. Prints a table. Exits with 1 if a fault of the gateware survives, no
longer applies, or its test fails without it, or if too few of the host's faults are caught.
"""

from __future__ import annotations

import argparse
import os
import sys

from tools.mutants import gateware, host


def main(arguments: list[str] | None = None) -> int:
    """Run all faults, or the named ones; return 1 if one is not caught."""
    parser = argparse.ArgumentParser(prog="mutants", description="Run mutants.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--faults", type=int, default=4, help="the host's, in each room")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn")
    parser.add_argument("side", nargs="?", choices=("gateware", "host"), help="default: both")
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults or rooms; default: all")
    options = parser.parse_args(arguments)
    if options.jobs < 1 or options.faults < 1:
        parser.error(f"--jobs {options.jobs} --faults {options.faults}; must be 1 or more")
    if options.side == "host" and (unknown := set(options.names) - set(host.rooms())):
        parser.error(f"no such room: {', '.join(sorted(unknown))}")
    caught = True
    try:
        if options.side != "host":
            caught &= gateware.run(options.jobs, options.names)
        if options.side != "gateware":
            caught &= host.run(options.faults, options.seed, options.jobs, options.names)
    except ValueError as error:
        parser.error(str(error))
    return int(not caught)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
