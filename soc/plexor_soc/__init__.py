# SPDX-License-Identifier: Apache-2.0
"""The instrument as a LiteX core."""
