# SPDX-License-Identifier: Apache-2.0
"""Print how often the host says the same thing, with the list behind each figure.

    .venv/bin/python -m tools.house [--lists]

Options: each flag of the command line, and where it is declared; a flag that has a Spec and a
declaration beside it is one too many. Rooms and floors: those of the import rules. Classes of one
name. Imports inside functions. Places of the gateware that ask which features a build has. Lines of
Python. Exits with 1 for an option that a command declares
beside its Spec, and with 0 otherwise: the other figures are for reading.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
HOST = ROOT / "host"
"""The program, and what extends it."""
TESTS = ROOT / "tests"
HDL = ROOT / "hdl"
"""The gateware."""
LAZY = "noqa: PLC0415"
Places = Mapping[str, list[str]]


def modules(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    """Yield the path and the syntax tree of each module in a folder."""
    for path in sorted(folder.rglob("*.py")):
        yield str(path.relative_to(folder)), _tree(path.read_text(encoding="utf-8"))


@cache
def _tree(text: str) -> ast.Module:
    """Return the syntax tree of a module, which each figure looks at again."""
    return ast.parse(text)


def declared(folder: Path = HOST) -> tuple[Places, Places]:
    """Return where each flag is declared: as a Spec's field, and as an option of click's."""
    fields: defaultdict[str, list[str]] = defaultdict(list)
    options: defaultdict[str, list[str]] = defaultdict(list)
    for name, tree in modules(folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                for flag, line, _ in _fields(node):
                    fields[flag].append(f"{name}:{line}")
            elif isinstance(node, ast.Call) and _called(node).endswith("option"):
                for text in _texts(node.args):
                    if text.startswith("--"):
                        options[text].append(f"{name}:{node.lineno}")
    return fields, options


def copies(folder: Path = HOST) -> Places:
    """Return flags that Specs declare more than once and read alike: for one kind of value."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for name, tree in modules(folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                for flag, line, value in _fields(node):
                    found[flag, value].append(f"{name}:{line}")
    return {flag: places for (flag, _), places in sorted(found.items()) if len(places) > 1}


def _fields(spec: ast.ClassDef) -> Iterator[tuple[str, int, str]]:
    """Yield the flag of each option of a Spec, with its line, and how its value is read."""
    for entry in spec.body:
        if not (isinstance(entry, ast.AnnAssign) and isinstance(entry.value, ast.Call)):
            continue
        if _called(entry.value) != "option" or not isinstance(entry.target, ast.Name):
            continue
        flag: object = f"--{entry.target.id.replace('_', '-')}"
        words = {word.arg: ast.unparse(word.value) for word in entry.value.keywords}
        value = f"{words.get('converter')} {words.get('metavar')}"
        for word in entry.value.keywords:
            if word.arg == "flag" and isinstance(word.value, ast.Constant):
                flag = word.value.value
        if isinstance(flag, str):
            yield flag, entry.lineno, value


def _called(call: ast.Call) -> str:
    """Return the last name of what is called; empty if it has none."""
    found = call.func
    return found.attr if isinstance(found, ast.Attribute) else getattr(found, "id", "")


def _texts(nodes: Sequence[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def beside(options: Places, folder: Path = HOST) -> dict[str, list[str]]:
    """Return flags that a command declares by itself though it asks a Spec that has them."""
    asks = {name: _asked(tree) for name, tree in modules(folder)}
    classes = {
        node.name: node
        for _, tree in modules(folder)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }

    def flags(name: str) -> set[str]:
        if name not in classes:
            return set()
        spec = classes[name]
        shared = (flags(base.id) for base in spec.bases if isinstance(base, ast.Name))
        return {flag for flag, _, _ in _fields(spec)}.union(*shared)

    found: dict[str, list[str]] = {}
    for flag, places in options.items():
        for place in places:
            if any(flag in flags(spec) for spec in asks[place.partition(":")[0]]):
                found.setdefault(flag, []).append(place)
    return found


def _asked(tree: ast.Module) -> set[str]:
    """Return the Specs that the commands of a module ask."""
    return {
        word.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called(node) == "command"
        for word in node.keywords
        if isinstance(word.value, ast.Name)
    }


def floors(text: str) -> list[list[str]]:
    """Return the rooms on each floor of the host, by pyproject.toml, from the top down."""
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    (layers,) = (
        contract["layers"] for contract in contracts if contract.get("containers") == ["plexor"]
    )
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def namesakes(folder: Path = HOST) -> dict[str, list[str]]:
    """Return the classes that share a name, private ones left out, and where they are."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, tree in modules(folder):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{name}:{node.lineno}")
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def lazy(folder: Path = HOST) -> list[str]:
    """Return the imports inside functions."""
    return [
        f"{path.relative_to(folder)}:{number}"
        for path in sorted(folder.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LAZY in line
    ]


def feature_tests(folder: Path = HDL) -> list[str]:
    """Return where the gateware asks which features a build has: by `in`, or by a mask.

    A mask that is inverted takes features away, as the list of builds does, and asks nothing.
    """
    return [
        f"{name}:{node.lineno}"
        for name, tree in modules(folder)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and _tests_features(node)
    ]


def _tests_features(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return _are_features(node.comparators[0])
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd)):
        return False
    sides = (node.left, node.right), (node.right, node.left)
    return any(_are_features(one) and not isinstance(other, ast.UnaryOp) for one, other in sides)


def _are_features(node: ast.expr) -> bool:
    """Return whether an expression is a build's features, or those that it lacks."""
    if isinstance(node, ast.UnaryOp):
        return _are_features(node.operand)
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "features"


def lines(folder: Path) -> int:
    """Return the number of lines of Python in a folder."""
    return sum(len(path.read_bytes().splitlines()) for path in folder.rglob("*.py"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; return 1 if an option stands beside its Spec."""
    parser = argparse.ArgumentParser(prog="python -m tools.house", description=__doc__)
    parser.add_argument("--lists", action="store_true", help="print what is behind each figure")
    asked = parser.parse_args(arguments)
    fields, options = declared()
    wrong = beside(options)
    several = {flag: places for flag, places in sorted(options.items()) if len(places) > 1}
    again = {flag: places for flag, places in sorted(fields.items()) if len(places) > 1}
    alike = copies()
    rooms = floors((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    twice, inside, tests = namesakes(), lazy(), feature_tests()
    figures: list[tuple[str, object, list[str]]] = [
        ("options of Specs", len(fields), _shown(fields)),
        ("flags that Specs declare more than once", len(again), _shown(again)),
        ("of these, flags of one kind of value", len(alike), _shown(alike)),
        ("options of commands alone", len(options), _shown(options)),
        ("flags that commands declare more than once", len(several), _shown(several)),
        ("options declared beside their Spec", len(wrong), _shown(wrong)),
        ("rooms", sum(map(len, rooms)), [" | ".join(floor) for floor in rooms]),
        ("floors", len(rooms), []),
        ("names that classes share", len(twice), _shown(twice)),
        ("imports inside functions", len(inside), inside),
        ("tests of Feature in hdl", len(tests), tests),
        ("lines of Python in hdl", f"{lines(HDL):,}", []),
        ("lines of Python in host/plexor", f"{lines(HOST / 'plexor'):,}", []),
        ("lines of Python in host/plexor_lab", f"{lines(HOST / 'plexor_lab'):,}", []),
        ("lines of Python in tests", f"{lines(TESTS):,}", []),
    ]
    for name, figure, behind in figures:
        print(f"{name}: {figure}")
        if asked.lists or (behind and name == "options declared beside their Spec"):
            print("".join(f"  {line}\n" for line in behind), end="")
    return int(bool(wrong))


def _shown(places: Places) -> list[str]:
    return [f"{name}: {', '.join(where)}" for name, where in places.items()]


if __name__ == "__main__":
    sys.exit(main())
