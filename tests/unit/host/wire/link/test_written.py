# SPDX-License-Identifier: Apache-2.0
"""Links as people write them, by what other programs take."""

import pytest

from plexor.base.errors import UsageError
from plexor.wire.link.open import open_link
from plexor.wire.link.written import link_meant, usual_link


@pytest.mark.parametrize(
    ("typed", "link"),
    [
        ("/dev/ttyUSB0", "serial:/dev/ttyUSB0"),
        ("COM3", "serial:COM3"),
        ("com3?baud=115200", "serial:com3?baud=115200"),
        ("sim", "sim:"),
        ("SIM:Bare", "sim:Bare"),
        ("TCP://Host:1", "tcp://Host:1"),
        (" serial:/dev/ttyACM0 ", "serial:/dev/ttyACM0"),
        ("file:Recorded.bin", "file:Recorded.bin"),
        ("nowhere", "nowhere"),
        ("http://x:1", "http://x:1"),
    ],
)
def test_a_link_is_taken_as_other_programs_write_it(typed, link):
    assert usual_link(typed) == link


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ttyUSB0", "did you mean /dev/ttyUSB0?"),
        ("localhost:1234", "did you mean tcp://localhost:1234?"),
        ("http://192.168.1.50:1234/", "did you mean tcp://192.168.1.50:1234?"),
        ("tcp:box:1234", "did you mean tcp://box:1234?"),
        ("udp:box:1234", "did you mean udp://box:1234?"),
        ("192.168.1.50", "must be tcp://192.168.1.50:PORT or udp://192.168.1.50:PORT"),
        ("FreeRTOS", "did you mean sim:freertos?"),
        ("ULX3S-25F", "serial port; sim:?board=ulx3s-25f simulates one"),
    ],
)
def test_what_is_no_link_is_refused_with_the_one_that_was_meant(typed, meant):
    assert link_meant(typed).endswith(meant)
    with pytest.raises(UsageError, match=r"^link: ") as caught:
        open_link(typed)
    assert str(caught.value).endswith(meant)


def test_a_file_is_told_from_a_link(tmp_path):
    file = tmp_path / "wire.bin"
    file.touch()
    assert link_meant(str(file)).startswith(f"did you mean file:{file}?")


def test_of_what_is_far_from_a_link_nothing_is_guessed():
    assert link_meant("somewhere else") == ""
