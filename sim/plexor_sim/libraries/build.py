# SPDX-License-Identifier: Apache-2.0
"""Manifests of libraries as devices: a TOML file with a table [[library]] for each.

    [[library]]
    file = "irq.c"        # C, C++, Rust or Zig, which is compiled; a sketch, .py; or a library, .so
    options = "a=1,b=2"   # optional: given to its `create`
    strikes = [1]         # optional: which strike outputs its inputs 0, 1, ... are; as they are
    responses = [3, 4]    # optional: which response channels its outputs 0, 1, ... are; as they are

    [ports]               # optional: names for people
    strikes = ["button"]
    responses = ["relay"]

`plexor_device.h` is the interface of a library, `sketch.py` that of a sketch.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as once
from pathlib import Path
from typing import Any, cast

from plexor.protocol.frames import MAX_CHANNELS, MAX_STRIKES
from plexor_sim.build import digest
from plexor_sim.design.manifest import ManifestError
from plexor_sim.packages import PackageMissing, make_once
from plexor_sim.riscv import DeviceBuild
from plexor_sim.toolchain import find_tools, run_tool

FOLDER = Path(__file__).parent
"""Folder of plexor_device.h."""
_TABLE = "library"
_KEYS: Mapping[str, type] = {"file": str, "options": str, "strikes": list, "responses": list}
_LIBRARIES = (".so", ".dylib")
_SKETCH = ".py"
_COMMA = "\x1f"
"""What stands for a comma, because commas separate device options."""
_C = ("-O2", "-fPIC", "-shared", "-ffp-contract=off", f"-I{FOLDER}")


@dataclass(frozen=True)
class Library:
    """A table of a manifest."""

    file: Path
    options: str
    strikes: tuple[int, ...]
    responses: tuple[int, ...]


def is_of_libraries(name: str) -> bool:
    """Return whether a device is a manifest of libraries, right or wrong."""
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        return False
    try:
        return _TABLE in tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False  # which is told by who loads it


def libraries_of(path: Path) -> tuple[Library, ...]:
    """Return the libraries of a manifest. Raises ManifestError, which tells all that is wrong."""
    document = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    faults = [
        f"{key}: unknown key; must be [[{_TABLE}]] or [ports]"
        for key in document
        if key not in (_TABLE, "ports")
    ]
    tables: Any = document[_TABLE]
    if not isinstance(tables, list):
        raise ManifestError(f"{path}: {_TABLE}: {tables!r}; must be tables [[{_TABLE}]]")
    found = [_library(path, table, faults) for table in cast("list[Any]", tables)]
    if faults:
        raise ManifestError(f"{path}: {'; '.join(faults)}")
    return tuple(found)


def _library(path: Path, table: Any, faults: list[str]) -> Library:
    given: dict[str, Any] = {}
    pairs = cast("dict[str, Any]", table) if isinstance(table, dict) else {"": table}
    for key, value in pairs.items():
        wanted = _KEYS.get(key)
        if wanted is None:
            faults.append(f"{_TABLE}.{key}: unknown key; must be one of {', '.join(_KEYS)}")
        elif not isinstance(value, wanted):
            faults.append(f"{_TABLE}.{key}: {value!r}; must be {wanted.__name__}")
        else:
            given[key] = value
    file = path.parent.resolve() / given.get("file", "")
    if "file" not in given:
        faults.append(f"{_TABLE}.file: missing; must be a library or its source")
    elif not file.is_file():
        faults.append(f"{_TABLE}.file: {file} does not exist")
    elif file.suffix not in FILES:
        faults.append(f"{_TABLE}.file: {given['file']}; must end with {', '.join(FILES)}")
    return Library(
        file,
        given.get("options", ""),
        _pins("strikes", given.get("strikes", []), MAX_STRIKES, faults),
        _pins("responses", given.get("responses", []), MAX_CHANNELS, faults),
    )


def _pins(key: str, values: Sequence[Any], most: int, faults: list[str]) -> tuple[int, ...]:
    faults += [
        f"{_TABLE}.{key}: {value!r}; must be a number from 0 to {most - 1}"
        for value in values
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < most
    ]
    return tuple(values)


def library_device(path: Path, cache: Path) -> DeviceBuild:
    """Return the parts from which the device of a manifest is linked, its libraries compiled.

    Raises ManifestError, BuildError and PackageMissing.
    """
    options: dict[str, str] = {}
    for number, library in enumerate(libraries_of(path)):
        own = {
            "file": str(_compiled(library.file, cache)),
            "title": library.file.name,
            "strikes": ":".join(map(str, library.strikes)),
            "responses": ":".join(map(str, library.responses)),
            "options": library.options,
            "python": sys.executable if library.file.suffix == _SKETCH else "",
        }
        options |= {
            f"library.{number}.{key}": value.replace(",", _COMMA) for key, value in own.items()
        }
    return replace(loader_device(), options=options)


def loader_device() -> DeviceBuild:
    """Return the parts of the device that loads libraries, without any."""
    headers = (*sorted(FOLDER.glob("*.h")), FOLDER.parent / "runtime" / "program.h")
    return DeviceBuild(
        name="library",
        verilog=(),
        top="",
        prefix="",
        cpp=tuple(FOLDER / name for name in ("loaded.cpp", "guard.cpp", "sketch.cpp")),
        key=digest(*headers),
    )


def files_of(path: Path) -> list[Path]:
    """Return the files that the libraries of a manifest are made of."""
    files = [library.file for library in libraries_of(path)]
    return sorted({*files, *(header for file in files for header in _headers(file))})


def _headers(source: Path) -> list[Path]:
    """Return the files beside a source that it may read."""
    if source.suffix not in _COMPILED:
        return []
    kinds = ("*.h", "*.hpp") if source.suffix not in (".rs", ".zig") else (f"*{source.suffix}",)
    return [path for kind in kinds for path in sorted(source.parent.glob(kind)) if path != source]


def _compiled(source: Path, cache: Path) -> Path:
    """Return the library of a source, compiled if it is new. A library or a sketch is itself."""
    if source.suffix not in _COMPILED:
        return source
    command, key = _COMPILED[source.suffix](cache)
    beside = _headers(source)
    name = f"{digest(key, *command, source, FOLDER / 'plexor_device.h', *beside)}"

    def fill(directory: Path) -> None:
        output = directory / "device.so"
        words = [word.format(source=source, output=output) for word in command]
        run_tool(
            f"compiling {source.name}", words, directory, ZIG_GLOBAL_CACHE_DIR=str(cache / "zig")
        )

    return make_once(cache / "libraries" / name, fill) / "device.so"


Command = tuple[tuple[str, ...], str]
"""A compiler's words with {source} and {output}, and what identifies its version."""


def _c(_cache: Path) -> Command:
    tools = find_tools()
    return (*tools.compiler, "-x", "c", *_C, "{source}", "-o", "{output}"), tools.compiler_key


def _cpp(_cache: Path) -> Command:
    tools = find_tools()
    command = (*tools.compiler, "-std=gnu++17", *_C, "-fvisibility=hidden", "{source}")
    return (*command, "-o", "{output}"), tools.compiler_key


def _rust(_cache: Path) -> Command:
    rustc = shutil.which("rustc")
    if rustc is None:
        raise PackageMissing("rustc", "not on the path", "install Rust")
    command = (rustc, "--crate-type=cdylib", "-Copt-level=2", "-Cdebuginfo=0", "{source}")
    return (*command, "-o", "{output}"), _version(rustc, "--version")


def _zig(cache: Path) -> Command:
    zig = (sys.executable, "-m", "ziglang")
    if importlib.util.find_spec("ziglang") is None:
        raise PackageMissing("ziglang", "not installed", "pip install ziglang")
    command = (*zig, "build-lib", "-dynamic", "-OReleaseFast", "-lc", f"-I{FOLDER}", "{source}")
    return (*command, "-femit-bin={output}", "--cache-dir", str(cache / "zig")), _version(
        *zig, "version"
    )


@once
def _version(*command: str) -> str:
    return run_tool(command[0], command, Path(), wants_output=True)


_COMPILED: Mapping[str, Callable[[Path], Command]] = {
    ".c": _c,
    ".cpp": _cpp,
    ".cc": _cpp,
    ".rs": _rust,
    ".zig": _zig,
}
"""Compilers by the sources' suffixes."""
FILES = (*_COMPILED, _SKETCH, *_LIBRARIES)
"""How files end that a manifest may name."""
