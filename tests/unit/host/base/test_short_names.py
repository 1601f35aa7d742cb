# SPDX-License-Identifier: Apache-2.0
"""Short names of paths: as much of their ends as tells them apart."""

from pathlib import PurePath

import pytest

from plexor.base.short_names import short_names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([], []),
        (["/runs/a", "/runs/b"], ["a", "b"]),
        (["/mon/a", "/tue/a"], ["mon/a", "tue/a"]),
        (["/runs/a"], ["a"]),
        (["/runs/a", "/runs/a"], ["a", "a"]),
        (["/x/mon/a", "/y/mon/a", "/y/tue/a"], ["x/mon/a", "y/mon/a", "y/tue/a"]),
    ],
)
def test_paths_are_named_by_as_much_of_their_ends_as_tells_them_apart(paths, names):
    assert short_names(list(map(PurePath, paths))) == names
