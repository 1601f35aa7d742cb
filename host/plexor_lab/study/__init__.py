"""Systems side by side, beside a published study."""
