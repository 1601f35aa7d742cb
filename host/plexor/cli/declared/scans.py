# SPDX-License-Identifier: Apache-2.0
"""Commands that take many runs: `plexor sweep`, `plexor burst`, `plexor phase`."""

from __future__ import annotations

from plexor.cli.options import Keyed, Shown
from plexor.cli.specs import command
from plexor.library.scans import burst_spec, phase_spec, sweep_spec
from plexor.library.scans.burst_spec import BurstSpec
from plexor.library.scans.phase_spec import PhaseSpec
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.options import Target


@command(
    "plexor.cli.scans.sweep:sweep",
    target=Target,
    asked=SweepSpec,
    described=Keyed,
    shown=Shown,
)
def sweep(asked: SweepSpec, target: Target) -> None:
    """Find the highest rate that a device sustains, for each channel and each load.

    A first scan covers all rates. Bisection follows, between the lowest rate that fails and the
    highest below it that passes. Each rate is tried until an exact test is certain.

    \b
      plexor sweep --dut bare --from 10k --to 1M --dither 1024ns
      plexor sweep --from 1k --to 100k --load none,cpu,polygons --criterion 'missed<1%' --out s1
    """
    sweep_spec.check(asked, target)


@command(
    "plexor.cli.scans.burst:burst",
    target=Target,
    asked=BurstSpec,
    described=Keyed,
    shown=Shown,
)
def burst(asked: BurstSpec, target: Target) -> None:
    """Find the longest burst that a device answers completely, for each spacing of its strikes.

    A burst starts every --period and lasts at most half of it. A strike that is not answered within
    the other half is missed. Each length is tried until an exact test is certain.

    \b
      plexor burst --dut freertos --from 2us --to 40us --period 1ms
      plexor burst --link serial:/dev/ttyUSB1 --channel ISR=ch0 --from 1us --to 1ms --period 50ms
    """
    burst_spec.check(asked, target)


@command(
    "plexor.cli.scans.phase:phase",
    target=Target,
    asked=PhaseSpec,
    described=Keyed,
    shown=Shown,
)
def phase(asked: PhaseSpec, target: Target) -> None:
    """Strike at each phase of a tick, a code or another output, and find those that are masked.

    A strike is masked if it is missed, or if its latency exceeds the base by more than --threshold.
    The base is the median of the fastest quarter of strikes. A window is a range of phases with so
    many masked strikes that chance makes one in at most 5 % of scans. A single strike is not
    enough; with --repeats 3, a single step is.

    \b
      plexor phase --dut freertos:critical_pin=2 --load critical --against ch2 --span 60us
             --step 1us --rate 5k --channel ISR=ch0
      plexor phase --link serial:/dev/ttyUSB1 --channel IRQ=ch0 --against ch2.fall --rate 2k
      plexor phase --dut bare --against strike1 --period 20us --points 200 --rate 10k
    """
    phase_spec.check(asked, target)
