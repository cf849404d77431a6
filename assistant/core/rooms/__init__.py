"""What passes between the daemon and the service of the rooms."""
