# SPDX-License-Identifier: Apache-2.0
"""Counts how much of each package that pyright checks has types.

    .venv/bin/python -m tools.typed

Every parameter counts, except `self` and `cls` of methods.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Function:
    """A function in a file. `name` includes the enclosing classes and functions."""

    name: tuple[str, ...]
    line: int
    parameters: int
    untyped: tuple[str, ...]
    has_result: bool
    is_inner: bool

    @property
    def is_public(self) -> bool:
        """Whether others may call it: no part of its name is private."""
        private = (part.startswith("_") and not part.endswith("__") for part in self.name)
        return not self.is_inner and not any(private)


def functions(source: str) -> Iterator[Function]:
    """Yield the functions of a file."""
    yield from _inside(ast.parse(source), (), False)


def _inside(node: ast.AST, names: tuple[str, ...], is_inner: bool) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            given = child.args
            taken = [*given.posonlyargs, *given.args]
            if isinstance(node, ast.ClassDef) and taken and taken[0].arg in ("self", "cls"):
                del taken[0]
            taken += [*given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
            untyped = tuple(one.arg for one in taken if one.annotation is None)
            name, has_result = (*names, child.name), child.returns is not None
            yield Function(name, child.lineno, len(taken), untyped, has_result, is_inner)
            yield from _inside(child, name, True)
        elif isinstance(child, ast.ClassDef):
            yield from _inside(child, (*names, child.name), is_inner)
        else:
            yield from _inside(child, names, is_inner)


def lines() -> Iterator[str]:
    """Yield a line for each package: number of files, pyright's strictness, share of types."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pyright"]
    less = {
        table["root"]: sum(value is False for value in table.values())
        for table in settings["executionEnvironments"]
    }
    for package in settings["include"]:
        files = sorted((ROOT / package).rglob("*.py"))
        found = [one for file in files for one in functions(file.read_text())]
        off = less.get(package.partition("/")[0], 0)
        mode = f"{settings['typeCheckingMode']} less {off} rules" if off else "strict"
        parameters = sum(one.parameters for one in found)
        typed = parameters - sum(len(one.untyped) for one in found)
        yield (
            f"{package}: {len(files)} files, {mode}; "
            f"{typed} of {parameters} parameters have a type, "
            f"{sum(one.has_result for one in found)} of {len(found)} results"
        )


if __name__ == "__main__":
    print(*lines(), sep="\n")
