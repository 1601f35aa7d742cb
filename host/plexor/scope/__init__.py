# SPDX-License-Identifier: Apache-2.0
"""The live page: a server on this machine, and what it sends to browsers."""
