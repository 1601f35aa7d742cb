# SPDX-License-Identifier: Apache-2.0
"""Builds the twin: its own objects, once for all boards, linked with a device's."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache as once
from pathlib import Path

from plexor.protocol.geometry import PLACED, Geometry
from plexor_sim.build import Report, device_objects, digest, whole
from plexor_sim.packages import make_once, sha256
from plexor_sim.riscv import DeviceBuild
from plexor_sim.toolchain import (
    COMPILE,
    LIGHT,
    PLAIN,
    Unit,
    compile_units,
    find_tools,
    run_tool,
)
from plexor_sim.twin.contract import geometry_text, header

TWIN_SOURCES = Path(__file__).parent
_SIM = TWIN_SOURCES.parent
_RUNTIME, _DEVICE = _SIM / "runtime", _SIM / "device"
_SELDOM = ("geometry", "main", "registers", "relay")
"""Sources whose code runs once for many events."""
TWIN = 1 << 62
"""Bit of `identity.build_id`, beside PLACED: the build is a twin. The gateware's simulation may
have it by chance, as the rest of a hash; a twin always has it."""


def build_twin(device: DeviceBuild, cache: Path, report: Report) -> Path:
    """Return the executable of the twin with that device. Raises as `plexor_sim.build.build`."""
    with ThreadPoolExecutor() as pool:
        objects = pool.submit(twin_objects, cache, report)
        device_objects(device, cache, verilated=False, report=report)
        own = objects.result()
    return link_twin(device, sorted(own.glob("*.o")), own.name, cache, report)


def link_twin(
    device: DeviceBuild,
    own: Sequence[Path],
    name: str,
    cache: Path,
    report: Report,
    folder: Path | None = None,
) -> Path:
    """Return the executable of a twin's objects, which have a name, and a device.

    `folder` is where it is kept; by default in the cache.
    """
    tools = find_tools()
    objects = [*own, *device_objects(device, cache, verilated=False, report=report)]
    key = digest("twin", name, *(item.parent.name for item in objects))

    def link(directory: Path) -> None:
        command = (*tools.compiler, *map(str, objects), "-o", str(directory / "plexor-twin"))
        run_tool("link", (*command, "-pthread", "-ldl"), directory)

    kept = folder or cache / "sim"
    return make_once(kept / f"twin-{device.name}-{key}", link) / "plexor-twin"


def arguments(geometry: Geometry) -> tuple[str, str]:
    """Return the arguments that make the twin that of a geometry."""
    named = int(sha256(f"{_sources_key()} {geometry!r}".encode())[:16], 16)
    return "--geometry", geometry_text(geometry, named, (named | TWIN) & ~PLACED)


@once
def _sources_key() -> str:
    """Return a hash of the twin's sources and of the contract."""
    return digest(header(), *sorted(TWIN_SOURCES.glob("*.[ch]*")))


def twin_objects(cache: Path, report: Report) -> Path:
    """Return the folder of the twin's own objects and its header of the contract."""
    tools = find_tools()
    sources = sorted(TWIN_SOURCES.glob("*.cpp"))
    seldom = [source for source in sources if source.stem in _SELDOM]
    often = [source for source in sources if source not in seldom]
    headers = [path for folder in (_RUNTIME, _DEVICE) for path in sorted(folder.glob("*.h"))]
    key = digest("twin", tools.compiler_key, *COMPILE, PLAIN, LIGHT, _sources_key(), *headers)

    def fill(directory: Path) -> None:
        report("compiling the twin")
        (directory / "contract.h").write_text(header())
        units = (
            whole("often", often, directory, PLAIN),
            whole("seldom", seldom, directory, LIGHT),
        )
        compile_twin(units, directory, directory)

    return make_once(cache / "objects" / f"twin-{key}", fill)


def compile_twin(units: Sequence[Unit], contract: Path, directory: Path) -> None:
    """Compile sources of the twin into a folder; `contract` is that of contract.h."""
    folders = (contract, TWIN_SOURCES, _RUNTIME, _DEVICE)
    compile_units(find_tools(), units, directory, folders, verilated=False)
