# SPDX-License-Identifier: Apache-2.0
"""Work as a worker gets it: by its values, and done with what they say."""

import pickle
from dataclasses import dataclass

from plexor.experiments.work import Work, take


@dataclass(frozen=True, slots=True)
class Doubled(Work[int]):
    number: int

    def take(self):
        return 2 * self.number


def test_work_is_done_where_its_values_come_and_needs_nothing_else():
    there, do = pickle.loads(pickle.dumps((Doubled(21), take)))
    assert do(there) == 42
    assert there.needs == ""
