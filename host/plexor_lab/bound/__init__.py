# SPDX-License-Identifier: Apache-2.0
"""What a service of an operating system takes at most: accesses to memories, and their times."""
