# SPDX-License-Identifier: Apache-2.0
"""What scans and schedules keep of how they were taken: when they began, and the command line."""

import json
import shlex
from datetime import UTC, datetime

import pytest

from plexor import cli

DUT = ("--dut", "synthetic:latency=1us,width=200ns")
WORDS = {
    "sweep": ("sweep", *DUT, "--from", "50k", "--to", "100k", "--points", "2"),
    "burst": (
        "burst",
        *DUT,
        "--from",
        "2us",
        "--to",
        "4us",
        "--points",
        "2",
        "--most",
        "2",
        "--period",
        "20us",
    ),
    "phase": (
        "phase",
        *DUT,
        "--against",
        "strike1",
        "--period",
        "100us",
        "--rate",
        "20k",
        "--points",
        "4",
    ),
    "mixed": ("lab", "mixed", *DUT, "--mode", "normal", "--period", "10us", "--count", "3"),
}


@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=pytest.mark.full if name == "sweep" else ()) for name in WORDS],
)
def test_the_document_and_the_page_say_when_it_began_and_the_command(command, capsys, tmp_path):
    page = tmp_path / "a page.html"
    words = [*WORDS[command], "--json", *(["--page", str(page)] * (command != "mixed"))]
    before = datetime.now(UTC).replace(microsecond=0)
    cli.main(words)
    document = json.loads(capsys.readouterr().out)
    assert document["command"] == shlex.join(["plexor", *words])
    assert before <= datetime.fromisoformat(document["started"]) <= datetime.now(UTC)
    if command != "mixed":
        text = page.read_text()
        assert "a page.html" in text
        assert document["started"] in text
