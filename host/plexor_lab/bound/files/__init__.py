# SPDX-License-Identifier: Apache-2.0
"""The files of a bound: models, platforms, maps, logs and measured services."""
