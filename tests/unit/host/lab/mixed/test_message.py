# SPDX-License-Identifier: Apache-2.0
"""Messages to an executor, against bytes worked out from the polynomial by hand."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.mixed.message import MESSAGE_BYTES, Message, MessageKind, Reply, Stretches, crc16

TABLE = [
    (Message(MessageKind.ENTRY, 5, 2), 0, "01 03 01 05 02 02 01 01 03 36 27 00"),
    (Message(MessageKind.RESET), 1, "03 01 03 01 01 01 01 01 03 6f ae 00"),
    (Message(MessageKind.VERIFY, 1, 0x01020304, 8), 255, "0b ff 02 01 08 04 03 02 01 fd 67 00"),
    (Message(MessageKind.QUERY), 2, "03 02 04 01 01 01 01 01 03 5e 7f 00"),
]
"""Bodies cut at their zeros by hand; CRCs shifted bit by bit on paper's terms."""

MESSAGES = st.one_of(
    st.builds(Message, st.just(MessageKind.ENTRY), st.integers(0, 15), st.integers(0, 2**32 - 1)),
    st.builds(
        Message,
        st.just(MessageKind.VERIFY),
        st.integers(1, 255),
        st.integers(0, 2**32 - 1),
        st.integers(1, 16),
    ),
)


def shifted(data):
    """Return the CRC by the register of its definition, a bit at a time."""
    register = 0xFFFF
    for bit in (byte >> place & 1 for byte in data for place in reversed(range(8))):
        register = register << 1 ^ (0x1021 if (register >> 15) ^ bit else 0)
        register &= 0xFFFF
    return register


def test_the_crc_has_the_check_value_of_ccitt_false():
    assert crc16(b"123456789") == 0x29B1


@given(st.binary(max_size=20))
def test_the_crc_is_that_of_the_shift_register(data):
    assert crc16(data) == shifted(data)


@pytest.mark.parametrize(("message", "sequence", "line"), TABLE)
def test_a_message_is_these_bytes_and_they_are_that_message(message, sequence, line):
    data = bytes.fromhex(line)
    assert message.encode(sequence) == data
    assert Message.decode(data[:-1]) == (sequence, message)


def test_the_page_for_who_writes_an_executor_has_these_vectors_and_no_other():
    page = (Path(__file__).parents[5] / "docs" / "do" / "executor.md").read_text()
    rows = re.findall(r"^\| (\w+).*\| (\d+) \| `([0-9a-f ]+ 00)` \|$", page, re.MULTILINE)
    sent = {line: (message, sequence) for message, sequence, line in TABLE}
    *told, (answer, sequence, line) = rows
    assert (answer, int(sequence)) == ("answer", 7)
    assert Reply.decode(bytes.fromhex(line)[:-1]) == Reply(7, 300, 8, 1, 2, 3)
    assert len(told) == len(sent)
    for kind, number, text in told:
        message, of_it = sent[text]
        assert (message.kind.name.lower(), of_it) == (kind, int(number))


def test_a_reply_is_these_bytes_and_they_are_that_reply():
    data = bytes.fromhex("04 07 04 08 03 2c 01 01 02 01 02 02 02 03 03 a2 0f 00")
    reply = Reply(sequence=7, time_steps=300, good=8, damaged=1, missing=2, refused=3)
    assert reply.encode() == data
    assert Reply.decode(data[:-1]) == reply


@given(MESSAGES, st.integers(0, 1000))
def test_any_message_comes_back_and_has_one_zero_at_its_end(message, sequence):
    data = message.encode(sequence)
    assert len(data) == MESSAGE_BYTES
    assert data.index(0) == len(data) - 1
    assert Message.decode(data[:-1]) == (sequence % 256, message)


@given(MESSAGES, st.data())
def test_no_wrong_bit_passes(message, data):
    line = message.encode(0)[:-1]
    place = data.draw(st.integers(0, 8 * len(line) - 1))
    wrong = bytearray(line)
    wrong[place // 8] ^= 1 << place % 8
    with pytest.raises(ValueError, match=r"COBS|CRC|bytes"):
        Message.decode(bytes(wrong))


@given(MESSAGES, st.data())
def test_no_lost_byte_passes(message, data):
    line = message.encode(0)[:-1]
    place = data.draw(st.integers(0, len(line) - 1))
    with pytest.raises(ValueError, match=r"COBS|CRC|bytes"):
        Message.decode(line[:place] + line[place + 1 :])


def test_a_message_to_the_device_is_no_reply():
    with pytest.raises(ValueError, match="10 bytes; must be 16"):
        Reply.decode(Message(MessageKind.QUERY).encode(0)[:-1])


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ((MessageKind.ENTRY, 16), "id: 16; must be 0 to 15"),
        ((MessageKind.ENTRY, -1), "id: -1; must be 0 to 15"),
        ((MessageKind.ENTRY, 0, 2**32), "due_steps: 4294967296; must be 0 to 4294967295"),
        ((MessageKind.ENTRY, 0, 0, 1), "ids: 1; must be 0 to 0"),
        ((MessageKind.VERIFY, 0, 0, 8), "id: 0; must be 1 to 255"),
        ((MessageKind.VERIFY, 1, 0, 0), "ids: 0; must be 1 to 16"),
    ],
)
def test_a_field_out_of_range_is_refused_with_its_range(fields, text):
    with pytest.raises(ValueError, match=text):
        Message(*fields)


@pytest.mark.parametrize(("field", "value"), [("sequence", 256), ("good", 65536)])
def test_a_reply_out_of_range_is_refused(field, value):
    fields = {"sequence": 0, "time_steps": 0, "good": 0, "damaged": 0, "missing": 0} | {
        field: value
    }
    with pytest.raises(ValueError, match=f"{field}: {value}; must be 0 to {value - 1}"):
        Reply(**fields).encode()


@given(
    st.lists(st.binary(min_size=1, max_size=8).map(lambda b: b.replace(b"\0", b"\1"))), st.data()
)
def test_stretches_are_cut_at_zeros_however_bytes_come(stretches, data):
    line = b"".join(stretch + b"\0" for stretch in stretches)
    cut, found = Stretches(), []
    while line:
        size = data.draw(st.integers(1, len(line)))
        found += cut.feed(line[:size])
        line = line[size:]
    assert found == stretches


def test_a_line_without_a_zero_keeps_a_stretch_that_is_no_message():
    cut = Stretches()
    assert list(cut.feed(b"\1" * 10_000)) == []
    (stretch,) = cut.feed(b"\0")
    assert len(stretch) == 64
    with pytest.raises(ValueError, match=r"COBS|CRC|bytes"):
        Reply.decode(stretch)


REPLY = Reply(sequence=255, time_steps=2**32 - 1, good=65_535, damaged=65_535, missing=65_535)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("sequence", 255),
        ("time_steps", 2**32 - 1),
        ("good", 65_535),
        ("damaged", 65_535),
        ("missing", 65_535),
        ("refused", 65_535),
    ],
)
def test_a_field_of_a_reply_is_from_0_to_what_its_bytes_hold(name, most):
    for value in (0, most):
        replace(REPLY, **{name: value}).encode()
    for value in (-1, most + 1):
        with pytest.raises(ValueError, match=f"{name}.*{value}"):
            replace(REPLY, **{name: value}).encode()


@pytest.mark.parametrize(
    ("kind", "name", "least", "most"),
    [
        (MessageKind.ENTRY, "id", 0, 15),
        (MessageKind.ENTRY, "ids", 0, 0),
        (MessageKind.ENTRY, "due_steps", 0, 2**32 - 1),
        (MessageKind.VERIFY, "id", 1, 255),
        (MessageKind.VERIFY, "ids", 1, 16),
        (MessageKind.VERIFY, "due_steps", 0, 2**32 - 1),
    ],
)
def test_a_field_of_a_message_is_within_what_docs_do_executor_says(kind, name, least, most):
    usual = {"id": 1, "ids": int(kind is MessageKind.VERIFY)}
    for value in (least, most):
        Message(kind, **(usual | {name: value}))
    for value in (least - 1, most + 1):
        with pytest.raises(ValueError, match=f"{name}.*{value}"):
            Message(kind, **(usual | {name: value}))
