# SPDX-License-Identifier: Apache-2.0
"""Redoes published studies with Plexor: types the commands of docs/lookup/rows.md in their order.

    .venv/bin/python -m tools.afternoon [ROW ...]

A row is `A08`, or a study's letter for all of its rows; without one, all are done. It works in a
new folder below `build/afternoon`, with the files of `sim/plexor_sim/examples`. Of each row it
prints what the study has, the command, and the lines of its output that show the same. Exit codes:
0 every row shows what the page says, 1 one does not, 2 there is no such row.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "lookup" / "rows.md"
EXAMPLES = ROOT / "sim" / "plexor_sim" / "examples"
_FOLDER = ROOT / "build" / "afternoon"
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| ([A-D]\d\d(?:\.\d)?) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
_SPAN = re.compile(r"`([^`]+)`")
_AS = re.compile(r"as ([A-D]\d\d(?:\.\d)?)")
_ENDED = "exit code "
_GAP = "…"
"""In a text that is to be seen, it stands for anything within a line."""


@dataclass(frozen=True)
class Row:
    """A row of a study."""

    number: str
    item: str
    commands: tuple[str, ...]
    shows: tuple[str, ...]
    """Texts that the commands print."""


def rows_of(page: str) -> tuple[list[str], list[Row]]:
    """Return the commands that come first on a page, and its rows, in order.

    Raises ValueError for a row without a command, or without a text that is to be seen.
    """
    first = [line for block in _BLOCK.findall(page) for line in block.splitlines() if line]
    cells = _ROW.findall(page)
    own = {number: tuple(_SPAN.findall(command)) for number, _, command, _ in cells}
    rows: list[Row] = []
    for number, item, command, shows in cells:
        like = _AS.fullmatch(command)
        commands = own.get(like[1], ()) if like else own[number]
        if not commands or not _SPAN.search(shows):
            raise ValueError(f"{number}: must have a command and a text that it prints")
        rows.append(Row(number, item, commands, tuple(_SPAN.findall(shows))))
    return list(dict.fromkeys(first)), rows


def needed(command: str, commands: Sequence[str]) -> list[str]:
    """Return the commands whose `--out` a command names, and theirs, in the order of all."""
    words = {word.partition("/")[0] for word in shlex.split(command)} - {_out_of(command)}
    made = [other for other in commands if _out_of(other) in words]
    wanted = {*made, *(further for other in made for further in needed(other, commands))}
    return [other for other in commands if other in wanted]


def _out_of(command: str) -> str | None:
    words = shlex.split(command)
    return words[words.index("--out") + 1] if "--out" in words else None


def seen(text: str, printed: str) -> str | None:
    """Return the first line of a print that has a text, from word to word; None if none has.

    Blanks do not count.
    """
    parts = [rf"(?<![\w.,-]){re.escape(_plain(part))}(?!\w|[.,]\d)" for part in text.split(_GAP)]
    pattern = re.compile(".*?".join(parts))
    return next((line for line in printed.splitlines() if pattern.search(_plain(line))), None)


def _plain(text: str) -> str:
    return " ".join(text.split())


def typed(command: str, folder: Path) -> str:
    """Type a command in a folder; return what it prints, and how it ends if that is not 0."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "160"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout + (f"{_ENDED}{done.returncode}\n" if done.returncode else "")


def redo(
    page: str,
    names: Sequence[str],
    folder: Path,
    type_in: Callable[[str, Path], str] = typed,
) -> list[str]:
    """Type the commands of the rows whose numbers begin with a name; return what is wrong.

    What each row shows is printed as it comes.
    """
    first, rows = rows_of(page)
    commands = list(dict.fromkeys([*first, *(one for row in rows for one in row.commands)]))
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    prints: dict[str, str] = {}
    faults: list[str] = []
    for row in rows:
        if not row.number.startswith(tuple(names)):
            continue
        print(f"\n{row.number}  {row.item}", flush=True)
        before = [other for command in row.commands for other in needed(command, commands)]
        for command in (*first, *before, *row.commands):
            if command not in prints:
                print(f"  $ {command}", flush=True)
                prints[command] = type_in(command, folder)
        printed = "".join(prints[command] for command in row.commands)
        ended = {_plain(line) for line in printed.splitlines() if line.startswith(_ENDED)}
        told = {text for other in rows if other.commands == row.commands for text in other.shows}
        wrong = [f"not shown: {text}" for text in row.shows if seen(text, printed) is None]
        wrong += sorted(ended - told)
        lines = [seen(text, printed) for text in row.shows]
        print("\n".join(f"  {line}" for line in dict.fromkeys(filter(None, lines))), flush=True)
        if wrong:
            print(printed)
        faults += [f"{row.number}: {fault}" for fault in wrong]
    return faults


def main(names: Sequence[str]) -> int:
    """Redo the rows whose numbers begin with the names; return an exit code."""
    page = PAGE.read_text()
    numbers = [row.number for row in rows_of(page)[1]]
    unknown = [name for name in names if not any(number.startswith(name) for number in numbers)]
    if unknown:
        print(f"{', '.join(unknown)}: no such row; must be such as A, or A08")
        return 2
    folder = _FOLDER / ("-".join(names) or "all")
    shutil.rmtree(folder, ignore_errors=True)
    wanted = [number for number in numbers if number.startswith(tuple(names or ("",)))]
    faults = redo(page, names or ("",), folder)
    wrong = {fault.partition(":")[0] for fault in faults}
    print(f"\n{len(wanted)} rows, {len(wrong)} show something else than the page says")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
