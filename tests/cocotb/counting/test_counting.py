"""Histograms and statistics of dense random samples; dense_samples.py has the claims."""

from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from plexor_hdl.engine import Engine

from ..bench import check
from ..clocked import Seen
from .shapes import geometry_of

HERE = Path(__file__).parent


class Counting(wiring.Component):
    """An engine, the ready of its samples left out."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        members = dict(engine.signature.members)
        del members["i_sample"]
        super().__init__({"i_samples": In(Seen(engine.i_sample.payload.shape())), **members})

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine = engine = self._engine
        m.d.comb += [
            engine.i_sample.valid.eq(self.i_samples.valid),
            engine.i_sample.payload.eq(self.i_samples.payload),
            engine.clear_stb.eq(self.clear_stb),
            self.clear_busy.eq(engine.clear_busy),
            self.saturated.eq(engine.saturated),
        ]
        for inner, outer in zip(engine.zoom_first, self.zoom_first, strict=True):
            m.d.comb += inner.eq(outer)
        for name in ("statistics", "bins", "zoom"):
            wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(engine, name))
        return m


def counted(which: str, channels: int, samples: int) -> None:
    """Run the claims of dense_samples.py with so many samples each."""
    environment = {"WHICH": which, "CHANNELS": str(channels), "COUNT": str(samples)}
    name = f"counting_{which}_{channels}"
    counting = Counting(Engine(geometry_of(channels), which))
    check(counting, name, HERE / "dense_samples.py", environment=environment)


@pytest.mark.parametrize("which", ["latency", pytest.param("interval", marks=pytest.mark.full)])
def test_dense_samples_leave_the_golden_models_memories(which):
    counted(which, 2, 20_000)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("which", ["latency", "interval"])
def test_a_million_samples_leave_the_golden_models_memories(which):
    counted(which, 8, 500_000)
