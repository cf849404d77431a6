"""The sensors as the skills have them: what is kept of what was wrong, and when it is told."""
