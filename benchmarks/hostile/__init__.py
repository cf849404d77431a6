"""Attacks on the real daemon by its neighbours: `python -m benchmarks.hostile`.

Each attack deals blows. Meanwhile a watcher checks the daemon's processes, its log and its stored
state, and a prober sends it a valid request every second.
"""
