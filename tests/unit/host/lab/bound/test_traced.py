# SPDX-License-Identifier: Apache-2.0
"""A log becomes a model, as text, as a document and as files."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.spec import MOST_INTERRUPTS
from plexor_lab.bound.traced import BusTrace, suffix_of, trace_bus

from ...plain_text import columns_and_colour
from .buses import call, read, walk, written

HEAP = 0x40003000


def test_a_trace_is_written_as_a_model_that_is_read_again(tmp_path):
    log = written(tmp_path, [record for n in (1, 3) for record in call(n, walk(n))])
    found = trace_bus(log, title="walk")
    for name in ("m.toml", "m.csv"):
        found.write(tmp_path / name)
        again = read_model(tmp_path / name)
        assert [s.name for s in again.sections] == ["once", "once-blocking", "each-blocking"]
        assert again.sections[2].repetition.of_n
    document = found.document()
    assert (document["calls"], document["ns"], document["excess"]) == (2, [1, 3], 0)
    assert document["provenance"] == "simulated"
    assert document["map"] == {"bss32": "bss", "heap32": "heap", "registers32": "registers"}


def test_a_log_without_a_title_is_named_by_its_file_and_errors_name_it_too(tmp_path):
    log = written(tmp_path, call(None, [read(HEAP)]))
    assert trace_bus(log).traced.model.title == "bus"
    with pytest.raises(UsageError, match=r"bus: the log has no call"):
        trace_bus(log, pin=3)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"pin": 8}, "pin: 8; must be a whole number from 0 to 7"),
        (
            {"interrupts": MOST_INTERRUPTS + 1},
            "interrupts: 1001; must be a whole number from 0",
        ),
        ({"elf": "none.elf"}, "none.elf: cannot read"),
    ],
)
def test_a_wrong_option_is_refused(tmp_path, options, text):
    log = written(tmp_path, call(None, [read(HEAP)]))
    with pytest.raises(UsageError, match=text):
        trace_bus(log, **options)


def test_only_files_of_a_bound_are_written(tmp_path):
    assert suffix_of(tmp_path / "a.TOML") == ".toml"
    with pytest.raises(UsageError, match=r"must be a file that ends in \.toml or \.csv"):
        suffix_of(tmp_path / "a.txt")


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(BusTrace.text) == (100, False)
