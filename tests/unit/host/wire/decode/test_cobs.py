# SPDX-License-Identifier: Apache-2.0
"""COBS in numpy, against the scalar reference of the contract."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.protocol.frames import cobs_decode, cobs_encode
from plexor.wire.decode.cobs import unstuff, unstuff_one

STRETCH = st.binary(min_size=1, max_size=1200).map(lambda data: data.replace(b"\0", b"\1") or b"\1")


def reference(stretch):
    """Return what a stretch encodes; None: no encoding."""
    try:
        return cobs_decode(stretch)
    except ValueError:
        return None


def together(stretches):
    """Return what each stretch unstuffs to; None where it does not fit."""
    data = b"".join(stretch + b"\0" for stretch in stretches)
    ends = np.cumsum([len(stretch) + 1 for stretch in stretches]) - 1
    starts = ends - [len(stretch) for stretch in stretches]
    out, fits = unstuff(np.frombuffer(data, np.uint8), starts, ends)
    return [
        out[start + 1 : end].tobytes() if fit else None
        for start, end, fit in zip(starts.tolist(), ends.tolist(), fits.tolist(), strict=True)
    ]


@settings(max_examples=300)
@given(STRETCH)
def test_any_stretch_unstuffs_as_the_reference_does(stretch):
    # The reference takes a zero after a full last block for none; so does the host.
    assert unstuff_one(stretch) == reference(stretch)


@given(st.binary(max_size=1200))
def test_what_cobs_encodes_unstuffs_to_itself(data):
    assert unstuff_one(cobs_encode(data)) == data


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=8))
def test_short_frames_together_unstuff_to_themselves(bodies):
    # Without 254 bytes in a row there is no full block: every one of them fits.
    assert together([cobs_encode(body) for body in bodies]) == bodies


@given(st.lists(STRETCH.filter(lambda stretch: 255 not in stretch), min_size=1, max_size=5))
def test_a_stretch_among_others_fits_where_the_reference_takes_it(stretches):
    assert together(stretches) == [reference(stretch) for stretch in stretches]


def test_the_bytes_that_were_given_are_left_as_they_are():
    data = np.frombuffer(bytearray(cobs_encode(b"a\0b") + b"\0"), np.uint8)
    before = data.copy()
    unstuff(data, np.array([0]), np.array([4]))
    assert (data == before).all()
