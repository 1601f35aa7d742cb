# SPDX-License-Identifier: Apache-2.0
"""Phase scans: phases of a device's tick, or of another stimulus, in which a strike must wait."""
