# SPDX-License-Identifier: Apache-2.0
"""The instrument itself and the machine that it is connected to: calibrations, tests, boards."""
