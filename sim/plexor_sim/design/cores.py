# SPDX-License-Identifier: Apache-2.0
"""The files of a FuseSoC core and of all cores that it depends on, in the order of compilation.

A core file (`.core`) is YAML of CAPI2, as fusesoc.readthedocs.io/en/stable/ref/capi2.html says; its
answers here are those of `fusesoc run --setup --tool verilator`. Nothing is run or fetched: cores
whose files a generator or a provider makes are named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

SUFFIX = ".core"
_FIRST_LINE = "CAPI=2"
_IGNORED = "FUSESOC_IGNORE"
"""A file of this name keeps a folder out of a library."""
_KINDS = {
    "verilogSource": "verilog",
    "systemVerilogSource": "verilog",
    "vhdlSource": "vhdl",
    "cSource": "native",
    "cppSource": "native",
}
"""File types, before the hyphen and a version, that a simulation is made of."""
_NAME = re.compile(r"""(?m)^name[ \t]*:[ \t]*["']?([^"'\s#]+)""")
_PARTS = re.compile(
    r"(?P<relation>[<>]=?|[=^~])?(?P<vendor>[\w.-]*):(?P<library>[\w.-]*):(?P<name>[\w.-]*)"
    r"(?::(?P<version>[\w.-]*?)(?:-r(?P<revision>\d+))?)?"
)
_SHORT = re.compile(
    r"(?P<relation>[<>]=?|[=^~])?(?P<name>[\w.-]*?)"
    r"(?:-(?P<version>\d[\w.]*))?(?:-r(?P<revision>\d+))?"
)
"""The older form of a name, which has no colon."""
_TOKEN = re.compile(r"[!?()]|[^\s!?()]+")
_MERGE = "<<"
_APPEND = "_append"
_MOST_NAMED = 8
_MOST_CORES = 10_000
_Part = tuple[int, str]
"""A part of a version: a number, or -1 with a text."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is taken of a core file."""

    target: str = ""
    """One that it has. Without it `default`, or else `sim`, or else the only one."""
    flags: tuple[str, ...] = ()
    """Names of flags that are set, or with a hyphen before them unset."""
    libraries: tuple[Path, ...] = ()
    """Folders in which cores are looked for, besides that of the core file."""
    without: tuple[str, ...] = ()
    """Names of cores that are left out, as if nothing depended on them."""


@dataclass(slots=True)
class CoreSources:
    """What a core and its dependencies are made of."""

    files: list[tuple[str, Path]] = field(default_factory=list[tuple[str, Path]])
    """`verilog`, `vhdl` or `native`, and the file."""
    libraries: dict[Path, str] = field(default_factory=dict[Path, str])
    """The library of each file of VHDL that has a logical name."""
    include: list[Path] = field(default_factory=list[Path])
    defines: dict[str, str] = field(default_factory=dict[str, str])
    parameters: dict[str, int | str] = field(default_factory=dict[str, int | str])
    """Parameters and generics of the top that have a value."""
    plusargs: dict[str, str] = field(default_factory=dict[str, str])
    tops: tuple[str, ...] = ()
    """The top of the target; none if it does not say."""
    core_files: list[Path] = field(default_factory=list[Path])
    missing: list[str] = field(default_factory=list[str])


def core_sources(path: Path, selection: Selection) -> CoreSources:
    """Return what the core of a file is made of.

    Raises ValueError that names all that is missing, and all that is not supported.
    """
    try:
        return _Build(path, selection).sources
    except RecursionError:
        raise ValueError(f"{path.name}: nested too deep") from None


class _UnnamedError(ValueError):
    """What is wrong in a core file, without its name."""


@dataclass(frozen=True, slots=True)
class _Vlnv:
    """Vendor, library, name and version of a core, with the relation that is wanted to them."""

    core: tuple[str, str, str]
    version: tuple[_Part, ...]
    revision: int
    relation: str
    """Nothing for any version."""

    @property
    def text(self) -> str:
        """The name without the version."""
        return ":".join(self.core).lstrip(":")

    @property
    def key(self) -> tuple[tuple[_Part, ...], int]:
        """What a higher version has more of. Zeros at its end say nothing: 1.0 is 1."""
        numbers = list(self.version)
        while numbers and numbers[-1] == (0, ""):
            numbers.pop()
        return tuple(numbers), self.revision

    def has(self, other: _Vlnv) -> bool:
        """Return whether another core, of the same name, is one of those that are wanted."""
        if not self.relation:
            return True
        if self.relation in "^~":
            return self.key <= other.key and other.key[0] < self._next()
        is_equal = self.key == other.key
        if self.relation == "=":
            return is_equal
        is_right = other.key < self.key if self.relation[0] == "<" else other.key > self.key
        return is_right or (is_equal and self.relation.endswith("="))

    def _next(self) -> tuple[_Part, ...]:
        """Return the first version that is too high for `^` or `~`."""
        numbers = [number for number, _ in self.version]
        place = next((n for n, number in enumerate(numbers) if number > 0), 0)
        if self.relation == "~":
            place = min(1, len(numbers) - 1)
        return (*self.version[:place], (numbers[place] + 1, ""))


def _vlnv(text: str) -> _Vlnv:
    found = (_PARTS if ":" in text else _SHORT).fullmatch(text)
    if found is None or not found["name"]:
        raise _UnnamedError(f"{text!r} is no name of a core; must be vendor:library:name:version")
    parts = found.groupdict("")
    version = [part for part in re.split(r"[._-]", parts["version"]) if part]
    relation = parts["relation"] or "="
    return _Vlnv(
        (parts.get("vendor", ""), parts.get("library", ""), parts["name"]),
        tuple((int(part), "") if part.isdigit() else (-1, part) for part in version),
        int(parts["revision"] or 0),
        relation if version or parts["revision"] else "",
    )


def expanded(text: str, flags: Mapping[str, bool]) -> str:
    """Return the words of an expression whose conditions hold, such as `a` of `a b ? (c)`."""
    stack = _TOKEN.findall(text)[::-1]
    try:
        words = _words(stack, flags)
    except IndexError:
        stack = [text]
        words = []
    if stack:
        raise _UnnamedError(f"{text!r} is no expression; must be such as word flag ? (word)")
    return " ".join(words)


def _words(stack: list[str], flags: Mapping[str, bool]) -> list[str]:
    """Take an expression from a stack of tokens; raise IndexError if it ends too early."""
    kept: list[str] = []
    while stack and stack[-1] != ")":
        is_not = stack[-1] == "!"
        if is_not:
            stack.pop()
        word = stack.pop()
        if stack[-2:] == ["(", "?"]:
            del stack[-2:]
            inner = _words(stack, flags)
            stack.pop()
            kept += inner if flags.get(word, False) != is_not else []
        elif is_not or word in "!?(":
            raise IndexError
        else:
            kept.append(word)
    return kept


class _Core:
    """A core file that was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.document = _document(path)
            self.vlnv = _vlnv(str(self.document.get("name", "")))
        except _UnnamedError as error:
            raise ValueError(f"{path.name}: {error}") from None

    def table(self, *names: str) -> dict[str, Any]:
        """Return a table in tables by their names; an empty one if there is none."""
        found: Any = self.document
        for name in names:
            found = cast(dict[str, Any], found).get(name) if isinstance(found, dict) else None
        return cast(dict[str, Any], found) if isinstance(found, dict) else {}


def _document(path: Path) -> dict[str, Any]:
    """Return a core file's tables, what they inherit and what is appended in its place."""
    first, _, rest = path.read_text(errors="replace").partition("\n")
    if first.rstrip().rstrip(":") != _FIRST_LINE:
        raise ValueError(f"{path.name}: must begin with the line {_FIRST_LINE}:")
    try:
        found: Any = yaml.load(rest, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 2}" if mark is not None else ""
        raise ValueError(f"{path.name}{line}: {getattr(error, 'problem', error)}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path.name}: must have tables such as filesets and targets")
    return _appended(_inherited(cast(dict[str, Any], found)))


class _Loader(yaml.SafeLoader):
    """A reader of YAML that leaves `<<` to us, because lists of a parent can be appended to."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Do nothing."""


_Loader.add_constructor("tag:yaml.org,2002:merge", lambda _loader, node: str(node.value))


def _inherited(table: dict[str, Any]) -> dict[str, Any]:
    own = {
        str(name): _inherited(cast(dict[str, Any], value)) if isinstance(value, dict) else value
        for name, value in table.items()
    }
    parent: Any = own.pop(_MERGE, {})
    if not isinstance(parent, dict):
        raise _UnnamedError(f"{_MERGE}: {parent!r}; must be one other table")
    return _merged(cast(dict[str, Any], parent), own)


def _merged(parent: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    found = dict(parent)
    for name, value in own.items():
        before: Any = found.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            found[name] = _merged(cast(dict[str, Any], before), cast(dict[str, Any], value))
        elif isinstance(before, list) and isinstance(value, list) and name.endswith(_APPEND):
            found[name] = [*cast(list[Any], before), *cast(list[Any], value)]
        else:
            found[name] = value
    return found


def _appended(table: dict[str, Any]) -> dict[str, Any]:
    found = {
        name: _appended(cast(dict[str, Any], value)) if isinstance(value, dict) else value
        for name, value in table.items()
        if not name.endswith(_APPEND)
    }
    for name, value in table.items():
        if name.endswith(_APPEND):
            short = name.removesuffix(_APPEND)
            found[short] = [*_list(found.get(short)), *_list(value)]
    return found


def _list(value: Any) -> list[Any]:
    """Return a value as a list: a text alone is one of a single item."""
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]


class _Build:
    """Gathers a core and all that it depends on, each behind its dependencies."""

    def __init__(self, path: Path, selection: Selection) -> None:
        self.sources = CoreSources()
        self._selection = selection
        self._library: dict[tuple[str, str, str], list[tuple[_Vlnv, Path]]] | None = None
        self._taken: dict[tuple[str, str, str], _Vlnv] = {}
        try:
            self._without = {_vlnv(name).core for name in selection.without}
        except _UnnamedError as error:
            raise ValueError(f"core.without: {error}") from None
        self._parameters: dict[str, dict[str, Any]] = {}
        self._used: set[tuple[str, str, str]] = set()
        self._absent: list[str] = []
        self._made: list[str] = []
        root = _Core(path)
        self._root = root
        self._target = self._target_of(root)
        self._flags = self._flags_of(root)
        self._add(root)
        try:
            self._finish()
        except _UnnamedError as error:
            raise ValueError(f"{path.name}: {error}") from None

    def _target_of(self, root: _Core) -> str:
        targets = root.table("targets")
        usual = next((name for name in ("default", "sim") if name in targets), None)
        only = next(iter(targets)) if len(targets) == 1 else "sim"
        name = self._selection.target or usual or only
        if name not in targets:
            listed = ", ".join(targets) or "none"
            raise ValueError(f"{root.path.name}: no target {name!r}; must be one of {listed}")
        return name

    def _flags_of(self, root: _Core) -> dict[str, bool]:
        flags = {"tool_verilator": True, f"target_{self._target}": True}
        for name, value in root.table("targets", self._target, "flags").items():
            flags[name if isinstance(value, bool) else f"{name}_{value}"] = value is not False
        for name in self._selection.flags:
            flags[name.lstrip("+-")] = not name.startswith("-")
        return flags

    def _add(self, core: _Core) -> None:
        """Add a core's dependencies, and then what itself is made of."""
        try:
            self._gather(core)
        except _UnnamedError as error:
            raise ValueError(f"{core.path.name}: {error}") from None

    def _gather(self, core: _Core) -> None:
        self._taken[core.vlnv.core] = core.vlnv
        self.sources.core_files.append(core.path)
        if len(self.sources.core_files) > _MOST_CORES:
            raise ValueError(f"more than {_MOST_CORES} cores")
        is_root = core is self._root
        flags = {**self._flags, "is_toplevel": is_root}
        target = core.table("targets", self._target if is_root else "default")
        filesets: list[dict[str, Any]] = []
        for name in _expanded(target.get("filesets"), flags):
            if name not in core.table("filesets"):
                raise ValueError(f"{core.path.name}: no fileset {name!r}")
            filesets.append(core.table("filesets", name))
        for fileset in filesets:
            for name in _expanded(fileset.get("depend"), flags):
                self._depend(core, _vlnv(name))
        if target.get("generate"):
            generators = {
                str(core.table("generate", name).get("generator", name))
                for entry in _list(target["generate"])
                for name in (cast(dict[str, Any], entry) if isinstance(entry, dict) else [entry])
            }
            self._made.append(f"{core.vlnv.text} (by {', '.join(sorted(generators))})")
        for fileset in filesets:
            for entry in _list(fileset.get("files")):
                self._add_file(core, fileset, entry, flags)
        self._set_parameters(core, target, flags)
        if is_root:
            self.sources.tops = tuple(_expanded(target.get("toplevel"), flags))

    def _depend(self, core: _Core, wanted: _Vlnv) -> None:
        taken = self._taken.get(wanted.core)
        if wanted.core in self._without:
            self._used.add(wanted.core)
        elif taken is not None:
            if not wanted.has(taken):
                raise ValueError(
                    f"{core.path.name}: depends on another version of {wanted.text} than a core "
                    "before it"
                )
        elif fitting := [one for one in self._known().get(wanted.core, []) if wanted.has(one[0])]:
            self._add(_Core(max(fitting, key=lambda one: one[0].key)[1]))
        else:
            self._taken[wanted.core] = wanted
            is_other = wanted.core in self._known()
            self._absent.append(f"{wanted.text}{' in that version' if is_other else ''}")

    def _known(self) -> dict[tuple[str, str, str], list[tuple[_Vlnv, Path]]]:
        """Return all cores in the libraries, by names; those before others of the same version."""
        if self._library is None:
            self._library = {}
            for folder in (self._root.path.parent, *self._selection.libraries):
                for path in _core_files(folder):
                    for vlnv in _names_of(path):
                        self._library.setdefault(vlnv.core, []).append((vlnv, path))
        return self._library

    def _add_file(
        self, core: _Core, fileset: dict[str, Any], entry: Any, flags: Mapping[str, bool]
    ) -> None:
        named = cast(dict[str, Any], entry if isinstance(entry, dict) else {str(entry): None})
        for text, given in named.items():
            name = expanded(str(text), flags)
            attributes = cast(dict[str, Any], given) if isinstance(given, dict) else {}
            kind = expanded(str(attributes.get("file_type", fileset.get("file_type", ""))), flags)
            taken = _KINDS.get(kind.partition("-")[0])
            if not name or taken is None:
                continue
            if attributes.get("define"):
                raise ValueError(
                    f"{core.path.name}: {name} has macros of its own, which are not supported; "
                    "must be parameters of the target"
                )
            path = core.path.parent / name
            if not path.is_file():
                provider = core.table("provider").get("name", "local")
                if provider != "local":
                    self._made.append(f"{core.vlnv.text} (fetched by {provider})")
                else:
                    self.sources.missing.append(str(path))
            elif attributes.get("is_include_file"):
                at = attributes.get("include_path")
                folder = path.parent if at is None else core.path.parent / str(at)
                if taken == "verilog" and folder not in self.sources.include:
                    self.sources.include.append(folder)
            elif (taken, path) not in self.sources.files:
                self.sources.files.append((taken, path))
                library = attributes.get("logical_name", fileset.get("logical_name"))
                if taken == "vhdl" and library:
                    self.sources.libraries[path] = str(library).lower()

    def _set_parameters(
        self, core: _Core, target: dict[str, Any], flags: Mapping[str, bool]
    ) -> None:
        own = core.table("parameters")
        for text in _expanded(target.get("parameters"), flags):
            name, sign, value = text.partition("=")
            given: Any = own.get(name)
            known = cast(dict[str, Any], given) if isinstance(given, dict) else None
            known = self._parameters.get(name) if known is None else known
            if known is None:
                raise ValueError(f"{core.path.name}: no parameter {name!r}")
            self._parameters[name] = {**known, "default": value} if sign else known

    def _finish(self) -> None:
        """Set parameters that have a value; raise ValueError if something is absent."""
        name = self._root.path.name
        unused = [":".join(core).lstrip(":") for core in sorted(self._without - self._used)]
        if unused:
            raise ValueError(f"{name}: core.without: nothing depends on {_some(unused)}")
        faults: list[str] = []
        if self._absent:
            faults.append(
                f"no core {_some(self._absent)} beside it; must be in a folder of core.libraries, "
                "or in core.without"
            )
        if self._made:
            faults.append(
                f"generators and providers are not run, which have files of {_some(self._made)}; "
                "must be in core.without, with their files in sources, or name the list (.vc) of "
                "fusesoc run --setup --tool verilator"
            )
        if faults:
            raise ValueError(f"{name}: {'; '.join(faults)}")
        for name, parameter in self._parameters.items():
            if parameter.get("default") in (None, ""):
                continue
            value = _value(name, parameter)
            kind = parameter.get("paramtype")
            if kind == "vlogdefine":
                self.sources.defines[name] = str(value)
            elif kind in ("vlogparam", "generic"):
                self.sources.parameters[name] = value
            elif kind == "plusarg":
                self.sources.plusargs[name] = str(value)


def _some(names: Sequence[str]) -> str:
    """Return names, each once, as a message has them."""
    once = list(dict.fromkeys(names))
    more = f" and {len(once) - _MOST_NAMED} more" if len(once) > _MOST_NAMED else ""
    return ", ".join(once[:_MOST_NAMED]) + more


def _expanded(value: Any, flags: Mapping[str, bool]) -> list[str]:
    """Return the words of a list of expressions."""
    return [word for text in _list(value) for word in expanded(str(text), flags).split()]


def _value(name: str, parameter: Mapping[str, Any]) -> int | str:
    kind, value = parameter.get("datatype"), parameter["default"]
    text = str(value)
    if kind == "bool" and text.lower() in ("true", "false"):
        return int(text.lower() == "true")
    if kind == "int":
        try:
            return int(text, 0)
        except ValueError:
            pass
    elif kind in ("str", "file"):
        return text
    raise _UnnamedError(f"parameter {name}: {value!r}; must be a bool, int, str or file")


def _core_files(folder: Path) -> Iterator[Path]:
    """Yield all core files in a folder and those below it, in the order of their paths."""
    seen: set[str] = set()
    for at, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(at)
        if _IGNORED in files or real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        yield from (Path(at) / name for name in sorted(files) if name.endswith(SUFFIX))


def _names_of(path: Path) -> Iterator[_Vlnv]:
    """Yield the name of a core file and of the virtual cores that it stands for."""
    text = path.read_text(errors="replace")
    found = _NAME.search(text)
    if not text.startswith(_FIRST_LINE) or found is None:
        return
    try:
        yield _vlnv(found[1])
        if re.search(r"(?m)^virtual[ \t]*:", text):
            for name in _list(_document(path).get("virtual")):
                yield _vlnv(str(name))
    except ValueError:
        # A file of another core that cannot be read is none that anything depends on.
        return
