# SPDX-License-Identifier: Apache-2.0
"""Writes docs/lookup/options.md and devices.md: the options of commands and simulated devices.

    .venv/bin/python -m tools.lookup

Both are made from the declarations that the program itself reads, so `--help` and `plexor board
devices NAME` say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

from plexor import cli
from plexor.library.pins import SIMULATED
from plexor.protocol.document import table
from plexor_sim import serve
from plexor_sim.device_forms import DISTRIBUTIONS
from plexor_sim.device_options import LIBRARY, RISCV, SYNTHETIC, VERILOG, Option

FOLDER = Path(__file__).parent.parent / "docs" / "lookup"
_OPTIONS_HEAD = """# Command options

Written by `make lookup` from the commands themselves. Each command's `--help all` prints the same
by topics, and `--help` the options that are used most. Times need a unit: `50us`, `1.5ms`, `2s`.
Rates and counts may have `k`, `M` or `G`. A part is `20%`, `0.2` or `1/5`.
[Exit codes](exit-codes.md) says how a command ends.
"""
_SIM = "board sim"
"""Its options are those of the simulator's own program."""
_SERVE = """
## plexor board sim

Serve a simulated instrument, with a device at its pins, on a port of this computer. It prints the
port, and serves one client after the other. Some of these options can also be part of a link:
`sim:irq.toml?board=hx8k-evn`.

"""
_DEVICES_HEAD = """# Device options

Written by `make lookup` from the declarations of simulated devices. Options follow the
device's name: `--dut NAME:OPTION=VALUE,OPTION=VALUE`. Times have a unit: fs, ps, ns, us, ms or s.
`plexor board devices freertos` prints the same for one device.

"""
_GROUPS: Mapping[str, tuple[str, tuple[Option, ...]]] = {
    "Devices that answer by given distributions": (
        "`synthetic`, and its presets `ce30` and `cenet`. For the options of channels, "
        "`NAME=VALUE` sets all channels and `chN.NAME=VALUE` only channel N.",
        SYNTHETIC,
    ),
    "Devices with a RISC-V core": ("`freertos` and `bare`.", RISCV),
    "Devices of your own Verilog": (
        "A path that ends in `.toml` is a manifest ([device manifest](manifest.md)).",
        VERILOG,
    ),
    "Devices as libraries": (
        "A manifest with `[[library]]` ([a device of your own](../do/own-device.md)).",
        LIBRARY,
    ),
}


def plain(text: str) -> str:
    """Return a text of `--help` as Markdown that renders the same."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(
        part if part.startswith("`") else re.sub(r"([<>*\[\]])", r"\\\1", part) for part in parts
    )


def options_page() -> str:
    """Return docs/lookup/options.md."""
    sections = (_command(name, command) for name, command in cli.every_command() if name != _SIM)
    return _OPTIONS_HEAD + "".join(sections) + _SERVE + table(("option", "meaning"), _served())


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"plexor {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    rows = [_row(entry, context) for entry in command.params if isinstance(entry, click.Option)]
    return (
        f"\n## plexor {name}\n\n```text\nplexor {name} {usage}\n```\n\n{_about(command)}\n\n"
        + table(("option", "meaning"), rows)
    )


def _about(command: click.Command) -> str:
    """Return what a command does, without its examples."""
    text = re.sub(r"\n\n\s*\x08.*?(?=\n\n|\Z)", "", command.help or "", flags=re.DOTALL)
    return "\n\n".join(plain(paragraph) for paragraph in text.strip().split("\n\n"))


def _row(option: click.Option, context: click.Context) -> tuple[str, str]:
    """Return an option as `--help` shows it."""
    record = option.get_help_record(context)
    assert record is not None
    names, meaning = record
    return f"`{names}`", plain(meaning)


def _served() -> Iterator[tuple[str, str]]:
    """Yield the options of the simulated instrument."""
    for action in serve.parser()._actions:
        if action.dest == "help":
            continue
        names = ", ".join(action.option_strings)
        value = f" {action.metavar or action.dest.upper()}" if action.nargs != 0 else ""
        yield f"`{names}{value}`", plain((action.help or "").replace("%%", "%"))


_LOADS = """
A load is put on by `--load NAME`, with one of the names that the device's option `load` has.
`--load on` raises the load output, for the load that the device's options name and for a design's
own input (`ports.load` in its manifest). A device that has no load refuses both. On a board
`--load-on` and `--load-off` of `plexor sweep`, and `load-on` and `load-off` of a farm, run commands
of your own beside it.
"""


def devices_page() -> str:
    """Return docs/lookup/devices.md."""
    text = _DEVICES_HEAD + table(
        ("device", "what it is"), ((f"`{name}`", about) for name, about in SIMULATED.items())
    )
    text += _LOADS
    for heading, (about, options) in _GROUPS.items():
        text += f"\n## {heading}\n\n{about}\n\n"
        text += table(("option", "values", "default", "meaning"), _options(options))
    rows = ((f"`{form}`", plain(meaning)) for form, meaning in DISTRIBUTIONS.items())
    return (
        f"{text}\n## Random times\n\n`DIST` is a random time; every time in it is 0 to 1000 s.\n\n"
        + table(("form", "what it draws"), rows)
    )


def _options(options: Iterable[Option]) -> Iterator[tuple[str, str, str, str]]:
    for option in options:
        name = f"{'chN.' if option.of_channel else ''}{option.name}={option.form.symbol}"
        yield (
            f"`{name}`",
            plain(option.form.range),
            plain(option.default),
            plain(option.meaning),
        )


PAGES = {"options.md": options_page, "devices.md": devices_page}


if __name__ == "__main__":
    for file, page in PAGES.items():
        (FOLDER / file).write_text(page())
