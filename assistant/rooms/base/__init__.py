"""The base: it connects to the satellites of the settings, and serves each as a room."""
