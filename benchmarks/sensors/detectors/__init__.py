"""Detectors of what is wrong with the sensors of a machine, side by side."""
