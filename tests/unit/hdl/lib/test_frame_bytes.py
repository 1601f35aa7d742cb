# SPDX-License-Identifier: Apache-2.0
"""Where the fields of a frame's header are, by a header that is encoded."""

import pytest

from plexor.protocol.frames import HEADER, Frame, FrameType
from plexor_hdl.lib import frame_bytes
from plexor_hdl.lib.frame_bytes import header_bytes

FIELDS = {
    "type": FrameType.LOG,
    "flags": 0x5A,
    "tag": 0x1234,
    "sequence": 0xABCD,
    "index": 0x0102_0304_0506,
    "base_ticks": 0x1112_1314_1516_1718,
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_fields_bytes_are_those_of_an_encoded_header_that_it_changes(name):
    others = dict.fromkeys(FIELDS, 0)
    blank = Frame(**others).encode()
    found = Frame(**others | {name: FIELDS[name]}).encode()[: HEADER.size_bytes]
    changed = {place for place in range(HEADER.size_bytes) if found[place] != blank[place]}
    places = header_bytes(name)
    assert changed <= set(places)
    assert int.from_bytes(bytes(found[place] for place in places), "little") == FIELDS[name]


def test_the_fields_of_a_header_have_all_of_its_bytes_once():
    places = [place for field in HEADER.fields for place in header_bytes(field.name)]
    assert places == list(range(frame_bytes.HEADER_BYTES))


def test_an_unknown_field_is_refused():
    with pytest.raises(KeyError, match="nothing"):
        header_bytes("nothing")
