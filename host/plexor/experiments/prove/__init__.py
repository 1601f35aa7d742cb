# SPDX-License-Identifier: Apache-2.0
"""The acceptance test of an instrument: what is proven, with which error, and what is not."""
