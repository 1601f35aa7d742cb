# SPDX-License-Identifier: Apache-2.0
"""Captures of other instruments, made into runs."""
