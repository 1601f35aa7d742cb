# SPDX-License-Identifier: Apache-2.0
"""From settings to registers, exactly."""
