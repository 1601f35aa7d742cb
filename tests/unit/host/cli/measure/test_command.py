# SPDX-License-Identifier: Apache-2.0
"""`plexor measure`: what is looked at before the first strike, and what comes of a run."""

import pytest

from plexor import cli
from plexor.cli.measure import take
from plexor.files.store.run_folder import load

from ...fake_device import FakeDevice
from ...scenario import Scenario
from ..test_cli import STRIKES, document, errors_of


def test_a_run_goes_to_its_folder_and_comes_back(bench, capsys, tmp_path):
    bench()
    out = tmp_path / "runs" / "one"
    assert cli.main([*STRIKES, "--out", str(out), "--json"]) == 0
    first = document(capsys)
    assert cli.main(["show", str(out), "--json"]) == 0
    assert document(capsys) == first
    files = ["--to", str(out / "report.html"), "--to", str(tmp_path / "a.svg")]
    assert cli.main(["show", str(out), *files]) == 0
    assert "</html>" in (out / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_base_is_taken_off_what_is_printed(bench, capsys):
    bench()
    cli.main([*STRIKES, "--base", "12ns", "--json"])
    found = document(capsys)
    assert found["base_ticks"] == 12
    assert found["channels"][0]["latency"]["min_ticks"] == 988


@pytest.fixture
def unstruck(monkeypatch):
    """Fail where a run is taken."""

    def taken(*_, **__):
        raise AssertionError("a run was taken")

    monkeypatch.setattr(take, "take", taken)


@pytest.mark.usefixtures("unstruck")
@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (["--wire"], ["--wire", "--out"]),
        (["--force"], ["--force", "--out"]),
        (["--budget", "no.toml"], ["no.toml"]),
        (["--page", "no/page.html"], ["no/page.html"]),
        (["--page", "full", "--out", "full"], ["full"]),
        (["--out", "full"], ["--out", "full", "is no run"]),
        (["--out", "full", "--force"], ["--out", "full"]),
        (["--width", "1us", "--duty", "20%"], ["--width", "--duty"]),
        (["--channel", "A=ch0", "--channel", "A=ch1"], ["--channel", "A"]),
    ],
)
def test_what_is_wrong_is_said_before_the_run(capsys, tmp_path, monkeypatch, options, wrong):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    line = errors_of(capsys, 2, [*STRIKES, *options])
    assert [text for text in wrong if text not in line] == []
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "mine"]


@pytest.mark.parametrize(("base", "ticks"), [("12.4ns", 12), ("12.6ns", 13), ("0", 0)])
def test_a_base_is_rounded_to_the_ticks_of_the_run(bench, capsys, base, ticks):
    bench()
    assert cli.main([*STRIKES, "--base", base, "--json"]) == 0
    assert document(capsys)["base_ticks"] == ticks


def test_the_raw_bytes_of_a_run_replay_to_its_figures(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    out = tmp_path / "run"
    with FakeDevice(Scenario([100, 150, None])) as device:
        arguments = ["measure", "--link", device.uri, "--rate", "1M", "--count", "3"]
        assert cli.main([*arguments, "--out", str(out), "--wire", "--json"]) == 0
    latency = document(capsys)["channels"][0]["latency"]
    assert (latency["count"], latency["min_ticks"], latency["max_ticks"]) == (2, 100, 150)
    assert cli.main(["show", str(out / "wire.bin"), "--json"]) == 0
    assert document(capsys)["channels"][0]["latency"] == latency
    assert load(out).strikes == 3
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_run_that_was_interrupted_is_kept_and_ends_with_130(bench, capsys, run_of, tmp_path):
    bench(run_of([[1000]], interrupted=True))
    assert cli.main([*STRIKES, "--out", str(tmp_path / "run")]) == 130
    assert load(tmp_path / "run").interrupted
