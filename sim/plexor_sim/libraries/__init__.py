# SPDX-License-Identifier: Apache-2.0
"""Devices under test as libraries, in C or any language with C's calls, and as Python sketches."""
