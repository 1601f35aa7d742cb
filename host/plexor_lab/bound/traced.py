# SPDX-License-Identifier: Apache-2.0
"""A service's model, counted in the log of a simulated core's bus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.library.files import write_text
from plexor.library.specs.spec import takes
from plexor.library.specs.values import path_of
from plexor_lab.bound.counting import Traced, traced
from plexor_lab.bound.files.access_file import access_calls
from plexor_lab.bound.files.bus_log import calls, read_log
from plexor_lab.bound.files.image import read_image
from plexor_lab.bound.files.writing import map_text, model_text
from plexor_lab.bound.spec import TraceSpec
from plexor_lab.bound.trace_text import trace_text

SCHEMA = "plexor.bound-trace/1"


@dataclass(frozen=True, slots=True)
class BusTrace:
    """What the calls of a service did on the bus, as a model."""

    traced: Traced

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return trace_text(self.traced, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor lab bound trace --json` prints."""
        traced_model = self.traced
        return {
            "schema": SCHEMA,
            "provenance": "simulated",
            "model": traced_model.model.title,
            "calls": traced_model.calls,
            "interrupted": traced_model.interrupted,
            "ns": list(traced_model.ns),
            "excess": traced_model.excess,
            "discarded": traced_model.discarded,
            "sections": [
                {
                    "name": section.name,
                    "repetition": str(section.repetition),
                    "blocking": section.blocking,
                    "counts": [
                        {"region": count.region, "access": count.access, "number": count.number}
                        for count in section.counts
                    ],
                }
                for section in traced_model.model.sections
            ],
            "map": dict(traced_model.region_map.regions),
        }

    def write(self, path: Path) -> None:
        """Write the model as a file, TOML or CSV. Raises UsageError and StoreError."""
        about = (
            f"Counted in {counted(self.traced.calls, 'call')} on a simulated bus, of which "
            f"{self.traced.interrupted} with an interrupt.",
        )
        write_text(path, model_text(self.traced.model, suffix_of(path), about))

    def write_map(self, path: Path) -> None:
        """Write in which section each region of data lies, as a file, TOML or CSV."""
        write_text(path, map_text(self.traced.region_map, suffix_of(path)))


def suffix_of(path: Path) -> str:
    """Return how a file of a bound ends; raise UsageError for another one."""
    if path.suffix.lower() not in (".toml", ".csv"):
        raise UsageError(f"{path}: must be a file that ends in .toml or .csv")
    return path.suffix.lower()


@takes(TraceSpec)
def trace_bus(log: str | Path, options: TraceSpec) -> BusTrace:
    """Return the model of the service that a simulated device marks with a pin.

    `log` is from `freertos:bus=FILE`, or a CSV file of accesses that ends in .csv and has no pins.
    `elf` is the firmware, by default the file beside it that ends in .elf. `interrupts` is how many
    may come during one call; what one adds is then a section of the model. Raises UsageError for
    files that are none, and for a log without a whole call.
    """
    log_path = path_of(log)
    is_csv = log_path.suffix.lower() == ".csv"
    if is_csv and options.elf is None:
        raise UsageError(f"{options.naming('elf')}: is missing; {log_path} is of which firmware?")
    if is_csv and options.pin:
        raise UsageError(f"{options.naming('pin')}: {options.pin}; {log_path} has no pins")
    image = read_image(options.elf or Path(f"{log}.elf"))
    try:
        known = access_calls(log_path, image) if is_csv else calls(read_log(log_path), options.pin)
        return BusTrace(traced(known, image, options.title or log_path.stem, options.interrupts))
    except UsageError as error:
        text = str(error)
        raise (
            error if text.startswith(str(log_path)) else UsageError(f"{log_path}: {text}")
        ) from error
