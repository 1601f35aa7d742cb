"""Boards, profiles, and what is made of an instrument."""
