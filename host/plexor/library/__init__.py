# SPDX-License-Identifier: Apache-2.0
"""The public interface of Plexor: what `import plexor` gives, and what the command line calls."""
