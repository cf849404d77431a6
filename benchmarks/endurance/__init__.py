"""Long attacks on the daemon and its files: kills, power cuts, clocks, and days of talk."""
