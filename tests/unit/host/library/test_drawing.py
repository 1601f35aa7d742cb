# SPDX-License-Identifier: Apache-2.0
"""Pages and pictures as files: each suffix is written through the command line, and holds the run.

What a PNG shows is read back with Pillow.
"""

import xml.etree.ElementTree as ET
from io import BytesIO

import pytest
from PIL import Image

from plexor import cli
from plexor.base.shown import SHOWN
from plexor.files.store.run_folder import save
from plexor.library.drawing import write_shown
from plexor.library.run import Run
from plexor.show.pictures.colours import CHANNEL_LIGHT, LIGHT
from plexor.show.pictures.frame import LEFT, MARGIN

from ..coded import coded_run
from ..fake_device import FakeDevice
from ..kept_scans import KINDS, keep
from ..pictures import SVG, places, size_and_faces, texts_of_page
from ..scenario import Scenario
from .explain.test_coded import NAMES

PICTURES = [suffix for suffix, what in SHOWN.items() if what == "picture"]
COMMANDS = ("measure", "show", "compare", "explain", *KINDS)
OPTION = {"measure": "--page", "compare": "--page"}


@pytest.fixture
def command(tmp_path, run_of, monkeypatch):
    """Return a function that returns the words of a command that can draw."""
    coded = Run(coded_run([(1000, 1, 0), (3000, 1, 3)], 20_000, NAMES))

    def words(name, folder=tmp_path, uri="file:none"):
        if name == "explain":
            monkeypatch.setattr("plexor.library.load.load", lambda _: coded)
        return _words(name, folder, run_of, uri)

    return words


def _words(name, tmp_path, run_of, uri):
    if name == "measure":
        strikes = ("--channel", "A=ch0", "--rate", "1M", "--count", "20")
        return ["measure", "--link", uri, *strikes]
    if name == "show":
        return ["show", str(save(run_of([[1000, 3000]]), tmp_path / "run"))]
    if name == "explain":
        return ["explain", str(tmp_path)]
    if name == "compare":
        runs = {"main": [1000, 1100, 1200], "branch": [1500, 2000, 3000]}
        kept = [save(run_of([own]), tmp_path / folder) for folder, own in runs.items()]
        return ["compare", *map(str, kept)]
    return ["show", str(keep(name, tmp_path))]


def check(path, what):
    """Check that a file is whole: what its suffix says, with content."""
    content = path.read_bytes()
    if what == ".html":
        assert texts_of_page(content.decode())
    elif what == ".svg":
        assert list(places(ET.fromstring(content)))
    elif what == ".png":
        image = Image.open(BytesIO(content)).convert("RGB")
        assert len(image.getcolors(1 << 24)) > 20
        assert image.width >= 2000
    else:
        (_, _, width, height), faces = size_and_faces(content)
        assert content.rstrip().endswith(b"%%EOF")
        assert width >= 1000
        assert height > 200
        assert faces


@pytest.mark.parametrize("name", COMMANDS)
def test_each_suffix_is_written_by_each_command_that_draws(capsys, tmp_path, command, name):
    for suffix, what in SHOWN.items():
        path = tmp_path / f"x{suffix}"
        with FakeDevice(Scenario([100] * 20)) as device:
            folder = tmp_path / suffix[1:]
            folder.mkdir()
            words = command(name, folder, device.uri)
            assert cli.main([*words, OPTION.get(name, "--to"), str(path)]) == 0
        assert f"plexor: {what} {path}\n" in capsys.readouterr().err
        check(path, suffix)


def planted():
    return '<svg xmlns="http://www.w3.org/2000/svg"/>'


def colour(text):
    return tuple(int(text[at : at + 2], 16) for at in (1, 3, 5))


def test_a_run_in_a_png_stands_where_its_svg_says(tmp_path, run_of):
    run = str(save(run_of([[1000] * 9, [3000] * 9]), tmp_path / "run"))
    for suffix in (".svg", ".png"):
        assert cli.main(["show", run, "--to", str(tmp_path / f"x{suffix}")]) == 0
    svg = ET.parse(tmp_path / "x.svg").getroot()
    pixels = Image.open(tmp_path / "x.png").convert("RGB")
    _, _, width, height = map(float, svg.get("viewBox").split())
    assert pixels.size == (2 * width, 2 * height)
    panels = [rect for rect in svg.iter(f"{SVG}rect") if rect.get("class") == "panel"]
    assert len(panels) == 2
    labels = {text: (left, right, y) for text, left, right, y, _ in places(svg)}
    wall = (labels["ISR max seen 1 µs"], labels["TASK max seen 3 µs"])
    for n, (left, right, y) in enumerate(wall):
        box = (2 * left, 2 * (y - 12), 2 * right, 2 * (y + 2))
        found = set(pixels.crop(tuple(map(round, box))).get_flattened_data())
        assert colour(CHANNEL_LIGHT[n]) in found
        assert colour(CHANNEL_LIGHT[1 - n]) not in found
    assert pixels.getpixel((round(2 * (MARGIN + LEFT)) - 40, 2 * 300)) == colour(LIGHT["paper"])


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
@pytest.mark.parametrize("name", COMMANDS)
def test_without_the_extra_one_line_says_so_before_anything_is_done(
    capsys, tmp_path, command, monkeypatch, name, suffix
):
    words = command(name)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr("plexor.show.pictures.convert.find_spec", lambda _: None)
    assert cli.main([*words, OPTION.get(name, "--to"), str(tmp_path / f"x{suffix}")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "in a clone: pip install '.[pictures]'" in err
    assert sorted(tmp_path.rglob("*")) == before


def test_without_the_extra_pages_and_svg_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr("plexor.show.pictures.convert.find_spec", lambda _: None)
    assert write_shown(tmp_path / "x.svg", str, planted) == "picture"
    assert write_shown(tmp_path / "x.html", lambda: "page", planted) == "page"
    assert (tmp_path / "x.html").read_text() == "page"
