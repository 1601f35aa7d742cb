# SPDX-License-Identifier: Apache-2.0
"""Views of a profile on the terminal."""

from plexor.library.run import Run

from ...coded import coded_run


def test_a_run_without_calls_says_so():
    text = Run(coded_run([(1000, 1, 1), (3000, 8, 1)], 9000)).profile().text()
    assert "The device sent no whole call." in text
    assert "Entries without an exit: 1: function 1 at 3 µs" in text


def test_a_tree_is_indented_by_its_depth():
    planted = [(1000, 8, 1), (2000, 8, 2), (3000, 9, 2), (4000, 9, 1)]
    lines = Run(coded_run(planted, 9000)).profile(view="tree").text().splitlines()
    assert any(line.startswith("function 1") for line in lines)
    assert any(line.startswith("  function 2") for line in lines)
