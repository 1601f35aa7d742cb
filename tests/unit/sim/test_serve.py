"""What `plexor sim serve` prepares, where a device's parts cannot be had."""

from __future__ import annotations

import pytest

from plexor.protocol.geometry import Geometry
from plexor_sim import serve
from plexor_sim.devices import find_device
from plexor_sim.packages import PackageMissing


@pytest.fixture
def missing(monkeypatch, tmp_path):
    """Return a function that prepares a device while some cannot be had."""

    def prepare(dut, *names, fallback=True):
        def find(name, cache):
            if name in names:
                raise PackageMissing(f"parts of {name}", "not there", "get them")
            return find_device("synthetic", cache)

        monkeypatch.setattr(serve, "find_device", find)
        monkeypatch.setattr(serve, "build", lambda *_, **__: tmp_path / "simulator")
        return serve.prepare(dut, Geometry(), tmp_path, fallback=fallback)

    return prepare


def test_a_device_that_cannot_be_had_is_replaced_and_that_is_said(missing, capsys):
    assert missing("freertos:load=all", "freertos").options == "load=all"
    out = capsys.readouterr().out
    assert out == (
        "fallback freertos cannot be had (parts of freertos: not there; get them); using bare\n"
    )


def test_options_are_left_out_where_the_device_changes_its_kind(missing, capsys):
    ready = missing("freertos:load=all", "freertos", "bare")
    assert (ready.device, ready.options) == ("synthetic", "")
    assert capsys.readouterr().out.count("fallback ") == 2


def test_nothing_is_replaced_without_being_asked_to(missing):
    with pytest.raises(PackageMissing, match="parts of freertos"):
        missing("freertos", "freertos", fallback=False)
