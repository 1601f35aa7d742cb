# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the twin, one at a time; a measurement on the gateware must see each.

The faults are in tests/mutants/twin/*.toml. `file` is a source of the twin, `test` the name of a
measurement (planted.py) that is the gateware's without the fault, and not with it. A fault in the
gateware that the twin sees is one of tests/mutants/twin.toml.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from plexor.base.errors import PlexorError
from plexor_sim.devices import cpp_device
from plexor_sim.packages import default_cache
from plexor_sim.serve import GATEWARE, TWIN, Prepared
from plexor_sim.server import SimulatorError
from plexor_sim.toolchain import LIGHT, Unit
from plexor_sim.twin.build import TWIN_SOURCES, compile_twin, link_twin, twin_objects
from tools.mutants.gateware import FAULTS, Fault, load
from tools.twin.conform import Taken, differences, prepared, taken
from tools.twin.draw import Measurement
from tools.twin.planted import planted

_QUICK = "-O0"
"""A fault runs once."""
_Known = dict[str, tuple[Measurement, Taken, str]]
"""By name: a measurement, what the gateware makes of it, and why the right twin hands it over."""


def run(jobs: int, names: Sequence[str] = ()) -> int:
    """Plant all faults, or the named ones; return 1 if one is not seen.

    Raises ValueError for a name that no fault has, and for a fault that no longer applies.
    """
    faults = [fault for fault in load(FAULTS / "twin") if not names or fault.name in names]
    if unknown := set(names) - {fault.name for fault in faults}:
        raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
    measurements = planted()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(jobs) as pool:
        folder = Path(name)
        parts = _parts(folder)
        tests = sorted({fault.test for fault in faults})
        known: _Known = {}
        for test, found in zip(
            tests, pool.map(_right, (measurements[t] for t in tests)), strict=True
        ):
            if isinstance(found, str):
                print(f"{test}: without a fault: {found}", flush=True)
            else:
                known[test] = found

        def seen(numbered: tuple[int, Fault]) -> bool:
            number, fault = numbered
            found = _seen(fault, folder / f"fault-{number}", parts, known)
            print(f"{fault.file}: {fault.name}: {found or 'NOT SEEN'}", flush=True)
            return bool(found)

        count = sum(pool.map(seen, enumerate(faults)))
    print(f"{count} of {len(faults)} faults in the twin were seen by {len(known)} measurements")
    return int(count < len(faults))


def _right(measurement: Measurement) -> tuple[Measurement, Taken, str] | str:
    """Return a measurement with what the gateware makes of it, or how the twin differs."""
    expected = _taken(measurement, prepared(measurement, GATEWARE))
    found = _taken(measurement, prepared(measurement, TWIN))
    if isinstance(expected, str) or isinstance(found, str):
        return f"gateware: {expected}" if isinstance(expected, str) else f"twin: {found}"
    what = differences(found, expected)
    return ", ".join(what) if what else (measurement, expected, found.handed_over)


def _parts(folder: Path) -> dict[str, Path]:
    """Compile each source of the twin alone, into a folder; return the objects by source."""
    sources = sorted(TWIN_SOURCES.glob("*.cpp"))
    contract = twin_objects(default_cache(), print)
    compile_twin([Unit(source, (LIGHT,)) for source in sources], contract, folder)
    return {
        source.name: folder / f"{source.stem}-{number}.o" for number, source in enumerate(sources)
    }


def _seen(fault: Fault, folder: Path, parts: Mapping[str, Path], known: _Known) -> str:
    """Return how a fault's measurement differs; empty if it does not.

    Raises ValueError if the fault no longer applies.
    """
    if fault.test not in known:
        return ""
    measurement, expected, handed_over = known[fault.test]
    ready = replace(prepared(measurement, TWIN), executable=_built(fault, folder, parts))
    found = _taken(measurement, ready)
    shutil.rmtree(folder)
    if isinstance(found, str):
        return found
    if bool(found.handed_over) != bool(handed_over):
        return "handed over" if found.handed_over else "not handed over"
    return next(iter(differences(found, expected)), "")


def _taken(measurement: Measurement, ready: Prepared) -> Taken | str:
    """Take a run; return why there is none if the instrument does not answer, or sends no frame."""
    try:
        return taken(measurement, ready)
    except (PlexorError, SimulatorError, subprocess.TimeoutExpired, ValueError, OSError) as error:
        return f"no result: {error}"


def _built(fault: Fault, folder: Path, parts: Mapping[str, Path]) -> Path:
    """Return the twin with a fault, compiled where that reaches."""
    cache = default_cache()
    folder.mkdir()
    # What a source includes is looked for beside it first.
    for header in TWIN_SOURCES.glob("*.h"):
        shutil.copy(header, folder)
    sources = [fault.file] if fault.file in parts else _including(fault.file)
    for name in sources:
        shutil.copy(TWIN_SOURCES / name, folder)
    (folder / fault.file).write_text(fault.mutated(TWIN_SOURCES))
    units = [Unit(folder / name, (_QUICK,)) for name in sources]
    compile_twin(units, twin_objects(cache, print), folder)
    wrong = {name: folder / f"{Path(name).stem}-{number}.o" for number, name in enumerate(sources)}
    objects = [*({**parts, **wrong}).values()]
    return link_twin(cpp_device("synthetic"), objects, folder.name, cache, print, folder)


def _including(header: str) -> list[str]:
    """Return the sources that include a header of the twin, whichever way."""

    def reached(name: str) -> Iterator[str]:
        yield name
        for other in re.findall(r'#include "(\w+\.h)"', (TWIN_SOURCES / name).read_text()):
            if (TWIN_SOURCES / other).exists():
                yield from reached(other)

    sources = sorted(path.name for path in TWIN_SOURCES.glob("*.cpp"))
    return [name for name in sources if header in reached(name)]
