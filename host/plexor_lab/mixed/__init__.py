# SPDX-License-Identifier: Apache-2.0
"""A schedule that the device, the host, or both carry out. Pure, but for the line."""
