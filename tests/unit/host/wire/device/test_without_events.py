# SPDX-License-Identifier: Apache-2.0
"""An instrument without events is asked for none, and who needs them is told."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.base.errors import UsageError
from plexor.experiments.calibration import run as calibration_run
from plexor.experiments.calibration.from_bins import BinObserver
from plexor.experiments.calibration.from_events import EventObserver
from plexor.experiments.phase import run as phase_run
from plexor.experiments.selftest import run as selftest_run
from plexor.experiments.selftest.by_bins import BinWitness
from plexor.experiments.selftest.by_events import EventWitness
from plexor.model.identity import Identity
from plexor.model.settings import Settings
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import Stream
from plexor.run.plan.registers import plan_of

WITHOUT_EVENTS = Identity(Geometry(features=ALL_FEATURES & ~(Feature.EVENTS | Feature.RING)), 1)


def plan(identity, **settings):
    return plan_of(Settings(**settings), identity)


def test_an_instrument_without_events_is_asked_for_none():
    assert plan(Identity(Geometry(), 1)).value("control", "stream") == 1
    assert plan(Identity(Geometry(), 1), stream=Stream.OFF).value("control", "stream") == 0
    assert plan(WITHOUT_EVENTS).value("control", "stream") == 0
    with pytest.raises(ValueError, match=r"^mode: stream: board sim .* EVENTS, .*--mode dump$"):
        plan(WITHOUT_EVENTS, stream=Stream.LIVE)


def test_what_needs_every_event_says_so_of_an_instrument_without():
    with pytest.raises(UsageError) as error:
        phase_run.run(SimpleNamespace(identity=WITHOUT_EVENTS), None)
    assert str(error.value) == (
        "phase: needs every event; board sim was built without EVENTS, events over the link; use a"
        " board of docs/features.md that sends them"
    )


def test_a_phase_scan_against_edges_without_a_period_needs_dither():
    identity = Identity(Geometry(features=ALL_FEATURES & ~Feature.DITHER), 1)
    wanted = phase_run.PhaseGoal((), "ch2", Fraction(1000), 3, points=9, span_s=Fraction(1, 1000))
    with pytest.raises(UsageError) as error:
        phase_run.run(SimpleNamespace(identity=identity), wanted)
    assert str(error.value) == (
        "span: strikes at random; board sim was built without DITHER, dither of strikes; use a"
        " board of docs/features.md that has it"
    )


@pytest.mark.parametrize("features", [ALL_FEATURES, WITHOUT_EVENTS.geometry.features])
def test_who_calibrates_and_tests_is_chosen_by_that_feature_alone(features):
    device = SimpleNamespace(identity=Identity(Geometry(features=features), 1))
    chosen = {type(calibration_run.observer_of(device)), type(selftest_run.witness_of(device))}
    able = Feature.EVENTS in features
    assert chosen == ({EventObserver, EventWitness} if able else {BinObserver, BinWitness})
