# SPDX-License-Identifier: Apache-2.0
"""What a wrong command line meant: its options, their values, characters of text processors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.base.meant import DASHES, MEANT, nearest, path_meant, suggestion
from plexor.base.shown import SHOWN
from plexor.base.units import parse_duration, parse_rate

_UNITS = {"RATE": parse_rate, "TIME": parse_duration}
"""What stands for a value with a unit in the help, and what reads it."""
_NUMBER = re.compile(r"[+-]?[\d_]*\.?[\d_]+(?:[eE][+-]?\d+)?")
_EXTRA = re.compile(r"unexpected extra arguments? \((.+)\)$")
"""What click says of words that are behind no option."""
_CHOICE = re.compile(r"'(\S+)' is not one of (.+)\.$")
_NO_COMMAND = re.compile(r"^(No such command '([^']+)'\.)(.*)")
_NO_VALUE = re.compile(r"^Option '(\S+)' requires an argument\.$")
_PROMPTS = ("$", "%", "#", ">", "plexor", "plexor.exe")
"""What stands before a command where it was copied from."""
_PORT = re.compile(r"/dev/\S+|COM\d+", re.IGNORECASE)
_FOLDER = re.compile(r"File '([^']+)' is a directory\.$")
_ABSENT = re.compile(r"'([^']+)' does not exist\.$")
_UNIT_ALONE = re.compile(r"[kmg]?(?:hz)?|[munpµμ]?s|%", re.IGNORECASE)
_OTHER_WORDS: Mapping[str, tuple[str, ...]] = {
    "rate": ("freq", "frequency", "hz", "hertz", "period", "interval", "speed", "i"),
    "time": ("duration", "seconds", "length"),
    "count": ("n", "number", "samples", "loops", "iterations", "runs", "strikes", "l"),
    "out": ("output", "o", "output-dir", "folder", "dir", "save", "to", "page"),
    "dut": ("device", "target", "d", "model"),
    "link": ("port", "serial", "tty", "url", "uri", "host", "board", "driver", "p"),
    "page": ("html", "report", "svg", "plot", "picture", "pdf", "png", "to", "out", "output", "o"),
    "from": ("low", "rate", "min", "start-rate", "lower"),
    "to": (
        *("high", "max", "stop-rate", "upper", "output", "o", "out", "page", "html", "file"),
        *("export", "format", "csv", "pdf", "png", "svg", "parquet", "vcd", "md", "markdown"),
        *("export-csv", "export-json", "export-markdown"),
    ),
    "label": ("key", "labels", "tag", "name", "describe"),
    "channel": ("channels", "pin", "pins", "ch", "input"),
    "load": ("loads", "stress"),
    "dither": ("jitter", "random"),
    "deadline": ("limit", "late", "threshold"),
    "timeout": ("time-out", "wait", "expire"),
    "fail-on": ("threshold", "tolerance", "max-change", "regression", "limit", "fail"),
    "budget": ("limits", "slo", "threshold"),
    "archive": ("db", "database", "store"),
    "no-open": ("no-browser", "headless"),
    "json": ("format", "output-format", "export-json"),
    "columns": ("velocity", "variance", "jitter128", "fields"),
    "version": ("v",),
}
"""Options by words that other programs have for them, and by those of other commands."""
_PARTS = re.compile(r"(.+)\[:(.+)\]")
"""How a metavar has what is said behind a name."""
_FEW = 8
"""Commands that one line may list."""
_WRITES = ("to", "out", "output", "o")
"""Words of options that say where something is written."""
_OTHER_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "devices": ("list", "ls", "scan"),
    "log": ("list", "ls", "runs", "show"),
    "trend": ("graph", "plot", "history", "chart"),
    "serve": ("open", "web", "browse", "server"),
    "add": ("import", "put", "save", "store"),
    "init": ("new", "create", "draft"),
    "check": ("lint", "test", "verify", "validate"),
}
"""Commands of groups by words that other programs have for them."""


def joined(command: click.Command, words: Sequence[str]) -> list[str]:
    """Return a command's words, a number and its unit in one: `--rate 20 kHz` is `--rate "20 kHz"`.

    Only behind an option whose value has such a unit.
    """
    readers = {
        flag: _UNITS[option.metavar]
        for option in command.params
        if isinstance(option, click.Option) and option.metavar in _UNITS
        for flag in option.opts
    }
    found = list(words)
    for place in range(len(found) - 2):
        flag, number, unit = found[place : place + 3]
        if flag not in readers or not _NUMBER.fullmatch(number) or unit[:1].isdigit():
            continue
        try:
            readers[flag](f"1{unit}")
        except ValueError:
            continue
        return [*found[: place + 1], *joined(command, [f"{number} {unit}", *found[place + 3 :]])]
    return found


def check_dashes(words: Sequence[str]) -> None:
    """Raise UsageError for a word that begins with a dash of a text processor."""
    for word in words:
        bare = word.lstrip(f"{DASHES}-")
        leading = word[: len(word) - len(bare)]
        if {*leading} & {*DASHES} and bare[:1].isalpha() and not Path(word).exists():
            hyphens = "-" if len(bare) == 1 else "--"
            raise UsageError(f"{word!r} has a dash for hyphens{MEANT} {hyphens}{bare}?")


def told(error: click.UsageError, words: Sequence[str]) -> str:
    """Return what a wrong command line is told: what is wrong, and what was meant if it is known.

    `words` are all of it.
    """
    flags = _flags(error.ctx)
    if isinstance(error, click.NoSuchOption):
        word = _typed(error.option_name, words)
        near = _page_meant(word, flags, words) or option_called(word, flags)
        meant = _of_channel(word, error.ctx) or _instead(word, error.ctx, words)
        meant = "" if near else meant or _elsewhere(word, error.ctx)
        near = near or ("" if meant else option_meant(word, flags))
        meant = f"Did you mean {near!r}?" if near else meant
        return f"No such option {word!r}. {meant}".rstrip()
    said = error.format_message()
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
        return f"{said.removesuffix('.')}{_missing(error.param, error.ctx, words)}"
    if extra := _EXTRA.search(said):
        return f"{said}{_extra_meant(extra[1], flags, words) or _options_alone(error.ctx)}"
    if alone := _NO_VALUE.search(said):
        return f"{said.removesuffix('.')}{_value_of(alone[1], error.ctx)}"
    if unknown := _NO_COMMAND.search(said):
        return f"{unknown[1]}{_command_meant(unknown[2], unknown[3], error.ctx)}"
    if folder := _FOLDER.search(said):
        is_run = Path(folder[1], "run.json").exists()
        return f"{said.removesuffix('.')}{f'; plexor show {folder[1]} prints a run' * is_run}"
    if choice := _CHOICE.search(said):
        known = re.findall(r"'(\S+)'", choice[2])
        return f"{said.removesuffix('.')}{suggestion(choice[1], known)}"
    if absent := _ABSENT.search(said):
        return f"{said.removesuffix('.')}{path_meant(Path(absent[1]))}"
    return said


def check_prompt(words: Sequence[str]) -> None:
    """Raise UsageError for a command that was copied with its prompt, or with `plexor` twice."""
    rest = list(words)
    while rest and rest[0] in _PROMPTS:
        del rest[0]
    if len(rest) < len(words):
        whole = " ".join(("plexor", *rest))
        raise UsageError(f"{words[0]}: stands before a command, and is none{MEANT} {whole}?")


def option_called(word: str, flags: Sequence[str]) -> str:
    """Return the option that a word such as `-rate`, `--Rate` or `--frequency` was; else nothing.

    `flags` are the options that there are.
    """
    bare = _bare(word)
    names = _names(flags)
    by_fold = {name.casefold(): name for name in names}
    if bare.casefold() in by_fold:
        return names[by_fold[bare.casefold()]]
    for name, others in _OTHER_WORDS.items():
        if bare.casefold() in others and name in names:
            return names[name]
    return ""


def option_meant(word: str, flags: Sequence[str]) -> str:
    """Return the option that a word was by `option_called`, or one that is written much alike."""
    if called := option_called(word, flags):
        return called
    bare, names = _bare(word), _names(flags)
    near = nearest(bare, names) if len(bare) > 1 else None
    # A slip of the finger changes the first letter, or the number of letters by more than one.
    if near is None or (near[0] != bare[0].lower() and abs(len(near) - len(bare)) > 1):
        return ""
    return names[near]


def _bare(word: str) -> str:
    return re.split("[=:]", word.lstrip("-"), maxsplit=1)[0]


def _names(flags: Sequence[str]) -> dict[str, str]:
    return {flag.lstrip("-"): flag for flag in flags if flag.startswith("--")}


def _elsewhere(word: str, context: click.Context | None) -> str:
    """Return which command has an option that this one lacks; empty for none of the first level."""
    if context is None or not word.startswith("--"):
        return ""
    root = context.find_root()
    if not isinstance(root.command, click.Group):
        return ""
    for name in root.command.list_commands(root):
        command = root.command.get_command(root, name)
        if command is None or isinstance(command, click.Group) or command is context.command:
            continue
        if any(word.split("=", maxsplit=1)[0] in option.opts for option in command.params):
            return f"It is one of plexor {name}."
    return ""


def _missing(option: click.Option, context: click.Context | None, words: Sequence[str]) -> str:
    """Return how an option is written that is missing, and which words stand for such options."""
    plain = f": {option.opts[0]} {option.metavar}" if option.metavar else "."
    params = [] if context is None else context.command.params
    missing = [
        own
        for own in params
        if isinstance(own, click.Option) and own.required and not {*own.opts} & {*words}
    ]
    loose = [
        word
        for before, word in pairwise(words)
        if word[:1].isdigit() and not before.startswith("-")
    ]
    if not loose or len(loose) > len(missing):
        return plain
    meant: list[str] = []
    for own, word in zip(missing, loose, strict=False):
        try:
            _UNITS[own.metavar or ""](word)
        except (KeyError, ValueError):
            return plain
        meant += [own.opts[0], word]
    return f"{MEANT} {' '.join(meant)}?"


def _value_of(flag: str, context: click.Context | None) -> str:
    """Return what stands behind an option."""
    params = [] if context is None else context.command.params
    for option in params:
        if flag in option.opts and option.metavar:
            return f": {flag} {option.metavar}"
    return ""


def _options_alone(context: click.Context | None) -> str:
    """Return that a command takes no words without options, if it is so."""
    if context is None or isinstance(context.command, click.Group):
        return ""
    has_words = any(isinstance(one, click.Argument) for one in context.command.params)
    return "" if has_words else "; it takes options alone"


def _page_meant(word: str, flags: Sequence[str], words: Sequence[str]) -> str:
    """Return `--page` for another option that is given the name of a page or a picture."""
    if word.lstrip("-") not in _WRITES or not {"--page", "--out"} <= {*flags}:
        return ""
    value = next((after for own, after in pairwise(words) if own == word), "")
    return "--page" if Path(value).suffix.lower() in SHOWN else ""


def _of_channel(word: str, context: click.Context | None) -> str:
    """Return how `--filter` and the like are said, which each channel has for itself."""
    for option in [] if context is None else context.command.params:
        known = _PARTS.fullmatch(option.metavar or "") if "--channel" in option.opts else None
        if known is None:
            continue
        for part in known[2].split(","):
            if part.partition("=")[0] == _bare(word):
                return f"Each channel has its own: --channel {known[1]}:{part}"
    return ""


def _instead(word: str, context: click.Context | None, words: Sequence[str]) -> str:
    """Return what does the same where there is no such option; empty if that is not known."""
    if word == "--count" and "--criterion" in _flags(context):
        return "A step strikes until its verdict is certain."
    value = next((after for own, after in pairwise(words) if own == word), "")
    if context is None or not value or word.lstrip("-") not in _WRITES:
        return ""
    has_path = any(isinstance(own, click.Argument) for own in context.command.params)
    path = " ".join(context.command_path.split())
    return f"Did you mean {f'{path} {value}'!r}?" if has_path else ""


def _command_meant(word: str, hint: str, context: click.Context | None) -> str:
    """Return which command of a group a word meant, or which there are; `hint` is the nearest."""
    if context is None or not isinstance(context.command, click.Group):
        return hint
    word = word.rsplit(maxsplit=1)[-1]
    known = context.command.list_commands(context)
    others = {other: name for name in known for other in _OTHER_COMMANDS.get(name, ())}
    if word.casefold() in others:
        return f" Did you mean {others[word.casefold()]!r}?"
    root = context.find_root()
    if isinstance(root.command, click.Group) and word in root.command.list_commands(root):
        return f" Did you mean {word!r}?"
    few = f" There are {', '.join(known)}." if len(known) <= _FEW else ""
    return hint or few


def _typed(name: str, words: Sequence[str]) -> str:
    """Return an option as it was typed: click takes `-rate` for `-r`."""
    short = len(name) == 2 and name[0] == "-" != name[1]
    whole = (word for word in words if short and word.startswith(name) and word != name)
    return next(whole, name).split("=")[0]


def _flags(context: click.Context | None) -> list[str]:
    """Return the options of the command that runs."""
    if context is None:
        return []
    return [flag for option in context.command.get_params(context) for flag in option.opts]


def _extra_meant(extra: str, flags: Sequence[str], words: Sequence[str]) -> str:
    """Return what words were meant to be that are behind no option; empty if that is not known."""
    first = extra.split(maxsplit=1)[0]
    name, sign, value = first.partition("=")
    if first in ("help", "?"):
        return f"{MEANT} --help?"
    if "--archive" in flags and not {*words} & {"--archive"} and Path(first).is_dir():
        return f"{MEANT} --archive {first}?"
    if sign and value and f"--{name.lower()}" in flags:
        return f"{MEANT} --{name.lower()} {value}?"
    if _PORT.fullmatch(first) and "--link" in flags and not {*words} & {"--link"}:
        return f"{MEANT} --link {first}?"
    if "--figure" in flags and not {*words} & {"--figure"} and not Path(first).exists():
        return f"{MEANT} --figure {first}?"
    if Path(first, "run.json").exists():
        return f"; plexor show {first} prints a run"
    if _UNIT_ALONE.fullmatch(first):
        return f"; a number and its unit are one word, such as 20{first}"
    counts = "--count" in flags and {"--rate"} <= {*words} and not {*words} & {"--count"}
    if counts and first == extra and first.isdecimal():
        return f"{MEANT} --count {first}?"
    if "--rate" in flags and not {*words} & {"--rate"} and first[:1].isdigit():
        try:
            parse_rate(first)
        except ValueError:
            return ""
        return f"{MEANT} --rate {first}?"
    return ""
