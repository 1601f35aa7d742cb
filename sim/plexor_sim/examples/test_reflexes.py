"""The reflexes of the design in irq.v, as tests: `pytest --plexor-dut irq.toml`."""

CHANNELS = ["entry=ch0", "handled[0]=ch1"]


def test_work_is_done_soon_at_20_khz(plexor):
    run = plexor.measure(rate="20k", dither="1024ns", count="2k", channels=CHANNELS)
    plexor.require(run, channel="handled[0]", p99="200 ns", missed=0)


def test_the_design_keeps_its_budget(plexor):
    run = plexor.measure(rate="20k", dither="1024ns", count="2k", seed=2, channels=CHANNELS)
    plexor.require(run, "budget.toml")
