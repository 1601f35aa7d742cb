"""Where simulated instruments run: by the option, or by the link."""

import click
import pytest

from plexor.commands import workers
from plexor.commands.workers import executor_of, executor_option


@pytest.fixture
def opened(monkeypatch):
    """Return the forms that executors were made of, each of which opens as itself."""
    monkeypatch.setattr(workers, "parse_executor", lambda text: lambda: text)


@pytest.mark.usefixtures("opened")
def test_a_device_that_there_is_one_of_has_one_process_and_a_simulated_one_all_cores():
    assert executor_of("tcp://h:1", None)() == "local:1"
    assert executor_of("serial:/dev/ttyUSB0", None)() == "local:1"
    assert executor_of("sim:", None)() == "local"
    assert executor_of("sim:ce30?channels=4", None)() == "local"


def test_the_option_decides_for_simulated_instruments():
    opener = lambda: "mine"  # noqa: E731
    assert executor_of("sim:", opener) is opener


def test_the_option_is_refused_for_a_device_that_there_is_one_of():
    with pytest.raises(click.UsageError, match="--executor"):
        executor_of("tcp://h:1", lambda: "mine")


@click.command()
@executor_option
def command(executor):
    return executor


def test_the_option_opens_nothing_until_it_is_asked_and_refuses_with_the_value():
    assert command.main([], standalone_mode=False) is None
    assert callable(command.main(["--executor", "dask://h:8786"], standalone_mode=False))
    with pytest.raises(click.BadParameter, match=r"'cloud'.*local:PROCESSES"):
        command.main(["--executor", "cloud"], standalone_mode=False)
