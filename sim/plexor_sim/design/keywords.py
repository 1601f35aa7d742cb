# SPDX-License-Identifier: Apache-2.0
"""Names of VHDL that are words of SystemVerilog (IEEE Std 1800-2017, Annex B), in what GHDL writes.

GHDL 2.0 writes a signal `reg` as `wire reg;`. Here it becomes `reg_`: no name of VHDL ends so.
"""

from __future__ import annotations

import re

_ANNEX_B = """
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle
checker class clocking cmos config const constraint context continue cover covergroup coverpoint
cross deassign default defparam design disable dist do edge else end endcase endchecker endclass
endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage
endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event
eventually expect export extends extern final first_match for force foreach forever fork
forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins
implements implies import incdir include initial inout input inside instance int integer
interconnect interface intersect join join_any join_none large let liblist library local
localparam logic longint macromodule matches medium modport module nand negedge nettype new
nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos
posedge primitive priority program property protected pull0 pull1 pulldown pullup
pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime
ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always
s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled
signed small soft solve specify specparam static string strong strong0 strong1 struct super
supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time
timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union
unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""
_WORDS = frozenset(_ANNEX_B.split())
_BEGINS = """
always assign begin case default else end endcase endmodule for if initial inout input
localparam module output reg wire
"""
_FIRST = frozenset(_BEGINS.split())
"""Words that GHDL begins a line with."""
_AMID = frozenset(["begin", "or", "posedge", "negedge", "if", "signed"])
"""Words that it writes amid a line."""
_PART = re.compile(r"/\*.*?\*/|//.*|\"[^\"]*\"|'[a-z][0-9a-fA-FxzXZ_]+|[A-Za-z_]\w*")


def spelled(verilog: str) -> str:
    """Return what GHDL wrote with `_` behind each name that is a word of SystemVerilog."""
    return "\n".join(map(_line, verilog.split("\n")))


def _line(line: str) -> str:
    first = re.match(r"\s*\(?(\w+)(?=[\s;:(@]|$)", line)
    # `reg name (` is an instance of an entity.
    is_instance = re.fullmatch(r"\s*\w+ \w+ \(", line) is not None
    begin = first.end() if first and first[1] in _FIRST and not is_instance else 0

    def renamed(found: re.Match[str]) -> str:
        is_name = found[0] in _WORDS and found[0] not in _AMID
        return f"{found[0]}_" if is_name else found[0]

    return line[:begin] + _PART.sub(renamed, line[begin:])
