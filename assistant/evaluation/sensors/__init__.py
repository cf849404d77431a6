"""How well faults are noticed in labelled recordings of sensors."""
