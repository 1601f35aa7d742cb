# SPDX-License-Identifier: Apache-2.0
"""Links by URI: what names one, and what does not."""

import pytest

from plexor.base.errors import ExitCode, LinkError, UsageError
from plexor.wire.link import open_link
from plexor.wire.link.open import _sim_options, device_of, open_device_line


@pytest.mark.parametrize(
    "uri",
    [
        "",
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


@pytest.mark.parametrize(
    "uri", ["/dev/none", "/dev/none?baud=2000000", "COM77", "com77?baud=115200"]
)
def test_a_port_alone_is_a_serial_link(uri):
    with pytest.raises(LinkError) as caught:
        open_link(uri)
    assert f"serial:{uri.partition('?')[0]}" in str(caught.value)
    with pytest.raises(LinkError):
        open_device_line(uri, 115_200)


@pytest.mark.parametrize(
    ("uri", "dut", "device"),
    [
        ("sim:", "FreeRTOS", "freertos"),
        ("sim:Bare:cycles=3", None, "bare:cycles=3"),
        ("sim:", "synthetic:codes=/Data/A.txt", "synthetic:codes=/Data/A.txt"),
        ("sim:", "My.toml", "My.toml"),
        ("sim:Rtl/Top.toml:N=3", None, "Rtl/Top.toml:N=3"),
    ],
)
def test_devices_that_come_with_plexor_are_known_in_either_case(uri, dut, device):
    assert device_of(uri, dut) == device


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


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("channels", "'channels'; must be one of "),
        ("channels=", "'channels='; must be one of "),
        ("=4", "'=4'; must be one of "),
        ("chanels=4", "did you mean channels?"),
        ("nosuch=4", "'nosuch=4'; must be one of "),
    ],
)
def test_an_option_of_a_simulated_instrument_has_a_name_that_it_knows_and_a_value(query, said):
    with pytest.raises(UsageError) as caught:
        _sim_options(f"sim:?{query}", query)
    assert said in str(caught.value)
    assert ("did you mean" in str(caught.value)) == ("chanels" in query)


def test_options_of_a_simulated_instrument_become_its_arguments():
    found = _sim_options("sim:", "channels=4&&board=hx8k-evn")
    assert found == ["--channels", "4", "--board", "hx8k-evn"]
    assert _sim_options("sim:", "") == []
