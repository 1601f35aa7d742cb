"""What other packages build on, beside what `plexor` gives: types, documents, texts, registers."""
