# SPDX-License-Identifier: Apache-2.0
"""What a run waits for, and its stop that expects no answer."""

from types import SimpleNamespace

import pytest

from plexor.base.errors import InstrumentError, LinkError, StoreError
from plexor.protocol.registers import Action, address
from plexor.run.session.run import STILL_S, LiveRun
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...runs import TIMEOUTS_S
from ...scenario import Scenario


def run_on(device):
    """Return a run whose settings do not matter."""
    return LiveRun(device, None, None, None)


@pytest.mark.parametrize("patience", [1, 60])
def test_a_simulated_board_may_stand_still_as_many_times_longer_as_it_has_patience(patience):
    assert run_on(SimpleNamespace(patience=patience)).still_s == STILL_S * patience == 60 * patience


def test_a_quiet_stop_is_one_command():
    with FakeDevice(Scenario([50])) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            run_on(device).stop_quietly()
        assert fake.written == [(address("control", "action"), Action.STOP)]


def test_a_quiet_stop_is_sent_once_and_waits_a_second_at_most():
    sent = []
    run_on(SimpleNamespace(write_once=lambda *args: sent.append(args))).stop_quietly()
    ((*command, most_wait_s),) = sent
    assert command == ["control", "action", Action.STOP]
    assert 0 < most_wait_s <= 1


@pytest.mark.parametrize("error", [LinkError("gone"), InstrumentError("refused")])
def test_a_quiet_stop_that_fails_is_no_error(error):
    def failing(*_):
        raise error

    run_on(SimpleNamespace(write_once=failing)).stop_quietly()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StoreError("disk full"), ValueError("x")])
def test_a_quiet_stop_hides_nothing_that_is_not_the_instruments(error):
    def failing(*_):
        raise error

    with pytest.raises(type(error)):
        run_on(SimpleNamespace(write_once=failing)).stop_quietly()
