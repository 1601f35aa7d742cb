# SPDX-License-Identifier: Apache-2.0
"""The lamps of a simulated board: tried at power-up, and faulty ones named by the self-test."""

import pytest

from plexor.experiments.selftest.lamps import lamps
from plexor.experiments.selftest.model import SelftestPart
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

LINK = "sim:?board=ulx3s-25f"


def lamps_of(link: str) -> SelftestPart:
    """Return the self-test's part about lamps."""
    with Device(open_link(link)) as device:
        return lamps(device)


def test_sound_lamps_pass():
    found = lamps_of(LINK)
    assert found.findings == ()
    assert found.summary.startswith("8 lamps")


@pytest.mark.parametrize(("options", "faulty"), [("lamp.3=0", [3]), ("lamp.0=1,lamp.7=0", [0, 7])])
def test_a_lamp_whose_pad_is_stuck_fails_by_name(options, faulty):
    found = lamps_of(f"{LINK}&front-end={options}")
    assert [finding.subject for finding in found.findings] == [f"lamp{n}" for n in faulty]
