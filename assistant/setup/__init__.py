"""The first set-up, without its questions: what is tried, what is guessed, what is written."""
