"""The services with the network, which the daemon itself has not."""
