# SPDX-License-Identifier: Apache-2.0
"""Boards, profiles, and the Verilog and netlists of an instrument."""
