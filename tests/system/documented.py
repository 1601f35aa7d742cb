# SPDX-License-Identifier: Apache-2.0
"""Every command that README, docs and `--help` show, as it is written there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plexor import cli

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs" / "lookup" / "rows.md"
"""Its commands are for one folder, in its order: test_afternoon.py types them."""
PAGES = (
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page != ROWS),
)
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PRINT_BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAM_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`]+)`")
_PROGRAM = re.compile(r"(plexor|make|pip|(\.venv/bin/)?python -m|pytest)\s+[^\s.]")


@dataclass(frozen=True)
class Shown:
    """Commands that are shown together, and where."""

    place: str
    """`README.md:64`, `plexor sweep --help`."""
    commands: tuple[str, ...]
    prints: tuple[str, ...] = ()
    """What the page shows behind them, as `text`: parts of what they print."""


def shown() -> list[Shown]:
    """Return the commands of every page and of every `--help`, in order."""
    found = [entry for page in PAGES for entry in of_page(page.name, page.read_text())]
    return found + list(_helps())


def programs() -> dict[str, str]:
    """Return the Python that pages show, by its place."""
    return {
        _place(page.name, text, block.start()): block[1]
        for page in PAGES
        for text in (page.read_text(),)
        for block in _PROGRAM_BLOCK.finditer(text)
    }


def of_page(name: str, text: str) -> Iterator[Shown]:
    """Yield the blocks of a page, then what stands in its prose."""
    blocks = list(_BLOCK.finditer(text))
    ends = [*(block.start() for block in blocks[1:]), len(text)]
    for block, end in zip(blocks, ends, strict=False):
        lines = block[1].replace("\\\n", " ").splitlines()
        commands = tuple(filter(None, map(_bare, lines)))
        prints = tuple(_PRINT_BLOCK.findall(text, block.end(), end))
        yield Shown(_place(name, text, block.start()), commands, prints)
    prose = _FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    seen: set[str] = set()
    for span in _SPAN.finditer(prose):
        command = " ".join(span[1].split())
        if _PROGRAM.match(command) and command not in seen:
            seen.add(command)
            yield Shown(_place(name, prose, span.start()), (command,))


def _bare(line: str) -> str:
    """Return a line without the comment at its end."""
    return re.sub(r"(^|\s+)#.*", "", line).strip()


def _place(name: str, text: str, offset: int) -> str:
    return f"{name}:{text.count(chr(10), 0, offset) + 1}"


def _helps() -> Iterator[Shown]:
    for name, command in cli.every_command():
        block = (command.help or "").partition("\b\n")[2].partition("\n\n")[0]
        # An example goes on in the next line where that begins no command.
        joined = re.sub(r"\n\s+(?!\s|plexor )", " ", block)
        examples = tuple(line.strip() for line in joined.splitlines() if line.strip())
        if examples:
            yield Shown(f"plexor {name} --help", examples)
