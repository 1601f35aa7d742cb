# SPDX-License-Identifier: Apache-2.0
"""All commands by topic and name, each with a sentence and where it is; none is imported here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from plexor.base.errors import UsageError
from plexor.library.parts import extensions
from plexor.library.parts.extensions import Command, Offer

OPEN = "lab"
"""The group that commands of other packages join."""


class CommandGroup(NamedTuple):
    """Commands under a name of their own."""

    help: str
    commands: Mapping[str, Command]


TOPICS: Mapping[str, Mapping[str, Command | CommandGroup]] = {
    "Measure": {
        "measure": Command(
            "Strike a device, time its responses and judge them.",
            "plexor.cli.declared.live:measure",
        ),
        "scope": Command(
            "Show a live page: strike a device, and watch its reflexes.",
            "plexor.cli.declared.live:scope",
        ),
        "sweep": Command(
            "Find the highest rate that a device sustains.",
            "plexor.cli.declared.scans:sweep",
        ),
        "phase": Command(
            "Find the phases of a tick at which a device is deaf, and for how long.",
            "plexor.cli.declared.scans:phase",
        ),
        "burst": Command(
            "Find how many strikes in a row a device answers, at each spacing.",
            "plexor.cli.declared.scans:burst",
        ),
    },
    "Look at what was measured": {
        "show": Command(
            "Print the figures of a stored run or scan, or write its page, picture or files.",
            "plexor.cli.declared.stored:show",
        ),
        "compare": Command(
            "Compare two runs or sweeps, and judge whether the change is too large.",
            "plexor.cli.declared.archive:compare",
        ),
        "explain": Command(
            "Find the late answers of a stored run, and what its tasks and functions did.",
            "plexor.cli.declared.stored:explain",
        ),
        "import": Command(
            "Make a run of the capture of another analyser.",
            "plexor.cli.declared.stored:import_capture",
        ),
    },
    "Many runs": {
        "archive": Command(
            "Keep runs in one folder, and ask how their figures changed.",
            "plexor.cli.declared.archive:archive",
        ),
        "farm": Command(
            "Measure a matrix of instruments, loads and builds into an archive.",
            "plexor.cli.declared.archive:farm",
        ),
    },
    "Instruments and devices": {
        "board": CommandGroup(
            "Find, flash, test, calibrate and prove an instrument.",
            {
                "devices": Command(
                    "List the instruments and simulated devices that are available.",
                    "plexor.cli.declared.upkeep:devices",
                ),
                "identify": Command(
                    "Print what the instrument at a link is.",
                    "plexor.cli.declared.upkeep:identify",
                ),
                "doctor": Command(
                    "Find what keeps boards from working here, and print what fixes it.",
                    "plexor.cli.declared.upkeep:doctor",
                ),
                "flash": Command(
                    "Write a board's bitstream to it, and name the build that answers.",
                    "plexor.cli.declared.upkeep:flash",
                ),
                "selftest": Command(
                    "Test the instrument itself.",
                    "plexor.cli.declared.upkeep:selftest",
                ),
                "calibrate": Command(
                    "Measure where the bins of each channel end, in picoseconds.",
                    "plexor.cli.declared.upkeep:calibrate",
                ),
                "prove": Command(
                    "Prove an instrument step by step, with wires, and keep what was proven.",
                    "plexor.cli.declared.upkeep:prove",
                ),
                "sim": Command(
                    "Run the simulated instrument as a program of its own.",
                    "plexor.cli.declared.upkeep:sim",
                ),
            },
        ),
        "dut": Command(
            "Make and check a manifest of your own design.",
            "plexor.cli.declared.upkeep:dut",
        ),
    },
    "More": {
        OPEN: CommandGroup(
            "Study kernels and services; commands of other packages are here too.",
            {
                "trace-header": Command(
                    "Write the C headers with which firmware says what it does.",
                    "plexor.cli.declared.upkeep:trace_header",
                ),
            },
        ),
        "examples": Command(
            "Copy the examples: designs, budgets, a farm and files for CI.",
            "plexor.cli.declared.upkeep:examples",
        ),
    },
}
"""Plexor's own commands. Other packages add theirs to `lab`, by entry points."""
TOP: Mapping[str, Command | CommandGroup] = {
    name: own for topic in TOPICS.values() for name, own in topic.items()
}
FORMER: Mapping[str, str] = {
    "replay": "show",
    "report": "show RUN --to FILE",
    "export": "show RUN --to FILE",
    "why": "explain RUN --view why",
    "timeline": "explain RUN --view timeline",
    "profile": "explain RUN --view profile",
    "completion": "--completion SHELL",
    "sim": "board sim",
}
"""Names that commands had before, and what does the same now; a name in a group answers too."""


def group_of(name: str) -> CommandGroup | None:
    """Return a group with the commands that other packages add to it; None if it is none."""
    own = TOP.get(name)
    if not isinstance(own, CommandGroup) or name != OPEN:
        return own if isinstance(own, CommandGroup) else None
    others = [each for each in extensions.names(extensions.COMMANDS) if each not in own.commands]
    return own._replace(commands={**dict.fromkeys(others, _UNREAD), **own.commands})


_UNREAD = Command("", "")
"""Stands for a command of another package, of which only the name is known before it is read."""


def offered(name: str) -> tuple[Offer, Command] | None:
    """Return what another package offers under a name in `lab`; None if it is Plexor's own.

    Raises UsageError for one that cannot be imported, or that two packages have.
    """
    group = TOP[OPEN]
    assert isinstance(group, CommandGroup)
    if name in group.commands:
        return None
    offer = extensions.offer_of(extensions.COMMANDS, name)
    return None if offer is None else (offer, offer.load(Command))


def taken() -> Iterator[UsageError]:
    """Yield what is wrong with commands of other packages that have a name of Plexor's own."""
    group = TOP[OPEN]
    assert isinstance(group, CommandGroup)
    for name in extensions.names(extensions.COMMANDS):
        if name in group.commands:
            offer = extensions.offer_of(extensions.COMMANDS, name)
            package = "" if offer is None else offer.package
            text = f"package {package} offers it, and Plexor has it; uninstall it"
            yield UsageError(f"{name}: {text}")


def paths() -> list[tuple[str, ...]]:
    """Return the words of each command and group that has a name here, top level first."""
    deeper = [(name, each) for name in TOP for each in getattr(group_of(name), "commands", ())]
    return [*((name,) for name in TOP), *deeper]


def now(name: str) -> str:
    """Return what does now what a former command did; empty for a name that was none."""
    if name in FORMER:
        return FORMER[name]
    return next((" ".join(path) for path in paths() if len(path) > 1 and path[1] == name), "")
