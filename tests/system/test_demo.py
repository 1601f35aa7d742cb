# SPDX-License-Identifier: Apache-2.0
"""The demo, and the picture in the README, which is the demo's."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tools import demo

from plexor.show.pictures.svg import STYLE

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "picture.svg"


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_the_picture_in_the_readme_is_what_the_demo_draws(tmp_path):
    command = [sys.executable, "-m", "tools.demo", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "picture.svg").read_text() == PICTURE.read_text(), (
        "renew it: make demo, then cp runs/demo/picture.svg docs/"
    )


def test_the_picture_in_the_readme_has_the_demo_s_strikes_and_today_s_style():
    svg = ET.parse(PICTURE).getroot()
    texts = " ".join(text for text in svg.itertext() if text)
    rate = demo._STRIKES[demo._STRIKES.index("--rate") + 1]
    for options in demo._RUNS.values():
        count = int(options[options.index("--count") + 1])
        assert f"{count:,} strikes · {rate.removesuffix('k')} kHz" in texts
    assert STYLE in texts
    readme = (ROOT / "README.md").read_text()
    counts = re.search(
        r"The picture above is the demo's: ([\d,]+) strikes .*? and ([\d,]+)", readme, re.S
    )
    assert [int(text.replace(",", "")) for text in counts.groups()] == [
        int(options[options.index("--count") + 1]) for options in demo._RUNS.values()
    ]
