# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING, on a copy: each kind of change touches what its recipe names.

The change of a stage has a page of its own: what the page shows is in its patch, and works.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
RECIPES = Path(__file__).parent / "recipes"
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGES = ("host", "hdl", "sim", "soc")
PAGE = (ROOT / "docs" / "understand" / "change-a-stage.md").read_text(encoding="utf-8")
"""The recipe of `stage`."""
TESTED = ("tests", "docs", "pyproject.toml")
"""What a copy needs, too, for a patch with tests of its own."""
GLITCHES = 50
"""Pulses that the page's device has in the page's run, one each 10 us."""
STORED = ROOT / "tests" / "fuzz" / "corpus" / "run" / "seed-table"


def touched(kind):
    """Return the files that a recipe's patch touches."""
    text = (RECIPES / f"{kind}.patch").read_text(encoding="utf-8")
    return set(re.findall(r"^\+\+\+ b/(\S+)", text, re.MULTILINE))


def named(kind):
    """Return the patterns of files that the recipe of a kind names.

    It is the section of CONTRIBUTING with its heading, or a page.
    """
    if kind == "stage":
        return names_of(PAGE)
    section = re.split(rf"^## How to add an? {kind}$", TEXT, flags=re.MULTILINE)[1]
    return names_of(section.partition("\n## ")[0])


def names_of(text):
    """Return the files and folders that a text names."""
    return {name for name in re.findall(r"`([\w./-]+)`", text) if "/" in name}


def blocks(kind):
    """Return the fenced blocks of a kind on the page."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def planted(request, tmp_path):
    """Return a function that runs a command in a copy with a recipe's patch."""
    kind = request.param
    for name in (*PACKAGES, "tools", "constraints"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for name in TESTED if kind == "stage" else ():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    (tmp_path / "docs").mkdir(exist_ok=True)
    patch = RECIPES / f"{kind}.patch"
    subprocess.run(["git", "apply", "-C1", patch], cwd=tmp_path, check=True)
    paths = os.pathsep.join([*(str(tmp_path / name) for name in PACKAGES), str(tmp_path)])

    def run(*arguments, how="-m"):
        done = subprocess.run(
            [sys.executable, how, *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def of(kind):
    """Plant a recipe's patch."""
    return pytest.mark.parametrize("planted", [kind], indirect=True, ids=[""])


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("register", 6),
        ("statistic", 4),
        ("exporter", 2),
        ("device", 3),
        ("board", 2),
        ("stage", 20),
    ],
)
def test_a_recipe_names_each_file_that_its_change_touches(kind, most):
    files = touched(kind)
    assert len(files) <= most
    known = named(kind)
    unnamed = {file for file in files if not any(file.startswith(name) for name in known)}
    assert unnamed == set()


QUIET = """
import numpy as np
from plexor.protocol.geometry import Geometry
from plexor_sim.golden.edges import PinEdges
from plexor_sim.golden.instrument import measure
from plexor_sim.golden.settings import Settings
geometry = Geometry(channels=1, strikes=1, samples=8)
channel = {"enable": 1, "quiet_clocks": 5}
level = np.array([True, False] * 3)
pin = PinEdges(np.array([10, 20, 39, 40, 50, 60]) * 1000, level)
settings = Settings.of(channel={0: channel})
print(measure(geometry, settings, 0, 240, {0: pin}).edges[0].tolist())
"""


@of("register")
def test_a_register_with_an_option_is_in_the_instrument_its_model_and_the_document(planted):
    """The answers to the strikes of the first 120 us, at 5, 55 and 105 us, are left out."""
    document = json.loads(
        planted(
            *("plexor", "measure", "--dut", "synthetic:latency=5us", "--rate", "20k"),
            *("--count", "10", "--channel", "R=ch0:quiet=120us", "--json"),
        )
    )
    (channel,) = document["channels"]
    assert (channel["answered"], channel["missed"]) == (7, 3)
    assert document["settings"]["channels"][0]["quiet_s"] == "0.00012"
    # Five clocks have 40 ticks, so the falls at 40 and 60 and the rise at 50 are left.
    assert planted(QUIET, how="-c").strip() == "[2, 1]"


@pytest.mark.full
@of("register")
def test_gateware_with_another_register_does_as_the_twin(planted, monkeypatch):
    words = ("plexor", "measure", "--dut", "synthetic:latency=5us", "--rate", "20k", "--count", "9")
    ran = []
    for core in ("twin", "gateware"):
        monkeypatch.setenv("PLEXOR_CORE", core)
        document = json.loads(planted(*words, "--channel", "R=ch0:quiet=121us", "--json"))
        ran.append([document[part] for part in ("channels", "accounting", "settings")])
    assert ran[0] == ran[1]


@of("statistic")
def test_a_statistic_is_in_the_text_the_page_and_the_document(planted, tmp_path):
    text = planted("plexor", "show", str(STORED))
    assert "midrange" in text
    planted("plexor", "show", str(STORED), "--to", str(tmp_path / "page.html"))
    assert "midrange" in (tmp_path / "page.html").read_text(encoding="utf-8")
    document = json.loads(planted("plexor", "show", str(STORED), "--json"))
    show = "import json, plexor; print(json.dumps(plexor.schema('run')))"
    jsonschema.validate(document, json.loads(planted(show, how="-c")))
    kinds = [channel[kind] for channel in document["channels"] for kind in ("width", "period")]
    assert [f["midrange_ticks"] for f in kinds] == [
        (f["min_ticks"] + f["max_ticks"]) / 2 for f in kinds
    ]


@of("exporter")
def test_a_format_is_written_by_its_suffix(planted, tmp_path):
    planted("plexor", "show", str(STORED), "--to", str(tmp_path / "run.words"))
    kept = json.loads((STORED / "run.json").read_text())["run"]["channels"]
    of_strikes = ("answered", "late", "missed")
    struck = [sum(channel["classes"][name] for name in of_strikes) for channel in kept]
    lines = [f"{channel['name']} {n}" for channel, n in zip(kept, struck, strict=True)]
    assert (tmp_path / "run.words").read_text().splitlines() == lines


@of("device")
def test_a_device_in_cpp_has_its_options_and_answers(planted):
    assert "delay=TIME" in planted("plexor", "board", "devices", "echo")
    document = json.loads(
        planted(
            *("plexor", "measure", "--link", "sim:?core=twin", "--dut", "echo:delay=123ns"),
            *("--rate", "20k", "--count", "100", "--channel", "R=ch0", "--json"),
        )
    )
    (channel,) = document["channels"]
    assert {channel["latency"]["min_s"], channel["latency"]["max_s"]} == {"0.000000123"}


@of("board")
def test_a_board_is_simulated_and_its_features_are_listed(planted, tmp_path):
    identity = planted("plexor", "board", "identify", "--link", "sim:?core=twin&board=strange-8k")
    assert re.search(r"^board +strange8$", identity, re.MULTILINE)
    planted("tools.features")
    assert "`strange8`" in (tmp_path / "docs" / "features.md").read_text()


def test_a_stage_is_changed_in_at_most_six_files_of_the_gateware():
    files = {file for file in touched("stage") if file.startswith("hdl/")}
    assert files <= names_of(PAGE)
    assert 0 < len(files) <= 6


def test_what_the_page_shows_of_a_stage_is_in_its_patch():
    patch = (RECIPES / "stage.patch").read_text(encoding="utf-8")
    fragments = blocks("diff")
    assert len(fragments) >= 7
    for fragment in fragments:
        assert f"\n{fragment}" in patch


def typed(words, planted):
    """Run the lines of the page that begin with these words."""
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    chosen = [line for line in lines if line.startswith(words)]
    assert chosen
    for line in chosen:
        planted(*shlex.split(line.partition(" -m ")[2]))


@of("stage")
def test_a_counter_of_glitches_passes_its_tests_and_counts_those_that_are_planted(planted):
    short = ("-p", "no:cacheprovider", "-m", "not full")
    planted("pytest", "-q", *short, "tests/unit/hdl/capture/test_glitches.py")
    planted("pytest", "-q", *short, "tests/contract/test_document.py")
    printed = planted(blocks("py")[-1], how="-c")
    assert printed == f"glitches {GLITCHES}\n"
    assert printed in blocks("text")


@pytest.mark.full
@of("stage")
def test_gateware_with_a_counter_of_glitches_does_as_the_twin_in_as_many_clocks(
    planted, monkeypatch
):
    typed(".venv/bin/python -m pytest", planted)
    typed(".venv/bin/python -m tools.twin", planted)
    monkeypatch.setenv("PLEXOR_CORE", "gateware")
    assert planted(blocks("py")[-1], how="-c") == f"glitches {GLITCHES}\n"
