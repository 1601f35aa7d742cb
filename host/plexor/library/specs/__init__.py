# SPDX-License-Identifier: Apache-2.0
"""What a caller may ask: options, declared once, and their values."""
