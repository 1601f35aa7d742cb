"""Parts that know nothing of what is measured."""
