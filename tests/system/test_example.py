# SPDX-License-Identifier: Apache-2.0
"""The example for CI does what it says: its own command line, on its own files."""

import json
import re
import shlex
from pathlib import Path

import pytest

import plexor_sim
from plexor import cli

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
STRIKES = 400
CHANNELS = ("--channel", "entry=ch0", "handled[0]=ch1")


def recipe(folder: Path) -> list[str]:
    """Return the arguments of the recipe's `plexor measure`, its files in `folder`, and shorter."""
    text = (EXAMPLES / "ci.yml").read_text()
    (block,) = re.findall(r"- run: >-\n((?: {10}.*\n)+)", text)
    command = shlex.split(block.replace("rtl/", f"{folder}/").replace("--count 2k", ""))
    assert command[0] == "plexor"
    assert command[-2:] == [">", "reflexes.json"]
    return [*command[1:-2], "--count", str(STRIKES)]


def test_the_readmes_own_line_passes_with_the_files_that_ship(tmp_path, monkeypatch, capsys):
    text = (Path(__file__).parents[2] / "README.md").read_text()
    joined = text.replace("\\\n", " ")
    (line,) = re.findall(r"^plexor (measure --dut irq\.toml .*) --json > run\.json$", joined, re.M)
    for path in EXAMPLES.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(line.replace("--count 10k", f"--count {STRIKES}"))
    assert cli.main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["budget"]["outcome"] == "pass"
    assert {check["channel"] for check in found["budget"]["checks"]} == {"entry", "handled[0]"}
    # handled[1] answers strike1, which nothing sends: unless it is left out, nothing is proven.
    everything = [word for word in arguments if word not in CHANNELS]
    assert cli.main([*everything, "--json"]) == 4
    found = json.loads(capsys.readouterr().out)
    assert (found["budget"]["outcome"], found["budget"]["silent"]) == (
        "too few",
        ["handled[1]"],
    )
    (doubt,) = found["doubts"]
    assert doubt.startswith("handled[1]: none of 400 strikes was answered: no edge came; look at")


def test_the_recipe_passes_on_its_own_example(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(recipe(EXAMPLES)) == 0
    document = json.loads(capsys.readouterr().out)
    assert [channel["name"] for channel in document["channels"]] == ["entry", "handled[0]"]
    assert document["budget"]["outcome"] == "pass"
    assert (tmp_path / "reflexes.html").read_text().endswith("</html>\n")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param("budget.toml", '"100 ns"', '"38 ns"', id="tighter budget"),
        pytest.param(
            "irq.toml",
            "SAVE_CYCLES = 12",
            "SAVE_CYCLES = 40",
            id="slower handler",
            marks=pytest.mark.full,
        ),
    ],
)
def test_the_recipe_fails_where_a_limit_is_broken(file, old, new, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in EXAMPLES.iterdir():
        text = path.read_text()
        assert path.name != file or old in text
        (tmp_path / path.name).write_text(text.replace(old, new) if path.name == file else text)
    assert cli.main(recipe(tmp_path)) == 1
