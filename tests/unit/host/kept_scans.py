# SPDX-License-Identifier: Apache-2.0
"""Folders with a sweep, a phase scan or a burst scan, as their commands keep them."""

from plexor.burst import store as burst_store
from plexor.phase import store as phase_store
from plexor.sweep import store as sweep_store

from .render.scans_to_draw import MASKS, burst_result, limit, phase_result
from .sweeps import swept

KINDS = ("sweep", "phase", "burst")
BURST = burst_result(limit(1, 0), limit(2, 4, max_ticks=900), limit(4, 64))
PHASE = phase_result(MASKS["wraps"])


def keep(kind, folder):
    """Keep a scan of a kind in a folder of that name; return it."""
    kept = folder / kind
    if kind == "sweep":
        sweep_store.save(swept({"none": 100_000}), kept)
        return kept
    file, text = {
        "phase": (phase_store.FILE, phase_store.PHASE.text(PHASE)),
        "burst": (burst_store.FILE, burst_store.BURST.text(BURST)),
    }[kind]
    kept.mkdir()
    (kept / file).write_text(text)
    return kept
