# SPDX-License-Identifier: Apache-2.0
"""Sends events and memories to the link."""
