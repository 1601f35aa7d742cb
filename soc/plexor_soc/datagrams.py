# SPDX-License-Identifier: Apache-2.0
"""The link over UDP: each datagram is one frame, and answers go to the last sender."""

from __future__ import annotations

from liteeth.core.udp import LiteEthUDPUserPort
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStatus
from migen import FSM, Array, If, NextState, NextValue, Signal

from plexor.protocol.frames import CRC_BYTES, HEADER, MAX_WORDS, WORD_BYTES
from plexor_soc.core import FRAME_BYTE, FRAME_WORD, PlexorCore

FRAMES_PORT = 7539
"""UDP port of the instrument's frames: "PLEX" on a telephone's keys."""
MOST_FRAME_WORDS = MAX_WORDS + (HEADER.size_bytes + CRC_BYTES) // WORD_BYTES
SENT_WORDS = 2048
"""Words of frames that may wait for the network: at least seven frames."""
RECEIVED_WORDS = 512
MOST_DATAGRAM_WORDS = 1472 // WORD_BYTES
"""Maximum words of UDP in an Ethernet frame: 1500 bytes less headers of IP (20) and UDP (8)."""


class Datagrams(LiteXModule):
    """Joins the instrument's link to a port of LiteEth's UDP, 32 bits wide, in `sys`.

    A datagram is a frame. It is taken whole or, without room for the longest, not at all. Frames go
    to the address and port that the last datagram taken came from; before there is one they go
    nowhere. Frames of the instrument are whole words.

    Latency: a datagram's bytes go on as they come; a frame is sent once all of it has come.
    Throughput: a received word each clock; to the instrument a byte each clock, and one more clock
        a frame; a word to send each clock, and one more clock a frame.
    Reset: nobody has asked; no frame waits.
    Wrap: `refused` and `unsent` wrap at 2**32.
    Full: a datagram is refused while there is no room for the longest. The instrument waits when
        the network is busy, and counts itself what it drops for that.

    Ports:
        refused: CSR: number of datagrams for which there was no room.
        unsent: CSR: number of frames that went nowhere.
        peer_address: CSR: IP address that frames go to; 0: none yet.
        peer_port: CSR: its UDP port.
    """

    def __init__(self, core: PlexorCore, port: LiteEthUDPUserPort) -> None:
        self.refused = CSRStatus(32, description="Datagrams for which there was no room.")
        self.unsent = CSRStatus(32, description="Frames sent before anybody had asked.")
        self.peer_address = CSRStatus(32, description="IP address that frames go to; 0: none yet.")
        self.peer_port = CSRStatus(16, description="Its UDP port.")
        self._receive(core, port.source)
        self._send(core, port.sink)

    def _receive(self, core: PlexorCore, source: stream.Endpoint) -> None:
        # The receiver takes words as fast as the wire, because a network cannot wait.
        layout = [("data", 32), ("bytes", 3)]
        self.received = received = stream.SyncFIFO(layout, RECEIVED_WORDS, buffered=True)
        room, wanted = Signal(), Signal()
        self.sync += room.eq(received.level < RECEIVED_WORDS - MOST_DATAGRAM_WORDS)
        self.comb += [
            received.sink.valid.eq(source.valid & wanted),
            received.sink.data.eq(source.data),
            received.sink.last.eq(source.last),
            # A datagram's last word may be padded. The length tells where the datagram ends.
            received.sink.bytes.eq(WORD_BYTES),
            If(
                source.last & (source.length[:2] != 0),
                received.sink.bytes.eq(source.length[:2]),
            ),
            source.ready.eq(1),
        ]
        self.receiver = fsm = FSM(reset_state="FIRST")
        fsm.act(
            "FIRST",
            wanted.eq(room),
            If(
                source.valid,
                If(
                    room,
                    NextValue(self.peer_address.status, source.ip_address),
                    NextValue(self.peer_port.status, source.src_port),
                    If(~source.last, NextState("TAKE")),
                ).Else(
                    NextValue(self.refused.status, self.refused.status + 1),
                    If(~source.last, NextState("DROP")),
                ),
            ),
        )
        fsm.act("TAKE", wanted.eq(1), If(source.valid & source.last, NextState("FIRST")))
        fsm.act("DROP", If(source.valid & source.last, NextState("FIRST")))

        self.to_core = crossing = stream.ClockDomainCrossing(FRAME_BYTE, "sys", core.clock_domain)
        place, ends = Signal(2), Signal()
        word, sink = received.source, crossing.sink
        bytes_of = Array(word.data[8 * n : 8 * n + 8] for n in range(WORD_BYTES))
        last_byte = Signal()
        self.comb += [
            crossing.source.connect(core.sink),
            last_byte.eq(place == (word.bytes - 1)[:2]),
            sink.valid.eq(word.valid | ends),
            sink.data.eq(bytes_of[place]),
            sink.end.eq(ends),
            word.ready.eq(sink.ready & last_byte & ~ends),
        ]
        self.sync += If(
            sink.valid & sink.ready,
            If(ends, ends.eq(0), place.eq(0))
            .Elif(last_byte, place.eq(0), ends.eq(word.last))
            .Else(place.eq(place + 1)),
        )

    def _send(self, core: PlexorCore, sink: stream.Endpoint) -> None:
        self.from_core = crossing = stream.ClockDomainCrossing(FRAME_WORD, core.clock_domain, "sys")
        self.comb += core.source.connect(crossing.sink)
        self.words = words = stream.SyncFIFO([("data", 32)], SENT_WORDS, buffered=True)
        self.lengths = lengths = stream.SyncFIFO([("words", 10)], 64)
        length = Signal(10)
        beat = crossing.source
        self.comb += [
            words.sink.data.eq(beat.data),
            lengths.sink.words.eq(length),
            words.sink.valid.eq(beat.valid & ~beat.end),
            lengths.sink.valid.eq(beat.valid & beat.end),
            If(beat.end, beat.ready.eq(lengths.sink.ready)).Else(beat.ready.eq(words.sink.ready)),
        ]
        self.sync += If(
            beat.valid & beat.ready, If(beat.end, length.eq(0)).Else(length.eq(length + 1))
        )

        left, address, port = Signal(10), Signal(32), Signal(16)
        self.comb += [
            sink.data.eq(words.source.data),
            sink.last.eq(left == 1),
            sink.last_be.eq(1 << (WORD_BYTES - 1)),
            sink.src_port.eq(FRAMES_PORT),
            sink.dst_port.eq(port),
            sink.ip_address.eq(address),
        ]
        size = Signal(16)
        self.comb += sink.length.eq(size)
        self.sender = fsm = FSM(reset_state="IDLE")
        fsm.act(
            "IDLE",
            lengths.source.ready.eq(1),
            NextValue(left, lengths.source.words),
            NextValue(size, lengths.source.words * WORD_BYTES),
            NextValue(address, self.peer_address.status),
            NextValue(port, self.peer_port.status),
            If(
                lengths.source.valid,
                If(self.peer_address.status == 0, NextState("DROP")).Else(NextState("SEND")),
            ),
        )
        fsm.act(
            "SEND",
            sink.valid.eq(words.source.valid),
            words.source.ready.eq(sink.ready),
            If(
                words.source.valid & sink.ready,
                NextValue(left, left - 1),
                If(left == 1, NextState("IDLE")),
            ),
        )
        fsm.act(
            "DROP",
            words.source.ready.eq(1),
            If(
                words.source.valid,
                NextValue(left, left - 1),
                If(
                    left == 1,
                    NextValue(self.unsent.status, self.unsent.status + 1),
                    NextState("IDLE"),
                ),
            ),
        )
