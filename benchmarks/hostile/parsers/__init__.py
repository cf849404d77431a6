"""Generated inputs for the parsers of what comes from outside, each under its unit's memory.

python -m benchmarks.hostile.parsers caldav feed --count 200000 --resume
"""
