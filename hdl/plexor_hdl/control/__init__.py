# SPDX-License-Identifier: Apache-2.0
"""Executes commands, holds registers, and controls runs."""
