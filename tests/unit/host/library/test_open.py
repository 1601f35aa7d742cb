# SPDX-License-Identifier: Apache-2.0
"""What a URI opens."""

import pytest

import plexor
from plexor.library.replay import Replay

from ..fake_device import FakeDevice
from ..runs import LATENCIES
from ..scenario import Scenario

ASKED = {"rate": "1M", "count": len(LATENCIES), "channels": ["isr=ch0", "ch1"]}


def test_a_recording_opens_as_an_instrument(tmp_path):
    wire = tmp_path / "wire.bin"
    with FakeDevice(Scenario(LATENCIES)) as fake:
        with plexor.open(fake.uri, record=wire) as instrument:
            run = instrument.run(**ASKED)
            identity = instrument.identity
    with plexor.open(f"file:{wire}") as again:
        assert isinstance(again, Replay)
        assert again.identity == identity
        assert again.run(channels=["isr=ch0"])["isr"].result == run["isr"].result


def test_a_record_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(plexor.StoreError, match=r"wire\.bin: cannot write: No such file"):
        plexor.open("sim:", record=tmp_path / "nosuch" / "wire.bin")


@pytest.mark.parametrize(
    ("uri", "error", "said"),
    [
        ("nosuch", plexor.UsageError, "must be sim:DUT"),
        ("sim:a?dut=b", plexor.UsageError, "name the device once"),
        ("tcp://127.0.0.1:1", plexor.LinkError, "127.0.0.1:1"),
        ("file:nosuch", plexor.LinkError, "No such file"),
    ],
)
def test_what_cannot_be_opened_says_why(uri, error, said):
    with pytest.raises(error, match=said):
        plexor.open(uri)


def test_a_file_that_is_no_recording_says_so(tmp_path):
    (tmp_path / "wire.bin").write_bytes(b"hello" * 1000)
    with pytest.raises(plexor.IdentityError, match="none of its 5,000 bytes is in a frame"):
        plexor.open(f"file:{tmp_path / 'wire.bin'}")
