# SPDX-License-Identifier: Apache-2.0
"""Public designs from packages, each with a manifest of ours, compared with Icarus edge by edge."""
