"""Boards, profiles, and the Verilog and netlists of an instrument."""
