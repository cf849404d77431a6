"""Messages about where the time of an utterance went."""
