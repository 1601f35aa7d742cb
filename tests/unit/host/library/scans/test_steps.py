# SPDX-License-Identifier: Apache-2.0
"""Whatever ends a sweep or a burst scan, nothing that was found is lost."""

import pytest

import plexor
from plexor.base.errors import InvalidRunError
from plexor.library.scans.burst import scanned
from plexor.library.scans.burst_spec import BurstSpec
from plexor.library.scans.sweep import swept
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.options import Target
from plexor.run.session.stop import Stop

from .answering import Answering

CHANNELS = {"channels": ["ISR=ch0", "TASK=ch1"]}
SCANS = {
    "sweep": (swept, SweepSpec, {"low": "1k", "high": 100_000}),
    "burst": (scanned, BurstSpec, {"low": "2us", "high": "16us", "period": "1ms"}),
}


@pytest.fixture(params=SCANS)
def scan(request, tmp_path):
    """Return what takes a scan of a planted device into a folder; it returns the device too."""
    take, spec, asked = SCANS[request.param]

    def scan(planted=None, **options):
        device = planted or Answering()
        options = {"executor": lambda: device, "out": tmp_path / "s", **CHANNELS, **options}
        return take(spec.of(asked | options), Target(link="sim:synthetic")), device

    return scan


def stopping(when, how):
    """Return a listener that ends a scan at a step."""

    def on_step(*step):
        if step[-2] == when:
            how()

    return on_step


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize("how", ["stop", "interrupt"])
def test_a_scan_that_is_stopped_is_kept_and_returned_and_goes_on(scan, tmp_path, how):
    stop = Stop()
    on_step = stopping(4, stop.ask if how == "stop" else interrupt)
    found, begun = scan(on_step=on_step, stop=stop)
    assert found.interrupted
    assert found.error is None
    assert plexor.load(tmp_path / "s").result == found.result
    whole, rest = scan()
    assert not whole.interrupted
    assert len(begun.jobs) >= 4
    assert not {job.draws_of for job in begun.jobs} & {job.draws_of for job in rest.jobs}
    assert rest.jobs


def test_an_exception_of_the_caller_is_raised_and_loses_nothing(scan, tmp_path):
    def fail():
        raise ZeroDivisionError("a plot of mine")

    with pytest.raises(ZeroDivisionError, match="a plot of mine"):
        scan(on_step=stopping(4, fail))
    assert plexor.load(tmp_path / "s").interrupted


def test_a_step_that_fails_ends_the_scan_with_its_error_and_what_was_found(scan, tmp_path):
    found, _ = scan(Answering(fails_after=5))
    assert isinstance(found.error, InvalidRunError)
    assert plexor.load(tmp_path / "s").result == found.result


def test_the_first_step_that_fails_is_raised(scan, tmp_path):
    with pytest.raises(InvalidRunError, match="the cable fell out"):
        scan(Answering(fails_after=0))
    assert not list(tmp_path.iterdir())
