"""Being found on the local network, and finding satellites there, by multicast DNS."""
