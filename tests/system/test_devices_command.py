# SPDX-License-Identifier: Apache-2.0
"""`plexor board devices NAME` explains every option that a simulated device takes."""

import json
import re
from pathlib import Path

import pytest

import plexor_sim
from plexor import cli

IRQ = str(Path(plexor_sim.__file__).parent / "examples" / "irq.toml")


@pytest.mark.parametrize("name", ["synthetic", "ce30", "bare", "freertos", IRQ])
def test_text_and_json_explain_the_same_options(name, capsys):
    assert cli.main(["board", "devices", name, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert cli.main(["board", "devices", name]) == 0
    text = capsys.readouterr().out
    heads = re.findall(r"^  (\S+)=(\S+)$", text, re.MULTILINE)
    assert set(heads) >= {(entry["name"], entry["value"]) for entry in found["options"]}
    flowing = " ".join(text.split())
    for entry in found["options"]:
        assert f"{entry['meaning']}; {entry['range']} (default: {entry['default']})" in flowing
    assert found["options"]


def test_an_unknown_device_is_one_line(capsys):
    assert cli.main(["board", "devices", "nosuch"]) == 2
    assert capsys.readouterr().err == (
        "plexor: device 'nosuch': must be synthetic, ce30, cenet, bare, freertos or a manifest "
        "NAME.toml\n"
    )


def test_the_list_is_json_too(capsys):
    assert cli.main(["board", "devices", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert "sim:freertos" in [row["name"] for row in rows]
