-- SPDX-License-Identifier: Apache-2.0
-- Two FIFOs of another library, one behind the other.
library ieee, microwatt;
use ieee.std_logic_1164.all;

entity fifo_of_library is
  port (clk, reset, push, pop : in std_logic;
    data : in std_logic_vector(3 downto 0);
    full, empty, last_full : out std_logic);
end entity;

architecture behaviour of fifo_of_library is
  signal between : std_logic_vector(3 downto 0);
  signal first_empty, second_full, moved : std_logic;
begin
  moved <= not first_empty and not second_full;
  last_full <= second_full;
  first : entity microwatt.pp_fifo generic map (DEPTH => 8, WIDTH => 4)
    port map (clk => clk, reset => reset, full => full, empty => first_empty,
      data_in => data, data_out => between, push => push, pop => moved);
  second : entity microwatt.pp_fifo generic map (DEPTH => 4, WIDTH => 4)
    port map (clk => clk, reset => reset, full => second_full, empty => empty,
      data_in => between, data_out => open, push => moved, pop => pop);
end architecture;
