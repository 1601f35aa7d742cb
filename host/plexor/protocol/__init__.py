# SPDX-License-Identifier: Apache-2.0
"""The contract between gateware, golden model and host: declared once, derived everywhere.

Standard library only. `records` declares what a record is, `frames` the frames of a link,
`registers` the register map, `memory` the on-chip result memories, `geometry` the parameters of a
build and its identity.
"""
