# SPDX-License-Identifier: Apache-2.0
"""What codes cost the device: the same strikes with codes off and on."""

from bisect import bisect_right
from pathlib import Path

import numpy as np
import pytest

import plexor
from plexor_sim.packages import default_cache
from plexor_sim.riscv import riscv_device

from ..unit.sim.codes.reading import functions
from .kernel_codes import told

MOST_CYCLES = 15
CYCLE_S = 20e-9


@pytest.fixture(scope="module", params=[60, pytest.param(120, marks=pytest.mark.full)])
def count(request):
    return request.param


@pytest.fixture(scope="module")
def off(count, tmp_path_factory):
    return told(tmp_path_factory.mktemp("off"), "codes=off", None, rate="18k", count=count)


@pytest.fixture(scope="module")
def on(count, tmp_path_factory):
    return told(tmp_path_factory.mktemp("on"), "codes=port", rate="18k", count=count)


def busy(found, codes):
    """Return the part of the run in which the core was outside of the idle task's loop."""
    image = Path(riscv_device("freertos", default_cache(), {"codes": codes}).options["firmware"])
    starts = {address: name for name, address in functions(elf_of(image)).items()}
    first = next(address for address, name in starts.items() if name == "prvIdleTask")
    ordered = sorted(starts)
    place = bisect_right(ordered, first)
    result = found.run.result
    times_ps, pcs = found.instructions["time_ps"], found.instructions["pc"]
    inside = (times_ps >= result.start_ticks * 500) & (times_ps < result.end_ticks * 500)
    times_ps, pcs = times_ps[inside], pcs[inside]
    spent_ps = np.diff(times_ps)
    idle = (pcs[:-1] >= first) & (pcs[:-1] < ordered[place])
    assert 0.4 < spent_ps[idle].sum() / spent_ps.sum() < 0.9
    return spent_ps[~idle].sum() / spent_ps.sum()


def elf_of(image):
    return image.with_name("firmware.elf").read_bytes()


def test_medians_move_by_at_most_15_cycles(off, on):
    print(plexor.compare(off.run, on.run).text())
    for before, after in zip(off.run.channels, on.run.channels, strict=True):
        moved_s = after.percentile(50).value_s - before.percentile(50).value_s
        print(f"{after.name}: {moved_s / CYCLE_S:+.1f} cycles")
        assert abs(moved_s) <= MOST_CYCLES * CYCLE_S


def test_hooks_of_the_kernel_take_at_most_one_percent_of_the_cycles(off, on):
    took = busy(on, "port") - busy(off, "off")
    print(f"{100 * took:+.2f} % of cycles")
    assert took <= 0.01
