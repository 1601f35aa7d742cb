# SPDX-License-Identifier: Apache-2.0
"""Designs of users as devices: their manifests, sources and ports."""
