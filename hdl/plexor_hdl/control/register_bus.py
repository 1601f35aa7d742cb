# SPDX-License-Identifier: Apache-2.0
"""The bus between who asks for register words and the register bank."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import ADDRESS_BITS, WORD_BITS


class RegisterBus(wiring.Signature):
    """Requests of register words, one at a time, with the requester's directions.

    `address`, `write` and `write_data` stay the same from `request_stb` to `done_stb`. `read_data`
    and `status` (an OpStatus) stay the same from `done_stb` to the next request. `read_data` is 0
    if `status` is NO_REGISTER.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "address": Out(ADDRESS_BITS),
                "write": Out(1),
                "write_data": Out(WORD_BITS),
                "request_stb": Out(1),
                "done_stb": In(1),
                "read_data": In(WORD_BITS),
                "status": In(8),
            }
        )
