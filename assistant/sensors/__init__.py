"""Sensors: what their values tell of the machines and rooms where they are."""
