# SPDX-License-Identifier: Apache-2.0
"""Explains a run's late answers. Pure."""
