# SPDX-License-Identifier: Apache-2.0
"""Builds bitstreams from boards' files, and checks the resolution of their front-ends."""
