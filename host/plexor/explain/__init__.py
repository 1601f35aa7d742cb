# SPDX-License-Identifier: Apache-2.0
"""What is behind a run's late answers. Pure."""
