# SPDX-License-Identifier: Apache-2.0
"""The document of an evaluated bound: exact texts, part by part."""

from plexor_lab.bound.bound import Bound
from plexor_lab.bound.evaluated import Evaluated

from ...plain_text import columns_and_colour
from .createthread import (
    COLUMNS,
    COLUMNS_NS,
    COUNTS_AT_13,
    EXAMPLES,
    TIMES_NS,
    TOTAL_NS,
    N,
    platform_file,
)


def test_the_document_has_each_part_at_each_n():
    found = Bound(EXAMPLES / "createthread.toml", platform_file(3)).evaluate(0, N).document()
    assert (found["schema"], found["provenance"]) == ("plexor.bound/1", "computed")
    assert found["total_ns"] == {"fixed": "95688", "per_n": "4100"}
    assert found["blocked_ns"] == {"fixed": "88386", "per_n": "4100"}
    assert found["sections"][2] == {
        "name": "3",
        "repetition": "N",
        "blocking": True,
        "once_ns": "4100",
        "total_ns": {"fixed": "0", "per_n": "4100"},
    }
    assert [(entry["region"], entry["access"]) for entry in found["columns"]] == list(COLUMNS)
    assert [int(entry["time_ns"]) for entry in found["columns"]] == list(TIMES_NS[3])
    assert found["columns"][1]["accesses"] == {"fixed": "281", "per_n": "18"}
    none, at = found["at"]
    assert (none["n"], none["total_ns"]) == (0, "95688")
    assert (at["n"], at["total_ns"], at["blocked_ns"]) == (N, str(TOTAL_NS[3]), "141686")
    assert list(map(int, at["columns_accesses"])) == list(COUNTS_AT_13)
    assert list(map(int, at["columns_ns"])) == list(COLUMNS_NS[3])
    assert sum(map(int, at["sections_ns"])) == TOTAL_NS[3]


def test_what_is_no_whole_number_is_an_exact_fraction():
    bound = Bound(EXAMPLES / "createthread.csv", EXAMPLES / "memory.toml", EXAMPLES / "map.toml")
    found = bound.evaluate(N).document()
    assert found["at"][0]["total_ns"] == "126895/9"
    assert found["columns"][0]["placed"] == "sram"


def test_the_text_is_that_of_the_terminal():
    found = Bound(EXAMPLES / "createthread.toml", platform_file(1)).evaluate()
    assert "T(N) = 41,752 + 1,152 N, in ns\n" in found.text()


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Evaluated.text) == (100, False)
