"""Builds the twin: its own objects, once for all boards, linked with a device's."""

from __future__ import annotations

from pathlib import Path

from plexor.protocol.geometry import PLACED, Geometry
from plexor_sim.build import Report, device_objects, digest
from plexor_sim.packages import make_once, sha256
from plexor_sim.riscv import DeviceBuild
from plexor_sim.toolchain import (
    COMPILE,
    FAST,
    Tools,
    Unit,
    compile_units,
    find_tools,
    run_tool,
)
from plexor_sim.twin.contract import geometry_text, header

_HERE = Path(__file__).parent
_SIM = _HERE.parent
_RUNTIME, _DEVICE = _SIM / "runtime", _SIM / "device"
TWIN = 1 << 62
"""Bit of `identity.build_id`, beside PLACED: the build is a twin. The gateware's simulation may
have it by chance, as the rest of a hash; a twin always has it."""


def build_twin(device: DeviceBuild, cache: Path, report: Report) -> Path:
    """Return the executable of the twin with that device. Raises as `plexor_sim.build.build`."""
    tools = find_tools()
    own = _build_objects(tools, cache, report)
    objects = [*sorted(own.glob("*.o")), *device_objects(device, cache, report=report)]
    key = digest("twin", own.name, *(item.parent.name for item in objects))

    def link(directory: Path) -> None:
        command = (*tools.compiler, *map(str, objects), "-o", str(directory / "plexor-twin"))
        run_tool("link", (*command, "-pthread"), directory)

    return make_once(cache / "sim" / f"twin-{device.name}-{key}", link) / "plexor-twin"


def arguments(geometry: Geometry) -> tuple[str, str]:
    """Return the arguments that make the twin that of a geometry."""
    sources = sorted(_HERE.glob("*.[ch]*"))
    text = "\0".join((header(), repr(geometry), *(path.read_text() for path in sources)))
    named = int(sha256(text.encode())[:16], 16)
    return "--geometry", geometry_text(geometry, named, (named | TWIN) & ~PLACED)


def _build_objects(tools: Tools, cache: Path, report: Report) -> Path:
    sources = sorted(_HERE.glob("*.cpp"))
    headers = [path for folder in (_HERE, _RUNTIME, _DEVICE) for path in sorted(folder.glob("*.h"))]
    key = digest("twin", tools.key, *COMPILE, FAST, header(), *sources, *headers)

    def fill(directory: Path) -> None:
        report("compiling the twin")
        (directory / "contract.h").write_text(header())
        units = [Unit(source, (FAST,)) for source in sources]
        compile_units(tools, units, directory, (directory, _HERE, _RUNTIME, _DEVICE))

    return make_once(cache / "objects" / f"twin-{key}", fill)
