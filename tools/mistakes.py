# SPDX-License-Identifier: Apache-2.0
"""Makes the mistakes of tests/system/mistakes.toml, and prints what Plexor answers to each.

    .venv/bin/python -m tools.mistakes [WORD]

Two lines a mistake: the exit code and what was typed, and below it the line that it got; an
accepted one has its first line of figures. With WORD, those with this word in them. What is not as
the file says has an exclamation mark. tests/system/test_mistakes.py holds every answer.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from plexor.cli import main as main_of_plexor

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "system" / "mistakes.toml"
RUN = "measure --dut synthetic --rate 20k --count 200 --channel ISR=ch0 --out run"
"""Takes the run that some mistakes are about."""
_TAKEN = (0, 4)
"""Exit codes of a mistake that is taken as it was meant; 4: too few samples for a budget."""


@dataclass(frozen=True)
class Mistake:
    """What is typed, and what is said of it."""

    topic: str
    typed: str
    """The words behind `plexor`, as a shell takes them."""
    code: int
    said: str
    """What a line of the answer has in it."""

    @property
    def taken(self) -> bool:
        """Whether it is taken as it was meant."""
        return self.code in _TAKEN


@dataclass(frozen=True)
class Answer:
    """What Plexor answers."""

    code: int
    lines: tuple[str, ...]
    """The lines on standard error; of a mistake that is taken, on standard output."""


def mistakes() -> list[Mistake]:
    """Return all mistakes of the file."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["mistakes"]
    return [Mistake(topic, *row) for topic, rows in tables.items() for row in rows]


def prepare(folder: Path) -> None:
    """Write the files that mistakes are about into a folder, and take a run there."""
    for name, text in tomllib.loads(FILE.read_text(encoding="utf-8"))["files"].items():
        encoding = "latin-1" if name.endswith(".pdf") else "utf-8"
        (folder / name).write_bytes(text.encode(encoding))
    (folder / "empty").mkdir()
    taken = answer(RUN, folder)
    if taken.code:
        raise RuntimeError(f"{RUN}: exit code {taken.code}: {' '.join(taken.lines)}")


def answer(typed: str, folder: Path) -> Answer:
    """Type a command line in a folder."""
    figures, told = StringIO(), StringIO()
    with chdir(folder), redirect_stdout(figures), redirect_stderr(told):
        code = main_of_plexor(shlex.split(typed))
    shown = figures if code in _TAKEN else told
    lines = shown.getvalue().splitlines()
    return Answer(code, tuple(line for line in lines if line.strip()))


def answers(word: str = "") -> Iterator[tuple[Mistake, Answer]]:
    """Make each mistake that has a word in it; yield it with its answer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for mistake in mistakes():
            if word in f"{mistake.topic} {mistake.typed}":
                yield mistake, answer(mistake.typed, folder)


def wrong(mistake: Mistake, given: Answer) -> bool:
    """Return whether an answer is not what the file says, or not one line."""
    said = any(mistake.said in line for line in given.lines or ("",))
    one_line = mistake.taken or (len(given.lines) == 1 and given.lines[0].startswith("plexor: "))
    return given.code != mistake.code or not said or not one_line


def main(words: list[str]) -> int:
    """Print the table; return 1 if an answer is not what the file says."""
    topic, bad, codes = "", 0, Counter[int]()
    for mistake, given in answers(*words[:1]):
        if mistake.topic != topic:
            topic = mistake.topic
            print(f"\n{topic}")
        bad += (mark := wrong(mistake, given))
        codes[given.code] += 1
        line = next((line for line in given.lines if mistake.said in line), " ".join(given.lines))
        print(
            f"{'!' if mark else ' '} {given.code}  plexor {mistake.typed}\n       {line}",
            flush=True,
        )
    told = ", ".join(f"{number} with exit code {code}" for code, number in sorted(codes.items()))
    print(f"\n{codes.total()} mistakes: {told}; {bad} not as they should be")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
