# SPDX-License-Identifier: Apache-2.0
"""The twin: the instrument emulated event by event, in C++."""
