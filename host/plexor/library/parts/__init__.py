# SPDX-License-Identifier: Apache-2.0
"""What other packages build on, beside what `plexor` gives: types, documents, texts, registers."""
