# SPDX-License-Identifier: Apache-2.0
"""A link of 9,600 baud: the same figures as a fast one, only later."""

import time

import pytest
from bench import simulator

import plexor

from ..unit.host.terminal import board_at

BAUD, BYTES_S = 9_600, 960


def slow(data):
    time.sleep(len(data) / BYTES_S)
    return data


@pytest.mark.full
def test_a_run_over_9600_baud_has_the_figures_of_one_over_a_fast_link():
    asked = {"channels": ["R=ch0"], "rate": "1k", "width": "1us", "count": 50, "mode": "dump"}
    runs = []
    for line in (bytes, slow):
        with (
            simulator("synthetic:latency=uniform:1us:9us,seed=3", once=False) as server,
            board_at(f"tcp://127.0.0.1:{server.port}", BAUD, line, line) as port,
            plexor.open(f"serial:{port}?baud={BAUD}") as instrument,
        ):
            runs.append(instrument.run(**asked))
    fast, late = runs
    assert late.valid
    for kind in ("rise", "fall", "width", "period"):
        assert late["R"].statistics(kind) == fast["R"].statistics(kind)
