"""Training of the models that ship, and of the public benchmarks; the daemon never imports it."""
