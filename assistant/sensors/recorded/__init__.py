"""Recordings of sensors in files: judged as a running assistant would, and drawn."""
