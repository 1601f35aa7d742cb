# SPDX-License-Identifier: Apache-2.0
"""Options of the command line alone: descriptions, and files by their suffixes."""

from pathlib import Path

import click
import pytest

from plexor.base.errors import UsageError
from plexor.cli.options import STRICT_KEYS, Keyed, Paged, Written, drawn, parse_key
from plexor.cli.specs import command


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("os=FreeRTOS", ("os", "FreeRTOS")),
        (" os = a=b ", ("os", "a=b")),
        ("os=", ("os", "")),
    ],
)
def test_a_description_is_split_at_its_first_sign(text, key):
    assert parse_key(text) == key


@pytest.mark.parametrize("text", ["os", "", "=FreeRTOS", "  =x"])
def test_a_description_without_a_name_is_refused_with_it(text):
    with pytest.raises(ValueError, match=f"{text!r}; must be NAME=TEXT"):
        parse_key(text)


def keys_of(described):
    return described.keys


@command(f"{__name__}:keys_of", described=Keyed)
def keyed():
    pass


def strictly(*keys, strict=True):
    """Return the keys that a command with --label gets."""
    words = [word for key in keys for word in ("--label", key)]
    return keyed.main([*words, *(["--strict"] if strict else [])], standalone_mode=False)


@pytest.mark.parametrize("name", STRICT_KEYS)
def test_strict_names_the_keys_that_are_missing_or_empty(name):
    others = [f"{key}=x" for key in STRICT_KEYS if key != name]
    for keys in (others, [*others, f"{name}= "]):
        with pytest.raises(click.UsageError, match=f"^{name}: missing; --strict needs --label"):
            strictly(*keys)
    assert len(strictly(*others, strict=False)) == len(others)
    assert len(strictly(*others, f"{name}=y")) == len(STRICT_KEYS)


def test_strict_needs_the_five_keys_of_a_report():
    assert STRICT_KEYS == ("os", "board", "build", "driver", "test")


def test_what_is_written_is_said_by_the_suffix():
    assert Paged(page="a.svg").page == Path("a.svg")
    assert drawn(".html")("/dev/stdout") == Path("/dev/stdout")
    with pytest.raises(UsageError, match=r"^page: a\.gif: its suffix must be \.html for a"):
        Paged(page="a.gif")
    with pytest.raises(ValueError, match=r"x+: its suffix must be \.csv for rows"):
        drawn(".csv")("x" * 5000)
    assert Written(files=["a.csv", Path("b")]).files == (Path("a.csv"), Path("b"))


def test_a_suffix_may_be_in_any_case():
    assert drawn(".html", ".pdf")("x.PDF") == Path("x.PDF")
