"""An instrument without events is asked for none, and who needs them is told."""

from types import SimpleNamespace

import pytest

from plexor.calibration import run as calibration_run
from plexor.errors import UsageError
from plexor.identity import Identity
from plexor.phase import run as phase_run
from plexor.plan import plan_of
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import Stream
from plexor.selftest import run as selftest_run
from plexor.settings import Settings

WITHOUT_EVENTS = Identity(Geometry(features=ALL_FEATURES & ~(Feature.EVENTS | Feature.RING)), 1)


def plan(identity, **settings):
    return plan_of(Settings(**settings), identity)


def test_an_instrument_without_events_is_asked_for_none():
    assert plan(Identity(Geometry(), 1)).value("control", "stream") == 1
    assert plan(Identity(Geometry(), 1), stream=Stream.OFF).value("control", "stream") == 0
    assert plan(WITHOUT_EVENTS).value("control", "stream") == 0
    with pytest.raises(ValueError, match=r"mode: stream; .* without EVENTS .*; must be dump$"):
        plan(WITHOUT_EVENTS, stream=Stream.LIVE)


@pytest.mark.parametrize(
    ("what", "ask"),
    [
        ("calibrate", lambda device: calibration_run.calibrate(device, calibration_run.Wanted())),
        ("selftest", lambda device: selftest_run.selftest(device, selftest_run.Wanted({}))),
        ("phase", lambda device: phase_run.run(device, None)),
    ],
)
def test_what_needs_every_event_says_so_of_an_instrument_without(what, ask):
    with pytest.raises(UsageError) as error:
        ask(SimpleNamespace(identity=WITHOUT_EVENTS))
    assert str(error.value) == (
        f"{what}: needs every event; this instrument was built without EVENTS and sends none"
    )
