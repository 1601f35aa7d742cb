# SPDX-License-Identifier: Apache-2.0
"""Experiments: generators that ask for work, run side by side on one pool, kept as it comes.

A sweep, a burst scan and a farm say what they need next. The engine has it done, keeps it, and
goes on where it was left.
"""
