"""Whose certificates are trusted."""

from __future__ import annotations

import ssl
from pathlib import Path

from assistant.core.errors import ConfigError


def trusting(ca_file: str, setting: str) -> ssl.SSLContext:
    """A context that trusts the system's authorities, and those of a file where one is named.

    Raises `ConfigError`, which names the `setting`, for a file without certificates.
    """
    context = ssl.create_default_context()
    if ca_file:
        file = Path(ca_file).expanduser()
        try:
            context.load_verify_locations(file)
        except OSError as error:
            message = f"{setting}: {file} holds no certificates in PEM: {error}"
            raise ConfigError("bridge.ca_file", message) from error
    return context
