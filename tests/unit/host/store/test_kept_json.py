"""Results kept as the document that `--json` prints: back equal, or one line with the path."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pytest

from plexor.errors import StoreError
from plexor.store.kept_json import document_of, read_kept

SCHEMA = "plexor-test/1"


@dataclass(frozen=True)
class Kept:
    rate_hz: Fraction
    counts: tuple[int, ...]
    device: Mapping[str, str]
    schema_of: str = "none"


KEPT = Kept(Fraction(20_000, 3), (1, 1 << 70), {"os": "FreeRTOS"})


def nothing(result):
    return ()


def kept(tmp_path, text):
    path = tmp_path / "kept.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def test_the_schema_comes_first_and_all_fields_after_it():
    assert list(document_of(SCHEMA, KEPT).items()) == [
        ("schema", SCHEMA),
        ("rate_hz", "20000/3"),
        ("counts", [1, 1 << 70]),
        ("device", {"os": "FreeRTOS"}),
        ("schema_of", "none"),
    ]


def test_a_result_comes_back_equal(tmp_path):
    path = kept(tmp_path, document_of(SCHEMA, KEPT))
    assert read_kept(path, SCHEMA, Kept, nothing) == KEPT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ({"schema": "plexor-test/2"}, "schema: 'plexor-test/2'; this host reads plexor-test/1"),
        ({}, "schema: None; this host reads plexor-test/1"),
        ([], "no object"),
        ("{", "not JSON (line 1, column 2: "),
        ({"schema": SCHEMA, "counts": [], "device": {}}, "rate_hz: missing"),
        (document_of(SCHEMA, KEPT) | {"counts": ["1"]}, "counts[0]: '1'; must be an integer"),
        (document_of(SCHEMA, KEPT) | {"more": 1}, "'more': unknown"),
    ],
)
def test_a_file_that_holds_no_result_is_one_line_with_its_path(tmp_path, text, says):
    path = kept(tmp_path, text)
    with pytest.raises(StoreError) as caught:
        read_kept(path, SCHEMA, Kept, nothing)
    assert str(caught.value).startswith(f"{path}: cannot read: {says}")
    assert "\n" not in str(caught.value)


def test_the_first_contradiction_is_told(tmp_path):
    path = kept(tmp_path, document_of(SCHEMA, KEPT))
    with pytest.raises(StoreError) as caught:
        read_kept(path, SCHEMA, Kept, lambda result: [f"{len(result.counts)} counts", "other"])
    assert str(caught.value) == f"{path}: cannot read: 2 counts"


def test_a_file_that_is_not_there_says_so(tmp_path):
    path = tmp_path / "none.json"
    with pytest.raises(StoreError) as caught:
        read_kept(path, SCHEMA, Kept, nothing)
    assert str(caught.value) == f"{path}: cannot read: No such file or directory"
