"""The network of skills and stages, made from the settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assistant.bridge.authorities import trusting
from assistant.bridge.network.fetcher import Fetcher
from assistant.bridge.network.grants import ServerGrants
from assistant.bridge.network.hub import HubClient
from assistant.bridge.network.secrets import Secrets
from assistant.bridge.network.server import NetworkServer
from assistant.core.config import Config
from assistant.core.errors import BridgeError
from assistant.core.files import make_private


def serve_network(config: Config, read: Callable[[], Config]) -> NetworkServer:
    """Serve the network at its socket; `read` reads the settings anew.

    Raises `ConfigError` for a file without certificates or a hub that is none, `BridgeError` where
    no socket can be.
    """
    hub = HubClient(config.hub) if config.hub.url else None
    folder = config.network.secrets
    secrets = Secrets(Path(folder).expanduser() if folder else None)
    fetcher = Fetcher(
        ServerGrants(read), secrets, trusting(config.network.ca_file, "network.ca_file")
    )
    try:
        make_private(config.runtime_dir)
    except OSError as error:
        message = f"{config.runtime_dir} cannot hold the socket: {error.strerror}"
        raise BridgeError("bridge.folder", message) from error
    return NetworkServer(config.network_socket, fetcher, hub)
