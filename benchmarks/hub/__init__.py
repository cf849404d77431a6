"""The hub as it runs."""
