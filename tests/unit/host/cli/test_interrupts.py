# SPDX-License-Identifier: Apache-2.0
"""Signals during a run: the first asks for its stop, the second interrupts."""

import os
import signal
import threading

import pytest

from plexor.cli.interrupts import stop_on_signals

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(params=SIGNALS, name="number")
def one_signal(request):
    """Return a signal that raises KeyboardInterrupt where nobody has said otherwise."""
    before = signal.signal(request.param, signal.default_int_handler)
    yield request.param
    signal.signal(request.param, before)


def test_the_first_signal_asks_for_the_stop_and_raises_nothing(number):
    with stop_on_signals() as stop:
        assert not stop.asked
        os.kill(os.getpid(), number)
        assert stop.asked


def test_a_second_signal_of_either_kind_interrupts(number):
    for second in SIGNALS:
        with stop_on_signals():
            os.kill(os.getpid(), number)
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), second)


def test_afterwards_the_first_signal_interrupts_again(number):
    handlers = [signal.getsignal(each) for each in SIGNALS]
    with pytest.raises(LookupError), stop_on_signals():
        raise LookupError
    assert [signal.getsignal(each) for each in SIGNALS] == handlers
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)


def test_a_signal_after_a_stop_that_a_thread_asked_for_interrupts(number):
    with stop_on_signals() as stop:
        thread = threading.Thread(target=stop.ask)
        thread.start()
        thread.join()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)


def test_in_a_thread_no_handler_is_installed():
    handlers, found = [signal.getsignal(each) for each in SIGNALS], []

    def work():
        with stop_on_signals() as stop:
            found.append((stop.asked, [signal.getsignal(each) for each in SIGNALS]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(False, handlers)]
