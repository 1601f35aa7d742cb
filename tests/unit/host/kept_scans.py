# SPDX-License-Identifier: Apache-2.0
"""Folders with a sweep, a phase scan or a burst scan, as their commands keep them."""

from plexor.library.scans.burst import BurstScan
from plexor.library.scans.phase import PhaseScan
from plexor.library.scans.sweep import Sweep

from .show.scans_to_draw import MASKS, burst_result, limit, phase_result
from .sweeps import swept

KINDS = ("sweep", "phase", "burst")
BURST = burst_result(limit(1, 0), limit(2, 4, max_ticks=900), limit(4, 64))
PHASE = phase_result(MASKS["wraps"])


def keep(kind, folder):
    """Keep a scan of a kind in a folder of that name; return it."""
    kept = folder / kind
    scan = {
        "sweep": lambda: Sweep(swept({"none": 100_000})),
        "phase": lambda: PhaseScan(PHASE),
        "burst": lambda: BurstScan(BURST),
    }[kind]()
    kept.mkdir()
    scan.kept.write(scan.result, kept / f"{kind}.json")
    return kept
