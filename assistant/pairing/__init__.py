"""Two Harks that know each other: paired by a number or a key, and encrypted from then on."""
