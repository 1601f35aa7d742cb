# SPDX-License-Identifier: Apache-2.0
"""Options of commands, made of the Specs that declare them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, replace
from functools import wraps
from inspect import signature
from itertools import chain
from typing import Any, TypeVar

import click

from plexor.commands.defaults import CommandOption
from plexor.commands.parameters import Parsed, command_line, option_name, usage
from plexor.library.specs.spec import Option, Spec

R = TypeVar("R")
_OF_COMMANDS: Mapping[str, Callable[[], object]] = {
    "naming": lambda: option_name,
    "command": command_line,
}
"""Options that a command line has by itself."""


def asks(**specs: type[Spec]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return the decorator that gives a command the options of Specs.

    The command gets an object of each Spec by the name it has here, and its other options as they
    are. Raises TypeError for a command with a parameter of its own for an option of a Spec.
    """
    every = [(name, said) for spec in specs.values() for name, said in spec.options().items()]

    def decorated(command: Callable[..., R]) -> Callable[..., R]:
        own = signature(command).parameters
        if both := [name for name, _ in every if name in own and name not in specs]:
            raise TypeError(f"{command.__name__}: {', '.join(both)}; the Spec has it, so ask that")

        @wraps(command)
        def called(**given: Any) -> R:
            with usage():
                asked = {name: _asked(spec, given) for name, spec in specs.items()}
            return command(**asked, **given)

        made: Callable[..., R] = called
        for name, said in reversed(every):
            if said.flag is not None:
                made = _option(name, said)(made)
        return made

    return decorated


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
    return click.option(
        flag,
        name,
        cls=CommandOption if said.is_command else None,
        type=click.Choice(said.choices) if said.choices else Parsed(said.metavar, said.converter),
        multiple=said.many,
        required=required,
        metavar=said.metavar or None,
        help=said.help,
        **shown,
    )
