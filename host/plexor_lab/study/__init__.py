# SPDX-License-Identifier: Apache-2.0
"""Systems side by side, beside a published study."""
