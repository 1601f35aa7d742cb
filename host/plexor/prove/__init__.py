# SPDX-License-Identifier: Apache-2.0
"""The acceptance of an instrument: what was proven of it, with which error, and what was not."""
