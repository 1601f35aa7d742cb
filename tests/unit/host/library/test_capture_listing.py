# SPDX-License-Identifier: Apache-2.0
"""The signals of a capture as the document of `--json` and as text."""

import json

from plexor.library.capture_listing import ListedCapture
from plexor.library.exchange import list_capture

from ..files.imports.captures import vcd
from ..plain_text import columns_and_colour


def test_the_document_has_each_signal_with_exact_times(tmp_path):
    path = vcd(tmp_path / "a.vcd", [(0, "a", 0), (5, "a", 1), (8, "a", 0), (25, "a", 1)])
    document = json.loads(json.dumps(list_capture(path).document()))
    assert (document["schema"], document["to_s"]) == ("plexor.capture/1", "1/40000000")
    (signal,) = document["signals"]
    assert (signal["name"], signal["rises"], signal["falls"]) == ("top.a", 2, 1)
    assert signal["period_s"] == "1/50000000"


def test_the_text_is_the_terminals(tmp_path):
    path = vcd(tmp_path / "a.vcd", [(0, "a", 0), (5, "a", 1)])
    assert list_capture(path).text(width=60).startswith("a.vcd: VCD, from 0 s to 5 ns")


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(ListedCapture.text) == (100, False)
