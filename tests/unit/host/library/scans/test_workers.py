# SPDX-License-Identifier: Apache-2.0
"""Where the runs of a scan are taken: by the option, or by the link."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.scans import workers
from plexor.library.scans.workers import executor, live, workers_of


@pytest.fixture
def opened(monkeypatch):
    """Have executors be made of forms, each of which opens as itself."""
    monkeypatch.setattr(workers, "parse_executor", lambda text: lambda: text)


@pytest.mark.usefixtures("opened")
def test_a_device_that_there_is_one_of_has_one_process_and_a_simulated_one_all_cores():
    assert workers_of("tcp://h:1", None)() == "local:1"
    assert workers_of("serial:/dev/ttyUSB0", None)() == "local:1"
    assert workers_of("sim:", None)() == "local"
    assert workers_of("sim:ce30?channels=4", None)() == "local"


@pytest.mark.usefixtures("opened")
def test_the_option_is_a_text_or_what_opens_an_executor():
    assert executor("local:2")() == "local:2"
    opener = lambda: "mine"  # noqa: E731
    assert executor(opener) is opener
    assert workers_of("sim:", opener) is opener


def test_a_text_that_names_no_executor_is_refused_with_it():
    with pytest.raises(ValueError, match=r"'cloud'.*local:PROCESSES"):
        executor("cloud")


def test_the_option_is_refused_for_a_device_that_there_is_one_of():
    with pytest.raises(UsageError, match=r"^executor applies only to simulated"):
        workers_of("tcp://h:1", lambda: "mine")
    with pytest.raises(UsageError, match=r"^--executor applies"):
        workers_of("tcp://h:1", lambda: "mine", lambda name: f"--{name}")


def test_a_recording_cannot_be_scanned():
    with pytest.raises(UsageError, match=r"file:wire\.bin.*is a recording"):
        live("file:wire.bin")
    with pytest.raises(UsageError, match="is a recording"):
        workers_of("file:wire.bin", None)
