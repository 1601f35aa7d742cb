# SPDX-License-Identifier: Apache-2.0
"""The UART with a host of another clock; other_clocks.py has the claims."""

from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.uplink.link_uart import DIVISOR_BITS, DROPPED_BITS, LinkUart

from ..bench import check

HERE = Path(__file__).parent


class Echo(wiring.Component):
    """A link that sends back what it receives."""

    rx: In(1, init=1)
    tx: Out(1, init=1)
    divisor: In(DIVISOR_BITS)
    dropped: Out(DROPPED_BITS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.link = link = LinkUart()
        m.d.comb += [
            link.rx.eq(self.rx),
            self.tx.eq(link.tx),
            link.divisor.eq(self.divisor),
            self.dropped.eq(link.dropped),
        ]
        wiring.connect(m, link.o_bytes, link.i_bytes)
        return m


def echoed(byte_count: int) -> None:
    """Run the claims of other_clocks.py with so many bytes at each rate."""
    check(Echo(), "echo", HERE / "other_clocks.py", environment={"BYTES": str(byte_count)})


@pytest.mark.full
def test_bytes_pass_both_ways_between_two_clocks():
    echoed(16)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_thousands_of_bytes_pass_both_ways_between_two_clocks():
    echoed(2000)
