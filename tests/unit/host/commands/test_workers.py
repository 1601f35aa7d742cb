"""The option that says where simulated instruments run."""

import click
import pytest

from plexor.commands.workers import executor_option


@click.command()
@executor_option
def command(executor):
    return executor


def test_the_option_opens_nothing_until_it_is_asked_and_refuses_with_the_value():
    assert command.main([], standalone_mode=False) is None
    assert callable(command.main(["--executor", "dask://h:8786"], standalone_mode=False))
    with pytest.raises(click.BadParameter, match=r"'cloud'.*local:PROCESSES"):
        command.main(["--executor", "cloud"], standalone_mode=False)
