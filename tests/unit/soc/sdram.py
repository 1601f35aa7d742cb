# SPDX-License-Identifier: Apache-2.0
"""An SDRAM behind a PHY's pins, for Migen's simulator: it keeps words, and refuses what is wrong.

From the data sheets of ESMT's M12L64322A and Micron's MT48LC16M16A2: truth table of commands, and
the least times between them, the slower of both.
"""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace

from litedram.common import PhySettings
from litedram.phy.dfi import Interface
from migen.sim import passive

COMMANDS = {
    (0, 0, 1, 0): "precharge",
    (0, 0, 0, 1): "refresh",
    (0, 0, 0, 0): "mode",
    (0, 0, 1, 1): "activate",
    (0, 1, 0, 0): "write",
    (0, 1, 0, 1): "read",
    (0, 1, 1, 1): "none",
}
"""By (cs, ras, cas, we), low when active."""
LEAST_NS = {
    ("precharge", "activate"): 20,
    ("precharge", "refresh"): 20,
    ("precharge", "mode"): 20,
    ("activate", "read"): 20,
    ("activate", "write"): 20,
    ("activate", "precharge"): 44,
    ("activate", "activate"): 66,
    ("refresh", "activate"): 66,
    ("refresh", "refresh"): 66,
    ("refresh", "mode"): 66,
    ("write", "precharge"): 15,
}
"""Of one bank."""
BANKS, ALL_BANKS = 4, 1 << 10
MODE_CLOCKS = 2
CAS_LATENCY = 2


class Sdram:
    """`dfi` and `settings` as LiteDRAM's PHYs have; rows and words are kept as they come."""

    def __init__(self, module, bits: int, clock_ns: float) -> None:
        geometry = module.geom_settings
        self.dfi = Interface(geometry.addressbits, geometry.bankbits, 1, bits)
        self.settings = PhySettings(
            phytype="Sdram",
            memtype="SDR",
            databits=bits,
            dfi_databits=bits,
            nranks=1,
            nphases=1,
            rdphase=0,
            wrphase=0,
            cl=CAS_LATENCY,
            read_latency=CAS_LATENCY + 1,
            write_latency=0,
        )
        self.clock_ns = clock_ns
        self.columns = 1 << geometry.colbits
        self.words: dict[tuple[int, int, int], int] = {}
        self.rows: dict[int, int] = {}
        self.last: dict[tuple[int, str], int] = {}
        self.commands: list[SimpleNamespace] = []
        self.mode: int | None = None

    @passive
    def serve(self) -> Generator:
        """Answer the pins, a clock at a time."""
        pins, clock = self.dfi.p0, 0
        # What is set here stands a clock later.
        coming: list[int | None] = [None] * (self.settings.read_latency - 1)
        while True:
            levels = []
            for name in ("cs_n", "ras_n", "cas_n", "we_n"):
                levels.append((yield getattr(pins, name)))
            command = COMMANDS[tuple(levels)]
            bank, address = (yield pins.bank), (yield pins.address)
            read = None
            if command != "none":
                self.commands.append(
                    SimpleNamespace(clock=clock, name=command, bank=bank, address=address)
                )
                every = command in ("refresh", "mode") or (
                    command == "precharge" and address & ALL_BANKS
                )
                for number in range(BANKS) if every else (bank,):
                    self._check(clock, command, number)
                read = self._act(command, bank, address, (yield pins.wrdata))
                if command == "write":
                    assert (yield pins.wrdata_en)
            coming.append(read)
            word = coming.pop(0)
            yield pins.rddata_valid.eq(word is not None)
            yield pins.rddata.eq(word or 0)
            clock += 1
            yield

    def _check(self, clock: int, command: str, bank: int) -> None:
        for before in ("precharge", "activate", "refresh", "write"):
            least = LEAST_NS.get((before, command))
            since = self.last.get((bank, before))
            if least is not None and since is not None:
                assert (clock - since) * self.clock_ns >= least, (clock, before, command)
        mode = self.last.get((bank, "mode"))
        assert mode is None or clock - mode >= MODE_CLOCKS
        if command in ("activate", "refresh", "mode"):
            assert bank not in self.rows, f"{command} while a row of bank {bank} is open"
        if command == "precharge":
            self.rows.pop(bank, None)
        self.last[bank, command] = clock

    def _act(self, command: str, bank: int, address: int, data: int) -> int | None:
        if command == "mode":
            self.mode = address
        elif command == "activate":
            assert self.mode is not None, "activated before it was started"
            self.rows[bank] = address
        elif command in ("read", "write"):
            place = bank, self.rows[bank], address & self.columns - 1
            if address & ALL_BANKS:
                # Precharged by itself after the last word is written.
                del self.rows[bank]
            if command == "read":
                return self.words[place]
            self.words[place] = data
        return None
