# SPDX-License-Identifier: Apache-2.0
"""A bitstream's Verilog is made fit for a simulator, or refused with the reason."""

import re
from fractions import Fraction

import pytest
from tools.gateware.bitstream import RING_TABLE_PS, simulated
from tools.gateware.chip import pin_name

# As icebox_vlog writes it: ports as wires too, one of them a pin without a name, and a ring of
# three inverters that clocks a flip-flop.
VERILOG = """
module chip (input reference, input rx, input channels_0, inout outputs_0, output io_1_33_0);

wire n1, rx, n3, reference;
wire channels_0;
wire outputs_0, n8, io_1_33_0, n9;
reg n4 = 0, n7 = 0;
assign n11 = 1;

SB_PLL40_2F_CORE #(
  .FEEDBACK_PATH("SIMPLE"),
  .DELAY_ADJUSTMENT_MODE_FEEDBACK("FIXED"),
  .DELAY_ADJUSTMENT_MODE_RELATIVE("FIXED"),
  .PLLOUT_SELECT_PORTA("GENCLK"),
  .PLLOUT_SELECT_PORTB("GENCLK"),
  .SHIFTREG_DIV_MODE(1'b0),
  .FDA_FEEDBACK(4'b0000),
  .FDA_RELATIVE(4'b0110),
  .DIVR(4'b0001),
  .DIVF(7'b1001111),
  .DIVQ(3'b010),
  .FILTER_RANGE(3'b001),
  .ENABLE_ICEGATE_PORTA(1'b0),
  .TEST_MODE(1'b0)
) PLL_16_0 (
  .REFERENCECLK(reference),
  .PLLOUTGLOBALB(n1)
);

assign outputs_0 = n7;
assign io_1_33_0 = n4;
assign n12 = /* LUT   1 2  0 */ (n4 ? !n9 : rx);
assign n13  = /* LUT  32  5  4 */ !n8;
assign n14  = /* LUT  32  5  5 */ !n13;
assign n15  = /* LUT  32  5  0 */ !n14;
/* FF 32  5  0 */ assign n8 = n15;
/* FF 32  6  6 */ always @(posedge n8) if (1'b1) n4 <= 1'b0 ? 1'b0 : n12;
/* FF  1  2  0 */ always @(posedge n1) if (1'b1) n7 <= 1'b0 ? 1'b0 : n4;

endmodule
"""


def test_ports_are_declared_once_and_outputs_that_are_read_back_are_outputs():
    text = simulated(VERILOG).verilog
    ports = "input reference, input rx, input channels_0, output outputs_0, output io_1_33_0"
    assert f"module chip ({ports});" in text
    assert re.findall(r"^wire.*", text, re.MULTILINE) == ["wire n1, n3;", "wire n8, n9;"]
    assert "reg n4 = 0, n7 = 0;" in text


def test_the_ring_is_cut_where_it_is_a_clock():
    chip = simulated(VERILOG)
    assert "assign n8 = board.source;" in chip.verilog
    assert chip.source_half_ps == 3 * RING_TABLE_PS


def test_what_the_pll_makes_is_read():
    chip = simulated(VERILOG)
    # FPGA-TN-02052: (DIVF + 1) / (DIVR + 1) / 2^DIVQ; (FDA_RELATIVE + 1) x 150 ps.
    assert chip.ratio == Fraction(80, 2 * 4)
    assert chip.lates_ps == (0, 7 * 150)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('PATH("SIMPLE")', 'PATH("DELAY")', "PLL.FEEDBACK_PATH: 'DELAY'; must be 'SIMPLE'"),
        ("TEST_MODE(1'b0)", "TEST_MODE(1'b1)", "PLL.TEST_MODE: 1; must be 0"),
        ("SB_PLL40_2F_CORE", "SB_GB", "0 PLLs; must be 1"),
        ("!n14", "n14", "a loop that is no ring of inverters"),
        ("!n13;", "(n13 ? rx : n4);", "a loop that is no ring of inverters"),
        ("@(posedge n8)", "@(posedge n1)", "a loop that is no ring of inverters"),
        ("= n15;", "= n12;", "0 loops of look-up tables; must be 1"),
        ("? !n9 : rx)", "? !n12 : rx)", "2 loops of look-up tables; must be 1"),
        ("= n7;", "= n4 ? n7 : 1'bz;", "an output that is not always driven"),
        ("endmodule", "// Warning: unmatched port 'rx'\nendmodule", "pins rx"),
    ],
)
def test_what_cannot_be_simulated_is_refused(old, new, says):
    assert VERILOG.count(old) == 1
    with pytest.raises(ValueError, match=re.escape(says)):
        simulated(VERILOG.replace(old, new))


def test_ports_of_several_bits_get_names_without_brackets():
    assert pin_name("channels[3]") == "channels_3"
    assert pin_name("uart_rx") == "uart_rx"
