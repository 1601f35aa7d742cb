# SPDX-License-Identifier: Apache-2.0
"""A schedule from Python: what is asked of the instrument, what it says, and what is kept."""

import json
from dataclasses import replace

import pytest

from plexor.base.errors import ExitCode, StoreError, UsageError
from plexor.library.load import load_run
from plexor.run.session.stop import Stop
from plexor_lab.mixed import mixed as module
from plexor_lab.mixed.mixed import Mixed
from plexor_lab.mixed.model import Mode
from plexor_lab.mixed.rows import read_rows
from plexor_lab.mixed.run import Callbacks, Taken
from plexor_lab.mixed.spec import MixedSpec

from ...plain_text import columns_and_colour
from .lists import MS, TICK_FS, result_of, run_of

DEVICE = object()


def mixed(line=None, **options):
    """Return the result of a schedule on what stands for an instrument."""
    return module.mixed(DEVICE, MixedSpec.of(options), line)


VERIFY = run_of([10, 20], Mode.VERIFY, None)
NORMAL = run_of([14 * MS, 15 * MS], Mode.NORMAL, None)
FAILS, SAFE = run_of([MS + 1, None], distance=0), run_of([5, 6], distance=1)
RESULT = result_of(VERIFY, NORMAL, FAILS, SAFE)


class Line:
    """A line to a device that is closed at its end."""

    closed = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True


@pytest.fixture
def taken(monkeypatch, run_of):
    """Have the instrument bring back a planted result; return what it was asked."""
    asked, line = [], Line()
    runs = tuple(run_of([[1000, 2000]]) for _ in RESULT.runs)

    def run(*given, **named):
        asked.append((given, named, line.closed))
        return Taken(RESULT, runs)

    monkeypatch.setattr(module, "run", run)
    monkeypatch.setattr(module, "open_line", lambda uri: asked.append(uri) or line)
    return asked


def test_options_a_line_a_listener_and_a_stop_reach_the_instrument(taken):
    stop, told = Stop(), Callbacks()
    found = mixed(count="20", line="tcp://h:1", device={"os": "x"}, told=told, stop=stop)
    uri, ((device, wanted, line, heard), named, closed) = taken
    assert (uri, device, heard) == ("tcp://h:1", DEVICE, told)
    assert (line.closed, closed) == (True, False)
    assert wanted.schedule.count == 20
    assert named == {"stop": stop, "description": {"os": "x"}}
    assert found.result == RESULT


def test_in_mode_normal_the_line_stays_closed(taken):
    mixed(mode="normal", line="tcp://h:1")
    (((_, _, line, _), _, _),) = taken
    assert line is None


@pytest.mark.usefixtures("taken")
def test_a_result_its_lists_and_its_runs_are_kept(tmp_path):
    out = tmp_path / "m"
    found = mixed(out=str(out))
    assert found.unsaved is None
    assert Mixed.load(out).result == RESULT
    tick_fs, rows = read_rows((out / "rows.csv").read_text())
    assert tick_fs == TICK_FS
    assert rows["mixed-0"] == ([*FAILS.rows], [])
    for run in RESULT.runs:
        assert load_run(out / run.name).result.strikes == 2


def test_a_folder_that_holds_something_is_refused_before_the_run(taken, tmp_path):
    (tmp_path / "mine").touch()
    with pytest.raises(UsageError, match=f"^out {tmp_path}: already exists"):
        mixed(out=tmp_path)
    assert taken == []


@pytest.mark.usefixtures("taken")
def test_a_result_that_cannot_be_kept_is_returned_with_why(monkeypatch, tmp_path):
    def full(*_):
        raise StoreError("no room")

    monkeypatch.setattr(module, "put", full)
    found = mixed(out=tmp_path / "m")
    assert (found.result, str(found.unsaved)) == (RESULT, "no room")


def test_a_result_shows_itself():
    found = Mixed(RESULT)
    assert repr(found) == "<plexor.Mixed simulated: verify, normal, mixed-0, mixed-1>"
    assert found.least_safe == 1
    assert found.summaries["mixed-1"].safe
    assert (found.simulated, found.interrupted) == (True, False)
    document = json.loads(json.dumps(found.document()))
    assert document["schema"] == "plexor.mixed/1"
    assert document["figures"]["least_safe_steps"] == 1
    assert "least safe distance: 1 step" in found.text()


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        ((VERIFY, NORMAL, FAILS, SAFE), ExitCode.PASS),
        ((NORMAL,), ExitCode.PASS),
        ((FAILS,), ExitCode.BUDGET),
        ((SAFE, run_of([None], distance=2)), ExitCode.BUDGET),
        ((run_of([MS + 1], Mode.VERIFY, None), SAFE), ExitCode.BUDGET),
        ((replace(SAFE, invalid_reasons=("it broke",)),), ExitCode.INVALID),
    ],
)
def test_the_exit_code_says_whether_the_device_keeps_the_schedule(runs, code):
    assert Mixed(result_of(*runs)).exit_code() == code


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Mixed.text) == (100, False)
