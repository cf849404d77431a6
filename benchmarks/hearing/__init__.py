"""Benchmarks of the ear: recordings, simulated rooms, microphones, and what it learns."""
