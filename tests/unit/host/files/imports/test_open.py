# SPDX-License-Identifier: Apache-2.0
"""A capture is opened by its suffix; what cannot be read is refused with the way round."""

import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.capture import ReadRules
from plexor.files.imports.open import READERS, open_capture

from .captures import sr, vcd


def test_the_suffix_names_the_reader(tmp_path):
    path = vcd(tmp_path / "a.vcd", [(0, "a", 0)])
    assert open_capture(path, ReadRules()).format == "VCD"
    path = sr(tmp_path / "a.SR", {"a": (0, [1])}, 9)
    assert open_capture(path, ReadRules()).format == "sigrok session"


@pytest.mark.parametrize("name", ["a", "a.png", "a.gz", "a.sr.gz"])
def test_another_suffix_is_refused_with_those_that_are_read(name, tmp_path):
    with pytest.raises(UsageError, match="its suffix must be one of ") as caught:
        open_capture(tmp_path / name, ReadRules())
    assert all(suffix in str(caught.value) for suffix in READERS)


@pytest.mark.parametrize(
    ("name", "way"),
    [("a.sal", "CSV in Logic 2"), ("a.DSL", "DSView"), ("a.fsdb", "fsdb2vcd"), ("a.wfm", "CSV")],
)
def test_a_format_that_is_not_read_has_a_way_round(name, way, tmp_path):
    with pytest.raises(UsageError, match=rf"\.{name[2:].lower()} is not read; .*{way}"):
        open_capture(tmp_path / name, ReadRules())
