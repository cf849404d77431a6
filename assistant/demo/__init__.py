"""A spoken exchange with the real daemon, without a sound card."""
