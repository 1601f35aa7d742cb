# SPDX-License-Identifier: Apache-2.0
"""The golden model: the instrument in plain Python, from docs/instrument.md alone.

`instrument.measure` takes a build's geometry, its register values and the pins' edges, and returns
every count, bin and statistic that the instrument must report. The stages have the gateware's
names: `stimulus`, `edges`, `matcher`, `memory`, `frames`. Everything that depends on single clocks
(drops, the moment of a snapshot, the end of a run) is an argument.
"""
