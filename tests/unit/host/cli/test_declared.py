# SPDX-License-Identifier: Apache-2.0
"""Each command that is declared has a body, which takes what the command asks and nothing else."""

import inspect
from importlib import import_module

import pytest

from plexor.cli import every_command
from plexor.cli.specs import BODY, SPECS

COMMANDS = dict(every_command())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_body_takes_what_its_command_gives(name):
    command = COMMANDS[name]
    module, _, function = getattr(command.callback, BODY).partition(":")
    body = getattr(import_module(module), function)
    specs = getattr(command.callback, SPECS)
    read = {option for spec in specs.values() for option in spec.options()}
    given = {parameter.name for parameter in command.params} - read | set(specs)
    taken = inspect.signature(body).parameters
    needed = {own.name for own in taken.values() if own.default is own.empty}
    assert needed <= given
    assert not given - set(taken) - {"view", "suite"}


def test_no_body_is_imported_by_the_declarations():
    bodies = {getattr(command.callback, BODY).partition(":")[0] for command in COMMANDS.values()}
    declared = {command.callback.__module__ for command in COMMANDS.values()}
    assert not bodies & declared
