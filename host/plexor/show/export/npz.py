# SPDX-License-Identifier: Apache-2.0
"""A run as numpy arrays: its events, and the histogram of each channel and kind."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from plexor.model.results import EVENT_DTYPE
from plexor.protocol.memory import ResponseClass
from plexor.show.export.about import about
from plexor.show.export.source import ExportSource


def write_npz(source: ExportSource, path: Path, name: Path) -> None:
    """Write arrays to `path`, which `numpy.load` reads.

    `time_ticks`, `index`, `source` and `polarity` are the events, with times from the start of the
    run; they are left out if the run kept none. `code` and `code_time_ticks` are the code port's.
    For a channel ISR, `ISR.rise.low_ticks`, `.high_ticks` and `.counts` are the cells [low, high)
    of its latencies, and likewise `fall`, `width` and `period`. A cell that ends at 2**62 is open:
    its values are at the limit of the instrument's registers. `about` is JSON: texts of the run,
    the pins' names by source, and each channel's classes.
    """
    del name
    result = source.result
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    if result.events is not None:
        arrays |= {column: result.events[column] for column in EVENT_DTYPE.names or ()}
        arrays["time_ticks"] = source.times(result.events)
    if len(result.codes):
        arrays["code_time_ticks"] = source.times(result.codes)
        arrays["code"] = result.codes["code"]
    for channel in result.channels:
        for measurement in source.measurements(channel):
            cells = source.distribution(channel, measurement)
            prefix = f"{channel.name.replace('/', '_')}.{measurement.kind}"
            arrays[f"{prefix}.low_ticks"] = cells.low_ticks
            arrays[f"{prefix}.high_ticks"] = cells.high_ticks
            arrays[f"{prefix}.counts"] = cells.counts
    texts = {
        **about(source),
        "pins": {str(pin.source): pin.name for pin in source.pins},
        "channels": {
            channel.name: {
                **{kind.name.lower(): channel.classes[kind] for kind in ResponseClass},
                "pending": channel.pending,
            }
            for channel in result.channels
        },
    }
    arrays["about"] = np.array(json.dumps(texts, ensure_ascii=False))
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
