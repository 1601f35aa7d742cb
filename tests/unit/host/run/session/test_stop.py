# SPDX-License-Identifier: Apache-2.0
"""Stops and interrupts of runs: the instrument is stopped, and what was measured is kept."""

import os
import signal
import threading
from contextlib import nullcontext
from dataclasses import replace

import pytest

from plexor.protocol.registers import Action, StopReason, address
from plexor.run.session import session
from plexor.run.session.fetch import fetch
from plexor.run.session.session import measure, measure_whole
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...runs import LATENCIES, SETTINGS, TIMEOUTS_S, run
from ...scenario import Scenario


class Deaf(FakeDevice):
    """A device whose run goes on whatever it is told."""

    def _finish(self, reason):
        del reason


def stops(fake):
    """How often a fake device was told to stop."""
    return fake.written.count((address("control", "action"), Action.STOP))


def test_an_interrupt_stops_the_run_and_keeps_it():
    result, fake = run(endless=True, on_progress=_interrupt_once())
    assert result.interrupted
    assert result.valid, result.invalid_reasons
    assert result.stop_reason == StopReason.COMMAND
    assert len(result.events) == len(fake.scenario.events)


def _interrupt_once():
    done = []

    def on_progress(progress):
        if not done:
            done.append(progress)
            raise KeyboardInterrupt

    return on_progress


def test_an_interrupt_of_the_process_stops_the_run_and_keeps_it():
    begun = []

    def on_progress(progress):
        # Before the run has begun, an interrupt would end pytest.
        if not begun:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        begun.append(progress)

    result, _ = run(endless=True, on_progress=on_progress)
    assert result.interrupted
    assert result.valid, result.invalid_reasons


def test_a_run_leaves_the_handlers_of_signals_alone():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    seen = []

    def on_progress(progress):
        seen.append([signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)])
        if len(seen) == 2:
            raise KeyboardInterrupt

    run(endless=True, on_progress=on_progress)
    assert all(handlers == before for handlers in seen)


def test_a_stop_that_another_thread_asks_for_ends_the_run_and_keeps_it():
    stop = Stop()
    threading.Timer(0.3, stop.ask).start()
    result, fake = run(endless=True, stop=stop)
    assert result.interrupted
    assert result.valid, result.invalid_reasons
    assert result.stop_reason == StopReason.COMMAND
    assert len(result.events) == len(fake.scenario.events)


def test_a_run_in_a_thread_can_be_stopped():
    stop, found = Stop(), []
    thread = threading.Thread(target=lambda: found.append(run(endless=True, stop=stop)))
    thread.start()
    stop.ask()
    thread.join(60)
    ((result, fake),) = found
    assert result.interrupted
    assert result.valid, result.invalid_reasons
    assert fake.starts == 1


def test_a_stop_that_comes_after_the_end_of_a_run_does_not_interrupt_it(monkeypatch):
    stop = Stop()

    def fetch_late(*parts):
        stop.ask()
        fetch(*parts)

    monkeypatch.setattr(session, "fetch", fetch_late)
    result, fake = run(stop=stop)
    assert stop.asked
    assert not result.interrupted
    assert result.valid, result.invalid_reasons
    assert stops(fake) == 0


def test_a_second_interrupt_keeps_what_has_come_and_stops_the_instrument():
    def on_progress(progress):
        raise KeyboardInterrupt

    with Deaf(Scenario(LATENCIES), endless=True) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            result = measure(device, SETTINGS, on_progress)
    assert result.interrupted
    broken = "the end of the run was never seen: interrupted before the results came"
    assert broken in result.invalid_reasons
    assert result.accounting.received == len(fake.scenario.events)
    assert stops(fake) == 2


@pytest.mark.parametrize("stage", ["prepare", "start"])
def test_an_interrupt_at_the_start_stops_the_instrument_and_is_raised(monkeypatch, stage):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(session, stage, interrupted)
    with FakeDevice(Scenario(LATENCIES), endless=True) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            with pytest.raises(KeyboardInterrupt):
                measure(device, SETTINGS)
            assert device.consumer is None
    assert stops(fake) == 1


@pytest.mark.parametrize("how", ["interrupted", "stopped", "neither"])
def test_of_a_run_that_must_be_whole_no_part_is_given(monkeypatch, run_of, how):
    whole, stop = run_of([[1000]]), Stop()
    monkeypatch.setattr(
        session, "measure", lambda *_, stop: replace(whole, interrupted=how == "interrupted")
    )
    if how == "stopped":
        stop.ask()
    with nullcontext() if how == "neither" else pytest.raises(KeyboardInterrupt):
        assert measure_whole(None, whole.settings, stop).events is whole.events
