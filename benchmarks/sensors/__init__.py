"""Sensors: a made-up plant with faults, and how fast and how well its faults are noticed."""
