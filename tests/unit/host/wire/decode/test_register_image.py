# SPDX-License-Identifier: Apache-2.0
"""What is known of registers: words as they were answered, values from all their words."""

import pytest

from plexor.model.identity import Identity
from plexor.protocol.frames import OPERATION, Frame, FrameType, LogCode, OpCode, OpStatus
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import CHANNEL, CONTROL, STEP, STIMULUS, address
from plexor.wire.decode.register_image import (
    RegisterImage,
    enabled,
    end_registers,
    named,
    setup_keys,
    setup_registers,
    step_count_of,
)

from ...ended import image_of

GEOMETRY = Geometry(channels=2, strikes=1)


def response(*operations):
    """Return a RESPONSE frame of (address, status, value)."""
    packed = [
        OPERATION.pack({"address": at, "code": OpCode.READ, "status": status, "value": value})
        for at, status, value in operations
    ]
    return Frame(FrameType.RESPONSE, 0, len(packed), 0, 0, 0, b"".join(packed))


def test_a_register_of_two_words_is_known_when_both_came_and_has_the_low_one_first():
    image, at = RegisterImage(), address("status", "end_ticks")
    image.update(response((at + 1, OpStatus.OK, 0x0123_4567)))
    assert not image.has("status", "end_ticks")
    with pytest.raises(KeyError):
        image.value("status", "end_ticks")
    image.update(response((at, OpStatus.OK, 0x89AB_CDEF)))
    assert image.has("status", "end_ticks")
    assert image.value("status", "end_ticks") == 0x0123_4567_89AB_CDEF


@pytest.mark.parametrize("status", [entry for entry in OpStatus if entry != OpStatus.OK])
def test_what_was_refused_changes_nothing(status):
    image, at = RegisterImage(), address("control", "stop_on")
    image.update(response((at, OpStatus.OK, 3), (at, status, 9)))
    assert image.value("control", "stop_on") == 3


def test_an_operation_that_is_cut_short_is_left_out():
    whole = response((address("control", "stop_on"), OpStatus.OK, 3))
    cut = Frame(FrameType.RESPONSE, 0, 1, 0, 0, 0, whole.payload[:-4])
    image = RegisterImage()
    image.update(cut)
    assert image.words == {}


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        # 32 bits in two's complement; 31 and 5 bits without a sign, the rest of the word ignored.
        ("zoom_rise_ticks", 0xFFFF_FFFF, -1),
        ("zoom_rise_ticks", 0x8000_0000, -(1 << 31)),
        ("deadline_ticks", 0x7FFF_FFFF, (1 << 31) - 1),
        ("filter_ticks", 0xFFFF_FFE1, 1),
    ],
)
def test_a_value_has_the_registers_bits_and_sign(name, word, value):
    image = RegisterImage()
    image.update(response((address("channel", name, 1), OpStatus.OK, word)))
    assert image.value("channel", name, 1) == value
    assert not image.has("channel", name, 0)


def test_a_register_forgotten_is_known_no_more_and_its_neighbours_are():
    image = image_of(
        ("control", 0, "run_time_ticks", 1 << 40), ("control", 0, "settle_ticks", 1 << 40)
    )
    image.forget([("control", 0, "run_time_ticks")])
    assert image.words.keys() == {address("control", "settle_ticks") + n for n in range(2)}


def test_only_the_log_frame_of_a_simulated_board_says_what_its_link_carries():
    image = RegisterImage()
    for code in LogCode:
        if code != LogCode.SIMULATED:
            image.hear(Frame(FrameType.LOG, 0, code, 0, 7, 0))
    assert image.simulated_bytes_s is None
    image.hear(Frame(FrameType.LOG, 0, LogCode.SIMULATED, 0, 0, 0))
    assert image.simulated_bytes_s == 0


def test_the_load_is_set_up_though_it_may_be_written_at_any_time():
    names = {name for _, _, name in setup_keys(CONTROL)}
    assert "load" in names
    assert not names & {"action", "dump_spaces", "uart_divisor"}


def test_of_what_is_not_enabled_or_not_known_only_that_sets_a_run_up():
    image = image_of(("channel", 0, "enable", 1), ("channel", 1, "enable", 0))
    places = setup_registers(image, GEOMETRY)
    assert [place for place in places if place[0] == "channel"] == [
        *setup_keys(CHANNEL, 0),
        ("channel", 1, "enable"),
    ]
    assert [place for place in places if place[0] == "stimulus"] == [("stimulus", 0, "enable")]
    assert enabled(image, CHANNEL, 0) is True
    assert enabled(image, CHANNEL, 1) is False
    assert enabled(image, STIMULUS, 0) is None


@pytest.mark.parametrize(
    ("asked", "room", "steps"), [(3, 64, 3), (5, 4, 4), (70, None, 64), (None, 64, 0), (3, 0, 3)]
)
def test_a_table_has_the_steps_asked_and_no_more_than_there_is_room_for(asked, room, steps):
    values = [("control", 0, "step_count", asked), ("identity", 0, "table_steps", room)]
    image = image_of(*(entry for entry in values if entry[3] is not None))
    assert step_count_of(image) == steps
    own = [place for place in setup_registers(image, GEOMETRY) if place[0] == "step"]
    assert own == [place for number in range(steps) for place in setup_keys(STEP, number)]


def test_a_build_without_a_table_is_asked_for_no_step():
    without = Geometry(features=ALL_FEATURES & ~Feature.SWEEP)
    assert ("control", 0, "step_count") in setup_registers(RegisterImage(), Geometry())
    assert ("control", 0, "step_count") not in setup_registers(RegisterImage(), without)
    assert ("status", 0, "step") in end_registers(Identity(Geometry(), 1))
    assert ("status", 0, "step") not in end_registers(Identity(without, 1))


def test_a_run_ends_with_the_lanes_and_sources_that_the_build_has():
    geometry = Geometry(channels=2, strikes=1, features=Feature.EVENTS)
    places = end_registers(Identity(geometry, 1))
    assert [place for place in places if place[0] == "channel_status"] == [
        ("channel_status", 0, "pending"),
        ("channel_status", 1, "pending"),
    ]
    sources = {copy for block, copy, _ in places if block == "source"}
    assert sources == {0, 1, 8, 16}


def test_unknown_registers_are_those_of_which_a_word_is_not_there():
    image = image_of(("matcher", 0, "policy", 1))
    places = [("matcher", 0, "policy"), ("channel", 3, "enable"), ("matcher", 0, "early_ticks")]
    assert image.unknown(places) == places[1:]


def test_the_first_four_registers_are_named_and_the_rest_counted():
    places = [("channel", 3, "enable"), ("matcher", 0, "policy"), ("stimulus", 0, "seed")]
    assert named(places) == "channel[3].enable, matcher.policy, stimulus[0].seed"
    assert named([("status", 0, "step")] * 4) == ", ".join(["status.step"] * 4)
    assert named([("status", 0, "step")] * 6).endswith("status.step and 2 more")
