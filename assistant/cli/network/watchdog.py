"""How a service of its own tells systemd that it goes round."""

from __future__ import annotations

from collections.abc import Callable

from assistant.supervision.sdnotify import Notifier


class Watchdog:
    """Beats to systemd in place of the daemon's supervisor, which does not run the service.

    `require_alive` raises an error where a thread of the service has ended.
    """

    def __init__(self, notifier: Notifier, require_alive: Callable[[], None]) -> None:
        self._notifier, self._require_alive = notifier, require_alive

    def beat(self) -> None:
        """Report that all goes round, where it does."""
        self._require_alive()
        self._notifier.alive()

    def reloading(self) -> None:
        """Report a beat: reading the settings takes only a moment."""
        self._notifier.alive()
