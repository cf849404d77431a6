"""Who speaks with the assistant over the network, by Wyoming, Home Assistant's voice protocol."""
