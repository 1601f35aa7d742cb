# SPDX-License-Identifier: Apache-2.0
"""The simulated devices `bare` and `freertos`: a RISC-V core with firmware, built on demand.

Some of their options decide what is built, such as `program` and `codes`. `riscv_device`
compiles the firmware, and returns what must be Verilated, compiled and linked with a C++ main. It
does not do that itself. All its files are in the cache, named by content.
"""

import importlib.util
import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from plexor_sim import packages
from plexor_sim.regions import region_option, regions

Kind = Literal["bare", "freertos"]

_HERE = Path(__file__).parent
_DEVICE = _HERE / "device"
_FIRMWARE = _HERE / "firmware"
_STRIKES = "strikes"
_EXECUTOR = "executor"
BENCHES = ("osbench", "threadmetric", "kernel")
"""Programs that are suites of benchmarks: they take `iterations` and `self`."""
_OF_BUS = ("platform", "bus")
"""Options for which the core is the one without caches, on one bus."""
_PROGRAMS: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    "bare": {_STRIKES: ("start.S", "loads.c", "bare.c")},
    "freertos": {
        _STRIKES: ("start.S", "loads.c", "freertos.c"),
        "calls": ("start.S", "loads.c", "calls.c"),
        _EXECUTOR: (
            *("start.S", "loads.c", "executor.c"),
            *("executor_message.c", "executor_schedule.c"),
        ),
        "critsec": ("start.S", "loads.c", "critsec.c"),
        "philosophers": ("start.S", "loads.c", "philosophers.c"),
        **{suite: ("start.S", "loads.c", "bench/bench.c", f"bench/{suite}.c") for suite in BENCHES},
        "malloc": ("start.S", "loads.c", "malloc.c"),
    },
}
_BENCH = (
    *("-DconfigUSE_MUTEXES=1", "-DconfigUSE_RECURSIVE_MUTEXES=1", "-DconfigUSE_TIME_SLICING=0"),
    *("-DconfigSUPPORT_DYNAMIC_ALLOCATION=1", "-DconfigTOTAL_HEAP_SIZE=4096"),
    *("-DINCLUDE_vTaskSuspend=1", "-DINCLUDE_vTaskDelete=1", "-DINCLUDE_uxTaskPriorityGet=1"),
)
_PROGRAM_FLAGS: Mapping[str, tuple[str, ...]] = {
    _STRIKES: (),
    "calls": (),
    _EXECUTOR: (),
    "critsec": ("-DconfigUSE_MUTEXES=1",),
    "philosophers": ("-DconfigUSE_MUTEXES=1", "-DPLEXOR_ZONES=31"),  # all but the tick
    # Without the states of tasks, whose codes would be a part of what is measured.
    "osbench": (*_BENCH, "-DPLEXOR_ZONES=60"),
    "kernel": (*_BENCH, "-DPLEXOR_ZONES=60"),
    "threadmetric": _BENCH,
    "malloc": (
        "-DconfigSUPPORT_DYNAMIC_ALLOCATION=1",
        "-DconfigAPPLICATION_ALLOCATED_HEAP=1",
    ),
}
_HEAP = "portable/MemMang/heap_4.c"
_PROGRAM_KERNEL: Mapping[str, tuple[str, ...]] = {
    "malloc": (_HEAP,),
    **dict.fromkeys(BENCHES, ("event_groups.c", _HEAP)),
}
_EXECUTED = "strobed"
"""How codes leave the executor, if the user does not say."""
_CODES = ("-DPLEXOR_TRACE=1", "-DPLEXOR_PORT=PLEXOR_PORT_VEXRISCV")
_NO_CODES = ("-DPLEXOR_TRACE=0",)
_KERNEL_SOURCES = (
    "tasks.c",
    "queue.c",
    "list.c",
    "portable/GCC/RISC-V/port.c",
    "portable/GCC/RISC-V/portASM.S",
)
_KERNEL_INCLUDES = (
    "include",
    "portable/GCC/RISC-V",
    "portable/GCC/RISC-V/chip_specific_extensions/RISCV_MTIME_CLINT_no_extensions",
)
_COMPILE = (
    *("-target", "riscv32-freestanding-none", "-mabi=ilp32"),
    *("-O2", "-g", "-fomit-frame-pointer", "-ffreestanding", "-fno-builtin", "-nostdlib"),
    *("-fno-sanitize=all", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"),
    *("-Wall", "-Werror"),
)
_FULL = ("-mcpu=generic_rv32+m+zicsr",)
_MIN = ("-mcpu=generic_rv32+zicsr", "-DPLEXOR_BUS=1")
"""Flags for the core that multiplies and counts its cycles, and for the one that does not."""
# Two-state logic and a single module are faster. The core's generated Verilog is not lint-clean.
_VERILATE = (
    *("--flatten", "--x-assign", "fast", "--x-initial", "fast", "--no-assert"),
    "-Wno-lint",
)
# The same as in device/soc.v.
_RAM_BASE = 0x40000000
_RAM_BYTES = 128 * 1024


@dataclass(frozen=True)
class DeviceBuild:
    """The parts that a simulated device is linked from.

    The model `prefix` of `top` is Verilated from `verilog` with `parameters` and `flags`. `cpp`
    defines `plexor::make_device`, which gets `options` before the user's. `key` identifies the
    content of all inputs but `options`, third-party checksums included.
    """

    name: str
    verilog: tuple[Path, ...]
    top: str
    prefix: str
    cpp: tuple[Path, ...]
    key: str
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: tuple[str, ...] = ()
    folder: Path | None = None
    """Folder that paths in the Verilog are relative to; None if nothing but `verilog` is read."""
    searched: tuple[Path, ...] = ()
    """Folders in which files of `include and modules are looked for."""
    notes: tuple[str, ...] = ()
    """Lines that a user should see before the first strike."""


ELF_FILE = "firmware.elf"
"""The firmware with its symbols and names, beside the image."""


class FirmwareError(Exception):
    """Firmware that does not compile or does not fit. The text is the compiler's."""


@dataclass(frozen=True)
class Firmware:
    """What is compiled for a device, and how it is told of it."""

    kind: Kind
    program: str
    flags: tuple[str, ...]
    codes: str
    """How codes leave the executor; empty for another program."""

    def options(self, image: Path) -> dict[str, str]:
        """Return the device's options for an image."""
        return {"firmware": str(image)} | ({"codes": self.codes} if self.codes else {})


def firmware_for(kind: Kind, options: Mapping[str, str]) -> Firmware:
    """Return the firmware that a user's options ask for.

    Raises ValueError if that kind of device does not have the program.
    """
    program = options.get("program", _STRIKES)
    if program not in _PROGRAMS[kind]:
        raise ValueError(f"program={program}: {kind} has {', '.join(_PROGRAMS[kind])}")
    executes = program == _EXECUTOR
    codes = options.get("codes", _EXECUTED if executes else "off")
    if executes and codes == "off":
        raise ValueError("codes=off: the executor's ids are codes; must be port, strobed, two-wire")
    # The executor's own codes are all that leaves it.
    flags = _NO_CODES if executes or codes == "off" else _CODES
    flags += _bench_flags(program, options)
    flags += ("-DPLEXOR_ISR_ALONE=1",) if options.get("app", "on") == "off" else ()
    return Firmware(kind, program, flags, codes if executes else "")


def programs() -> Iterator[tuple[Kind, dict[str, str]]]:
    """Yield each kind of device with the options of each program, with codes and without them."""
    for kind, known in _PROGRAMS.items():
        for program in known:
            yield kind, {"program": program}
            if program != _EXECUTOR:
                yield kind, {"program": program, "codes": "port"}


def is_usual(options: Mapping[str, str]) -> bool:
    """Return whether the core is the usual one: with caches, and not listened to."""
    return options.keys().isdisjoint((*_OF_BUS, "retired"))


def riscv_device(
    kind: Kind, cache: Path, options: Mapping[str, str] = MappingProxyType({})
) -> DeviceBuild:
    """Build the firmware; return the parts from which a device of that kind is linked.

    `options` are the user's. Raises ValueError if that kind of device does not have the program,
    and `packages.PackageMissing` if a third-party source or the compiler is not available.
    """
    wanted = firmware_for(kind, options)
    is_bus = not options.keys().isdisjoint(_OF_BUS)
    verilog = _stage_verilog(cache, is_bus)
    image = build_firmware(kind, wanted.program, wanted.flags, cache, is_bus)
    if "," in str(image):
        raise ValueError(
            f"cache: {cache} contains a comma, which separates device options; choose another "
            "folder"
        )
    cpp = _DEVICE / ("riscv_bus.cpp" if is_bus else "riscv.cpp")
    own = wanted.options(image)
    if is_bus:
        found = regions(image.with_name(ELF_FILE).read_bytes())
        own["regions"] = region_option(found, options.get("platform"))
    return DeviceBuild(
        name=kind,
        verilog=verilog,
        top="soc",
        prefix="Vsoc",
        cpp=(cpp,),
        parameters={"RETIRED": "1"} if is_bus or "retired" in options else {},
        options=own,
        flags=(*_VERILATE, *(("+define+PLEXOR_BUS",) if is_bus else ())),
        key=_digest(*verilog, cpp, _DEVICE / "riscv.cpp", _DEVICE / "device.h"),
    )


def _bench_flags(program: str, options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the flags of a benchmark; raise ValueError for its options with another program."""
    names = {"iterations": "BENCH_ITERATIONS", "self": "BENCH_SELF"}
    given = {name: options[name] for name in names if name in options}
    if given and program not in BENCHES:
        name, value = next(iter(given.items()))
        raise ValueError(
            f"{name}={value}: program={program} does not take it; {', '.join(BENCHES)} do"
        )
    return tuple(f"-D{names[name]}={value}" for name, value in given.items())


def _digest(*content: Path | str) -> str:
    """Return one hash over texts and over files, by name and content."""
    parts: list[str] = []
    for item in content:
        if isinstance(item, Path):
            parts += [item.name, packages.sha256(item.read_bytes())]
        else:
            parts.append(item)
    return packages.sha256("\0".join(parts).encode())[:32]


def _stage_verilog(cache: Path, is_bus: bool) -> tuple[Path, ...]:
    """Return the device's Verilog, changed for a fast simulation.

    Marks of public signals are removed, because they prevent optimisation. Every flip-flop takes
    both edges of the clock, so that a cycle is one evaluation of the model instead of two.
    """
    sources = (_DEVICE / "soc.v", packages.vexriscv("Min" if is_bus else "Full"))
    staged = {
        source.name: source.read_text()
        .replace("/* verilator public */", "")
        .replace("@(posedge clk)", "@(edge clk)")
        for source in sources
    }

    def fill(directory: Path) -> None:
        for name, text in staged.items():
            (directory / name).write_text(text)

    directory = packages.make_once(cache / "verilog" / _digest(*staged.values()), fill)
    return tuple(directory / name for name in staged)


def trace_headers() -> Path:
    """Return the folder of plexor_trace.h and plexor_freertos.h."""
    found = importlib.util.find_spec("plexor")
    if found is None or not found.submodule_search_locations:
        raise packages.PackageMissing("plexor", "not installed", "in a clone: pip install '.[sim]'")
    return Path(found.submodule_search_locations[0], "firmware")


def build_firmware(
    kind: Kind, program: str, flags: tuple[str, ...], cache: Path, is_bus: bool = False
) -> Path:
    """Return the firmware's memory image for $readmemh, compiled if its content is new.

    Its ELF file is beside it. `flags` are for plexor_trace.h; `is_bus` is for the core without
    caches.
    """
    if importlib.util.find_spec("ziglang") is None:
        raise packages.PackageMissing(
            "ziglang 0.17 (the firmware's C compiler)", "not installed", "pip install ziglang"
        )
    sources = [_FIRMWARE / name for name in _PROGRAMS[kind][program]]
    sources += [_FIRMWARE / "soft.c"] if is_bus else []
    core = _MIN if is_bus else _FULL
    flags = (*flags, *_PROGRAM_FLAGS[program])
    includes = [_FIRMWARE, _FIRMWARE / "bench", _FIRMWARE / "libc", trace_headers()]
    headers = (header for folder in includes for header in sorted(folder.glob("*.h")))
    inputs: list[Path | str] = [*sources, *headers, _FIRMWARE / "link.ld"]
    if kind == "freertos":
        kernel = packages.freertos_kernel(cache)
        parts = (*_KERNEL_SOURCES, *_PROGRAM_KERNEL.get(program, ()))
        sources += [kernel / name for name in parts]
        includes += [kernel / name for name in _KERNEL_INCLUDES]
        inputs.append(packages.FREERTOS_SHA256)
    key = _digest(*inputs, version("ziglang"), *_COMPILE, *core, *flags)

    def fill(directory: Path) -> None:
        elf = directory / ELF_FILE
        compile_firmware(sources, includes, elf, cache, flags, core)
        (directory / "firmware.hex").write_text(memory_image(elf.read_bytes()))

    return packages.make_once(cache / "firmware" / f"{kind}-{key}", fill) / "firmware.hex"


def compile_firmware(
    sources: list[Path],
    includes: list[Path],
    elf: Path,
    cache: Path,
    flags: tuple[str, ...] = _NO_CODES,
    core: tuple[str, ...] = _FULL,
) -> None:
    """Compile and link with the C compiler of the ziglang wheel. Raises FirmwareError."""
    command = [sys.executable, "-m", "ziglang", "cc", *_COMPILE, *core, *flags]
    command += [f"-I{include}" for include in includes]
    command += [f"-T{_FIRMWARE / 'link.ld'}", *map(str, sources), "-o", str(elf)]
    # The compiler's cache is inside ours, not in the user's home.
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache / "zig")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise FirmwareError(f"{elf.name} does not build:\n{done.stderr}")


def memory_image(elf: bytes) -> str:
    """Return a 32-bit little-endian ELF file's loadable segments as text for $readmemh."""
    if elf[:6] != b"\x7fELF\x01\x01":
        raise ValueError("elf: not a 32-bit little-endian ELF file")
    (table,) = struct.unpack_from("<I", elf, 28)
    entry_bytes, entries = struct.unpack_from("<HH", elf, 42)
    memory = bytearray()
    for index in range(entries):
        kind, offset, address, _, size, _ = struct.unpack_from(
            "<6I", elf, table + index * entry_bytes
        )
        if kind != 1 or not size:  # not PT_LOAD, or nothing in the file
            continue
        start = address - _RAM_BASE
        if not 0 <= start <= _RAM_BYTES - size:
            raise ValueError(f"elf: segment at {address:#x}, {size} bytes, is outside the RAM")
        memory.extend(bytes(max(0, start + size - len(memory))))
        memory[start : start + size] = elf[offset : offset + size]
    memory.extend(bytes(-len(memory) % 4))
    return "".join(f"{word:08x}\n" for (word,) in struct.iter_unpack("<I", memory))
