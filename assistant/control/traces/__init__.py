"""Where the time of each utterance went, as OpenTelemetry tells it, and no word of it."""
