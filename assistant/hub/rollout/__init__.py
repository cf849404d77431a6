"""Which versions of the models the hub's workers have, and how a new one is tried on a share."""
