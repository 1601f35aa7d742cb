# SPDX-License-Identifier: Apache-2.0
"""Runs written as files that other tools read."""
