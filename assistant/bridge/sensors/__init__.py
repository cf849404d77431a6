"""The sensors' way over the network: their values in, and alarms about them out."""
