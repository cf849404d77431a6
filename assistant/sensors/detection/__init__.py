"""What is wrong with a stream of values."""
