"""Commands about who may what."""
