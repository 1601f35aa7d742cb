-- SPDX-License-Identifier: Apache-2.0
-- Signals of all kinds, for a dump: all nine levels, vectors of both directions, records, arrays.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity bench is
end;

architecture all_kinds of bench is
  type state_t is (idle, busy, done);
  type pair_t is record
    valid : std_logic;
    data : std_logic_vector(3 downto 0);
  end record;
  type bytes_t is array (0 to 2) of std_logic_vector(7 downto 0);
  signal clk : std_logic := '0';
  signal late : std_ulogic;
  signal flag : boolean := false;
  signal plain : bit := '0';
  signal up : unsigned(7 downto 0) := (others => '0');
  signal other_way : std_logic_vector(0 to 7) := x"81";
  signal nine : std_ulogic := 'U';
  signal wide : std_logic_vector(70 downto 0) := (0 => '1', others => '0');
  signal pair : pair_t := ('0', x"0");
  signal bytes : bytes_t := (others => x"00");
  signal state : state_t := idle;
  signal number : integer := 0;
  signal volts : real := 0.5;
begin
  clk <= not clk after 5 ns when now < 900 ns else '0';
  late <= '1' after 33125 ps, '0' after 53 ns, 'Z' after 200 ns, '1' after 250 ns;

  process (clk)
    constant levels : std_ulogic_vector(0 to 8) := "UX01ZWLH-";
  begin
    if rising_edge(clk) then
      up <= up + 3;
      other_way <= other_way(1 to 7) & (other_way(0) xor up(2));
      wide <= wide(69 downto 0) & (wide(70) xor up(1));
      nine <= levels(to_integer(up) mod 9);
      pair <= (up(1), std_logic_vector(up(3 downto 0)));
      bytes(to_integer(up) mod 3) <= std_logic_vector(up);
      flag <= not flag;
      plain <= not plain;
      number <= number - 1;
      volts <= volts * 1.25;
      if state = done then state <= idle; else state <= state_t'succ(state); end if;
    end if;
  end process;
end;
