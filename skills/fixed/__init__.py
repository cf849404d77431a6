"""Skills whose intents each have one fixed reply: small talk, and what nothing here can do."""
