"""Attacks on the real daemon by its neighbours: `python -m benchmarks.hostile`.

Each attack deals blows, and meanwhile a watcher looks at the daemon's processes, its log and what
it keeps, and a prober asks it for something valid every second.
"""
