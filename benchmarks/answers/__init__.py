"""Benchmarks of what is answered: summaries, replies, and what no source says."""
