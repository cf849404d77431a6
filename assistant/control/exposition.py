"""Prometheus's text format: https://prometheus.io/docs/instrumenting/exposition_formats/."""

# Without prometheus-client, which would load an HTTP server, TLS and 8 MB into the process.

from __future__ import annotations

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def family(name: str, kind: str, text: str) -> list[str]:
    """The lines above the samples of a metric."""
    return [f"# HELP hark_{name} {text}", f"# TYPE hark_{name} {kind}"]


def labels(**values: str) -> str:
    """What stands between a sample's name and its value."""
    return "{" + ",".join(f'{k}="{v.translate(_ESCAPES)}"' for k, v in values.items()) + "}"
