"""What was said, kept with the user's consent: the sound, and what became of it."""
