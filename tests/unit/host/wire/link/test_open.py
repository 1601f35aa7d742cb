# SPDX-License-Identifier: Apache-2.0
"""Links by URI: what names one, and what does not."""

import pytest

from plexor.base.errors import ExitCode, LinkError, UsageError
from plexor.wire.link import open_link


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "sim",
        "usb:1",
        "tcp://",
        "tcp://host",
        "tcp://host:99999",
        "tcp://host:x",
        "tcp://[::1",
        "serial:",
        "serial:/dev/x?baud=fast",
        "serial:/dev/x?baud=5",
        "serial:/dev/x?speed=9",
    ],
)
def test_a_uri_that_names_no_link_is_a_usage_error(uri):
    with pytest.raises(UsageError) as caught:
        open_link(uri)
    assert caught.value.exit_code == ExitCode.USAGE
    assert "\n" not in str(caught.value)


def test_two_names_for_the_device_are_a_usage_error():
    with pytest.raises(UsageError, match="name the device once"):
        open_link("sim:bare", dut="freertos")


@pytest.mark.parametrize(
    "uri", ["tcp://127.0.0.1:1", "serial:/dev/none", "file:/none", "tcp://no.such.host.invalid:9"]
)
def test_a_link_that_cannot_be_opened_is_one_clear_line(uri):
    with pytest.raises(LinkError) as caught:
        open_link(uri)
    assert uri.partition("?")[0] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == ExitCode.LINK
