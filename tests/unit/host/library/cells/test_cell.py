# SPDX-License-Identifier: Apache-2.0
"""The work of a cell: prepared, loaded, measured with its own options and names."""

import pickle
from contextlib import nullcontext
from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor.library.cells import cell as under_test
from plexor.library.cells.cell import Cell

from ...files.archive.planted import planted

NAMES = {"instrument": "left", "load": "busy", "build": "main", "options": "fast"}


@pytest.fixture
def opened(monkeypatch):
    """Have a fake instrument in place of a real one; return what was asked of it."""
    asked = []

    class Fake:
        result = planted(1000)

        def run(self, **options):
            asked.append(("run", options))
            return self

    def fake(link, **options):
        asked.append(("open", link, options))
        return nullcontext(Fake())

    monkeypatch.setattr(under_test, "Instrument", fake)
    return asked


def test_a_cell_is_measured_with_its_options_and_described_by_its_names(opened):
    cell = Cell(
        names=NAMES,
        link="tcp://host:1",
        options={"rate": "20k", "count": 5},
        keys={"os": "FreeRTOS", "build": "of its own"},
    )
    assert cell.take() == planted(1000)
    described = {"instrument": "left", "load": "busy", "build": "of its own", "os": "FreeRTOS"}
    assert opened == [
        ("open", "tcp://host:1", {"dut": None, "again": True, "load": None}),
        ("run", {"device": described, "rate": "20k", "count": 5}),
    ]


def test_a_build_is_installed_before_and_a_load_is_on_while_it_is_measured(opened, tmp_path):
    log = tmp_path / "log"
    cell = Cell(
        names=NAMES,
        link="sim:",
        prepare=f"echo $PLEXOR_BUILD on $PLEXOR_INSTRUMENT under $PLEXOR_LOAD >> {log}",
        load_on=f"echo on >> {log}",
        load_off=f"echo off >> {log}",
    )
    cell.take()
    assert log.read_text().splitlines() == ["main on left under busy", "on", "off"]
    assert [name for name, *_ in opened] == ["open", "run"]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo no board >&2; exit 3", "ended with exit code 3: no board"),
        ("exit 1", "ended with exit code 1$"),
        ("surely-no-such-program", "ended with exit code 127: .*not found"),
    ],
)
def test_a_build_that_cannot_be_installed_is_not_measured(opened, command, why):
    with pytest.raises(UsageError, match=f"prepare .*{why}") as caught:
        Cell(names=NAMES, link="sim:", prepare=command).take()
    assert "\n" not in str(caught.value)
    assert opened == []


def is_running(process):
    """Return whether a process is there, and not only what is left of one."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_an_installation_that_does_not_end_is_ended_with_all_that_it_started(
    opened, tmp_path, monkeypatch
):
    monkeypatch.setattr(under_test, "PREPARE_S", 0.5)
    cell = Cell(names=NAMES, link="sim:", prepare=f"sleep 60 & echo $! > {tmp_path}/id; wait")
    with pytest.raises(UsageError, match=r"did not end within 0\.5 s"):
        cell.take()
    assert not is_running(int((tmp_path / "id").read_text()))


def test_only_simulated_instruments_are_as_many_as_wanted():
    assert not Cell(names=NAMES, link="sim:").real
    assert Cell(names=NAMES, link="serial:/dev/ttyUSB1").real


def test_a_cell_can_be_sent_to_another_process():
    cell = Cell(names=NAMES, link="sim:", options={"channels": ["ISR=ch0"]})
    assert pickle.loads(pickle.dumps(cell)) == cell
    assert cell.name == "left/busy/main/fast"
