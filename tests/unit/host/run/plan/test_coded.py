# SPDX-License-Identifier: Apache-2.0
"""Registers of what the chip makes of codes, as settings ask for them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.codes import Codes, Port, Wires
from plexor.model.identity import Identity
from plexor.model.settings import Channel, Settings, Stall, Stimulus
from plexor.protocol.frames import SOURCE_CODE, SOURCE_STRIKE
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import StopOn, Trigger
from plexor.run.plan.registers import plan_of

MS = Fraction(1, 1000)
GEOMETRY = Geometry(code_bits=8, features=ALL_FEATURES | Feature.CODES)
IDENTITY = Identity(GEOMETRY, 1)
SETTINGS = Settings(
    strikes=(Stimulus(0, MS),), channels=(Channel(2), Channel(3), Channel(1)), time_s=MS
)


def test_the_first_channel_that_answers_is_counted_by_code():
    assert plan_of(SETTINGS, IDENTITY).value("code", "latency_channel") == 2
    wired = replace(SETTINGS, codes=Codes(wires=Wires(2, 3)))
    assert plan_of(wired, IDENTITY).value("code", "latency_channel") == 1


def test_an_instrument_without_a_code_port_is_told_nothing_of_it():
    writes = plan_of(SETTINGS, Identity(Geometry(), 1)).registers
    assert "code" not in {write.block for write in writes}


def test_a_stall_and_a_code_are_in_ticks_and_armed():
    plan = plan_of(replace(SETTINGS, stall=Stall(SOURCE_CODE, 2 * MS), stop_code=0x43), IDENTITY)
    assert plan.value("code", "stall_source") == SOURCE_CODE
    assert plan.value("code", "stall_ticks") == 2_000_000
    assert plan.value("code", "stop_code") == 0x43
    assert plan.value("control", "stop_on") == StopOn.TIME | StopOn.STALL | StopOn.CODE
    assert plan_of(SETTINGS, IDENTITY).value("control", "stop_on") == StopOn.TIME


@pytest.mark.parametrize("source", [0, SOURCE_STRIKE + 1, SOURCE_STRIKE + 7])
def test_a_source_without_events_cannot_stall(source):
    with pytest.raises(ValueError, match="is not enabled"):
        plan_of(replace(SETTINGS, stall=Stall(source, MS)), IDENTITY)


@pytest.mark.parametrize("change", [{"stall": Stall(SOURCE_CODE, MS)}, {"stop_code": 3}])
def test_a_build_without_a_code_port_is_refused(change):
    with pytest.raises(ValueError, match="CODES"):
        plan_of(replace(SETTINGS, **change), Identity(Geometry(), 1))


def test_a_code_must_have_the_ports_bits():
    with pytest.raises(ValueError, match="code: 0x100; must be at most 0xff"):
        plan_of(replace(SETTINGS, stop_code=256), IDENTITY)


ON_CODE = Stimulus(0, count=1, trigger=Trigger.CODE, trigger_code=0x43)
CODED = replace(SETTINGS, strikes=(ON_CODE,), codes=Codes(port=Port(), bits=8))


def test_a_code_starts_an_output_with_its_number():
    plan = plan_of(CODED, IDENTITY)
    assert plan.value("stimulus", "trigger", 0) == Trigger.CODE
    assert plan.value("code", "trigger_code") == 0x43
    assert plan_of(SETTINGS, IDENTITY).value("code", "trigger_code") == 0


@pytest.mark.parametrize(
    ("change", "identity", "wrong"),
    [
        ({}, Identity(Geometry(), 1), "CODES"),
        ({"codes": None}, IDENTITY, "start: code:0x43; must come at the code port"),
        ({"codes": Codes(wires=Wires(2, 3))}, IDENTITY, "must come at the code port"),
        (
            {"strikes": (ON_CODE, replace(ON_CODE, output=1, trigger_code=7))},
            IDENTITY,
            "start: code:0x43 and code:0x7; one code can start strikes",
        ),
        ({"strikes": (replace(ON_CODE, trigger_code=256),)}, IDENTITY, "code: 0x100; must be at"),
    ],
)
def test_a_code_that_cannot_start_strikes_is_refused(change, identity, wrong):
    with pytest.raises(ValueError, match=wrong):
        plan_of(replace(CODED, **change), identity)


def test_a_stall_is_as_long_as_its_register_holds():
    tick_s = Fraction(GEOMETRY.tick_fs, 10**15)
    most = (1 << 48) - 1
    for ticks in (1, most):
        asked = replace(SETTINGS, stall=Stall(SOURCE_CODE, ticks * tick_s))
        assert plan_of(asked, IDENTITY).value("code", "stall_ticks") == ticks
    with pytest.raises(ValueError, match=f"stall: .*; must be at most {most} ticks"):
        plan_of(replace(SETTINGS, stall=Stall(SOURCE_CODE, (most + 1) * tick_s)), IDENTITY)
