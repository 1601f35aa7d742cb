# SPDX-License-Identifier: Apache-2.0
"""The files of a design as its manifest names them: paths, patterns, lists of files and cores.

A list of files (`.f`) has what simulators take on their command lines: files, and the options that
Icarus, Verilator, VCS and Questa have in common (IEEE Std 1800 has none).
"""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plexor_sim.design.cores import Selection, core_sources
from plexor_sim.design.vhdl import STANDARD_LIBRARIES

VERILOG = (".v", ".sv", ".vh", ".svh", ".vp", ".svp", ".verilog")
VHDL = (".vhd", ".vhdl")
NATIVE = (".c", ".cc", ".cpp", ".cxx")
"""Files of functions that Verilog imports (DPI)."""
_LISTS = (".f", ".fl", ".flist", ".vc", ".files", ".txt", ".lst", ".list")
_LIST_NAME = re.compile(r"(?:flist|file_?list)(?:$|[._-])", re.IGNORECASE)
"""How the name of a list begins that has another suffix, such as Flist.cva6."""
_CORE = ".core"
_LINKED = (".o", ".a", ".so")
_IGNORED = (
    *("+libext+", "+librescan", "+notimingcheck", "+nospecify", "+v2k", "+timescale+"),
    *("-sv", "-g20", "-timescale=", "-full64", "-64", "-mixedsvvh", "-override_timescale="),
    *("--timing", "-Wall", "-Wno-", "--cc", "--exe", "-quiet", "-debug_access", "-kdb"),
)
"""Options of other simulators that change nothing here. Delays need a `timescale in any case."""
_IGNORED_WITH_WORD = ("--Mdir", "--top-module", "-CFLAGS", "-timescale", "-s", "-top", "-work")
"""The same, with a word behind them."""
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_MOST_LISTS = 64
_MOST_NAMED = 8


@dataclass(slots=True)
class Sources:
    """What a design is made of, each file once and in its order."""

    verilog: list[Path] = field(default_factory=list[Path])
    vhdl: list[Path] = field(default_factory=list[Path])
    libraries: dict[Path, str] = field(default_factory=dict[Path, str])
    """The library of each file of VHDL that is not in `work`."""
    native: list[Path] = field(default_factory=list[Path])
    include: list[Path] = field(default_factory=list[Path])
    """Folders in which files of `include and modules are looked for."""
    defines: dict[str, str] = field(default_factory=dict[str, str])
    """Macros with their texts."""
    parameters: dict[str, int | str] = field(default_factory=dict[str, int | str])
    """Parameters of the top that lists and cores have."""
    plusargs: dict[str, str] = field(default_factory=dict[str, str])
    lists: list[Path] = field(default_factory=list[Path])
    missing: list[str] = field(default_factory=list[str])
    variables: dict[str, str] = field(default_factory=dict[str, str])
    """Texts of the variables in lists."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Return all files that are named."""
        return (*self.verilog, *self.vhdl, *self.native, *self.lists)


def sources_of(
    folder: Path,
    names: Sequence[str],
    include: Sequence[str] = (),
    defines: Mapping[str, int | str | bool] | None = None,
    selection: Selection | None = None,
    top: str = "",
    variables: Mapping[str, str] | None = None,
    libraries: Mapping[str, Sequence[str]] | None = None,
) -> Sources:
    """Return the files that a manifest in `folder` names, with those of its lists and cores.

    Parameters of a core are those of its own top: they are taken if this is `top`. A name may be
    a pattern, such as `rtl/*.sv`. `variables` have the texts of those in lists. `libraries` have
    the names of files of VHDL by their library; `names` may have them too. Raises ValueError that
    names all that is missing, and for what is not supported.
    """
    sources = Sources(include=[folder / name for name in include], variables=dict(variables or {}))
    for library, listed in (libraries or {}).items():
        _add_library(sources, folder, library, listed)
    for name, value in (defines or {}).items():
        sources.defines[name] = str(int(value)) if isinstance(value, bool) else str(value)
    for name in names:
        if name.lower().endswith(_CORE):
            _add_core(sources, folder, name, selection or Selection(), top)
        else:
            _add(sources, (folder,), name)
    has_core = any(name.lower().endswith(_CORE) for name in names)
    if selection is not None and not has_core:
        raise ValueError("core: sources has no core; must be a file that ends in .core")
    if sources.missing:
        listed = ", ".join(sources.missing[:_MOST_NAMED])
        more = len(sources.missing) - _MOST_NAMED
        is_one = len(sources.missing) == 1
        raise ValueError(
            f"sources: {listed}{f' and {more} more' if more > 0 else ''} "
            f"{'does' if is_one else 'do'} not exist"
        )
    if not (sources.verilog or sources.vhdl):
        if not has_core:
            raise ValueError("sources: missing; must be a list of Verilog or VHDL files")
        raise ValueError(
            f"sources: {', '.join(names)}: no file of the target has the type verilogSource, "
            "systemVerilogSource or vhdlSource; a fileset says it with file_type"
        )
    return sources


def _add(sources: Sources, folders: Sequence[Path], name: str) -> None:
    """Add a file, or those that a pattern means, as seen from the first folder that has it."""
    paths = next((found for folder in folders if (found := _matching(folder, name))), None)
    if paths is None:
        is_pattern = any(sign in name for sign in "*?[")
        sources.missing.append(name if is_pattern else str(folders[0] / name))
        return
    for path in paths:
        suffix = path.suffix.lower()
        kind = {
            **dict.fromkeys(VERILOG, sources.verilog),
            **dict.fromkeys(VHDL, sources.vhdl),
            **dict.fromkeys(NATIVE, sources.native),
        }.get(suffix)
        if suffix in _LISTS or (kind is None and _LIST_NAME.match(path.name)):
            _add_list(sources, path, folders[-1])
        elif suffix in _LINKED:
            raise ValueError(
                f"sources: {path.name}: objects are not supported; must be Verilog, VHDL, C or C++"
            )
        else:
            kept = sources.verilog if kind is None else kind
            if path not in kept:
                kept.append(path)


def _add_library(sources: Sources, folder: Path, library: str, names: Sequence[str]) -> None:
    """Add the files of a library of VHDL, and those of lists."""
    own = library.lower()
    if not re.fullmatch(r"[a-z](?:_?[a-z0-9])*", own) or own in STANDARD_LIBRARIES:
        raise ValueError(
            f"libraries.{library}: must be the name of a library of your own; files of work are in "
            "sources"
        )
    part = Sources(variables=sources.variables)
    for name in names:
        _add(part, (folder,), name)
    for path in (*part.verilog, *part.native):
        raise ValueError(f"libraries.{library}: {path.name}; must be VHDL (.vhd, .vhdl)")
    for path in part.vhdl:
        if sources.libraries.setdefault(path, own) != own:
            raise ValueError(
                f"libraries.{library}: {path.name} is in {sources.libraries[path]} too; must be in "
                "one library"
            )
        if path not in sources.vhdl:
            sources.vhdl.append(path)
    sources.lists += [path for path in part.lists if path not in sources.lists]
    sources.missing += part.missing


def _add_core(sources: Sources, folder: Path, name: str, selection: Selection, top: str) -> None:
    """Add the files of a core and of all that it depends on."""
    paths = _matching(folder, name)
    if paths is None:
        sources.missing.append(str(folder / name))
        return
    kinds = {"verilog": sources.verilog, "vhdl": sources.vhdl, "native": sources.native}
    for path in paths:
        try:
            core = core_sources(path, selection)
        except ValueError as error:
            raise ValueError(f"sources: {error}") from None
        for kind, file in core.files:
            if file not in kinds[kind]:
                kinds[kind].append(file)
        sources.libraries |= core.libraries
        sources.include += core.include
        sources.missing += core.missing
        sources.lists += core.core_files
        for macro, text in core.defines.items():
            sources.defines.setdefault(macro, text)
        sources.plusargs |= core.plusargs
        if top in core.tops:
            sources.parameters |= core.parameters


def _matching(folder: Path, name: str) -> list[Path] | None:
    if not any(sign in name for sign in "*?["):
        path = folder / name
        return [path] if path.is_file() else None
    names = sorted(glob.glob(name, root_dir=folder, recursive=True))
    return [folder / found for found in names if (folder / found).is_file()] or None


def _add_list(sources: Sources, path: Path, folder: Path) -> None:
    """Add the files of a list. Its paths are relative to itself, or else to the manifest."""
    if path in sources.lists:
        raise ValueError(f"sources: {path.name} names itself, or is named twice")
    if len(sources.lists) == _MOST_LISTS:
        raise ValueError(f"sources: more than {_MOST_LISTS} lists of files")
    sources.lists.append(path)
    folders = (path.parent, folder)
    words = iter(_words(path, sources.variables))
    for word in words:
        if word.startswith("+incdir+"):
            sources.include += [_folder(folders, part) for part in word.split("+")[2:] if part]
        elif word.startswith("+define+"):
            for part in filter(None, word.split("+")[2:]):
                name, sign, value = part.partition("=")
                sources.defines.setdefault(name, value if sign else "")
        elif word in ("-f", "-F", "-v"):
            _add(sources, folders, next(words, ""))
        elif word in ("-y", "-I"):
            sources.include.append(_folder(folders, next(words, "")))
        elif word.startswith("-I"):
            sources.include.append(_folder(folders, word[2:]))
        elif word.startswith(("-D", "-d")) and len(word) > 2:
            name, sign, value = word[2:].partition("=")
            sources.defines.setdefault(name, value if sign else "")
        elif word.startswith("-G") and "=" in word:
            name, _, value = word[2:].partition("=")
            is_integer = re.fullmatch(r"-?(?:0x[0-9a-fA-F]+|\d+)", value) is not None
            sources.parameters[name] = int(value, 0) if is_integer else value.strip('\\"')
        elif word in _IGNORED_WITH_WORD:
            next(words, "")
        elif word.startswith(_IGNORED):
            continue
        elif word.startswith(("-", "+")):
            raise ValueError(
                f"sources: {path.name}: {word!r} is not supported; must be a file, +incdir+, "
                "+define+, -f, -F, -v, -y, -I, -D or -G"
            )
        else:
            _add(sources, folders, word)


def _words(path: Path, variables: dict[str, str]) -> list[str]:
    """Return the words of a list, with the texts of their variables.

    One that has none stands for the nearest folder above the list from which its path exists.
    """
    text = path.read_text(errors="replace")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    lines = (re.sub(r"(?:^|\s)(?://|#).*", "", line) for line in text.splitlines())
    unknown: dict[str, None] = {}

    def replaced(found: re.Match[str]) -> str:
        name = found[found.lastindex or 0]
        if name not in variables:
            rest = re.split(r"[+\s]", found.string[found.end() :])[0]
            above = _above(path, _VARIABLE.sub(known, rest))
            if above is None:
                unknown[name] = None
                return ""
            variables[name] = str(above)
        return variables[name]

    def known(found: re.Match[str]) -> str:
        return variables.get(found[found.lastindex or 0], found[0])

    words = [_VARIABLE.sub(replaced, word.strip('"')) for line in lines for word in line.split()]
    if unknown:
        listed = ", ".join(list(unknown)[:_MOST_NAMED])
        raise ValueError(
            f"sources: {path.name}: {listed}: variables without a text; must be in [variables]"
        )
    return words


def _above(path: Path, rest: str) -> Path | None:
    """Return the nearest folder above a list in which a path is, without variables in it."""
    if not rest.startswith("/") or "$" in rest:
        return None
    return next((at for at in path.resolve().parents if (at / rest[1:]).exists()), None)


def _folder(folders: Sequence[Path], name: str) -> Path:
    return next((at / name for at in folders if (at / name).is_dir()), folders[0] / name)
