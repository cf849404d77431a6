"""Benchmarks of understanding: beside others, in other homes, and on what nobody would say."""
