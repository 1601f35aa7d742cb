"""Folders with a sweep, a phase scan or a burst scan, as their commands keep them."""

from plexor.burst import store as burst_store
from plexor.jsonable import document_text
from plexor.phase import store as phase_store
from plexor.store.kept_json import document_of
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
    store, result = {"phase": (phase_store, PHASE), "burst": (burst_store, BURST)}[kind]
    kept.mkdir()
    (kept / store.FILE).write_text(document_text(document_of(store.SCHEMA, result)))
    return kept
