"""The hub's engine: stages in processes of Ray Serve, and what asks them."""
