# SPDX-License-Identifier: Apache-2.0
"""What a run was, in words."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.model.calibration import Scale
from plexor.model.results import Accounting, Identity, Imported
from plexor.model.settings import AppliedSetting, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Trigger
from plexor.show.facts import (
    books,
    clock,
    computed,
    conserved,
    device_name,
    dithers,
    headline,
    instrument,
    left_out,
    sentence,
    summary,
    ways,
)

from ..figures.analyse.planted import CALIBRATION


@pytest.fixture
def run(run_of):
    return run_of([[1000, 2000], [3000, 4000]])


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ({"os": "FreeRTOS", "board": "i5"}, "FreeRTOS on i5"),
        ({"os": "FreeRTOS", "dut": "x"}, "FreeRTOS"),
        ({"board": "i5"}, "i5"),
        ({"dut": "irq.toml"}, "irq.toml"),
        ({}, ""),
    ],
)
def test_a_device_is_named_by_system_and_board(run, device, name):
    assert device_name(device) == name
    assert headline(analyse(replace(run, device=device))) == (name or "Response latency")


MS = Fraction(1, 1000)


@pytest.mark.parametrize(
    ("strikes", "said"),
    [
        ((Stimulus(0, MS),), "1 kHz"),
        ((Stimulus(0, MS, burst=5),), "5 kHz"),
        ((Stimulus(0),), "once"),
        ((Stimulus(0, MS, poisson=True),), "Poisson, 1 kHz"),
        ((Stimulus(0, poisson=True),), "Poisson"),
        ((Stimulus(0, MS, trigger=Trigger.GATE),), "1 kHz while the gate is high"),
        ((Stimulus(0, trigger=Trigger.CODE, trigger_code=0x43),), "on each code 0x43"),
        (
            (Stimulus(0, trigger=Trigger.LATENCY, trigger_over_s=MS / 20),),
            "on each latency over 50 µs",
        ),
        ((Stimulus(0, trigger=Trigger.LATENCY),), "on each latency over the limit"),
        ((Stimulus(0, trigger=Trigger.MISSED),), "on each missed strike"),
        (
            (Stimulus(0, MS), Stimulus(1, trigger=Trigger.STRIKE)),
            "strike0 1 kHz · strike1 on each strike0",
        ),
    ],
)
def test_each_output_says_how_it_strikes(run, strikes, said):
    found = summary(analyse(replace(run, settings=Settings(strikes))))
    assert found == f"2 strikes · {said} · 200 µs · simulated"


def test_load_interrupt_and_doubt_are_said(run):
    loaded = replace(run, settings=replace(run.settings, load=True), interrupted=True)
    loaded = replace(loaded, device={"load": "cpu"}, invalid_reasons=("x",))
    assert summary(analyse(loaded)).endswith(
        "load output on (cpu) · simulated · interrupted · INVALID RUN"
    )
    assert "· load output on · " in summary(analyse(replace(loaded, device={})))
    ran = replace(loaded, device_load="critical")
    assert "· under load critical · " in summary(analyse(ran))
    assert "· idle · " in summary(analyse(replace(ran, device_load="none")))
    named = replace(ran, device_load="none", device={"dut": "freertos:ppm=3,load=critical"})
    assert "· idle, load critical not put on · " in summary(analyse(named))
    named = replace(named, device={"dut": "freertos:load=none"})
    assert "· idle · " in summary(analyse(named))


def test_books_that_do_not_hold_are_no_equation():
    assert books(Accounting(1500, 1400, 60, 40)) == (
        "generated 1,500 = received 1,400 + dropped on chip 60 + lost on the link 40"
    )
    assert books(Accounting(9, 9, 0, 0, masked=1200)).endswith(" · 1,200 codes not to be sent")
    assert "generated 1,500 ≠ received" in books(Accounting(1500, 1400, 60, 41))


def test_disorder_is_told_by_its_kind():
    found = books(Accounting(1, 1, 0, 0, disorder={"reordered": 1200, "late": 2, "odd": 3}))
    assert found.endswith(" · 2 frames too late · 3 frames odd · 1,200 frames put back in order")


def test_what_is_said_of_several_channels_is_said_once(run):
    found = replace(
        run,
        computed_on_host=("ISR.fall", "TASK.fall", "TASK: classes"),
        omitted=("ISR.width: events are missing", "TASK.width: events are missing"),
    )
    report = analyse(found)
    assert computed(report) == "computed on the host, from events: fall; classes"
    assert left_out(report) == ("not on the chip, and left out: width: events are missing")
    assert (computed(analyse(run)), left_out(analyse(run))) == ("", "")


def test_a_name_that_begins_another_is_not_taken_for_it(run_of):
    run = run_of([[1000], [2000]], names=["A", "A.b"])
    found = analyse(replace(run, computed_on_host=("A.fall", "A.b.fall")))
    assert computed(found) == "computed on the host, from events: fall"


def test_an_instrument_says_its_board_gateware_build_and_protocol(run):
    identity = Identity(Geometry(board="ulx3s", tick_fs=500_000), 0xAB, 2 << 16 | 1, 0xCD)
    assert instrument(analyse(replace(run, identity=identity))) == (
        "ulx3s, gateware 00000000000000ab, build 00000000000000cd, protocol 2.1, 4 channels,"
        " tick 0.5 ns"
    )
    unknown = Identity(Geometry(board=""), 0xAB)
    assert ", build unknown, " in instrument(analyse(replace(run, identity=unknown)))
    assert instrument(analyse(replace(run, identity=unknown))).startswith("unnamed, ")


def test_channels_whose_classes_do_not_add_up_are_named(run):
    one, other = run.channels
    assert conserved(analyse(run)).startswith("every strike and every response edge")
    broken = replace(run, channels=(one, replace(other, pending=1)))
    assert conserved(analyse(broken)) == "classes do not add up on TASK"
    struck = {**other.classes, ResponseClass.STRIKES: other.classes[ResponseClass.STRIKES] + 1}
    cut = replace(run, channels=(one, replace(other, pending=1, classes=struck)))
    assert conserved(analyse(cut)).endswith("exactly one class; pending at the end: 1 of TASK")


def test_a_run_says_how_exact_its_oscillator_is_and_what_was_measured_of_it(run):
    board = replace(run, identity=Identity(Geometry(board="ulx3s25f"), 0xAB), calibration=None)
    said = clock(analyse(board))
    assert said.startswith("the board's oscillator is within ± 50 ppm (assumed of Y1, FNETHE025")
    assert said.endswith("50 ns in 1 ms")
    scale = Scale(-12_345, 2100, "10 MHz on ch7", "2026-11-24T12:00:00+00:00")
    measured = replace(board, calibration=replace(CALIBRATION, scale=scale))
    assert clock(analyse(measured)) == (
        "by 10 MHz on ch7 on 2026-11-24T12:00:00+00:00 the oscillator is -12.35 ± 2.10 ppm fast; "
        "corrected figures take that into account, ticks do not"
    )
    other = replace(board, imported=Imported("a.vcd", "VCD", 1000, {}, {}))
    assert clock(analyse(other)) == ways(analyse(other)) == ""


def test_a_board_that_is_not_calibrated_says_what_its_latencies_have_in_them(run):
    features = Geometry().features & ~Feature.SIMULATED
    board = replace(run, identity=Identity(Geometry(features=features), 0xAB), calibration=None)
    assert ways(analyse(board)).startswith("not calibrated: latencies are late by the ways over")
    assert ways(analyse(replace(board, calibration=CALIBRATION))) == ""
    assert ways(analyse(run)) == ""


def test_a_dither_that_is_not_the_one_requested_is_said_with_both(run):
    """The run's tick is a nanosecond."""
    echo = (
        AppliedSetting("strike0.dither", MS / 1000, Fraction(1024, 10**9)),
        AppliedSetting("strike1.dither", Fraction(1024, 10**9), Fraction(1024, 10**9)),
        AppliedSetting("strike0.period", MS, MS * 2),
    )
    assert run.tick_fs == 1_000_000
    assert dithers(replace(run, echo=echo)) == [
        "strike0.dither: 1 µs requested, 1.024 µs used; the chip draws a power of two of ticks, "
        "here 1,024"
    ]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["A"], "How late A answers: "),
        (["A", "B"], "How late A and B answer: "),
        (["A", "B", "C", "D"], "How late A, B, C and D answer: "),
        (["A", "B", "C", "D", "E"], "How late A, B, C and 2 more answer: "),
        (["A", "B", "C", "D", "E", "F", "G"], "How late A, B, C and 4 more answer: "),
    ],
)
def test_four_channels_are_named_and_of_more_the_first_three_and_how_many_follow(
    run_of, names, said
):
    run = run_of([[1000]] * len(names), names=names)
    assert sentence(analyse(run)).startswith(said)
