# SPDX-License-Identifier: Apache-2.0
"""A link that is loaded with dumps: what asking takes, and the host is late for, is not its own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plexor.experiments.calibration.runs import SPACES
from plexor.experiments.selftest import by_bins
from plexor.experiments.selftest.by_bins import LOADED_BYTES, MOST_DUMPS, BinWitness
from plexor.model.identity import Identity
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import Space, entries, entry_words

GEOMETRY = Geometry(
    channels=2,
    strikes=1,
    tick_fs=1_000_000,
    latency_mantissa_bits=3,
    features=Feature.SIMULATED | Feature.MATCH,
)
WORDS = sum(entries(GEOMETRY, space) * entry_words(space) for space in Space)
ASKING, TICKS_A_BYTE = 16_000_000, 1250
"""What two answers wait for at a slow host, and a byte of 800 kB/s; in ns."""


class Scripted(BinWitness):
    """A witness of a link of 800 kB/s, with a host that is late for the first dumps."""

    def __init__(self, bytes_a_word: int) -> None:
        super().__init__(SimpleNamespace(identity=Identity(GEOMETRY, 1), consumer=None))
        self.bytes_a_word = bytes_a_word
        self.dumps: list[tuple[Space, ...]] = []

    def asked(self, collector, spaces):
        words = sum(entries(GEOMETRY, space) * entry_words(space) for space in spaces)
        sent = words * self.bytes_a_word
        late = 0
        if spaces:
            self.dumps.append(tuple(spaces))
            late = max(5 - len(self.dumps), 0) * 7_000_000
        return sent + 130, ASKING + late + sent * TICKS_A_BYTE


@pytest.fixture(autouse=True)
def no_run(monkeypatch):
    monkeypatch.setattr(by_bins, "dumped_run", lambda device, settings: None)


def test_the_rate_is_that_of_a_dump_alone():
    witness = Scripted(bytes_a_word=4)
    load = witness.load(None)
    assert load.bytes_s == 800_000
    assert load.more
    assert set(witness.dumps[-1]) == {space for space in Space if entries(GEOMETRY, space)}
    assert len(witness.dumps) * WORDS * 4 >= LOADED_BYTES


def test_of_dumps_that_leave_out_zeros_short_ones_are_taken():
    witness = Scripted(bytes_a_word=2)
    assert witness.load(None).bytes_s == 800_000
    assert len(witness.dumps) <= MOST_DUMPS + 2
    assert set(witness.dumps[0]) > set(witness.dumps[1])
    assert set(witness.dumps[1:]) == {
        tuple(space for space in Space if space in SPACES and entries(GEOMETRY, space))
    }
