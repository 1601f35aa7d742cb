# SPDX-License-Identifier: Apache-2.0
"""A reflex hammer for real-time systems: strikes a pin, times the reflex.

    with plexor.open("sim:?dut=freertos") as instrument:
        run = instrument.run(rate="20k", count="10k")
        print(run["ISR"].max_s)

Names are loaded when they are used, so `import plexor` takes no time. Other packages add names by
entry points in the group `plexor.library`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plexor.base.errors import IdentityError as IdentityError
    from plexor.base.errors import InstrumentError as InstrumentError
    from plexor.base.errors import InvalidRunError as InvalidRunError
    from plexor.base.errors import LinkError as LinkError
    from plexor.base.errors import PlexorError as PlexorError
    from plexor.base.errors import StoreError as StoreError
    from plexor.base.errors import UsageError as UsageError
    from plexor.figures.judge.budget import Budget as Budget
    from plexor.figures.judge.budget import Judged as Judged
    from plexor.figures.judge.verdict import Outcome as Outcome
    from plexor.figures.judge.verdict import Verdict as Verdict
    from plexor.library.archive import Archive as Archive
    from plexor.library.compare import Comparison as Comparison
    from plexor.library.compare import compare as compare
    from plexor.library.exchange import import_capture as import_capture
    from plexor.library.exchange import list_capture as list_capture
    from plexor.library.instrument import Instrument as Instrument
    from plexor.library.load import load as load
    from plexor.library.load import schema as schema
    from plexor.library.measurement import Measurement as Measurement
    from plexor.library.open import open as open
    from plexor.library.reading import Estimate as Estimate
    from plexor.library.reading import Reading as Reading
    from plexor.library.run import Run as Run
    from plexor.library.scans.burst import BurstScan as BurstScan
    from plexor.library.scans.phase import PhaseScan as PhaseScan
    from plexor.library.scans.sweep import Sweep as Sweep
    from plexor.library.snapshot import Snapshot as Snapshot
    from plexor.model.results import EVENT_DTYPE as EVENT_DTYPE
    from plexor.model.settings import Channel as Channel
    from plexor.model.settings import Settings as Settings
    from plexor.model.settings import Stimulus as Stimulus
    from plexor.run.session.follow import Listeners as Listeners
    from plexor.run.session.progress import Progress as Progress
    from plexor.run.session.stop import Stop as Stop

_NAMES = {
    "plexor.base.errors": (
        "IdentityError",
        "InstrumentError",
        "InvalidRunError",
        "LinkError",
        "PlexorError",
        "StoreError",
        "UsageError",
    ),
    "plexor.figures.judge.budget": ("Budget", "Judged"),
    "plexor.figures.judge.verdict": ("Outcome", "Verdict"),
    "plexor.library.archive": ("Archive",),
    "plexor.library.compare": ("Comparison", "compare"),
    "plexor.library.exchange": ("import_capture", "list_capture"),
    "plexor.library.instrument": ("Instrument",),
    "plexor.library.load": ("load", "schema"),
    "plexor.library.measurement": ("Measurement",),
    "plexor.library.open": ("open",),
    "plexor.library.reading": ("Estimate", "Reading"),
    "plexor.library.run": ("Run",),
    "plexor.library.scans.burst": ("BurstScan",),
    "plexor.library.scans.phase": ("PhaseScan",),
    "plexor.library.scans.sweep": ("Sweep",),
    "plexor.library.snapshot": ("Snapshot",),
    "plexor.model.results": ("EVENT_DTYPE",),
    "plexor.model.settings": ("Channel", "Settings", "Stimulus"),
    "plexor.run.session.follow": ("Listeners",),
    "plexor.run.session.progress": ("Progress",),
    "plexor.run.session.stop": ("Stop",),
}
_PLACES = {name: place for place, names in _NAMES.items() for name in names}
if not TYPE_CHECKING:
    __all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    if not name.startswith("_"):
        from plexor.library.parts.extensions import LIBRARY, offer_of  # noqa: PLC0415

        offer = offer_of(LIBRARY, name)
        if offer is not None:
            return offer.load(object)
    raise AttributeError(f"module 'plexor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
