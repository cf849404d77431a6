"""The network of skills: each asks only the servers that the user grants it, through the bridge."""
