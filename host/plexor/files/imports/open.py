# SPDX-License-Identifier: Apache-2.0
"""Opens a capture by the suffix of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.files.imports.capture import CaptureFile, ReadRules
from plexor.files.imports.csv import open_csv
from plexor.files.imports.sigrok import open_sr
from plexor.files.imports.tagged import open_npz, open_ptu
from plexor.files.imports.vcd import open_vcd
from plexor.files.imports.wave import open_wave

READERS: Mapping[str, Callable[[Path, ReadRules], CaptureFile]] = {
    ".vcd": open_vcd,
    ".fst": open_wave,
    ".ghw": open_wave,
    ".sr": open_sr,
    ".csv": open_csv,
    ".tsv": open_csv,
    ".txt": open_csv,
    ".dat": open_csv,
    ".ptu": open_ptu,
    ".npz": open_npz,
}
"""Readers of captures, by the suffix of the file."""
PACKED = (".vcd", ".csv", ".tsv", ".txt", ".dat")
"""Suffixes that may be followed by .gz."""
_OTHERS = {
    ".sal": "export raw data as CSV in Logic 2",
    ".logicdata": "export data as CSV in Logic",
    ".dsl": "export it as CSV or as a sigrok session in DSView",
    ".ttbin": "read it by TimeTagger.FileReader, and save its arrays by numpy.savez(FILE, "
    "timestamps=…, channels=…)",
    ".ht2": "save it as PTU",
    ".ht3": "save it as PTU",
    ".pt2": "save it as PTU",
    ".pt3": "save it as PTU",
    ".vcdx": "write a VCD of four states",
    ".wlf": "write a VCD, by `wlf2vcd`",
    ".vpd": "write a VCD, by `vpd2vcd`",
    ".fsdb": "write a VCD or an FST, by `fsdb2vcd`",
    ".shm": "write a VCD, by `simvisdbutil`",
    ".trn": "write a VCD, by `simvisdbutil`",
    ".lxt": "write an FST in its place, such as by `vvp FILE -fst`, or export a VCD in GTKWave",
    ".lxt2": "write a VCD, by GTKWave's `lxt2vcd`",
    ".lx2": "write a VCD, by GTKWave's `lxt2vcd`",
    ".vzt": "write a VCD, by GTKWave's `vzt2vcd`",
    ".evcd": "write a VCD of four states, by GTKWave's `evcd2vcd`",
    ".wfm": "export it as CSV on the oscilloscope",
    ".isf": "export it as CSV on the oscilloscope",
    ".bin": "export it as CSV",
}
"""What cannot be read, with the way round."""


def open_capture(path: Path, rules: ReadRules) -> CaptureFile:
    """Return a capture with its signals.

    Raises UsageError with the path for a file that cannot be read; it says the way round if there
    is one.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".gz" and len(suffixes) > 1 and suffixes[-2] in PACKED:
        suffix = suffixes[-2]
    if suffix in READERS:
        return READERS[suffix](path, rules)
    if suffix in _OTHERS:
        raise UsageError(f"{path}: {suffix} is not read; {_OTHERS[suffix]}")
    raise UsageError(
        f"{path}: its suffix must be one of {', '.join(READERS)}; rename it if it is one of these, "
        "or write a VCD or a CSV"
    )
