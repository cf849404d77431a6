"""The commands `assistant eval …`, by what they judge."""
