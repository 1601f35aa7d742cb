# SPDX-License-Identifier: Apache-2.0
"""`python -m plexor`: the command line."""

import sys

from plexor.cli import main

if __name__ == "__main__":
    sys.exit(main())
