# SPDX-License-Identifier: Apache-2.0
"""What the command line asks: each command with its help and its options, and where its body is.

Nothing heavy is imported here, so `--help`, completions and wrong options answer at once.
"""
