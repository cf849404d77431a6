"""The network of skills, made from the settings."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

from assistant.bridge.network.fetcher import Fetcher
from assistant.bridge.network.grants import ServerGrants
from assistant.bridge.network.secrets import Secrets
from assistant.bridge.network.server import NetworkServer
from assistant.core.config import Config
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.files import make_private
from assistant.core.settings.network import NetworkSettings


def serve_network(config: Config, read: Callable[[], Config]) -> NetworkServer:
    """Serve the network at its socket; `read` reads the settings anew.

    Raises `ConfigError` for a file without certificates, `BridgeError` where no socket can be.
    """
    folder = config.network.secrets
    secrets = Secrets(Path(folder).expanduser() if folder else None)
    fetcher = Fetcher(ServerGrants(read), secrets, tls(config.network))
    try:
        make_private(config.runtime_dir)
    except OSError as error:
        message = f"{config.runtime_dir} cannot hold the socket: {error.strerror}"
        raise BridgeError("bridge.folder", message) from error
    return NetworkServer(config.network_socket, fetcher)


def tls(settings: NetworkSettings) -> ssl.SSLContext:
    """A context that trusts the system's authorities, and that of `network.ca_file`."""
    context = ssl.create_default_context()
    if settings.ca_file:
        file = Path(settings.ca_file).expanduser()
        try:
            context.load_verify_locations(file)
        except OSError as error:
            message = f"network.ca_file: {file} holds no certificates in PEM: {error}"
            raise ConfigError("bridge.ca_file", message) from error
    return context
