"""Sensors: what their file tells of them, and the messages about what they show."""
