# SPDX-License-Identifier: Apache-2.0
"""Commands, made of the Specs that declare their options, and of what they do, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, replace
from functools import wraps
from importlib import import_module
from inspect import signature
from itertools import chain
from typing import Any, TypeVar

import click

from plexor.base.errors import UsageError
from plexor.cli.helping import HelpedCommand
from plexor.cli.parameters import Parsed, SpecOption, command_line, only_one, option_name, usage
from plexor.library.specs.spec import Option, Spec

R = TypeVar("R")
_FILES = ("FILE", "DIR")
"""How the value of an option begins that names a file or a folder."""
BODY, SPECS = "plexor_body", "plexor_specs"
"""Attributes of a command's callback: `module:function` of what it does, and its Specs by name."""
_OF_COMMANDS: Mapping[str, Callable[[], object]] = {
    "naming": lambda: option_name,
    "command": command_line,
}
"""Options that a command line has by itself."""


def command(
    body: str,
    *single: Callable[[Callable[..., Any]], Callable[..., Any]],
    name: str | None = None,
    missing: str = "",
    **specs: type[Spec],
) -> Callable[[Callable[..., None]], click.Command]:
    """Return the decorator that makes a command with the options of Specs.

    What it decorates is the command's help, and checks what it takes of its options: at once, so it
    needs nothing heavy. `body` is `module:function` of what the command does; it is imported when
    the command is called, and gets an object of each Spec by the name it has here, each option of
    `single` (`one_of`), and the arguments. `missing` is said where a package is not installed that
    the body needs: {} is its name. Raises TypeError for an option that is declared twice.
    """
    every = [(name, said) for spec in specs.values() for name, said in spec.options().items()]

    def decorated(check: Callable[..., None]) -> click.Command:
        checked = signature(check).parameters

        @wraps(check)
        def called(**given: Any) -> Any:
            with usage():
                asked = {name: _asked(spec, given) for name, spec in specs.items()} | given
                check(**{name: asked[name] for name in checked})
            return _imported(body, missing)(**asked)

        setattr(called, BODY, body)
        setattr(called, SPECS, specs)
        made: Callable[..., Any] = called
        for keyword, said in reversed(every):
            if said.flag is not None:
                made = _option(keyword, said)(made)
        for add in reversed(single):
            made = add(made)
        whole = click.command(name, cls=HelpedCommand)(made)
        names = [parameter.name for parameter in whole.params]
        if both := sorted({str(name) for name in names if names.count(name) > 1}):
            raise TypeError(f"{whole.name}: {', '.join(both)}; declared twice")
        return whole

    return decorated


def _imported(body: str, missing: str) -> Callable[..., Any]:
    """Return the function of `module:function`; raise UsageError with `missing` if it cannot be."""
    module, _, function = body.partition(":")
    try:
        return getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        if not missing:
            raise
        raise UsageError(missing.format(error.name)) from error


def one_of(
    spec: type[Spec], name: str, **other: Any
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return the decorator that gives a command a single option of a Spec, under its keyword.

    `other` is what is otherwise in this command, as in Option; its help stands beside the Spec's.
    """
    said = spec.options()[name]
    other["help"] = " ".join((said.help, *filter(None, [other.get("help")])))
    return _option(name, replace(said, **other))


def _asked(spec: type[Spec], given: dict[str, Any]) -> Spec:
    """Return what was given of a Spec's options, and take it away."""
    asked: dict[str, Any] = {}
    for name, said in spec.options().items():
        if name in _OF_COMMANDS:
            asked[name] = _OF_COMMANDS[name]()
        elif name in given:
            value = given.pop(name)
            asked[name] = tuple(chain.from_iterable(value)) if said.many else value
    return spec.of(asked)


def _option(name: str, said: Option) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return the decorator for an option of the command line."""
    flag = said.flag or f"--{name.replace('_', '-')}"
    if not (said.metavar or said.choices):
        return click.option(
            flag,
            name,
            cls=SpecOption,
            said=said,
            is_flag=True,
            default=said.default,
            show_default=said.shows_default,
            help=said.help,
        )
    assert said.converter is not None
    required = said.default is MISSING
    shown: dict[str, Any] = {"show_default": said.shows_default}
    if not required and said.default != ():
        shown["default"] = said.default
    # The last of two files would win, and the first be neither read nor written.
    single = not said.many and said.metavar.startswith(_FILES)
    if single:
        shown |= {"callback": only_one}
    chosen = click.Choice(said.choices, case_sensitive=False)
    return click.option(
        flag,
        name,
        cls=SpecOption,
        said=said,
        type=chosen if said.choices else Parsed(said.metavar, said.converter),
        multiple=said.many or single,
        required=required,
        metavar=said.metavar or None,
        help=said.help,
        **shown,
    )
