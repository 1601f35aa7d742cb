"""A reflex hammer for real-time systems: strikes a pin, times the reflex.

    with plexor.open("sim:?dut=freertos") as instrument:
        run = instrument.run(rate="20k", count="10k")
        print(run["ISR"].max_s)

Names are loaded when they are used, so `import plexor` takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plexor.errors import (
        IdentityError,
        InstrumentError,
        InvalidRunError,
        LinkError,
        PlexorError,
        StoreError,
        UsageError,
    )
    from plexor.library.instrument import Instrument
    from plexor.library.measurement import Measurement
    from plexor.library.open import open
    from plexor.library.reading import Estimate, Reading
    from plexor.library.run import Run
    from plexor.library.snapshot import Snapshot
    from plexor.model.results import EVENT_DTYPE
    from plexor.model.settings import Channel, Settings, Stimulus

_PLACES = {
    **dict.fromkeys(
        (
            "IdentityError",
            "InstrumentError",
            "InvalidRunError",
            "LinkError",
            "PlexorError",
            "StoreError",
            "UsageError",
        ),
        "plexor.errors",
    ),
    "Instrument": "plexor.library.instrument",
    "Measurement": "plexor.library.measurement",
    "open": "plexor.library.open",
    "Estimate": "plexor.library.reading",
    "Reading": "plexor.library.reading",
    "Run": "plexor.library.run",
    "Snapshot": "plexor.library.snapshot",
    "EVENT_DTYPE": "plexor.model.results",
    "Channel": "plexor.model.settings",
    "Settings": "plexor.model.settings",
    "Stimulus": "plexor.model.settings",
}
__all__ = [
    "EVENT_DTYPE",
    "Channel",
    "Estimate",
    "IdentityError",
    "Instrument",
    "InstrumentError",
    "InvalidRunError",
    "LinkError",
    "Measurement",
    "PlexorError",
    "Reading",
    "Run",
    "Settings",
    "Snapshot",
    "Stimulus",
    "StoreError",
    "UsageError",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'plexor' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
