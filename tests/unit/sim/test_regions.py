# SPDX-License-Identifier: Apache-2.0
"""Regions of a firmware and their times on a platform, as the simulated bus takes them."""

from pathlib import Path

import pytest

import plexor_sim
from plexor_sim.regions import region_option

FOUND = {"text": (0x40001000, 0x40001FFF), "heap": (0x40003000, 0x40003FFF)}
EXAMPLES = Path(plexor_sim.__file__).parent / "examples"


def test_times_of_each_kind_are_in_picoseconds(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text('[ns]\ntext = { any = 60, burst_read = "125/9" }\nheap = 13.889\n')
    assert region_option(FOUND, str(path)) == (
        f"{0x40001000}:{0x40001FFF}:60000:60000:13889:60000/"
        f"{0x40003000}:{0x40003FFF}:13889:13889:13889:13889"
    )


def test_without_a_platform_each_access_takes_one_cycle():
    assert region_option({"text": (1, 2)}, None) == "1:2:0:0:0:0"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[ns]\ntext = 20\n", "has no time of heap; must have one in"),
        ("[ns]\ntext = 20\nheap = -1\n", "heap: -1; must be nanoseconds from 0 to 1000"),
        ("[ns]\ntext = 20\nheap = 'x'\n", "heap: 'x'; must be nanoseconds"),
        ("[ns]\ntext = 20\nheap.read = 3\n", "heap.write: is missing; must have its time"),
        ("ns = 3\n", "has no table"),
        ("[ns\n", "must be a readable TOML file"),
    ],
)
def test_a_platform_that_is_none_is_refused(tmp_path, text, wrong):
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=wrong):
        region_option(FOUND, str(path))
