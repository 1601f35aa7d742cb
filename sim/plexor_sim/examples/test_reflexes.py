"""The reflexes of the design in irq.v, as tests: `pytest --plexor-dut irq.toml`."""

from plexor.pytest_plugin import Plexor

CHANNELS = ["entry=ch0", "handled[0]=ch1"]


def test_work_is_done_soon_at_20_khz(plexor: Plexor) -> None:
    run = plexor.measure(rate="20k", dither="1024ns", count="2k", channels=CHANNELS)
    plexor.require(run, channel="handled[0]", p99="200 ns", missed=0)


def test_the_design_keeps_its_budget(plexor: Plexor) -> None:
    run = plexor.measure(rate="20k", dither="1024ns", count="2k", seed=2, channels=CHANNELS)
    plexor.require(run, "budget.toml")
