# SPDX-License-Identifier: Apache-2.0
"""Events as samples: a sigrok session file, version 2 (sigrok.org/wiki/File_format:Sigrok/v2)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS, format_seconds, seconds_of
from plexor.model.results import EventArray
from plexor.show.export.about import about
from plexor.show.export.source import ExportSource
from plexor.show.export.vcd import LEAD_TICKS, identifiers

MOST_BYTES = 1 << 32
"""Maximum length of the samples before compression: about half a minute of work."""
CHUNK_BYTES = 1 << 22
"""Length of a file of samples in the archive, as sigrok's own writer has it."""
_STEPS_HZ = (10**6, 10**5, 10**4, 10**3)


def sample_rate(tick_fs: int) -> int | None:
    """Return the sample rate of one sample per tick, in Hz; None if it is no whole number of kHz.

    An instrument reports its tick to half a femtosecond, and its clock is a round number. So the
    roundest rate within that rounding is taken: 520,833 fs is 1.92 GHz.
    """
    for step in _STEPS_HZ:
        hertz = round(FEMTOSECONDS / tick_fs / step) * step
        if hertz and round(FEMTOSECONDS / hertz) == tick_fs:
            return hertz
    return None


def write_sr(source: ExportSource, path: Path, name: Path) -> None:
    """Write a sample for each tick of the run, and a probe for each pin; 1 is its active level.

    Code pins are pins too. The first sample is of the tick before the run, so that an edge in the
    run's first tick shows. `about.txt` in the archive notes that, with the facts of the run; sigrok
    ignores it. Raises UsageError, with `name`, if the run kept no events, has a tick without a
    sample rate, or is too long.
    """
    events = source.edges(name)
    rate = sample_rate(source.result.tick_fs)
    if rate is None:
        raise UsageError(
            f"{name}: a tick of {source.result.tick_fs} fs is not that of a whole number of "
            "kilohertz, which sigrok needs; write .vcd"
        )
    unit = -(-len(source.waves) // 8) or 1
    samples = LEAD_TICKS + source.duration_ticks
    size = samples * unit
    if size > MOST_BYTES:
        most = seconds_of(MOST_BYTES // unit, source.result.tick_fs)
        lasts = seconds_of(source.duration_ticks, source.result.tick_fs)
        raise UsageError(
            f"{name}: the run lasts {format_seconds(lasts)}, and a sample for each tick allows "
            f"{format_seconds(most)}; write .vcd, which has edges only"
        )
    labels = identifiers([pin.name for pin in source.waves])
    metadata = [
        "[global]",
        "sigrok version=0.5.2",
        "",
        "[device 1]",
        "capturefile=logic-1",
        f"total probes={len(labels)}",
        f"samplerate={rate} Hz",
        "total analog=0",
        *(f"probe{number}={label}" for number, label in enumerate(labels, 1)),
        f"unitsize={unit}",
        "",
    ]
    facts = {**about(source), "lead_ticks": str(LEAD_TICKS)}
    texts = "".join(f"{key}: {' '.join(text.split())}\n" for key, text in facts.items())
    with zipfile.ZipFile(path, "w") as archive:
        _put(archive, "version", "2")
        _put(archive, "metadata", "\n".join(metadata))
        _put(archive, "about.txt", texts)
        for number, chunk in enumerate(_chunks(source, events, unit, samples), 1):
            _put(archive, f"logic-1-{number}", chunk)


def _put(archive: zipfile.ZipFile, name: str, data: str | bytes) -> None:
    """Add a file without a time stamp, so that a run always gives the same bytes."""
    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, compresslevel=6)


def _chunks(source: ExportSource, events: EventArray, unit: int, samples: int) -> Iterator[bytes]:
    """Yield the samples of the run, `unit` bytes each, a chunk at a time."""
    before_ticks = source.result.start_ticks - LEAD_TICKS
    size = CHUNK_BYTES // unit
    levels = [source.level_at_start(pin.source) for pin in source.waves]
    first = 0
    for start in range(0, samples, size):
        count = min(size, samples - start)
        end_ticks = np.uint64(before_ticks + start + count)
        end = int(np.searchsorted(events["time_ticks"], end_ticks))
        piece = events[first:end]
        words = np.zeros(len(piece) + 1, np.uint32)
        for bit, pin in enumerate(source.waves):
            own = np.flatnonzero(piece["source"] == pin.source)
            level_runs = np.concatenate(([levels[bit]], piece["polarity"][own])).astype(np.uint32)
            lengths = np.diff(np.concatenate(([0], own + 1, [len(words)])))
            words |= np.repeat(level_runs, lengths) << np.uint32(bit)
            levels[bit] = int(level_runs[-1])
        edges = np.concatenate(([0], source.times(piece) + LEAD_TICKS - start, [count]))
        yield _bytes(np.repeat(words, np.diff(edges)), unit)
        first = end


def _bytes(words: npt.NDArray[np.uint32], unit: int) -> bytes:
    """Return the low `unit` bytes of each word, little-endian."""
    return words.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :unit].tobytes()
