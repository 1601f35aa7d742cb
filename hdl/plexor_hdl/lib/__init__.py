"""General components, independent of what is measured."""
