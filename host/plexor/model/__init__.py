# SPDX-License-Identifier: Apache-2.0
"""Settings, identity, results and calibrations: the data that all rooms share."""
