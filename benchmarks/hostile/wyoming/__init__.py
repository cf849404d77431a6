"""Attacks over Wyoming in each of its roles: services, satellite, and base of satellites."""
