# SPDX-License-Identifier: Apache-2.0
"""What is written is read again as it was, as TOML and as CSV."""

import tomllib
from fractions import Fraction

import pytest

from plexor_lab.bound.files.map_file import read_map
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.files.writing import _key, map_text, model_text, platform_text
from plexor_lab.bound.model import AccessKind, Platform, RegionMap

from ..createthread import EXAMPLES

KINDS = (".toml", ".csv")


@pytest.mark.parametrize("suffix", KINDS)
@pytest.mark.parametrize("name", ["createthread", "malloc"])
def test_a_model_is_read_again_with_the_same_counts(tmp_path, suffix, name):
    model = read_model(EXAMPLES / f"{name}.toml")
    path = tmp_path / f"m{suffix}"
    path.write_text(model_text(model, suffix, ["about"]))
    again = read_model(path)
    assert [(s.name, s.repetition, s.blocking) for s in again.sections] == [
        (s.name, s.repetition, s.blocking) for s in model.sections
    ]
    for one, other in zip(model.sections, again.sections, strict=True):
        wanted = {(c.region, c.access): c.number for c in one.counts if c.number}
        assert {(c.region, c.access): c.number for c in other.counts if c.number} == wanted


@pytest.mark.parametrize("suffix", KINDS)
def test_a_platform_is_read_again_with_exact_times(tmp_path, suffix):
    times = {
        ("sram", AccessKind.ANY): Fraction(125, 9),
        (".x heap", AccessKind.READ): Fraction(13889, 1000),
        ("flash", AccessKind.BURST_READ): Fraction(40),
        ("flash", AccessKind.WRITE): Fraction(1, 2),
    }
    path = tmp_path / f"p{suffix}"
    path.write_text(platform_text(Platform("a", "f", times), suffix))
    assert read_platform(path).times_ns == times


@pytest.mark.parametrize("suffix", KINDS)
def test_a_map_is_read_again(tmp_path, suffix):
    regions = {"text32": "text", ".x heap": 'a "b"'}
    path = tmp_path / f"m{suffix}"
    path.write_text(map_text(RegionMap(regions), suffix))
    assert read_map(path).regions == regions


@pytest.mark.parametrize("name", ["sram", "Bereich ü", 'a"b', "\N{GRINNING FACE}", "a.b", ""])
def test_a_key_of_any_text_comes_back_from_toml(name):
    assert tomllib.loads(f"{_key(name)} = 1") == {name: 1}
