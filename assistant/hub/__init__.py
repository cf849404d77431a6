"""The same stages as the daemon's, as a service for many rooms on Ray Serve (extra `hub`)."""
